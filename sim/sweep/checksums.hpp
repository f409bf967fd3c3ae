// Checksums of the rows of each instance, and the completed row files of a sweep.
#pragma once

#include "sim/sweep/instance_set.hpp"
#include "sim/sweep/row_file.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starport {

/// The content of checksums.csv: lines "instance,results,timings" with the first 16 digits of the
/// SHA-256 of the instance's rows in results.csv and in timings.csv. An instance that was run again
/// has several lines. Each line takes 24 bytes of memory.
class Checksums {
 public:
  static constexpr const char* kHeader = "instance,results,timings\r\n";

  /// The file that rows belong to.
  enum class File { results, timings };

  /// Adds the checksums of an instance's rows and returns the line to append to the file.
  std::string add(std::int64_t instance, std::string_view results, std::string_view timings);
  /// Returns the line, with its line end, that add() would return, without adding the checksums.
  /// `results` and `timings` are the texts of the instance's rows.
  static std::string format_line(std::int64_t instance, std::string_view results,
                                 std::string_view timings);
  /// Adds the lines of a file. Returns the offset behind the last complete line. Throws InputError
  /// with the file and the line when a line is malformed.
  std::size_t read(const std::string& path);

  /// Returns whether there are checksums of the instance.
  bool has(std::int64_t instance) const;
  /// Returns whether `text` has one of the checksums of the instance's rows in `file`.
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

/// Rewrites a file of rows in the order of the instances, with the last block of each instance in
/// `instances`; other rows are dropped. Leaves the file alone when it already is so. Returns the
/// SHA-256 of the file. Throws InputError when a block does not match its checksum; the file then
/// stays as it was.
std::string sort_rows(const std::string& path, std::string_view header,
                      const InstanceSet& instances, const Checksums& checksums,
                      Checksums::File file);

/// Writes checksums.csv at `path` with one line per instance of two sorted files. Returns the
/// SHA-256 of what it wrote.
std::string write_checksums(const std::string& path, RowReader& results, RowReader& timings);

}  // namespace starport
