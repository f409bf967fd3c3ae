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

/// A directory being written by one sweep: specification.json, results.csv, timings.csv,
/// checksums.csv and run_info.json. The object holds a lock on the directory, so that only one
/// process at a time can write there. The specification must outlive it.
class ResultDirectory {
 public:
  /// Creates the directory, or uses an empty one. `run` is recorded in run_info.json: who runs the
  /// sweep, where and when. Throws InputError when the directory is not empty, cannot be written,
  /// or is locked by another sweep.
  ResultDirectory(std::string path, const Specification& specification, const ResultOrigin& origin,
                  nlohmann::ordered_json run);
  /// Opens a directory left behind by an interrupted sweep of the same specification and origin, or
  /// creates a new one. Incomplete rows are removed; instances on which the machine failed (out of
  /// time or memory, killed) count as missing. Throws InputError when the directory is damaged or
  /// belongs to another sweep.
  static ResultDirectory resume(const std::string& path, const Specification& specification,
                                const ResultOrigin& origin, nlohmann::ordered_json run);

  const std::string& path() const { return path_; }
  /// Returns the instances of the shard that have no valid rows yet, in increasing order.
  std::vector<std::int64_t> missing() const;
  /// Returns the number of instances of the shard.
  std::int64_t size() const { return shard_.size(specification_->size()); }
  /// Returns whether the directory was already complete when it was opened, or finish() has
  /// completed it.
  bool complete() const;
  /// Returns the number of rows of earlier runs that have the status `error` and are kept.
  std::int64_t failures() const { return failures_; }

  /// Appends the rows of one instance. They survive the death of the process; a power failure may
  /// lose those of the last second. Throws InputError when the disk is full.
  void append(std::int64_t instance, std::string_view rows, std::string_view timings);
  /// Sets a key of run_info.json; written by finish().
  void set_run_info(const char* key, nlohmann::ordered_json value) {
    run_info_[key] = std::move(value);
  }
  /// Records the duration of this run. When no instance is missing, sorts the rows and marks the
  /// directory as complete.
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
