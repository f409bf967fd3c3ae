// CSV files of rows that are grouped by instance: sequential reading, random reading, appending;
// results.csv and timings.csv (RFC 4180) have one row per instance and algorithm.
#pragma once

#include "sim/files/error.hpp"
#include "sim/process/isolation.hpp"
#include "sim/results/comparison.hpp"
#include "sim/sweep/sha256.hpp"
#include "sim/sweep/specification.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace starport {

/// Reader of a file from its start, in pieces of at most 32 KiB. The file is open only during a
/// read, so that any number of readers can exist at once; when it is changed or replaced between
/// two reads, the pieces do not fit together.
class ChunkReader {
 public:
  /// Makes a reader of the file at `path`, a copy of which it keeps; does not open the file yet.
  explicit ChunkReader(std::string path) : path_(std::move(path)) {}
  /// Returns the next piece of the file, of at most 32 KiB; an empty text at its end. The first
  /// call registers the file as an input, which an OutputFile made for a command line option
  /// refuses to replace. Throws InputError that names the file when it cannot be opened or read.
  /// Not thread-safe.
  std::string next();
  /// Returns the path of the file as it was given; valid as long as the reader.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::int64_t bytes_read_ = 0;
};

/// Returns the SHA-256 of the content of a file of any size as 64 hexadecimal digits in lower case.
/// Registers the file as an input, which an OutputFile made for a command line option refuses to
/// replace. Throws InputError that names the file when it cannot be opened or read. Not
/// thread-safe.
std::string sha256_of_file(const std::string& path);

/// A block of a CSV file of rows: consecutive lines that belong to one instance of a sweep, as
/// RowReader::next() returns it. Its text is a view into that RowReader; location_of() returns what
/// stays valid.
struct RowBlock {
  /// Number of the instance of the sweep, from 1, whose rows the block has.
  std::int64_t instance = 0;
  /// Line number in the file, from 1 (the header), of the first line of the block (consecutive rows
  /// of one instance).
  std::int64_t line = 0;
  /// Offset in bytes, from the start of the file, of the first row of the block (consecutive rows
  /// of one instance).
  std::size_t begin = 0;
  /// The lines of the block, complete and with their line ends; valid until the next call of
  /// RowReader::next() or the end of that reader.
  std::string_view text;
  /// True if no complete line follows the block (consecutive rows of one instance) in the file.
  bool last = false;

  /// Returns the offset in bytes, from the start of the file, of the first byte after the block
  /// (consecutive rows of one instance).
  std::size_t end() const { return begin + text.size(); }
};

/// Reader of a CSV file of rows of a sweep from start to end, block by block (a block:
/// consecutive rows of one instance); holds one block and a few pieces of the file in memory, and
/// opens the file anew for each piece. Lines end in CR LF; an LF alone ends no line. Every line
/// after the header must start with an instance number (at least 1) and a comma, otherwise next()
/// throws InputError. An incomplete last line is ignored. An instance may have several blocks:
/// next() returns all of them, and the last one counts. Must not be used any more after an
/// exception.
class RowReader {
 public:
  /// Opens the CSV file at `path` and reads its first line, which must equal `header` (with its
  /// line end). Throws InputError when it differs or the file cannot be read. A file that is empty
  /// or ends within the header is accepted and has no rows: its writer was killed at the start.
  RowReader(std::string path, std::string_view header);
  /// Returns the next block (consecutive rows of one instance), or nullopt at the end of the file.
  /// The text of the previous block becomes invalid. Throws InputError with the file and the line
  /// when a row does not start with an instance number (at least 1) and a comma, or with the file
  /// when it cannot be read.
  std::optional<RowBlock> next();

