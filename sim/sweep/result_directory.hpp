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

/// Names of the files in the result directory of a sweep, without the directory.
namespace result_files {
/// Name of the file with the sweep's specification and the contents of all files that it names
/// (Specification::resolved).
inline constexpr const char* kSpecification = "specification.json";
/// Name of the file of results: one row per instance and algorithm, without wall-clock times.
inline constexpr const char* kResults = "results.csv";
/// Name of the file of times: wall-clock seconds of planning and simulation, one row per instance
/// and algorithm.
inline constexpr const char* kTimings = "timings.csv";
/// Name of the file of checksums (Checksums) of the rows of each instance in results.csv and in
/// timings.csv.
inline constexpr const char* kChecksums = "checksums.csv";
/// Name of the file that says how the results were made (make_run_info()): program version, engine,
/// shard, runs so far, and the SHA-256 of specification.json and, once complete, of the CSV files.
inline constexpr const char* kRunInfo = "run_info.json";
/// Name of the lock file that a sweep holds locked while it writes to the directory, and then
/// removes. Its text names the process, the host and the start of that sweep.
inline constexpr const char* kLock = ".starport-lock";
}  // namespace result_files

/// Returns `directory` and the file name `name`, joined to a path with a slash where needed; `name`
/// alone, i.e. a path in the working directory, if `directory` is empty. Touches no file.
std::string path_in(const std::string& directory, const char* name);

/// Origin of the results of a sweep, i.e. what all rows of a result directory must have in common
/// beside the specification and the program version: engine, version of SimGrid, plug-ins, and
/// shard. A plain value.
struct ResultOrigin {
  /// Name of the engine that simulated the runs: "simgrid" or "analytic".
  std::string engine;
  /// Version of the SimGrid library that the program was built for, whatever the engine, such as
  /// "3.36"; may be empty.
  std::string simgrid_version;
  /// SHA-256 of each loaded library of heuristics (`--plugin`), as 64 hexadecimal digits in lower
  /// case, in increasing order; empty: none.
  std::vector<std::string> plugins = {};
  /// The part of the sweep's instances whose results the directory holds; all by default.
  Shard shard;
};

/// Returns the content of run_info.json, the file that says how results were made, for a sweep that
/// has not run yet: a JSON object with the name of the sweep, program version, commit, compiler,
/// engine, SimGrid version, shard (part of the sweep), number of its instances, and the SHA-256 of
/// the specification, of its input files and of plug-ins. In it, "complete" is false and "runs" is
/// an empty array. Neither reads nor writes files.
nlohmann::ordered_json make_run_info(const Specification& specification,
                                     const ResultOrigin& origin);

/// Checks that two contents of run_info.json, which says how a sweep's results were made, have the
/// same origin: shard (part of the sweep), program version, commit, engine, SimGrid version and
/// plug-ins. Both must have these keys, but for "plugins" (without it there are none), as
/// read_run_info() and make_run_info() return them (not checked: undefined behaviour otherwise).
/// Throws InputError that names run_info.json in `directory`, with `hint` as its advice, at the
/// first of these that differs between `found` and `expected`. Reads no file.
void check_origin(const nlohmann::ordered_json& found, const nlohmann::ordered_json& expected,
                  const std::string& directory, const std::string& hint = "");

/// Returns the content of run_info.json of the result directory of a sweep, which says how the
/// results were made. Certain to exist, with the right types, are the keys complete, shard (index,
/// count), starport (program version), commit, engine, simgrid (version), runs and
/// specification_sha256. Throws InputError when the directory, the file or one of these keys is
/// missing, the file cannot be read or is malformed, or one of the directory's files is a named
/// pipe. Does not check that the files, run_info.json included, match the SHA-256 in it.
nlohmann::ordered_json read_run_info(const std::string& directory);

/// Returns the JSON object `run_info` as the text of run_info.json. Adds (or replaces) the last
/// key, run_info_sha256: the SHA-256, as 64 hexadecimal digits, of the text without that key.
std::string run_info_text(nlohmann::ordered_json run_info);

/// Exclusive use of a directory by one object of this class and the children that its process
/// forks: a lock of the open file description of `.starport-lock` in it, which excludes all other
/// objects, of this process too, and which network file systems honour between hosts. Ends with the
/// object, which removes the file, or with the processes. A server of NFS also ends it when this
/// host has been out of reach for the server's lease time and another host asks: call check()
/// before the directory is changed. Can be moved from, which moves the lock, but neither copied nor
/// assigned.
class DirectoryLock {
 public:
  /// Locks `directory`, which must exist. Blocks for up to one second while another object, of any
  /// process, has the lock. Throws InputError that names the directory when it is still locked then
  /// (with the process that has the lock), is missing or cannot be listed, or when the lock file
  /// cannot be created, locked or written.
  explicit DirectoryLock(std::string directory);
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  DirectoryLock(DirectoryLock&&) noexcept = default;
  ~DirectoryLock();

  /// Throws InputError when the lock has been lost: it names the directory and the process that has
  /// taken it over, or the lock file if that is gone or cannot be read. Reads the lock file: a
  /// round trip on a network.
  void check() const;

 private:
  bool try_lock();
  /// Returns whether the lock file is still the one that this object has written.
  bool is_held() const;
  /// Returns the error that reports the process which the lock file names.
  InputError in_use_error() const;

