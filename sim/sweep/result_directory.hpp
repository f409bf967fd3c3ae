// The directory that a sweep writes its results to: its files, and run_info.json, which says which
// program produced the results, and when.
#pragma once

#include "sim/process/isolation.hpp"
#include "sim/process/machine.hpp"
#include "sim/sweep/checksums.hpp"
#include "sim/sweep/instance_set.hpp"
#include "sim/sweep/row_file.hpp"
#include "sim/sweep/specification.hpp"

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Names of the files in a result directory, without the directory.
namespace result_files {
inline constexpr const char* kSpecification = "specification.json";
inline constexpr const char* kResults = "results.csv";
inline constexpr const char* kTimings = "timings.csv";
inline constexpr const char* kChecksums = "checksums.csv";
inline constexpr const char* kRunInfo = "run_info.json";
}  // namespace result_files

/// Returns the path of the file `name` in `directory`, joined with a slash where needed. Touches no
/// file.
std::string path_in(const std::string& directory, const char* name);

/// The origin of results: what determines them beside the specification. All rows of a result
/// directory have the same origin.
struct ResultOrigin {
  /// Name of the engine: "simgrid" or "analytic".
  std::string engine;
  /// Version of SimGrid, such as "3.36"; may be empty.
  std::string simgrid_version;
  /// The part of the sweep's instances that the directory holds.
  Shard shard;
};

/// Returns the content of run_info.json for a sweep that has not run yet: "complete" is false,
/// "runs" is empty. Computes the SHA-256 of the specification and its input files. Writes no file.
nlohmann::ordered_json make_run_info(const Specification& specification,
                                     const ResultOrigin& origin);

/// Checks that two contents of run_info.json have the same origin: shard, program version, commit,
/// engine and SimGrid version. Throws InputError that names run_info.json in `directory`, with
/// `hint` as its advice, at the first one that differs between `found` and `expected`.
void check_origin(const nlohmann::ordered_json& found, const nlohmann::ordered_json& expected,
                  const std::string& directory, const std::string& hint = "");

/// Reads run_info.json of a result directory and checks that the keys which other functions need
/// exist and have the right types. Throws InputError when the directory or the file is missing, or
/// the file cannot be read or is malformed. Does not check the SHA-256 in it.
nlohmann::ordered_json read_run_info(const std::string& directory);

/// Returns `run_info` as the text of run_info.json. Adds (or replaces) the last key,
/// run_info_sha256: the SHA-256, as 64 hexadecimal digits, of the text without that key.
std::string run_info_text(nlohmann::ordered_json run_info);

/// The result directory of a sweep, opened for writing: specification.json, results.csv,
/// timings.csv, checksums.csv and run_info.json. The object holds a lock on the directory while it
/// lives, so that only one process at a time can write there. The specification must outlive it. If
/// complete() is true after resume(), nothing may be appended and finish() must not be called.
class ResultDirectory {
 public:
  /// Creates the directory `path`, or uses an empty one, and writes its first files. `run` is a
  /// JSON object that run_info.json records: who runs the sweep, where and when. Waits up to one
  /// second for the lock. Throws InputError when the directory is not empty, cannot be written, or
  /// is locked by another sweep.
  ResultDirectory(std::string path, const Specification& specification, const ResultOrigin& origin,
                  nlohmann::ordered_json run);
  /// Opens the directory `path`, left behind by an interrupted sweep of the same specification and
  /// origin, or creates it if there is none. Reads all its rows. Incomplete rows are removed, and
  /// instances on which the machine failed (out of time or memory, killed) count as missing. `run`
  /// is a JSON object about this run, recorded in run_info.json unless the directory is complete.
  /// Throws InputError when the directory is damaged, belongs to another sweep, or is locked by
  /// another process.
  static ResultDirectory resume(const std::string& path, const Specification& specification,
                                const ResultOrigin& origin, nlohmann::ordered_json run);

  const std::string& path() const { return path_; }
  /// Returns the numbers (from 1) of the shard's instances that have no valid rows yet, in
  /// increasing order.
  std::vector<std::int64_t> missing() const;
  /// Returns the number of instances of the shard, with or without rows.
  std::int64_t size() const { return shard_.size(specification_->size()); }
  /// Returns true if all instances had valid rows when the directory was opened, or finish() has
  /// completed it.
  bool complete() const;
  /// Returns the number of rows with the status error that earlier runs have written and that are
  /// kept, because repeating them would fail again; 0 in a new directory.
  std::int64_t failures() const { return failures_; }

  /// Appends the rows of one instance of the shard: `rows` to results.csv, `timings` to
  /// timings.csv, complete lines as ResultRows makes them. They survive the death of the process; a
  /// power failure may lose those of the last second. Throws InputError when they cannot be
  /// written, as on a full disk. The directory must not have been complete when it was opened
  /// (undefined behaviour).
  void append(std::int64_t instance, std::string_view rows, std::string_view timings);
  /// Sets a top-level key of run_info.json, replacing its value. The file is written by finish().
  void set_run_info(const char* key, nlohmann::ordered_json value) {
    run_info_[key] = std::move(value);
  }
  /// Ends this run: records its duration in wall-clock seconds, writes run_info.json and flushes
  /// all files to the disk. When no instance is missing, also sorts the rows and marks the
  /// directory as complete; append() must not be called afterwards. Throws InputError when a file
  /// cannot be written or its rows were changed. The directory must not have been complete when it
  /// was opened (undefined behaviour).
  void finish(double duration_s);

 private:
  ResultDirectory(std::string path, const Specification& specification);
  void lock();
  void start(const ResultOrigin& origin, nlohmann::ordered_json run);
  void load_existing(const ResultOrigin& origin, nlohmann::ordered_json run);
  /// Finds the instances with valid rows in results.csv; returns the offset behind the last of
  /// them.
  std::size_t scan_results(RowReader& file);
  /// Checks the rows of timings.csv; returns the offset behind the last valid ones.
  std::size_t scan_timings();
  void open_files(std::size_t results_size, std::size_t timings_size, std::size_t checksums_size);
  void write_run_info();
  /// Sorts the rows by instance and records the checksums of the files.
  void complete_files();

  std::string path_;
  const Specification* specification_;
  ResultRows rows_;
  FileDescriptor lock_;
  nlohmann::ordered_json run_info_;
  Shard shard_;
  InstanceSet done_;
  InstanceSet in_file_;  ///< instances with complete rows, whether to be run again or not
  std::int64_t failures_ = 0;
  std::unique_ptr<RowAppender> results_;
  std::unique_ptr<RowAppender> timings_;
  std::unique_ptr<RowAppender> checksum_lines_;
  Checksums checksums_;
  Stopwatch since_synced_;
};

}  // namespace starport
