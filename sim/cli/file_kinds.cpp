#include "sim/cli/file_kinds.hpp"

#include "sim/cli/known.hpp"
#include "sim/cli/schemas.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/json_schema.hpp"
#include "sim/files/plural.hpp"
#include "sim/platform/noise_json.hpp"
#include "sim/platform/noise_text.hpp"
#include "sim/report/claims.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/report/database/result_table.hpp"
#include "sim/report/trace_files.hpp"
#include "sim/study/common_figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace starport {
namespace {

using nlohmann::json;

void check_by(std::string_view schema, const json& document, const std::string& name) {
  JsonSchema(json::parse(schema)).check(document, name);
}

std::string describe_sweep(const json&, const std::string& path) {
  const Specification specification = load_specification(path, known());
  return fmt::format("a valid sweep\n  {}: {}, {}, {}\n", specification.name,
                     counted(std::ssize(specification.experiments), "experiment"),
                     counted(specification.size(), "instance"),
                     counted(specification.rows(), "row"));
}

std::string describe_claims(const json& document, const std::string& path) {
  check_by(embedded::experiments_claims_schema_json, document, "claims");
  const Claims read = load_claims(path);
  return fmt::format("valid claims\n  {}: {}\n", read.title,
                     counted(std::ssize(read.claims), "statement"));
}

std::string describe_results(const json& document, const std::string&) {
  JsonSchema(results_schema(known().models)).check(document, "results");
  std::vector<std::string> rows;
  for (const json& row : document.at("results")) {
    rows.push_back(fmt::format("{} {}", row.at("heuristic").get<std::string>(),
                               row.at("status").get<std::string>()));
  }
  return fmt::format("valid results\n  {}: {}\n",
                     document.at("platform").at("name").get<std::string>(), fmt::join(rows, ", "));
}

std::string describe_trace(const json& document, const std::string&) {
  check_by(embedded::sim_report_trace_schema_json, document, "traces");
  return fmt::format("a valid trace, of Chrome trace events\n  {}\n",
                     counted(std::ssize(document.at("traceEvents")), "event"));
}

std::string describe_message(const json& document, const std::string&) {
  check_by(embedded::heuristics_protocol_schema_json, document, "the protocol");
  return "a valid message of the protocol\n";
}

std::string describe_noise(const json&, const std::string& path) {
  return fmt::format("valid noise\n  {}\n", to_text(parse_noise(path, "")));
}

std::string describe_samples(const json&, const std::string& path) {
  const Samples read = load_samples(path);
  return fmt::format("valid measured durations\n  {}, {}\n",
                     counted(std::ssize(read.transfers), "transfer"),
                     counted(std::ssize(read.updates), "update"));
}

struct FileKind {
  const char* name;
  std::vector<const char*> keys;  ///< any of which tells it
  std::string (*describe)(const json& document, const std::string& path);
};

/// Some keys are those of several kinds: the first one has it.
const std::vector<FileKind>& file_kinds() {
  static const std::vector<FileKind> all{
      {"a message of the protocol", {"protocol", "requests", "serve"}, describe_message},
      {"a sweep", {"experiments"}, describe_sweep},
      {"claims", {"claims"}, describe_claims},
      {"results", {"results"}, describe_results},
      {"a trace", {"traceEvents"}, describe_trace},
      {"measured durations", {"transfers_s", "updates_s"}, describe_samples},
      {"noise",
       {"cv", "transfer_cv", "update_cv", "samples", "transfer_factors", "update_factors", "slow",
        "stop"},
       describe_noise}};
  return all;
}

std::string trace_rows(const ResultTable& table, const std::string& path) {
  std::string text = "a valid trace\n";
  for (const Row& row : table.query("SELECT heuristic, count(*) FROM results GROUP BY heuristic "
                                    "ORDER BY min(_rowid_)")) {
    const std::string name = to_text(row[0]);
    text += fmt::format("  {}: {} rows, makespan {:.6g} s\n", name, to_text(row[1]),
                        read_trace(path, name).makespan_s);
  }
  return text;
}

/// A status that there is, and a makespan where it is ok.
std::string result_rows(const ResultTable& table, const std::string& path) {
  const std::string makespan(kMakespan.key);
  const std::string wrong = fmt::format(
      "status IS NULL OR status NOT IN ('ok', 'error', 'not applicable') OR heuristic IS NULL OR "
      "(status = 'ok' AND typeof({}) NOT IN ('integer', 'real'))",
      makespan);
  const auto faults = table.query("SELECT _rowid_ FROM results WHERE " + wrong + " LIMIT 1");
  if (!faults.empty()) {
    throw InputError("row " + to_text(faults.front().front()),
                     "a heuristic, and the status ok with a makespan, error or not applicable",
                     "something else")
        .in_file(path);
  }
  std::vector<std::string> counts;
  for (const Row& row : table.query("SELECT status, count(*) FROM results GROUP BY status ORDER BY "
                                    "status = 'ok' DESC, status")) {
    counts.push_back(fmt::format("{} {}", to_text(row[1]), to_text(row[0])));
  }
  return fmt::format("valid results\n  {}: {}\n", counted(table.count("count(*)"), "row"),
                     fmt::join(counts, ", "));
}

}  // namespace

std::string describe_json(const json& document, const std::string& path) {
  std::string expected = "a platform (with the key 'workers'), a schedule ('transfers')";
  for (const FileKind& kind : file_kinds()) {
    if (document.is_object() &&
        std::ranges::any_of(kind.keys, [&](const char* key) { return document.contains(key); })) {
      return path + ": " + named_by_file(path, [&] { return kind.describe(document, path); });
    }
    expected += fmt::format(", {} ('{}')", kind.name, kind.keys.front());
  }
  throw InputError("/", expected, "none of them").in_file(path);
}

std::string describe_csv(const std::string& path) {
  const ResultTable table = ResultTable::read_csv(path);
  if (table.has("start_s")) return path + ": " + trace_rows(table, path);
  if (table.has("status")) {
    table.require({"heuristic", std::string(kMakespan.key)});
    return path + ": " + result_rows(table, path);
  }
  throw InputError("line 1", "the columns of results ('status') or of a trace ('start_s')",
                   "neither")
      .in_file(path);
}

}  // namespace starport
