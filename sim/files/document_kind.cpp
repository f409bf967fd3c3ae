#include "sim/files/document_kind.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace starport {

std::string document_kind(const nlohmann::json& document) {
  constexpr std::array<std::pair<const char*, const char*>, 6> kinds{{{"workers", "a platform"},
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

}  // namespace starport
