#include "sim/app/command_line.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/platform/starpu_models.hpp"
#include "sim/report/claims/fit.hpp"
#include "sim/report/database/result_table.hpp"
#include "sim/report/page/html_page.hpp"
#include "sim/report/result_summary.hpp"
#include "sim/sweep/checksums.hpp"
#include "sim/sweep/result_directory.hpp"
#include "sim/sweep/row_file.hpp"
#include "sim/sweep/run_sweep.hpp"
#include "tests/fuzz/targets.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

namespace starport::fuzz {
namespace {

constexpr std::array kFiles{result_files::kResults, result_files::kTimings,
                            result_files::kChecksums, result_files::kRunInfo,
                            result_files::kSpecification};

constexpr const char* kSweep = R"({"schema_version": 1, "name": "fuzzed", "seed": 3,
  "heuristics": ["ODDOML", "DMDA", "FPM"], "experiments": [{"name": "one, \"two\"",
  "problems": ["20x20x20", "30x30x30"], "platforms": [{"platform": {"schema_version": 1,
  "name": "pair", "block_size": 10, "workers": [{"count": 2, "c_s": 1, "w_s": 2,
  "m_blocks": 30}]}}]}]})";

constexpr const char* kFitSweep = R"({"schema_version": 1, "name": "small", "seed": 3,
  "heuristics": ["ODDOML", "HomI"], "experiments": [
    {"name": "one", "problems": ["40x40x40"], "platforms": [{"platform": {"schema_version": 1,
     "name": "one", "block_size": 10, "workers": [{"bandwidth": "1TBps", "speed": "1Mf",
     "memory": "1MB"}]}}]},
    {"name": "drawn", "problems": ["40x40x80"], "block_sizes": [10], "platforms": [{"generate":
     {"name": "random", "workers": 3, "speed": "1Mf", "bandwidth": {"uniform": ["1MBps", "4MBps"]},
      "memory": "1MB"}}]}]})";

constexpr const char* kFitClaims = R"({"schema_version": 1, "title": "A paper", "fit": {
  "groups": {"the one": ["one"]}, "parameters": [
    {"name": "speed_factor", "field": "speed", "multiply": [0.5, 2], "group": "the one",
     "prior": "not given"},
    {"name": "HomI", "heuristics": ["HomI"], "parameter": "thresholds",
     "readings": ["all", "own"], "prior": "unclear"}]},
  "claims": [
    {"source": "1", "statement": "time", "unit": "s", "draws": true,
     "expect": {"value": 0.08, "relative_tolerance": 0.01},
     "sql": "SELECT makespan_s FROM results"},
    {"source": "2", "statement": "count", "expect": {"at_least": 3, "at_most": 9},
     "sql": "SELECT count(*) FROM results"}]})";

