// CSV files of rows that are grouped by instance: sequential reading, random reading, appending;
// results.csv and timings.csv (RFC 4180) have one row per instance and algorithm.
#pragma once

#include "sim/files/error.hpp"
#include "sim/process/isolation.hpp"
#include "sim/results/comparison.hpp"
#include "sim/sweep/sha256.hpp"
#include "sim/sweep/specification.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starport {

/// Reads a file from its start in pieces of at most 32 KiB. The file is open only during a read, so
/// that any number of readers can exist at once; when it is changed or replaced between two reads,
/// the pieces do not fit together.
class ChunkReader {
 public:
  /// Remembers the path; does not open the file yet.
  explicit ChunkReader(std::string path) : path_(std::move(path)) {}
  /// Returns the next at most 32 KiB of the file; an empty text at its end. The first call
  /// registers the file as an input (register_input_file()), which OutputFile refuses to overwrite.
  /// Throws InputError that names the file when it cannot be opened or read.
  std::string next();
  /// Returns the path as it was given; valid as long as the reader.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::int64_t bytes_read_ = 0;
};

/// Returns the SHA-256 of a file's content as 64 hexadecimal digits in lower case. Reads the file
/// in pieces of 32 KiB, whatever its size. Throws InputError that names the file when it cannot be
/// opened or read.
std::string sha256_of_file(const std::string& path);

/// A block of a file of rows: consecutive lines that belong to one instance, as RowReader::next()
/// returns it. Its text is a view into that RowReader; location_of() returns what stays valid.
struct RowBlock {
  /// Number of the instance, from 1.
  std::int64_t instance = 0;
  /// Number of the block's first line in the file, from 1 (the header).
  std::int64_t line = 0;
  /// Offset of the block in the file, in bytes.
  std::size_t begin = 0;
  /// Complete lines with their line ends; valid until the next call of RowReader::next() or the end
  /// of that reader.
  std::string_view text;
  /// True for the last complete block of the file.
  bool last = false;

  /// Returns the offset in the file, in bytes, of the first byte after the block.
  std::size_t end() const { return begin + text.size(); }
};

/// Reads a CSV file of rows from start to end, block by block (a block: consecutive rows of one
/// instance); holds one block and a few pieces of the file in memory. Lines end in CR LF, and every
/// line after the header must start with an instance number (at least 1) and a comma. An incomplete
/// last line is ignored. An instance may have several blocks, of which the last one counts. Not to
/// be used on after an exception.
class RowReader {
 public:
  /// Opens the file at `path` and reads its first line, which must equal `header` (with its line
  /// end). Throws InputError when it differs or the file cannot be read. A file that is empty or
  /// ends within the header is accepted and has no rows: its writer was killed at the start.
  RowReader(std::string path, std::string_view header);
  /// Returns the next block, or nullopt at the end of the file. The text of the previous block
  /// becomes invalid. Throws InputError with the file and the line when a row does not start with
  /// an instance number (at least 1) and a comma, or with the file when it cannot be read.
  std::optional<RowBlock> next();

  /// Returns the path as it was given; valid as long as the reader.
  const std::string& path() const { return file_.path(); }
  /// Returns the offset in bytes of the first row, which is the size of the header; 0 when the
  /// header is incomplete.
  std::size_t rows_begin() const { return rows_begin_; }
  /// Returns the SHA-256 of the whole file as 64 hexadecimal digits. Call it once, after next() has
  /// returned nullopt: earlier, the checksum covers only the part read so far. Reading must not go
  /// on afterwards.
  std::string sha256() { return checksum_.digest(); }

 private:
  /// Appends the next chunk to the buffer; false at the end of the file.
  bool read_more();
  /// Returns the offset in the buffer behind the line that starts at `begin`; reads more as needed.
  std::optional<std::size_t> end_of_line(std::size_t begin);
  std::int64_t instance_at(std::size_t begin, std::size_t end) const;

  ChunkReader file_;
  Sha256 checksum_;
  std::size_t rows_begin_ = 0;
  std::string buffer_;
  std::size_t consumed_ = 0;       ///< bytes of the buffer that belong to returned blocks
  std::size_t buffer_offset_ = 0;  ///< offset of the buffer in the file
  std::int64_t line_ = 2;          ///< number of the next line
};

/// Hint of error messages about result files whose content is not as it was written.
inline constexpr const char* kDamagedDirectory = "the directory is damaged";
/// Returns (does not throw) the InputError that reports damaged rows: the file at `path` has
/// something other than `expected` at `line`, a line number from 1.
InputError make_damage_error(const std::string& path, std::int64_t line,
                             std::string expected = "the rows that were written");

/// Collects the invalid blocks of one file (blocks of rows that are not as they were written), to
/// report one of them at the end: a later valid block of the same instance makes up for an invalid
/// one. Holds at most one block per instance.
class InvalidBlocks {
 public:
  /// Makes an empty collection; `path` is the file that the error names. Opens no file.
  explicit InvalidBlocks(std::string path) : path_(std::move(path)) {}
  /// Records `block` as invalid, replacing an earlier block of its instance; keeps its number and
  /// line, not its text. `expected` says what should be there, for the message.
  void add(const RowBlock& block, std::string expected = "the rows that were written") {
    lines_[block.instance] = {block.line, std::move(expected)};
  }
  /// Forgets the invalid block of an instance; does nothing if there is none. Call it for each
  /// block of the file before the block is checked.
  void remove(std::int64_t instance) { lines_.erase(instance); }
  /// Throws InputError with the file and the line of the invalid block that has the smallest
  /// instance number; does nothing if no block is invalid. Call it at the end of the file.
  void throw_if_any() const;

