// Checksums of the rows of each instance and of the completed row files of a sweep, and the check
// that the files of a result directory are unchanged since they were written.
#pragma once

#include "sim/sweep/instance_set.hpp"
#include "sim/sweep/row_file.hpp"
#include "sim/sweep/specification.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starport {

/// The content of checksums.csv, a file of a sweep's result directory, in memory: for each instance
/// (simulated input) of the sweep the first 16 hexadecimal digits of the SHA-256 of its rows in
/// results.csv and of those in timings.csv. An instance that was run again has several lines. Each
/// line takes 24 bytes of memory. Not thread-safe, not even for reading.
class Checksums {
 public:
  /// First line of the file checksums.csv, the names of its columns, with its line end.
  static constexpr const char* kHeader = "instance,results,timings\r\n";

  /// The file of a sweep's result directory to which CSV rows belong: `results`, results.csv, or
  /// `timings`, timings.csv.
  enum class File { results, timings };

  /// Computes and stores the checksums of the rows of an instance of the sweep, in addition to
  /// earlier ones of that instance, and returns the line "instance,results,timings" for
  /// checksums.csv, with its line end CR LF. Writes no file: the caller appends the line.
  /// `instance` is the number of the instance, from 1 (not checked); `results` and `timings` are
  /// the texts of its rows in the two files, line ends included.
  std::string add(std::int64_t instance, std::string_view results, std::string_view timings);
  /// Returns the line of checksums.csv, "instance,results,timings" with its line end CR LF, for the
  /// instance with this number (from 1) of a sweep whose rows in results.csv and timings.csv are
  /// the texts `results` and `timings`; the last two columns are the first 16 hexadecimal digits of
  /// their SHA-256. Stores nothing.
  static std::string format_line(std::int64_t instance, std::string_view results,
                                 std::string_view timings);
  /// Adds the checksums in the file checksums.csv at `path`, those of the rows of one instance per
  /// line, to those stored. Returns the offset in bytes behind its last complete line; an
  /// incomplete last line is ignored, and a file that ends within the header has no lines (returns
  /// 0). Throws InputError with the file and the line when the header or a line is malformed, and
  /// with the file when it cannot be read; some of the lines before the fault may be stored then.
  std::size_t read(const std::string& path);

  /// Returns true if checksums of rows are stored for the instance with this number (from 1) of the
  /// sweep. The first call after lines were added may sort all lines; not thread-safe, therefore.
  bool has(std::int64_t instance) const;
  /// Returns true if `text` matches a checksum stored for the rows of the instance with this number
  /// (from 1) in `file`, line ends included; false also when none is stored. The first call after
  /// lines were added may sort all lines; not thread-safe, therefore.
  bool matches(File file, std::int64_t instance, std::string_view text) const;

 private:
  struct Line {
    std::int64_t instance;
    std::uint64_t results;
    std::uint64_t timings;
  };
  std::pair<std::vector<Line>::const_iterator, std::vector<Line>::const_iterator> lines_of(
      std::int64_t instance) const;

  /// Sorted by instance at the first query.
  mutable std::vector<Line> lines_;
  mutable bool sorted_ = true;
};

/// Sorts the CSV file at `path` (results.csv or timings.csv of a sweep, as `file` says) by the
/// instance number at the start of each row. Keeps, of each instance in `instances`, the last block
/// of consecutive rows, and drops all other rows; a file that is already so is not rewritten. An
/// instance without rows is no error; a file that ends within the header gets the header alone.
/// `header` is the first line with its line end. Returns the SHA-256 of the resulting file as 64
/// hexadecimal digits. Throws InputError when the first line is not `header`, a row does not start
/// with an instance number, kept rows match no checksum in `checksums` (also when it has none), or
/// the file cannot be read or written; the file then stays as it was.
std::string sort_rows(const std::string& path, std::string_view header,
                      const InstanceSet& instances, const Checksums& checksums,
                      Checksums::File file);

/// Writes the file checksums.csv at `path`, replacing one there, with one line of checksums per
/// instance that has rows in `results`, and returns its SHA-256 as 64 hexadecimal digits. The
/// readers must be at the start of results.csv and timings.csv of a sweep, sorted by instance
/// number; `results` is read to its end. Throws InputError when an instance of one has no rows in
/// the other (rows of `timings` behind the last instance of `results` are ignored), a file cannot
/// be read or written or a row does not start with an instance number; the file at `path` then
/// stays as it was.
std::string write_checksums(const std::string& path, RowReader& results, RowReader& timings);

/// A complete result directory of a sweep (all instances of its shard, i.e. its part of the sweep,
/// have rows), whose specification.json, results.csv and timings.csv matched the SHA-256 in
/// run_info.json when read_complete_results() read it. Holds copies of specification.json and
/// run_info.json, but not the rows; independent of the directory.
struct CompleteResults {
  /// Path of the result directory, as it was given to read_complete_results().
  std::string path;
  /// Text of specification.json, the description of the sweep that was run.
  std::string specification;
  /// Content of run_info.json, which says how the results were made, a JSON object. Only these keys
  /// are certain to exist: complete (true), shard, starport (program version), commit, engine,
  /// simgrid (version), runs, specification_sha256, results_sha256, timings_sha256.
  nlohmann::ordered_json run_info;
  /// The part of the sweep's instances whose results the directory holds.
  Shard shard;
};
/// Reads run_info.json and specification.json of the result directory `path` of a sweep, and
/// compares the SHA-256 of specification.json, results.csv and timings.csv with those in
/// run_info.json. Reads all of them, but checks neither their rows nor checksums.csv. Throws
/// InputError when the sweep is unfinished, one of the three files has been changed, or one of the
/// four is missing, malformed (run_info.json) or cannot be read.
CompleteResults read_complete_results(const std::string& path);

/// Prints a warning on stderr for each file among `paths` that is called results.csv and lies in a
/// result directory of a sweep (one with run_info.json) for which read_complete_results() throws
/// InputError: the file, timings.csv or specification.json was changed, the sweep is unfinished, or
/// a file cannot be read. Other paths are ignored. Does not throw InputError. Reads each such file
/// once to compute its checksum.
void warn_about_changed_results(const std::vector<std::string>& paths);

/// Result of verify_directory() for a sweep's result directory whose files match their checksums:
/// whether it is complete, the number of instances with rows, and that of all instances of its
/// shard. (Files that do not match make verify_directory() throw InputError.)
struct Verification {
  /// True if the directory has been marked as complete, so that all instances of its shard have
  /// results; false for an unfinished sweep, whose rows written so far match their checksums.
  bool complete = false;
  /// Number of instances of the directory's shard that have rows, with a matching checksum, in
  /// results.csv; equal to `size` if `complete`.
  std::int64_t instances = 0;
  /// Number of instances of the directory's shard (its part of the sweep), with or without rows.
  std::int64_t size = 0;
};

/// Verifies the result directory of a sweep without changing it: compares all files of a complete
/// one with the SHA-256 in run_info.json; of an unfinished one, run_info.json, specification.json
/// and the rows written so far with their checksums. In an unfinished one, rows without a line in
/// checksums.csv and incomplete rows at the end of a file, as a power failure or a kill leaves
/// them, are neither checked nor counted. `registry` must have the simulation models and algorithms
/// that the sweep uses. Throws InputError with the file (and for rows the line) at the first
/// difference, when a file is missing or cannot be read, or when load_specification() refuses the
/// specification.
Verification verify_directory(const std::string& directory, const ModelRegistry& registry);

}  // namespace starport
