// What was written of each instance, so that what is read again is known to be the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starport {

/// Lines "instance,results,timings": of its rows in both files, the first 16 digits of their
/// SHA-256. An instance that was run again has several lines. In memory each line takes 24 bytes.
class Checksums {
 public:
  static constexpr const char* kHeader = "instance,results,timings\r\n";

  enum class Rows { results, timings };

  /// The line of an instance, which is noted.
  std::string add(std::int64_t instance, std::string_view results, std::string_view timings);
  /// That line alone.
  static std::string line(std::int64_t instance, std::string_view results,
                          std::string_view timings);
  /// Notes the lines of a file; what is whole of it, up to a last line that is cut short. Throws
  /// InputError naming the file and the line.
  std::size_t read(const std::string& path);

  bool has(std::int64_t instance) const;
  /// Whether these are rows that were written of the instance.
  bool prove(Rows rows, std::int64_t instance, std::string_view text) const;

 private:
  struct Line {
    std::int64_t instance;
    std::uint64_t results;
    std::uint64_t timings;
  };
  /// Those of an instance.
  std::pair<std::vector<Line>::const_iterator, std::vector<Line>::const_iterator> lines_of(
      std::int64_t instance) const;

  /// By instance when they are asked for.
  mutable std::vector<Line> lines_;
  mutable bool sorted_ = true;
};

}  // namespace starport
