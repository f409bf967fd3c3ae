#include "sim/cli/file_kinds.hpp"

#include "sim/app/model_registry.hpp"
#include "sim/cli/schemas.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/json_schema.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/report/claims/claims.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/report/database/result_table.hpp"
#include "sim/report/trace_files.hpp"
#include "sim/results/figure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace starport {
namespace {

void check_by(std::string_view schema, const nlohmann::json& document, const std::string& name) {
  JsonSchema(parse_json(std::string(schema), name)).check(document, name);
}

std::string describe_sweep(const nlohmann::json&, const std::string& path) {
  const Specification specification = load_specification(path, model_registry());
  return fmt::format("a valid sweep\n  {}: {}, {}, {}\n", specification.name,
                     format_count(std::ssize(specification.experiments), "experiment"),
                     format_count(specification.size(), "instance"),
                     format_count(specification.rows(), "row"));
}

std::string describe_claims(const nlohmann::json& document, const std::string& path) {
  check_by(embedded::experiments_claims_schema_json, document, "claims");
  const Claims read = load_claims(path);
  return fmt::format("valid claims\n  {}: {}\n", read.title,
                     format_count(std::ssize(read.claims), "statement"));
}

std::string describe_results(const nlohmann::json& document, const std::string&) {
  JsonSchema(results_schema(model_registry().models)).check(document, "results");
  std::vector<std::string> rows;
  for (const nlohmann::json& row : document.at("results")) {
    rows.push_back(fmt::format("{} {}", row.at("heuristic").get<std::string>(),
                               row.at("status").get<std::string>()));
  }
  return fmt::format("valid results\n  {}: {}\n",
                     document.at("platform").at("name").get<std::string>(), fmt::join(rows, ", "));
}

std::string describe_trace(const nlohmann::json& document, const std::string&) {
  check_by(embedded::sim_report_trace_schema_json, document, "traces");
  return fmt::format("a valid trace, of Chrome trace events\n  {}\n",
                     format_count(std::ssize(document.at("traceEvents")), "event"));
}

std::string describe_message(const nlohmann::json& document, const std::string&) {
  check_by(embedded::heuristics_protocol_schema_json, document, "the protocol");
  return "a valid message of the protocol\n";
}

std::string describe_noise(const nlohmann::json& document, const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const Noise noise = read_noise(JsonNode(document), 0, folder.empty() ? "." : folder.string());
  return fmt::format("valid noise\n  {}\n", to_text(noise));
}

std::string describe_samples(const nlohmann::json&, const std::string& path) {
  const DurationRatios read = load_duration_ratios(path);
  return fmt::format("valid measured durations\n  {}, {}\n",
                     format_count(std::ssize(read.transfers), "transfer"),
                     format_count(std::ssize(read.updates), "update"));
}

/// A kind of JSON file and the function that checks it.
struct FileKind {
  const char* name;
  std::vector<const char*> keys;  ///< top-level keys, any of which identifies it
  std::string (*describe)(const nlohmann::json& document, const std::string& path);
};

/// Returns the kinds in the order in which they are tried, since some keys occur in several.
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

/// Checks the columns of a trace that read_trace() ignores. Throws InputError.
void check_trace_rows(const ResultTable& table, const std::string& path) {
  if (table.count("count(*)") == 0) {
    throw InputError::with_problem("", "the trace has no rows after its header").in_file(path);
  }
  for (const char* column :
       {"a_blocks", "b_blocks", "c_blocks", "block_updates", "released_blocks"}) {
    if (!table.has(column)) continue;
    const auto faults = table.query(
        fmt::format("SELECT _rowid_, {0} FROM results WHERE {0} IS NOT NULL AND (typeof({0}) <> "
                    "'integer' OR {0} < 0) LIMIT 1",
                    column));
    if (faults.empty()) continue;
    throw InputError("row " + to_text(faults[0][0]),
                     fmt::format("{} to be a number of them", column),
                     "'" + to_text(faults[0][1]) + "'")
        .in_file(path);
  }
  for (const char* column : {"makespan_s", "bound_s", "port"}) {
    const auto faults = table.query(
        fmt::format("SELECT heuristic, min({0}), max({0}) FROM results GROUP BY heuristic HAVING "
                    "count(DISTINCT {0}) > 1 OR count({0}) NOT IN (0, count(*)) LIMIT 1",
                    column));
    if (faults.empty()) continue;
    throw InputError("", fmt::format("one {} in the rows of {}", column, to_text(faults[0][0])),
                     fmt::format("'{}' and '{}'", to_text(faults[0][1]), to_text(faults[0][2])))
        .in_file(path);
  }
}

std::string trace_rows(const ResultTable& table, const std::string& path) {
  table.require({"heuristic", "makespan_s", "bound_s", "port"});
  check_trace_rows(table, path);
  std::string text = "a valid trace\n";
  for (const Row& row : table.query("SELECT heuristic, count(*) FROM results GROUP BY heuristic "
                                    "ORDER BY min(_rowid_)")) {
    const std::string name = to_text(row[0]);
    text += fmt::format("  {}: {} rows, makespan {:.6g} s\n", name, to_text(row[1]),
                        read_trace(path, name).makespan_s);
  }
  return text;
}

/// Checks that each row has a heuristic, a known status, and a makespan if the status is ok.
/// Returns the description of the file. Throws InputError.
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
  return fmt::format("valid results\n  {}: {}\n", format_count(table.count("count(*)"), "row"),
                     fmt::join(counts, ", "));
}

}  // namespace

std::string describe_json(const nlohmann::json& document, const std::string& path) {
  std::string kinds = "a platform (with the key 'workers'), a schedule ('transfers')";
  for (const FileKind& kind : file_kinds()) {
    if (document.is_object() &&
        std::ranges::any_of(kind.keys, [&](const char* key) { return document.contains(key); })) {
      return path + ": " + with_file_in_errors(path, [&] { return kind.describe(document, path); });
    }
    kinds += fmt::format(", {} ('{}')", kind.name, kind.keys.front());
  }
  const std::string kind = document_kind(document);
  throw InputError::with_problem(
      "/", kind.empty() ? "no key tells the kind of this file" : "no command reads " + kind,
      "Known kinds: " + kinds)
      .in_file(path);
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