void write_text(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Returns what a function returns; nullopt if it refuses its input.
template <class Function>
auto accepted(Function function) -> std::optional<decltype(function())> {
  try {
    return function();
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// An empty directory, in memory where the system has room there; it goes with the program.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    const bool memory = std::filesystem::is_directory("/dev/shm");
    path_ = (memory ? "/dev/shm" : "/tmp") + std::string("/starport-fuzz-XXXXXX");
    must(::mkdtemp(path_.data()) != nullptr, "no directory");
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() { std::filesystem::remove_all(path_); }

  /// Returns the path of a file of this name in the directory.
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// A complete directory of a small sweep.
class Directory {
 public:
  Directory() {
    write_text(scratch_.file("sweep.json"), kSweep);
    const Specification specification =
        load_specification(scratch_.file("sweep.json"), model_registry());
    ResultDirectory results(path(), specification,
                            {.engine = "analytic", .simgrid_version = "3", .shard = {}},
                            describe_invocation({"starport", "sweep"}));
    run_sweep(specification, results, {.engine = EngineKind::analytic}, 1,
              [](const SweepProgress&) { return true; });
    results.finish(1);
    for (std::size_t i = 0; i < kFiles.size(); ++i)
      whole_[i] = read_file(path_in(path(), kFiles[i]));
  }

  std::string path() const { return scratch_.file("results"); }
  const std::string& whole(std::size_t file) const { return whole_[file]; }
  std::string file(std::size_t i) const { return path_in(path(), kFiles[i]); }

 private:
  ScratchDirectory scratch_;
  std::array<std::string, kFiles.size()> whole_;
};

Directory& directory() {
  static Directory one;
  return one;
}

void read_results(const std::string& text) {
  static const InputFile file;
  file.set(text);
  const ResultTable table = ResultTable::read_csv(file.path());
  must(table.count("count(*)") >= 0, "a table without rows");
}

/// The lines of checksums, and the rows that they are of, as an interrupted sweep leaves them.
void read_row_files(const std::string& text) {
  static const InputFile file;
  file.set(text);
  must(Checksums().read(file.path()) <= text.size(), "more checksums than text");
  RowReader rows(file.path(), "instance,heuristic\r\n");
  while (const auto block = rows.next()) {
    must(block->instance > 0 && block->end() <= text.size(), "rows beyond the file");
  }
}

void read_run_information(const std::string& text) {
  const Directory& complete = directory();
  write_text(complete.file(3), text);
  const nlohmann::ordered_json info = read_run_info(complete.path());
  must(run_info_text(info) == run_info_text(nlohmann::ordered_json::parse(run_info_text(info))),
       "run_info.json is not what was written of it");
}

/// Bytes of a complete directory changed: file, place (two bytes), how many go, what comes. What is
/// proven must be what was written.
void change_directory(const std::string& text) {
  constexpr std::size_t head = 4;
  if (text.size() < head) return;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const Directory& complete = directory();
  const std::size_t file = byte(0) % kFiles.size();
  const std::string& whole = complete.whole(file);
  const std::size_t at = (byte(1) * 256U + byte(2)) % (whole.size() + 1);
  std::string changed = whole;
  changed.replace(at, byte(3), text, head);
  for (std::size_t i = 0; i < kFiles.size(); ++i) {
    write_text(complete.file(i), i == file ? changed : complete.whole(i));
  }
  if (const bool rows_or_specification = file == 0 || file == 4; rows_or_specification) {
    bool taken = true;
    try {
      read_complete_results(complete.path());
    } catch (const InputError&) {
      taken = false;
    }
    must(!taken || changed == whole, "changed results are taken for reports and merges");
  }
  const Verification verified = verify_directory(complete.path(), model_registry());
  // An unfinished directory proves its rows alone: its run_info.json may be another sealed one.
  must(!verified.complete || changed == whole, "a changed byte is proven");
}

/// Texts of all kinds on the page: none of them ends or begins an element.
void show_page(const std::string& text) {
  static const InputFile results(directory().whole(0));
  static const InputFile timings(directory().whole(1));
  static const ResultTable table = ResultTable::read_csv(results.path());
  static const ResultTable times = ResultTable::read_csv(timings.path());
  const auto elements = [&](const std::string& shown) {
    ReportPage page{
        .title = shown,
        .models = model_registry().models,
        .command = shown,
        .provenance = {{"text", shown}},
        .plots = {{.experiment = "one, \"two\"",
                   .caption = shown,
                   .drawing = {.kind = "bars", .data = shown, .settings = {{"title", shown}}}}},
        .questions = {{"one, \"two\"", shown}}};
    page.runs[0] = {.chart = nlohmann::json{{"name", shown}}.dump(
                        -1, ' ', false, nlohmann::json::error_handler_t::replace),
                    .slices = "AA=="};
    const std::string html = to_html(page, table, times);
    return std::count(html.begin(), html.end(), '<');
  };
  static const auto plain = elements("plain");
  must(elements(text) == plain, "a text has become an element of the page");
}

/// StarPU's models of a machine: the text of each file, a form feed after it, at last the size of
/// tiles. What is read of them is a platform file.
void read_starpu(const std::string& text) {
  constexpr std::array files{"bus/box.config",   "bus/box.bandwidth",
                             "bus/box.latency",  "bus/box.platform.xml",
                             "bus/box.affinity", "codelets/45/starpu_dgemm_gemm.box"};
  static const ScratchDirectory models;
  std::string_view rest = text;
  for (const char* name : files) {
    const std::filesystem::path path = models.file(name);
    std::filesystem::create_directories(path.parent_path());
    write_text(path, next_token(rest, '\f'));
  }
  const PlatformFile file =
      read_starpu_models(models.file(""), "box", parse_number<std::int64_t>(rest));
  const std::string written = to_json(file);
  const auto again = accepted([&] { return parse_platform(parse_json(written, "box"), "box"); });
  must(again && to_json(*again) == written, "an imported machine is no platform file");
}

/// The parameters of a fit of a small sweep, and claims on it.
struct SmallFit {
  explicit SmallFit(const std::string& text) {
    static const InputFile sweep(kFitSweep);
    static const InputFile file;
    file.set(text);
    specification = load_specification(sweep.path(), model_registry());
    claims = load_claims(file.path());
    parameters = fit::load_parameters(file.path(), specification, model_registry());
  }

  Specification specification;
  Claims claims;
  std::vector<fit::Parameter> parameters;
};

/// Each calibration is a row that is read as the same, and a specification; what is simulated of
/// it has a value or none for each claim.
void read_fit(const std::string& text) {
  const SmallFit given(text);
  const Specification& specification = given.specification;
  const Claims& claims = given.claims;
  const std::vector<fit::Parameter>& parameters = given.parameters;
  const fit::CampaignFile rows("campaigns.csv", parameters, claims, "fuzzed");
  fit::Campaign campaign;
  campaign.values.resize(claims.claims.size());
  for (const double fraction : {0.0, 0.4, 1.0}) {
    campaign.calibration.clear();
    for (const fit::Parameter& parameter : parameters) {
      const double value = campaign.calibration.emplace_back(parameter.value_at(fraction));
      must(parameter.value_at(parameter.fraction_of(value)) == value, "a value is another one");
      parameter.range_text();
    }
    const std::string row = rows.to_row(campaign);
    const auto again = accepted([&] { return rows.parse_row(row, 2); });
    must(again && again->calibration == campaign.calibration && rows.to_row(*again) == row,
         "a campaign is not what was written of it");
    static const InputFile calibrated;
    calibrated.set(calibrated_specification(specification, parameters, campaign.calibration));
    accepted([&] { return load_specification(calibrated.path(), model_registry()); });
  }
  const fit::CampaignRunner runner(specification, claims, {});
  accepted([&] {
    return runner.run(apply_calibration(specification, parameters, campaign.calibration));
  });
  accepted([&] { return current_readings(specification, parameters); });
}

/// The rows of campaigns, the word INPUT for what identifies their claims. What is taken of them is
/// written as the same, and every report can be made.
void read_campaigns(const std::string& text) {
  static const ScratchDirectory scratch;
  static const SmallFit given(kFitClaims);
  const Specification& specification = given.specification;
  const Claims& claims = given.claims;
  const std::vector<fit::Parameter>& parameters = given.parameters;
  const std::string path = scratch.file("campaigns.csv");
  write_text(path, boost::replace_all_copy(text, "INPUT", claims_hash(claims) + "-fuzzed"));
  fit::CampaignFile file(path, parameters, claims, "fuzzed");
  const fit::Campaigns campaigns = file.resume();
  file.rewrite(campaigns);
  const std::string written = read_file(path);
  const auto again = accepted([&] { return file.resume(); });
  must(again.has_value(), "rows are refused that were written");
  file.rewrite(*again);
  must(read_file(path) == written, "campaigns are not what was written of them");
  if (campaigns.empty()) return;

  variation_report(claims, campaigns);
  bool all_calibrated = campaigns.contains(1);
  for (const auto& [number, campaign] : campaigns) {
    all_calibrated = all_calibrated && !campaign.calibration.empty();
    calibrated_specification(specification, parameters, campaign.calibration);
  }
  if (all_calibrated) readings_report(claims, parameters, campaigns);
  if (all_calibrated) search_report(claims, parameters, campaigns);
  const CampaignKind kind =
      parameters.empty() ? CampaignKind::variation : CampaignKind::calibration;
  const auto numbers = accepted([&] { return read_campaign_values({path}, claims, kind); });
  must(numbers && numbers->size() == campaigns.size(), "other numbers of campaigns");
  std::vector<CheckedClaim> checked;
  for (const Claim& claim : claims.claims) {
    const double number = numbers->front()[checked.size()];
    checked.push_back({.claim = claim, .number = number, .holds = holds(claim, number)});
  }
  judge_by_draws(checked, *numbers);
  count_calibrations(checked, *numbers);
  claims_markdown(claims, checked);
  claims_csv(checked);
}

}  // namespace

std::vector<Target> directory_targets() {
  return {{"results", read_results},
          {"starpu", read_starpu},
          {"fit", read_fit},
          {"campaigns", read_campaigns},
          {"row_files", read_row_files},
          {"run_info", read_run_information},
          {"directory", change_directory},
          {"page", show_page}};
}

}  // namespace starport::fuzz
