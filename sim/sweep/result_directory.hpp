// The directory that a sweep leaves: specification.json, results.csv, timings.csv, checksums.csv,
// run_info.json.
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

/// The path of a file of a directory.
std::string path_in(const std::string& directory, const char* name);

/// A directory that results are written to. Only one process at a time may have it.
class ResultDirectory {
 public:
  static constexpr const char* kSpecification = "specification.json";
  static constexpr const char* kResults = "results.csv";
  static constexpr const char* kTimings = "timings.csv";
  static constexpr const char* kChecksums = "checksums.csv";
  static constexpr const char* kRunInfo = "run_info.json";

  /// A fresh directory, or an empty one. `run` is noted in run_info.json: who runs this, where,
  /// when. Throws InputError when the directory is not empty or cannot be written.
  ResultDirectory(std::string path, const Specification& specification, const Maker& maker,
                  nlohmann::ordered_json run);
  /// The same, or one that a sweep of the same specification by the same maker left unfinished.
  /// Rows of instances that were under way are dropped; those on which the machine failed are to be
  /// run again. Throws InputError when it is damaged or foreign.
  static ResultDirectory resume(const std::string& path, const Specification& specification,
                                const Maker& maker, nlohmann::ordered_json run);

  const std::string& path() const { return path_; }
  /// The instances of the shard whose rows are not there yet, or are to be made again, in order.
  std::vector<std::int64_t> missing() const;
  std::int64_t size() const { return shard_.size(specification_->size()); }  ///< instances
  bool complete() const;  ///< marked so, before this run
  /// Rows with the status error that were there before this run, and stay.
  std::int64_t failures() const { return failures_; }

  /// Rows of an instance. A kill -9 afterwards does not lose them; the loss of power may, of the
  /// last second.
  void append(std::int64_t instance, std::string_view rows, std::string_view timings);
  /// Adds to run_info.json.
  void note(const char* key, nlohmann::ordered_json value) { run_info_[key] = std::move(value); }
  /// Notes how long this run lasted and, when no instance is missing, puts the rows in order and
  /// marks the directory complete.
  void finish(double duration_s);

 private:
  ResultDirectory(std::string path, const Specification& specification);
  void lock();
  void start(const Maker& maker, nlohmann::ordered_json run);
  void take_over(const Maker& maker, nlohmann::ordered_json run);
  /// Notes which instances are in the file; where what is whole ends.
  std::size_t take_rows(RowReader& file);
  /// The same of timings.csv.
  std::size_t take_timings();
  void open_files(std::size_t results_size, std::size_t timings_size, std::size_t checksums_size);
  void write_run_info();
  /// Rewrites the files by instance number, and notes what they are.
  void seal();

  std::string path_;
  const Specification* specification_;
  ResultRows rows_;
  FileDescriptor lock_;
  nlohmann::ordered_json run_info_;
  Shard shard_;
  InstanceSet done_;
  InstanceSet in_file_;  ///< whose rows were there, done or not
  std::int64_t failures_ = 0;
  std::unique_ptr<RowFile> results_;
  std::unique_ptr<RowFile> timings_;
  std::unique_ptr<RowFile> checksum_lines_;
  Checksums checksums_;
  Stopwatch since_synced_;
};

}  // namespace starport