  /// Returns the path of the file as it was given; valid as long as the reader.
  const std::string& path() const { return file_.path(); }
  /// Returns the offset in bytes, from the start of the file, of the first row after the header,
  /// which is the size of the header; 0 when the header is incomplete.
  std::size_t rows_begin() const { return rows_begin_; }
  /// Returns the SHA-256 of the whole file, as 64 hexadecimal digits in lower case. Call it once,
  /// after next() has returned nullopt: earlier, the checksum covers only the part read so far.
  /// Reading must not go on afterwards.
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
/// Returns (does not throw) the InputError that reports damaged rows of results: the file at `path`
/// has something other than `expected` at `line`, a line number from 1.
InputError make_damage_error(const std::string& path, std::int64_t line,
                             std::string expected = "the rows that were written");

/// Returns (does not throw) the InputError that reports that the file of `timings` has no rows for
/// the instance of `block`, a block of results.
InputError make_missing_timings_error(const RowReader& timings, const RowBlock& block);

/// Collection of the invalid blocks of one CSV file (consecutive rows of one instance that are not
/// as they were written), to report one of them at the end: a later valid block of the same
/// instance makes up for an invalid one. Holds at most one block per instance.
class InvalidBlocks {
 public:
  /// Makes an empty collection of invalid blocks of the file at `path`, which throw_if_any() names
  /// in its error. Opens no file.
  explicit InvalidBlocks(std::string path) : path_(std::move(path)) {}
  /// Records `block` (consecutive rows of one instance) as invalid, replacing an earlier block of
  /// its instance; keeps the numbers of its instance and line, not its text. `expected` says what
  /// should be there, for the message.
  void add(const RowBlock& block, std::string expected = "the rows that were written") {
    lines_[block.instance] = {block.line, std::move(expected)};
  }
  /// Forgets the invalid block of the instance with this number (from 1); does nothing if there is
  /// none. Call it for each block of the file before the block is checked.
  void remove(std::int64_t instance) { lines_.erase(instance); }
  /// Throws InputError with the file and the line of the invalid block (rows that are not as they
  /// were written) that has the smallest instance number; does nothing if no block is invalid. Call
  /// it at the end of the file.
  void throw_if_any() const;

 private:
  std::string path_;
  std::map<std::int64_t, std::pair<std::int64_t, std::string>> lines_;
};

/// Place of a block (consecutive rows of one instance) in its CSV file: instance, line, offset and
/// size; its text is not stored. A plain value, made by location_of().
struct BlockLocation {
  /// Number of the instance of the sweep, from 1, whose rows the block has.
  std::int64_t instance;
  /// Line number in the file, from 1, of the first line of the block (consecutive rows of one
  /// instance).
  std::int64_t line;
  /// Offset in bytes, from the start of the file, of the first row of the block (consecutive rows
  /// of one instance).
  std::size_t begin;
  /// Size in bytes of the block (consecutive rows of one instance), line ends included.
  std::size_t size;
};
/// Returns the location in its file of a block (consecutive rows of one instance), which stays
/// valid when the text of the block does not.
inline BlockLocation location_of(const RowBlock& block) {
  return {block.instance, block.line, block.begin, block.text.size()};
}
/// Sorts the locations of blocks (consecutive rows of one instance) of one file by increasing
/// instance number, and keeps per instance only the last block in the file, i.e. that with the
/// largest offset.
void sort_and_keep_last(std::vector<BlockLocation>& blocks);

/// Reader of blocks (consecutive rows of one instance) of a CSV file at given locations, in any
/// order. Keeps the file open while it lives, and reads the file that had the path when it was
/// opened, even after another has replaced it.
class BlockReader {
 public:
  /// Opens the CSV file at `path`, of which read() returns blocks (consecutive rows of one
  /// instance). Reads and checks nothing yet. Throws InputError that names the file when it cannot
  /// be opened.
  explicit BlockReader(const std::string& path);
  /// Returns the rows at this location as text, a reference that is valid until the next call or
  /// the end of this object. Reports no errors: the text is shorter when the file ends within the
  /// location or reading fails there, so compare it with a checksum.
  const std::string& read(const BlockLocation& block);

