#include "sim/files/document_kind.hpp"

#include "sim/files/error.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace starport {

std::string document_kind(const nlohmann::json& document) {
  // Output of commands may also have the keys of a file: the kinds of output come first.
  constexpr std::array<std::pair<const char*, const char*>, 9> kinds{
      {{"bandwidth_centric_order", "what starport bound --json prints"},
       {"first_other_step", "what starport compare-runs --json prints"},
       {"specification_sha256", "the run_info.json of a directory of results"},
       {"workers", "a platform"},
       {"transfers", "a schedule"},
       {"experiments", "a sweep"},
       {"claims", "claims"},
       {"results", "results"},
       {"traceEvents", "a trace"}}};
  if (!document.is_object()) return "";
  for (const auto& [key, kind] : kinds) {
    if (document.contains(key)) return kind;
  }
  return "";
}

std::string csv_document_kind(std::string_view text) {
  const std::string header = "," + std::string(text.substr(0, text.find_first_of("\r\n"))) + ",";
  const auto has = [&](const char* column) { return header.find(column) != std::string::npos; };
  if (!has(",heuristic,")) return "";
  return has(",start_s,") ? "a trace (CSV)" : has(",status,") ? "results (CSV)" : "";
}

void require_document_kind(const nlohmann::json& document, const std::string& kind,
                           const std::string& hint) {
  const std::string found = document_kind(document);
  if (!found.empty() && found != kind) throw InputError("", kind, found, hint);
}

void reject_csv(std::string_view text, const std::string& kind) {
  if (const std::string found = csv_document_kind(text); !found.empty())
    throw InputError("", kind, found);
}

}  // namespace starport
