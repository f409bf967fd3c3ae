#include "sim/sweep/result_directory.hpp"

#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/process/machine.hpp"
#include "sim/process/version.hpp"
#include "sim/sweep/sha256.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

namespace starport {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

void write_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

/// Returns whether the name is that of a temporary OutputFile, left when the program was killed.
bool is_leftover(const std::string& name) {
  constexpr const char* ours[] = {result_files::kSpecification, result_files::kResults,
                                  result_files::kTimings, result_files::kChecksums,
                                  result_files::kRunInfo};
  return std::ranges::any_of(ours, [&](const char* file) { return is_temporary_name(name, file); });
}

/// Removes temporary files that a killed program left in a directory. Returns the other names. The
/// directory must be locked, so that no other sweep is writing them.
std::set<std::string> remove_leftovers(const std::string& path) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (is_leftover(name) && entry.symlink_status().type() == fs::file_type::regular) {
      fs::remove(entry.path());
    } else if (name != result_files::kLock) {
      names.insert(name);
    }
  }
  return names;
}

InputError directory_error(const std::string& path, std::string expected, std::string found,
                           std::string hint = "choose another directory") {
  return InputError("", std::move(expected), std::move(found), std::move(hint)).in_file(path);
}

/// Creates the directory and its parents unless it exists. Returns its path.
std::string make_directory(std::string path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error || !fs::is_directory(path)) {
    throw directory_error(path, "a directory that can be created",
                          error ? error.message() : "a file of that name", "");
  }
  return path;
}

std::string compiler() {
#ifdef __clang__
  return __VERSION__;
#else
  return "GCC " __VERSION__;
#endif
}

}  // namespace

DirectoryLock::DirectoryLock(std::string directory)
    : directory_(std::move(directory)),
      path_(path_in(directory_, result_files::kLock)),
      holder_(fmt::format("process {} on {} since {}", ::getpid(), host_name(), utc_timestamp())) {
  // The child processes of a sweep that was just killed hold the lock until they have ended.
  if (!retry_for_a_second([&] { return try_lock(); })) throw in_use_error();
  // Without the flush, other hosts of a network file system would find no text for half a minute.
  if (::ftruncate(file_.get(), 0) != 0 || write_all(file_.get(), holder_) != 0 ||
      (::fdatasync(file_.get()) != 0 && errno != EINVAL)) {
    throw directory_error(directory_, "a directory that can be written", std::strerror(errno));
  }
}

InputError DirectoryLock::in_use_error() const {
  std::string holder = sanitize_line(read_file(path_));
  holder.resize(std::min<std::size_t>(holder.size(), 300));
  return directory_error(directory_, "a directory that no other sweep uses",
                         "a sweep that is writing there" + (holder.empty() ? "" : ": " + holder));
}