 private:
  std::string path_;
  std::map<std::int64_t, std::pair<std::int64_t, std::string>> lines_;
};

/// The location of a block (consecutive rows of one instance) in its file, without its text.
struct BlockLocation {
  /// Number of the instance, from 1.
  std::int64_t instance;
  /// Number of the block's first line in the file, from 1.
  std::int64_t line;
  /// Offset of the block in the file, in bytes.
  std::size_t begin;
  /// Size of the block in bytes.
  std::size_t size;
};
/// Returns the location of a block, which stays valid when the text of the block does not.
inline BlockLocation location_of(const RowBlock& block) {
  return {block.instance, block.line, block.begin, block.text.size()};
}
/// Sorts the locations by instance number, and keeps per instance only the block with the largest
/// offset, the last one in the file.
void sort_and_keep_last(std::vector<BlockLocation>& blocks);

/// Reads blocks of a file at given locations in any order. Keeps the file open while it lives, and
/// reads the file that had the path when it was opened, even after another has replaced it.
class BlockReader {
 public:
  /// Opens the file for reading. Throws InputError that names the file when it cannot be opened.
  explicit BlockReader(const std::string& path);
  /// Returns the text of a block, a reference that is valid until the next call or the end of this
  /// object. Reports no errors: the text is shorter when the file ends within the block or reading
  /// fails there, so compare it with a checksum.
  const std::string& read(const BlockLocation& block);

 private:
  FileDescriptor file_;
  std::string text_;
};

/// Appends rows to a file, without a buffer of its own; the file stays open while the object lives.
/// Each append() is written completely or, when the disk is full, not at all. Only one object at a
/// time may append to a file (not checked).
class RowAppender {
 public:
  /// Opens the file, or creates it (its directory must exist), and cuts it to `size` bytes (a
  /// shorter file is padded with zero bytes); rows are appended there. Throws InputError that names
  /// the file when it cannot be opened or resized.
  RowAppender(std::string path, std::size_t size);
  /// Writes rows, with their line ends, to the end of the file; they survive the death of the
  /// process, but a power failure only after sync(). Throws InputError that names the file when
  /// they cannot be written; the file then has none of them (a part if it cannot even be cut back),
  /// and append() must not be called again.
  void append(std::string_view rows);
  /// Flushes the file to the disk with fdatasync(2) and blocks until done. Does nothing for a file
  /// that cannot be flushed, such as a pipe. Throws InputError that names the file when flushing
  /// fails.
  void sync();

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;
  FileDescriptor file_;
  std::size_t size_;
};

/// Returns a comparison as CSV text (RFC 4180, lines end in CR LF): a header and one row per
/// record, as `starport run --csv` prints it, with an empty cell for a figure without value (units:
/// Figure). Includes wall-clock times. No record: the header alone.
std::string to_csv(const Comparison& comparison);

/// Formats the rows of results.csv and timings.csv for the instances of one sweep, and checks rows
/// that were read from such a file. All rows have the same columns: those of overrides and
/// generator parameters, and of the noise if there is any, follow `seed`; those of platform
/// measures follow `workers`. Touches no file.
class ResultRows {
 public:
  /// Determines the columns from the specification and its models (see
  /// Specification::set_models()). The specification need not outlive this object.
  explicit ResultRows(const Specification& specification);

  /// Returns the first line of results.csv, the names of the columns, with its line end CR LF.
  std::string header() const;
  /// Returns the first line of timings.csv, the names of the columns, with its line end CR LF.
  static std::string timings_header() { return "instance,heuristic,decision_s,simulation_s\r\n"; }

  /// Returns the rows of one instance in results.csv, one per record of `comparison`, each with its
  /// line end CR LF. The instance must be of the specification given to the constructor, which must
  /// still exist, and the records in the order of the experiment's algorithms (not checked;
  /// find_fault() rejects the rows otherwise). Throws InputError when the problem is out of range
  /// at the block size.
  std::string rows(const SweepInstance& instance, const Comparison& comparison) const;
  /// Returns the rows of one instance in timings.csv, one per record, each with its line end CR LF:
  /// the wall-clock seconds of planning and of simulation, empty for a failed run. No records: an
  /// empty text.
  static std::string timings(const SweepInstance& instance, const std::vector<Record>& records);

  /// Counts of rows with the status error, to which find_fault() adds.
  struct Failures {
    /// Number of all rows with the status error, whatever the cause.
    std::int64_t all = 0;
    /// Number of those whose cause is the machine: out of time or memory, or killed.
    std::int64_t of_machine = 0;
  };
  /// Checks that `text` consists of valid rows of the instance in results.csv: one per algorithm,
  /// in order, with the expected labels, number of figures and kinds of values. Returns an empty
  /// string if so, otherwise what was expected at the first fault, for a message. Rows with the
  /// status error are valid and are added to the counts in `failures` (up to the first fault). The
  /// instance must be of the specification given to the constructor. Throws InputError when its
  /// problem is out of range at the block size.
  std::string find_fault(const SweepInstance& instance, std::string_view text,
                         Failures& failures) const;

 private:
  /// Returns the first cells of an instance's rows, up to the engine.
  std::string label(const SweepInstance& instance) const;
  /// Returns the cells of the platform measures, each followed by a comma; empty cells when the
  /// platform is not a star.
  std::string measures_csv(const SweepInstance& instance) const;

  std::vector<std::string> override_columns_;
  std::vector<const PlatformMeasure*> measures_;
  bool noisy_;
  FigureList figures_;
};

}  // namespace starport
