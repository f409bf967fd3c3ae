#include "sim/sweep/result_directory.hpp"

#include "sim/files/input_file.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/output.hpp"
#include "sim/sweep/sealing.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
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

InputError foreign(const std::string& path, std::string expected, std::string found,
                   std::string hint = "choose another directory") {
  return InputError("", std::move(expected), std::move(found), std::move(hint)).in_file(path);
}

}  // namespace

std::string path_in(const std::string& directory, const char* name) {
  return (fs::path(directory) / name).string();
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
      !directory.rows_.header().starts_with(read_file(path_in(path, kResults)))) {
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
  done_ = InstanceSet(shard_, specification_->size());
  run_info_ = run_info_of(*specification_, maker);
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
  check_maker(run_info_, run_info_of(*specification_, maker), path_, "choose another directory");
  done_ = in_file_ = InstanceSet(shard_, specification_->size());
  const std::size_t lines_end = checksums_.read(path_in(path_, kChecksums));
  RowReader results(path_in(path_, kResults), rows_.header());
  const std::size_t end = take_rows(results);
  if (complete()) {
    if (run_info_["results_sha256"] != results.sha256() || in_file_.size() != size()) {
      throw foreign(path_, "the results that run_info.json describes", "others", kDamagedDirectory);
    }
    if (done_.size() == size()) return;
    run_info_["complete"] = false;  // the machine failed on some
    for (const char* key : {"results_sha256", "timings_sha256", "checksums_sha256"}) {
      run_info_.erase(key);
    }
  }
  open_files(end, take_timings(), lines_end);
  run_info_["runs"].push_back(std::move(run));
  write_run_info();
}

std::size_t ResultDirectory::take_rows(RowReader& file) {
  Suspects suspects(file.path());
  std::size_t end = file.rows_begin();
  while (const auto block = file.next()) {
    const std::int64_t number = block->instance;
    const bool ours = number <= specification_->size() && shard_.has(number);
    std::string fault = "an instance of this shard";
    ResultRows::Failures failures;
    if (ours) {
      suspects.clear(number);
      in_file_.remove(number);
      fault = rows_.find_fault(specification_->instance(number), block->text, failures);
    }
    if (!fault.empty()) {
      if (!block->last || complete()) suspects.add(*block, fault);  // not just cut short
      continue;
    }
    in_file_.add(number);
    if (!checksums_.has(number)) continue;  // lost with the last second before a power failure
    if (!checksums_.prove(Checksums::Rows::results, number, block->text)) {
      suspects.add(*block);
    } else if (failures.of_machine == 0) {
      // One whose checksum was lost with the power was run again, to the same rows.
      if (!done_.has(number)) failures_ += failures.all;
      done_.add(number);
      end = block->end();
    }
  }
  suspects.refuse();
  return end;
}

std::size_t ResultDirectory::take_timings() {
  RowReader file(path_in(path_, kTimings), ResultRows::timings_header());
  Suspects suspects(file.path());
  std::size_t end = file.rows_begin();
  while (const auto block = file.next()) {
    const std::int64_t number = block->instance;
    suspects.clear(number);
    if (!checksums_.has(number)) continue;
    if (checksums_.prove(Checksums::Rows::timings, number, block->text)) {
      if (done_.has(number)) end = block->end();
    } else if (!block->last) {  // not just cut short
      suspects.add(*block);
    }
  }
  suspects.refuse();
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
    if (!done_.has(number)) numbers.push_back(number);
  }
  return numbers;
}

void ResultDirectory::append(std::int64_t instance, std::string_view rows,
                             std::string_view timings) {
  timings_->append(timings);
  checksum_lines_->append(checksums_.add(instance, rows, timings));
  results_->append(rows);  // what counts on resuming comes last
  done_.add(instance);
  if (since_synced_.elapsed_s() < 1) return;
  for (const auto* file : {&timings_, &checksum_lines_, &results_}) (*file)->sync();
  since_synced_ = {};
}

void ResultDirectory::finish(double duration_s) {
  run_info_["runs"].back()["duration_s"] = duration_s;
  for (const auto* file : {&timings_, &checksum_lines_, &results_}) (*file)->sync();
  if (done_.size() == size()) seal();
  write_run_info();
}

void ResultDirectory::seal() {
  const std::string results_path = path_in(path_, kResults);
  const std::string timings_path = path_in(path_, kTimings);
  const std::string timings_header = ResultRows::timings_header();
  run_info_["results_sha256"] =
      put_in_order(results_path, rows_.header(), done_, checksums_, Checksums::Rows::results);
  run_info_["timings_sha256"] =
      put_in_order(timings_path, timings_header, done_, checksums_, Checksums::Rows::timings);
  RowReader results(results_path, rows_.header());
  RowReader timings(timings_path, timings_header);
  run_info_["checksums_sha256"] = write_checksums(path_in(path_, kChecksums), results, timings);
  run_info_["complete"] = true;
}

}  // namespace starport