/// Opens and locks the file. Returns false if another process has it or has just removed it.
bool DirectoryLock::try_lock() {
  file_.reset(::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (file_.get() < 0) {
    throw directory_error(directory_, "a directory that can be written", std::strerror(errno));
  }
  if (const int error = lock_file(file_.get()); error != 0) {
    if (error == EAGAIN || error == EACCES || error == ESTALE) return false;
    throw directory_error(directory_, "a file system with locks", std::strerror(error));
  }
  // Clients of NFS look at a directory anew when it is opened; before, stat() may return a file
  // that another host has removed.
  const FileDescriptor folder(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) {
    throw directory_error(directory_, "a directory that can be listed", std::strerror(errno));
  }
  struct stat locked {};
  struct stat named {};
  return ::fstat(file_.get(), &locked) == 0 &&
         ::fstatat(folder.get(), result_files::kLock, &named, 0) == 0 &&
         locked.st_ino == named.st_ino;
}

bool DirectoryLock::is_held() const {
  std::error_code error;
  return fs::exists(path_, error) && read_file(path_) == holder_;
}

void DirectoryLock::check() const {
  if (!is_held()) throw in_use_error();
}

DirectoryLock::~DirectoryLock() {
  try {
    if (file_.get() >= 0 && is_held()) ::unlink(path_.c_str());  // while it is locked
  } catch (const InputError&) {
    // A lock file that cannot be read stays.
  }
}

ResultDirectory::ResultDirectory(std::string path, const Specification& specification)
    : path_(make_directory(std::move(path))),
      specification_(&specification),
      rows_(specification),
      lock_(path_) {}

ResultDirectory::ResultDirectory(std::string path, const Specification& specification,
                                 const ResultOrigin& origin, ordered_json run)
    : ResultDirectory(std::move(path), specification) {
  if (!remove_leftovers(path_).empty()) {
    throw directory_error(path_, "an empty directory", "files in it",
                          "--resume continues an unfinished sweep");
  }
  start(origin, std::move(run));
}

ResultDirectory ResultDirectory::resume(const std::string& path, const Specification& specification,
                                        const ResultOrigin& origin, ordered_json run) {
  ResultDirectory directory(path, specification);
  const auto names = remove_leftovers(path);
  if (names.count(result_files::kRunInfo) > 0) {
    directory.load_existing(origin, std::move(run));
    return directory;
  }
  // Without run_info.json: killed before the first row, or never started.
  for (const std::string& name : names) {
    if (name != result_files::kSpecification && name != result_files::kResults &&
        name != result_files::kTimings && name != result_files::kChecksums) {
      throw directory_error(path, "a directory that starport sweep made",
                            "one without " + std::string(result_files::kRunInfo));
    }
  }
  if (names.count(result_files::kResults) > 0 &&
      !directory.rows_.header().starts_with(read_file(path_in(path, result_files::kResults)))) {
    throw directory_error(path, std::string(result_files::kRunInfo), "rows without it",
                          kDamagedDirectory);
  }
  directory.start(origin, std::move(run));
  return directory;
}

void ResultDirectory::start(const ResultOrigin& origin, ordered_json run) {
  shard_ = origin.shard;
  done_ = InstanceSet(shard_, specification_->size());
  run_info_ = make_run_info(*specification_, origin);
  run_info_["runs"].push_back(std::move(run));
  write_file(path_in(path_, result_files::kSpecification), specification_->resolved);
  open_files(0, 0, 0);
  write_run_info();
}

void ResultDirectory::load_existing(const ResultOrigin& origin, ordered_json run) {
  run_info_ = read_run_info(path_);
  shard_ = origin.shard;
  if (read_file(path_in(path_, result_files::kSpecification)) != specification_->resolved) {
    throw directory_error(path_, "results of this specification", "results of another one");
  }
  check_origin(run_info_, make_run_info(*specification_, origin), path_,
               "choose another directory");
  done_ = in_file_ = InstanceSet(shard_, specification_->size());
  const std::size_t lines_end = checksums_.read(path_in(path_, result_files::kChecksums));
  RowReader results(path_in(path_, result_files::kResults), rows_.header());
  const std::vector<BlockLocation> timed = scan_timings();
  const std::size_t end = scan_results(results, timed);
  if (complete()) {
    if (run_info_["results_sha256"] != results.sha256() || in_file_.size() != size()) {
      throw directory_error(path_, "the results that run_info.json describes", "different ones",
                            kDamagedDirectory);
    }
    if (done_.size() == size()) return;
    run_info_["complete"] = false;  // the machine failed on some
    for (const char* key : {"results_sha256", "timings_sha256", "checksums_sha256"}) {
      run_info_.erase(key);
    }
  }
  std::size_t timings_end = 0;  // 0: the header is written again
  for (const BlockLocation& block : timed) {
    if (done_.has(block.instance)) timings_end = block.begin + block.size;
  }
  open_files(end, timings_end, lines_end);
  run_info_["runs"].push_back(std::move(run));
  write_run_info();
}

std::size_t ResultDirectory::scan_results(RowReader& file,
                                          const std::vector<BlockLocation>& timed) {
  InstanceSet has_timings(shard_, specification_->size());
  for (const BlockLocation& block : timed) has_timings.add(block.instance);
  InvalidBlocks invalid(file.path());
  std::size_t end = file.rows_begin();
  while (const auto block = file.next()) {
    const std::int64_t number = block->instance;
    const bool ours = number <= specification_->size() && shard_.has(number);
    std::string fault = "an instance of this shard";
    ResultRows::Failures failures;
    if (ours) {
      invalid.remove(number);
      in_file_.remove(number);
      fault = rows_.find_fault(specification_->instance(number), block->text, failures);
    }
    if (!fault.empty()) {
      if (!block->last || complete()) invalid.add(*block, fault);  // the last one may be cut short
      continue;
    }
    in_file_.add(number);
    if (!checksums_.has(number)) continue;  // checksum lost in a power failure
    if (!checksums_.matches(Checksums::File::results, number, block->text)) {
      invalid.add(*block);
    } else if (failures.of_machine == 0 && has_timings.has(number)) {
      // After a power failure an instance may have been run again, with the same rows.
      if (!done_.has(number)) failures_ += failures.all;
      done_.add(number);
      end = block->end();
    }
  }
  invalid.throw_if_any();
  return end;
}

std::vector<BlockLocation> ResultDirectory::scan_timings() const {
  RowReader file(path_in(path_, result_files::kTimings), ResultRows::timings_header());
  InvalidBlocks invalid(file.path());
  std::vector<BlockLocation> valid;
  while (const auto block = file.next()) {
    const std::int64_t number = block->instance;
    invalid.remove(number);
    if (!checksums_.has(number)) continue;
    if (checksums_.matches(Checksums::File::timings, number, block->text)) {
      valid.push_back(location_of(*block));
    } else if (!block->last) {  // the last one may be cut short
      invalid.add(*block);
    }
  }
  invalid.throw_if_any();
  return valid;
}

void ResultDirectory::open_files(std::size_t results_size, std::size_t timings_size,
                                 std::size_t checksums_size) {
  const auto open = [&](const char* name, std::size_t size, std::string_view header) {
    auto file = std::make_unique<RowAppender>(path_in(path_, name), size);
    if (size == 0) file->append(header);
    return file;
  };
  results_ = open(result_files::kResults, results_size, rows_.header());
  timings_ = open(result_files::kTimings, timings_size, ResultRows::timings_header());
  checksum_lines_ = open(result_files::kChecksums, checksums_size, Checksums::kHeader);
}

void ResultDirectory::write_run_info() {
  write_file(path_in(path_, result_files::kRunInfo), run_info_text(run_info_));
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
  results_->append(rows);  // last, because resume() relies on it
  done_.add(instance);
  if (since_synced_.elapsed_s() < 1) return;
  sync();
  since_synced_ = {};
}

void ResultDirectory::sync() {
  for (const auto* file : {&timings_, &checksum_lines_, &results_}) (*file)->sync();
  lock_.check();
}

void ResultDirectory::finish(double duration_s) {
  run_info_["runs"].back()["duration_s"] = duration_s;
  sync();
  if (done_.size() == size()) complete_files();
  write_run_info();
}

void ResultDirectory::complete_files() {
  const std::string results_path = path_in(path_, result_files::kResults);
  const std::string timings_path = path_in(path_, result_files::kTimings);
  const std::string timings_header = ResultRows::timings_header();
  run_info_["results_sha256"] =
      sort_rows(results_path, rows_.header(), done_, checksums_, Checksums::File::results);
  run_info_["timings_sha256"] =
      sort_rows(timings_path, timings_header, done_, checksums_, Checksums::File::timings);
  RowReader results(results_path, rows_.header());
  RowReader timings(timings_path, timings_header);
  run_info_["checksums_sha256"] =
      write_checksums(path_in(path_, result_files::kChecksums), results, timings);
  run_info_["complete"] = true;
}

std::string path_in(const std::string& directory, const char* name) {
  return (std::filesystem::path(directory) / name).string();
}

ordered_json make_run_info(const Specification& specification, const ResultOrigin& origin) {
  ordered_json inputs = ordered_json::array();
  for (const auto& [path, content] : specification.inputs) {
    inputs.push_back({{"path", path}, {"sha256", sha256(content)}});
  }
  return {{"schema_version", 1},
          {"complete", false},
          {"sweep", specification.name},
          {"specification_sha256", sha256(specification.resolved)},
          {"instances", origin.shard.size(specification.size())},
          {"shard", {{"index", origin.shard.index}, {"count", origin.shard.count}}},
          {"starport", kVersion},
          {"commit", kCommit},
          {"engine", origin.engine},
          {"simgrid", origin.simgrid_version},
          {"plugins", origin.plugins},
          {"compiler", compiler()},
          {"inputs", inputs},
          {"runs", ordered_json::array()}};
}

void check_origin(const ordered_json& found, const ordered_json& expected,
                  const std::string& directory, const std::string& hint) {
  for (const char* key : {"shard", "starport", "commit", "engine", "simgrid"}) {
    if (found[key] == expected[key]) continue;
    throw InputError("", fmt::format("{} {}", key, to_json_line(expected[key])),
                     to_json_line(found[key]), hint)
        .in_file(path_in(directory, result_files::kRunInfo));
  }
  if (const ordered_json none = ordered_json::array();
      found.value("plugins", none) != expected.value("plugins", none)) {
    throw InputError("", "rows of the same libraries of heuristics (--plugin)", "rows of others",
                     hint)
        .in_file(path_in(directory, result_files::kRunInfo));
  }
}

std::string run_info_text(ordered_json run_info) {
  run_info.erase("run_info_sha256");
  const auto text = [&] { return to_indented_json(run_info); };
  run_info["run_info_sha256"] = sha256(text());
  return text();
}

ordered_json read_run_info(const std::string& directory) {
  const std::string path = path_in(directory, result_files::kRunInfo);
  if (std::error_code error; !std::filesystem::exists(path, error)) {
    throw InputError("", "a directory of results, as starport sweep -o makes them",
                     !std::filesystem::exists(directory, error) ? "no such directory"
                     : std::filesystem::is_directory(directory, error)
                         ? "a directory without run_info.json"
                         : "a file")
        .in_file(directory);
  }
  for (const char* name :
       {result_files::kSpecification, result_files::kResults, result_files::kTimings,
        result_files::kChecksums, result_files::kRunInfo}) {
    const std::string file = path_in(directory, name);
    std::error_code error;
    if (std::filesystem::is_fifo(file, error)) {  // reading it might never end
      throw InputError("", "a file of results", "a pipe").in_file(file);
    }
  }
  const std::string text = read_file(path);
  with_file_in_errors(path, [&] {
    const nlohmann::json document = parse_json(text, path);
    const JsonNode root(document);
    root.at("complete").boolean();
    for (const char* key : {"starport", "commit", "engine", "simgrid"}) root.at(key).text();
    const std::int64_t count = root.at("shard").at("count").integer(1, kMaxInstances);
    root.at("shard").at("index").integer(1, count);
    root.at("runs").elements();
    if (const auto plugins = root.find("plugins")) {
      for (const JsonNode& plugin : plugins->elements()) plugin.text();
    }
    root.at("specification_sha256").text();
    for (const char* key :
         {"results_sha256", "timings_sha256", "checksums_sha256", "run_info_sha256"}) {
      if (const auto hash = root.find(key)) hash->text();
    }
  });
  return parse_trusted_json(text);
}

}  // namespace starport
