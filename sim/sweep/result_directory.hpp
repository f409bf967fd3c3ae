// The directory that a sweep writes its results to.
#pragma once

#include "sim/process/clock.hpp"
#include "sim/process/descriptor.hpp"
#include "sim/sweep/checksums.hpp"
#include "sim/sweep/instance_set.hpp"
#include "sim/sweep/result_rows.hpp"
#include "sim/sweep/row_file.hpp"
#include "sim/sweep/run_info.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

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