 private:
  FileDescriptor file_;
  std::string text_;
};

/// Calls `attempt()` until it returns true, ten times at most, with pauses of 100 ms. Returns true
/// as soon as a call did, false if none did.
template <typename Attempt>
bool retry_for_a_second(Attempt attempt) {
  constexpr int max_tries = 10;
  for (int tries = 1; !attempt(); ++tries) {
    if (tries == max_tries) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

/// Takes an exclusive, advisory lock on the open file `fd` for its open file description, against
/// other calls of this function on all hosts of a network file system; others can still read the
/// file. Does not block. The file must be open for writing (EBADF otherwise); the lock ends when
/// the last copy of `fd` is closed. Returns 0, or the error number; EAGAIN and EACCES: another has
/// the lock.
int lock_file(int fd);

/// Writer that appends rows (lines of text) to a file, without a buffer of its own; the file stays
/// open while the object lives. Each append() is written completely, behind the end of the file,
/// or, when the disk is full, not at all. Holds a lock on the file (lock_file()), so that only one
/// object at a time can append to it; on NFS, writing also fails once the lock has been lost.
class RowAppender {
 public:
  /// Opens the file at `path`, or creates it (its directory must exist); rows are appended to what
  /// it holds. Blocks for up to one second while another object has the file, and then opens what
  /// is at `path`. Throws InputError that names the file when the object still has it then, or when
  /// it cannot be opened. Goes on without a lock on a file system that has none.
  explicit RowAppender(std::string path);
  /// Opens the file at `path`, or creates it (its directory must exist), and cuts it to `size`
  /// bytes, or pads it with zero bytes; rows are appended there. Blocks for up to one second while
  /// another object has the file. Throws InputError that names the file when that object still has
  /// it then, or when it cannot be opened or cut.
  RowAppender(std::string path, std::size_t size) : RowAppender(std::move(path)) { resize(size); }
  /// Cuts the file to `size` bytes, or pads it with zero bytes; rows are appended there. Throws
  /// InputError that names the file when that fails.
  void resize(std::size_t size);
  /// Writes rows, with their line ends, to the end of the file; they survive the death of the
  /// process, but a power failure only after sync(). Throws InputError that names the file when
  /// they cannot be written. The file then has none of them and append() may be called again,
  /// unless the file could not be cut back: a part of the rows then stays at its end.
  void append(std::string_view rows);
  /// Flushes the file to the disk with fdatasync(2) and blocks until done. Does nothing where files
  /// cannot be flushed (EINVAL). Throws InputError that names the file when flushing fails.
  void sync();

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;
  FileDescriptor file_;
  std::size_t size_ = 0;
};

/// Returns a comparison of algorithms on one platform and product as CSV text (RFC 4180, lines end
/// in CR LF): a header and one row per record (algorithm), as `starport run --csv` prints it, with
/// an empty cell for a reported figure that has no value (units: Figure). A failed run has a row
/// too, with its status, error and cause. Includes wall-clock times. No record: the header alone.
std::string to_csv(const Comparison& comparison);

/// Formatter of the rows of results.csv and timings.csv for the instances of one sweep, which also
/// checks rows that were read from results.csv. Touches no file. All rows of results.csv have the
/// same columns: those of overrides (values of axes) and of parameters of platform generators, and
/// of the noise if there is any, follow `seed`; those of measures of the platforms' heterogeneity
/// follow `workers`.
class ResultRows {
 public:
  /// Determines the columns of the rows from the specification of the sweep and its models, which
  /// must have been set (Specification::set_models(); otherwise the columns of reported figures,
  /// such as the makespan, are missing). Keeps no reference to the specification; but the instances
  /// passed to rows() and find_fault() point into it, so that it must exist during these calls.
  explicit ResultRows(const Specification& specification);

  /// Returns the first line of results.csv, the names of the columns, with its line end CR LF.
  std::string header() const;
  /// Returns the first line of timings.csv, the names of the columns, with its line end CR LF.
  static std::string timings_header() { return "instance,heuristic,decision_s,simulation_s\r\n"; }

  /// Returns the rows of one instance in results.csv, one per record (result of one algorithm) of
  /// `comparison`, each with its line end CR LF. The instance must be of the specification given to
  /// the constructor, which must still exist, and the records in the order of the experiment's
  /// algorithms (not checked; find_fault() rejects the rows otherwise). Throws InputError when the
  /// product of the instance has too many blocks.
  std::string rows(const SweepInstance& instance, const Comparison& comparison) const;
  /// Returns the rows of one instance in timings.csv, one per record (result of one algorithm),
  /// each with its line end CR LF: the wall-clock seconds of planning and of simulation, empty
  /// where a record has none, such as that of a failed run. No records: an empty text.
  static std::string timings(const SweepInstance& instance, const std::vector<Record>& records);

  /// Numbers of rows of results.csv with the status error (failed runs), in all and by the
  /// machine's fault, which find_fault() increases.
  struct Failures {
    /// Number of rows with the status error (failed runs), whatever the cause.
    std::int64_t all = 0;
    /// Number of rows with the status error whose cause is the machine: out of time or memory, or
    /// killed.
    std::int64_t of_machine = 0;
  };
  /// Checks that `text` consists of valid rows of the instance in results.csv, by any engine: one
  /// per algorithm, in order, with the expected first cells (platform, product, ...), number of
  /// reported figures and kinds of values. Returns an empty string if so, otherwise what was
  /// expected at the first fault, for a message. Rows with the status error are valid and are added
  /// to the counts in `failures` (up to the first fault). The instance must be of the specification
  /// given to the constructor. Throws InputError when its product has too many blocks.
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
