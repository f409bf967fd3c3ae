#include "sim/study/result_directory.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/output.hpp"
#include "sim/process/version.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/sha.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>

namespace starport {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

void write_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

/// A file that was being written when its program was killed: its name and six more letters.
bool is_leftover(const std::string& name) {
  for (const char* ours :
       {ResultDirectory::kSpecification, ResultDirectory::kResults, ResultDirectory::kTimings,
        ResultDirectory::kChecksums, ResultDirectory::kRunInfo}) {
    const std::string prefix = std::string(ours) + ".";
    if (name.starts_with(prefix) && name.size() == prefix.size() + 6) return true;
  }
  return false;
}

/// The names in a directory, after what a killed program left half written is removed.
std::set<std::string> tidy(const std::string& path) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (is_leftover(name)) {
      fs::remove(entry.path());
    } else {
      names.insert(name);
    }
  }
  return names;
}

std::string compiler() {
#ifdef __clang__
  return __VERSION__;
#else
  return "GCC " __VERSION__;
#endif
}

ordered_json about(const Specification& specification, const Maker& maker) {
  ordered_json inputs = ordered_json::array();
  for (const auto& [path, content] : specification.inputs) {
    inputs.push_back({{"path", path}, {"sha256", sha256(content)}});
  }
  return {{"schema_version", 1},
          {"complete", false},
          {"sweep", specification.name},
          {"specification_sha256", sha256(specification.resolved)},
          {"instances", maker.shard.size(specification.size())},
          {"shard", {{"index", maker.shard.index}, {"count", maker.shard.count}}},
          {"starport", kVersion},
          {"commit", kCommit},
          {"engine", maker.engine},
          {"simgrid", maker.simgrid_version},
          {"compiler", compiler()},
          {"inputs", inputs},
          {"runs", ordered_json::array()}};
}

InputError foreign(const std::string& path, std::string expected, std::string found,
                   std::string hint = "choose another directory") {
  return InputError("", std::move(expected), std::move(found), std::move(hint)).in_file(path);
}

}  // namespace

std::string sha256(std::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string path_in(const std::string& directory, const char* name) {
  return (fs::path(directory) / name).string();
}

std::string sealed_run_info(ordered_json run_info) {
  run_info.erase("run_info_sha256");
  const auto text = [&] {
    return run_info.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  };
  run_info["run_info_sha256"] = sha256(text());
  return text();
}

ordered_json read_run_info(const std::string& directory) {
  const std::string path = path_in(directory, ResultDirectory::kRunInfo);
  const std::string text = read_file(path);
  named_by_file(path, [&] {
    const nlohmann::json document = parse_json(text, path);
    const JsonNode root(document);
    root.at("complete").boolean();
    for (const char* key : {"starport", "commit", "engine", "simgrid"}) root.at(key).text();
    const std::int64_t count = root.at("shard").at("count").integer(1, kMostInstances);
    root.at("shard").at("index").integer(1, count);
    root.at("runs").elements();
    root.at("specification_sha256").text();
    for (const char* key :
         {"results_sha256", "timings_sha256", "checksums_sha256", "run_info_sha256"}) {
      if (const auto hash = root.find(key)) hash->text();
    }
  });
  return ordered_json::parse(text);
}

ResultDirectory::ResultDirectory(std::string path, const Specification& specification)
    : path_(std::move(path)), specification_(&specification), rows_(specification) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error || !fs::is_directory(path_)) {
    throw foreign(path_, "a directory that can be made",
                  error ? error.message() : "something else of that name", "");
  }
  lock();
}

ResultDirectory::ResultDirectory(std::string path, const Specification& specification,
                                 const Maker& maker, ordered_json run)
    : ResultDirectory(std::move(path), specification) {
  if (!tidy(path_).empty()) {
    throw foreign(path_, "an empty directory", "files in it",
                  "--resume goes on with an unfinished sweep");
  }
  start(maker, std::move(run));
}

