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

/// The content of checksums.csv in memory: per instance the first 16 hexadecimal digits of the
/// SHA-256 of its rows in results.csv and of those in timings.csv. An instance that was run again
/// has several lines. Each line takes 24 bytes of memory. Not thread-safe, not even for reading.
class Checksums {
 public:
  /// First line of checksums.csv, with its line end.
  static constexpr const char* kHeader = "instance,results,timings\r\n";

  /// The file of a result directory that rows belong to: results.csv or timings.csv.
  enum class File { results, timings };

  /// Stores the checksums of an instance's rows, in addition to earlier ones of that instance, and
  /// returns the line to append to checksums.csv, with its line end. `results` and `timings` are
  /// the texts of the rows, line ends included. Writes no file.
  std::string add(std::int64_t instance, std::string_view results, std::string_view timings);
  /// Returns the line of checksums.csv, "instance,results,timings" with its line end, for an
  /// instance whose rows in the two files are the texts `results` and `timings`. Stores nothing.
  static std::string format_line(std::int64_t instance, std::string_view results,
                                 std::string_view timings);
  /// Adds the lines of the file checksums.csv at `path`. Returns the offset in bytes behind its
  /// last complete line; an incomplete last line is ignored. Throws InputError with the file and
  /// the line when a line is malformed, and with the file when it cannot be read.
  std::size_t read(const std::string& path);

  /// Returns true if there are checksums of the instance with this number. The first call after
  /// lines were added may sort all lines.
  bool has(std::int64_t instance) const;
  /// Returns true if `text` has one of the checksums stored for the instance's rows in `file`;
  /// false also when none is stored.
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

/// Sorts a file of rows (results.csv or timings.csv, as `file` says) by instance number. Keeps the
/// last block of rows of each instance in `instances` and drops all other rows; a file that is
/// already sorted is not rewritten. Returns the SHA-256 of the resulting file as 64 hexadecimal
/// digits. Throws InputError when the first line is not `header`, when rows do not match their
/// checksum, or when the file cannot be read or written; the file then stays as it was.
std::string sort_rows(const std::string& path, std::string_view header,
                      const InstanceSet& instances, const Checksums& checksums,
                      Checksums::File file);

/// Writes the file checksums.csv at `path`, with one line per instance of results.csv and
/// timings.csv, and returns its SHA-256 as 64 hexadecimal digits. The readers must be at the start
/// of files sorted by instance; they are read to their end. An instance without timings gets the
/// checksum of an empty text. Throws InputError when a file cannot be read or written.
std::string write_checksums(const std::string& path, RowReader& results, RowReader& timings);

/// A complete result directory (all instances of its shard have rows), whose specification.json and
/// results.csv matched their checksums when it was read. Does not hold the rows.
struct CompleteResults {
  /// Path of the directory.
  std::string path;
  /// Text of specification.json.
  std::string specification;
  /// Content of run_info.json.
  nlohmann::ordered_json run_info;
  /// The part of the sweep's instances that the directory holds.
  Shard shard;
};
/// Reads run_info.json and specification.json of the result directory `path`, and compares
/// specification.json and results.csv with their checksums. Throws InputError when the sweep is
/// unfinished, a file has been changed, or a file is missing or cannot be read.
CompleteResults read_complete_results(const std::string& path);

/// Prints a warning on stderr for each file among `paths` that is called results.csv, lies in a
/// result directory (one with run_info.json), and was changed or belongs to an unfinished sweep.
/// Other paths are ignored. Reads each such file once to compute its checksum.
void warn_about_changed_results(const std::vector<std::string>& paths);

/// The state of a result directory whose files match their checksums.
struct Verification {
  /// True if all instances of the shard have rows and the sweep was marked as complete.
  bool complete = false;
  /// Number of instances that have rows.
  std::int64_t instances = 0;
  /// Number of instances of the shard, with or without rows.
  std::int64_t size = 0;
};

/// Verifies a result directory: compares all files of a complete one with their checksums; of an
/// unfinished one run_info.json, the specification and the rows written so far. `registry` must
/// have the models and algorithms of the sweep. Throws InputError with the file (and for rows the
/// line) at the first difference, and when a file is missing or cannot be read.
Verification verify_directory(const std::string& directory, const ModelRegistry& registry);

}  // namespace starport
