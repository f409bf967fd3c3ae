#include "sim/app/command_line.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/report/database/result_table.hpp"
#include "sim/report/page/html_page.hpp"
#include "sim/report/result_summary.hpp"
#include "sim/sweep/checksums.hpp"
#include "sim/sweep/result_directory.hpp"
#include "sim/sweep/row_file.hpp"
#include "sim/sweep/run_sweep.hpp"
#include "tests/fuzz/targets.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

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

void write_text(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// A complete directory of a small sweep, in memory where the system has room there; it goes with
/// the program.
class Directory {
 public:
  Directory() {
    const bool memory = std::filesystem::is_directory("/dev/shm");
    std::string name = (memory ? "/dev/shm" : "/tmp") + std::string("/starport-fuzz-XXXXXX");
    must(::mkdtemp(name.data()) != nullptr, "no directory for results");
    path_ = name;
    write_text(path_ + "/sweep.json", kSweep);
    const Specification specification = load_specification(path_ + "/sweep.json", model_registry());
    ResultDirectory results(path_ + "/results", specification,
                            {.engine = "analytic", .simgrid_version = "3", .shard = {}},
                            describe_invocation({"starport", "sweep"}));
    run_sweep(specification, results, {.engine = EngineKind::analytic}, 1,
              [](const SweepProgress&) { return true; });
    results.finish(1);
    for (std::size_t i = 0; i < kFiles.size(); ++i)
      whole_[i] = read_file(path_in(path(), kFiles[i]));
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() { std::filesystem::remove_all(path_); }

  std::string path() const { return path_ + "/results"; }
  const std::string& whole(std::size_t file) const { return whole_[file]; }
  std::string file(std::size_t i) const { return path_in(path(), kFiles[i]); }

 private:
  std::string path_;
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

}  // namespace

std::vector<Target> directory_targets() {
  return {{"results", read_results},
          {"row_files", read_row_files},
          {"run_info", read_run_information},
          {"directory", change_directory},
          {"page", show_page}};
}

}  // namespace starport::fuzz