  std::string directory_;
  std::string path_;
  std::string holder_;  ///< the text of the lock file
  FileDescriptor file_;
};

/// The result directory of a sweep, opened for writing: specification.json, results.csv,
/// timings.csv, checksums.csv and run_info.json. Open it by the constructor (new) or resume(),
/// append() the rows of each missing() instance (input to be simulated), then call finish() once;
/// without finish() the directory stays unfinished and can be resumed. The object holds a lock on
/// the directory while it lives (and while child processes forked meanwhile live), so that only one
/// object at a time can write there. The specification must outlive it. If complete() is true after
/// resume(), nothing may be appended and finish() must not be called.
class ResultDirectory {
 public:
  /// Creates the result directory of a sweep at `path`, with its parents, or uses an empty one, and
  /// writes its first files. `specification` must outlive the object. `run` is a JSON object that
  /// run_info.json records: who runs the sweep, where and when. Blocks for up to one second while
  /// another sweep has the lock. Throws InputError when the directory is not empty, cannot be
  /// written, or is still locked then; a directory that it created stays.
  ResultDirectory(std::string path, const Specification& specification, const ResultOrigin& origin,
                  nlohmann::ordered_json run);
  /// Opens the result directory at `path`, left behind by an interrupted sweep of the same
  /// specification and origin, or starts a new one if there is none or only its beginnings without
  /// rows. `specification` must outlive the returned object. Reads all its rows. Incomplete rows
  /// are removed, and instances (inputs to be simulated) on which the machine failed (out of time
  /// or memory, killed) count as missing. `run` is a JSON object about this run, recorded in
  /// run_info.json unless complete() is true afterwards. Blocks for up to one second while another
  /// sweep has the lock. Throws InputError when the directory is damaged, was made from another
  /// specification or origin or by another program version or commit, has other files but no
  /// run_info.json, cannot be written, or is still locked then.
  static ResultDirectory resume(const std::string& path, const Specification& specification,
                                const ResultOrigin& origin, nlohmann::ordered_json run);

  /// Returns the path of the result directory as it was given; valid as long as the object.
  const std::string& path() const { return path_; }
  /// Returns the numbers (from 1) of the instances of the directory's shard (its part of the sweep)
  /// that have to be run, in increasing order: those without valid rows, and those on which the
  /// machine failed (out of time or memory, killed) in an earlier run. append() takes its instance
  /// out.
  std::vector<std::int64_t> missing() const;
  /// Returns the number of instances of the directory's shard (its part of the sweep), with or
  /// without rows.
  std::int64_t size() const { return shard_.size(specification_->size()); }
  /// Returns true if finish() has completed the directory, now or in an earlier run, and no
  /// instance has to be run again. False if the last run of the sweep ended before finish(), even
  /// if missing() is empty.
  bool complete() const;
  /// Returns the number of rows with the status error that earlier runs of the sweep have written
  /// and that are kept, because the simulation would fail again; 0 in a new directory.
  std::int64_t failures() const { return failures_; }

  /// Appends the rows of one instance of the directory's shard: `rows` to results.csv, `timings` to
  /// timings.csv, complete lines as ResultRows makes them. `instance` must be one of missing() (not
  /// checked). The rows survive the death of the process; they are flushed to the disk at most once
  /// a second, and a power failure may lose those appended since. Throws InputError when they
  /// cannot be written, as on a full disk, or the lock on the directory was lost; nothing more may
  /// be appended then, but the directory can be resumed. The directory must not have been complete
  /// when it was opened (undefined behaviour), and finish() must not have completed it.
  void append(std::int64_t instance, std::string_view rows, std::string_view timings);
  /// Sets a top-level key of run_info.json in memory, replacing its value; finish() writes the
  /// file. Not for the keys that this class keeps, such as "runs" and "complete" (not checked).
  /// `key` is copied.
  void set_run_info(const char* key, nlohmann::ordered_json value) {
    run_info_[key] = std::move(value);
  }
  /// Ends this run of the sweep: records its duration in wall-clock seconds, writes run_info.json
  /// and flushes all files to the disk. When no instance of the shard is missing, also sorts the
  /// rows by instance and marks the directory as complete; append() must not be called afterwards.
  /// Otherwise the directory stays unfinished and can be resumed. Throws InputError when a file
  /// cannot be written, its rows were changed, or the lock on the directory was lost; the directory
  /// then stays unfinished. The directory must not have been complete when it was opened (undefined
  /// behaviour).
  void finish(double duration_s);

 private:
  ResultDirectory(std::string path, const Specification& specification);
  void start(const ResultOrigin& origin, nlohmann::ordered_json run);
  void load_existing(const ResultOrigin& origin, nlohmann::ordered_json run);
  /// Finds the instances with valid rows in results.csv, of those that have `timed` rows; returns
  /// the offset behind the last of them.
  std::size_t scan_results(RowReader& file, const std::vector<BlockLocation>& timed);
  /// Returns the valid rows of timings.csv.
  std::vector<BlockLocation> scan_timings() const;
  /// Flushes all rows to the disk, and checks that the directory is still this sweep's.
  void sync();
  void open_files(std::size_t results_size, std::size_t timings_size, std::size_t checksums_size);
  void write_run_info();
  /// Sorts the rows by instance and records the checksums of the files.
  void complete_files();

  std::string path_;
  const Specification* specification_;
  ResultRows rows_;
  DirectoryLock lock_;
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