ResultDirectory ResultDirectory::resume(const std::string& path, const Specification& specification,
                                        const Maker& maker, ordered_json run) {
  ResultDirectory directory(path, specification);
  const auto names = tidy(path);
  if (names.count(kRunInfo) > 0) {
    directory.take_over(maker, std::move(run));
    return directory;
  }
  // Killed before the first row, or never started.
  for (const std::string& name : names) {
    if (name != kSpecification && name != kResults && name != kTimings && name != kChecksums) {
      throw foreign(path, "a directory that starport sweep made",
                    "one without " + std::string(kRunInfo));
    }
  }
  if (names.count(kResults) > 0 &&
      !directory.rows_.header().starts_with(read_rows(path_in(path, kResults)))) {
    throw foreign(path, std::string(kRunInfo), "rows without it", kDamagedDirectory);
  }
  directory.start(maker, std::move(run));
  return directory;
}

void ResultDirectory::lock() {
  lock_.reset(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock_.get() < 0) throw foreign(path_, "a directory that can be read", std::strerror(errno));
  // The processes of a sweep that was killed just now hold it until they have died too.
  constexpr int most_tries = 10;
  constexpr std::chrono::milliseconds pause(100);
  for (int tries = 1; ::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (errno != EWOULDBLOCK) throw foreign(path_, "a lock", std::strerror(errno));
    if (tries == most_tries) {
      throw foreign(path_, "a directory of its own", "another sweep is writing there");
    }
    std::this_thread::sleep_for(pause);
  }
}

void ResultDirectory::start(const Maker& maker, ordered_json run) {
  shard_ = maker.shard;
  run_info_ = about(*specification_, maker);
  run_info_["runs"].push_back(std::move(run));
  write_file(path_in(path_, kSpecification), specification_->resolved);
  open_files(0, 0, 0);
  write_run_info();
}

void ResultDirectory::take_over(const Maker& maker, ordered_json run) {
  run_info_ = read_run_info(path_);
  shard_ = maker.shard;
  if (read_file(path_in(path_, kSpecification)) != specification_->resolved) {
    throw foreign(path_, "results of this specification", "those of another");
  }
  const ordered_json expected = about(*specification_, maker);
  for (const char* key : {"shard", "starport", "commit", "engine", "simgrid"}) {
    const ordered_json found = run_info_[key];
    if (found != expected[key]) {
      throw foreign(path_in(path_, kRunInfo), fmt::format("{} {}", key, expected[key].dump()),
                    found.dump());
    }
  }
  const std::string text = read_rows(path_in(path_, kResults));
  const std::string lines = read_rows(path_in(path_, kChecksums));
  const std::size_t lines_end = checksums_.read(lines, path_in(path_, kChecksums));
  const std::size_t end = take_rows(text);
  if (complete()) {
    if (run_info_["results_sha256"] != sha256(text) || in_file_ != size()) {
      throw foreign(path_, "the results that run_info.json describes", "others", kDamagedDirectory);
    }
    if (missing().empty()) return;
    run_info_["complete"] = false;  // the machine failed on some
    for (const char* key : {"results_sha256", "timings_sha256", "checksums_sha256"}) {
      run_info_.erase(key);
    }
  }
  const std::string timings = read_rows(path_in(path_, kTimings));
  const std::string header = ResultRows::timings_header();
  const auto times = index_rows(timings, header, path_in(path_, kTimings));
  std::size_t last_end = 0;
  for (const auto& [number, block] : times) last_end = std::max(last_end, block.end());
  std::size_t timings_end = timings.starts_with(header) ? header.size() : 0;
  for (const auto& [number, block] : times) {
    if (!checksums_.has(number)) continue;
    if (checksums_.prove(Checksums::Rows::timings, number, block.of(timings))) {
      if (done_.count(number) > 0) timings_end = std::max(timings_end, block.end());
    } else if (block.end() != last_end) {  // not just cut short
      throw damaged_rows(path_in(path_, kTimings), timings, block);
    }
  }
  open_files(end, timings_end, lines_end);
  run_info_["runs"].push_back(std::move(run));
  write_run_info();
}

std::size_t ResultDirectory::take_rows(std::string_view text) {
  const std::string path = path_in(path_, kResults);
  const auto blocks = index_rows(text, rows_.header(), path);
  std::size_t last_end = 0;
  for (const auto& [number, block] : blocks) last_end = std::max(last_end, block.end());
  std::size_t end = text.starts_with(rows_.header()) ? rows_.header().size() : 0;
  for (const auto& [number, block] : blocks) {
    std::string fault = "an instance of this shard";
    ResultRows::Failures failures;
    if (number <= specification_->size() && shard_.has(number)) {
      fault = rows_.find_fault(specification_->instance(number), block.of(text), failures);
    }
    if (fault.empty()) {
      ++in_file_;
      if (!checksums_.has(number)) continue;  // lost with the last second before a power failure
      if (!checksums_.prove(Checksums::Rows::results, number, block.of(text))) {
        throw damaged_rows(path, text, block);
      }
      if (failures.of_machine > 0) continue;
      done_.insert(number);
      failures_ += failures.all;
      end = std::max(end, block.end());
    } else if (block.end() != last_end || complete()) {  // not just cut short
      throw damaged_rows(path, text, block, fault);
    }
  }
  return end;
}

void ResultDirectory::open_files(std::size_t results_size, std::size_t timings_size,
                                 std::size_t checksums_size) {
  const auto open = [&](const char* name, std::size_t size, std::string_view header) {
    auto file = std::make_unique<RowFile>(path_in(path_, name), size);
    if (size == 0) file->append(header);
    return file;
  };
  results_ = open(kResults, results_size, rows_.header());
  timings_ = open(kTimings, timings_size, ResultRows::timings_header());
  checksum_lines_ = open(kChecksums, checksums_size, Checksums::kHeader);
}

void ResultDirectory::write_run_info() {
  write_file(path_in(path_, kRunInfo), sealed_run_info(run_info_));
}

bool ResultDirectory::complete() const { return run_info_.value("complete", false); }

std::vector<std::int64_t> ResultDirectory::missing() const {
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = shard_.index; number <= specification_->size();
       number += shard_.count) {
    if (done_.count(number) == 0) numbers.push_back(number);
  }
  return numbers;
}

void ResultDirectory::append(std::int64_t instance, std::string_view rows,
                             std::string_view timings) {
  timings_->append(timings);
  checksum_lines_->append(checksums_.add(instance, rows, timings));
  results_->append(rows);  // what counts on resuming comes last
  done_.insert(instance);
  if (since_synced_.elapsed_s() < 1) return;
  for (const auto* file : {&timings_, &checksum_lines_, &results_}) (*file)->sync();
  since_synced_ = {};
}

void ResultDirectory::finish(double duration_s) {
  run_info_["runs"].back()["duration_s"] = duration_s;
  for (const auto* file : {&timings_, &checksum_lines_, &results_}) (*file)->sync();
  if (missing().empty()) seal();
  write_run_info();
}

void ResultDirectory::seal() {
  const std::string results = put_in_order(kResults, rows_.header(), Checksums::Rows::results);
  const std::string timings =
      put_in_order(kTimings, ResultRows::timings_header(), Checksums::Rows::timings);
  const auto times = index_rows(timings, ResultRows::timings_header(), kTimings);
  Checksums checksums;
  std::string lines = Checksums::kHeader;
  for (const auto& [number, block] : index_rows(results, rows_.header(), kResults)) {
    const auto time = times.find(number);
    const TextBlock none;
    const TextBlock& timed = time == times.end() ? none : time->second;
    lines += checksums.add(number, block.of(results), timed.of(timings));
  }
  write_file(path_in(path_, kChecksums), lines);
  run_info_["results_sha256"] = sha256(results);
  run_info_["timings_sha256"] = sha256(timings);
  run_info_["checksums_sha256"] = sha256(lines);
  run_info_["complete"] = true;
}

std::string ResultDirectory::put_in_order(const char* name, const std::string& header,
                                          Checksums::Rows rows) const {
  const std::string path = path_in(path_, name);
  const std::string text = read_rows(path);
  std::string ordered = header;
  ordered.reserve(text.size());
  for (const auto& [number, block] : index_rows(text, header, path)) {
    if (done_.count(number) == 0) continue;
    if (!checksums_.prove(rows, number, block.of(text))) {
      throw damaged_rows(path, text, block);
    }
    ordered += block.of(text);
  }
  if (ordered != text) write_file(path, ordered);
  return ordered;
}

}  // namespace starport
