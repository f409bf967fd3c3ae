#include "sim/sweep/row_file.hpp"

#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/results/figure.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

namespace starport {

std::string ChunkReader::next() {
  constexpr std::size_t size = 1 << 15;
  const auto fail = [&] { return make_unreadable_error(path_, errno); };
  const FileDescriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw fail();
  if (bytes_read_ == 0) register_input_file(file.get());
  std::string chunk(size, '\0');
  ssize_t got = 0;
  do {
    got = ::pread(file.get(), chunk.data(), size, bytes_read_);
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw fail();
  bytes_read_ += got;
  chunk.resize(static_cast<std::size_t>(got));
  return chunk;
}

std::string sha256_of_file(const std::string& path) {
  Sha256 checksum;
  ChunkReader file(path);
  for (std::string chunk; !(chunk = file.next()).empty();) checksum.add(chunk);
  return checksum.digest();
}

RowReader::RowReader(std::string path, std::string_view header) : file_(std::move(path)) {
  while (buffer_.size() < header.size() && read_more()) {
  }
  if (buffer_.starts_with(header)) {
    rows_begin_ = consumed_ = header.size();
  } else if (header.starts_with(buffer_)) {  // killed at the very start
    consumed_ = buffer_.size();
  } else {
    throw InputError("line 1", "the columns that this input gives", "other columns")
        .in_file(file_.path());
  }
}

bool RowReader::read_more() {
  const std::string chunk = file_.next();
  checksum_.add(chunk);
  buffer_ += chunk;
  return !chunk.empty();
}

std::optional<std::size_t> RowReader::end_of_line(std::size_t begin) {
  std::size_t seen = begin;
  while (true) {
    const std::size_t end = buffer_.find("\r\n", seen);
    if (end != std::string::npos) return end + 2;
    seen = std::max(begin, buffer_.size() - !buffer_.empty());
    if (!read_more()) return std::nullopt;
  }
}

std::int64_t RowReader::instance_at(std::size_t begin, std::size_t end) const {
  std::int64_t instance = 0;
  const auto [rest, error] =
      std::from_chars(buffer_.data() + begin, buffer_.data() + end, instance);
  if (error == std::errc{} && *rest == ',' && instance >= 1) return instance;
  throw InputError(fmt::format("line {}", line_), "the number of an instance", "something else")
      .in_file(file_.path());
}

std::optional<RowBlock> RowReader::next() {
  constexpr std::size_t max_consumed = 1 << 16;
  if (consumed_ > max_consumed) {
    buffer_offset_ += consumed_;
    buffer_.erase(0, std::exchange(consumed_, 0));
  }
  RowBlock block{.line = line_, .begin = buffer_offset_ + consumed_};
  const std::size_t begin = consumed_;
  const auto text = [&] { return std::string_view(buffer_).substr(begin, consumed_ - begin); };
  while (const auto end = end_of_line(consumed_)) {
    const std::int64_t instance = instance_at(consumed_, *end);
    if (consumed_ > begin && instance != block.instance) {
      block.text = text();
      return block;
    }
    block.instance = instance;
    consumed_ = *end;
    ++line_;
  }
  if (consumed_ == begin) return std::nullopt;
  block.text = text();
  block.last = true;
  return block;
}

InputError make_damage_error(const std::string& path, std::int64_t line, std::string expected) {
  return InputError(fmt::format("line {}", line), std::move(expected), "something else",
                    kDamagedDirectory)
      .in_file(path);
}

InputError make_missing_timings_error(const RowReader& timings, const RowBlock& block) {
  return InputError("", fmt::format("the timings of instance {}", block.instance), "none",
                    kDamagedDirectory)
      .in_file(timings.path());
}

void InvalidBlocks::throw_if_any() const {
  if (lines_.empty()) return;
  const auto& [line, expected] = lines_.begin()->second;
  throw make_damage_error(path_, line, expected);
}

void sort_and_keep_last(std::vector<BlockLocation>& blocks) {
  std::ranges::sort(blocks, {}, [](const BlockLocation& block) {
    return std::pair(block.instance, -static_cast<std::int64_t>(block.begin));
  });
  const auto same = [](const BlockLocation& a, const BlockLocation& b) {
    return a.instance == b.instance;
  };
  blocks.erase(std::unique(blocks.begin(), blocks.end(), same), blocks.end());
}

BlockReader::BlockReader(const std::string& path)
    : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_.get() < 0) {
    throw make_unreadable_error(path, errno);
  }
}

const std::string& BlockReader::read(const BlockLocation& block) {
  text_.resize(block.size);
  std::size_t size = 0;
  while (size < block.size) {
    const ssize_t got = ::pread(file_.get(), text_.data() + size, block.size - size,
                                static_cast<off_t>(block.begin + size));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  text_.resize(size);
  return text_;
}

int lock_file(int fd) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_start = off_t{1} << 62;
  return ::fcntl(fd, F_OFD_SETLK, &range) == 0 ? 0 : errno;
}

RowAppender::RowAppender(std::string path) : path_(std::move(path)) {
  struct stat opened {};
  const bool locked = retry_for_a_second([&] {
    // Without waiting for a reader, if it is a pipe.
    constexpr int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK;
    file_.reset(::open(path_.c_str(), flags, 0666));
    if (file_.get() < 0) fail(errno);
    const int error = lock_file(file_.get());
    if (error == EAGAIN || error == EACCES) return false;  // other errors: there are no locks
    // Who had the file may have replaced it.
    struct stat found {};
    if (::fstat(file_.get(), &opened) != 0) fail(errno);
    return ::stat(path_.c_str(), &found) == 0 && found.st_dev == opened.st_dev &&
           found.st_ino == opened.st_ino;
  });
  if (!locked) fail(EAGAIN);
  size_ = static_cast<std::size_t>(opened.st_size);
}

void RowAppender::resize(std::size_t size) {
  if (::ftruncate(file_.get(), static_cast<off_t>(size)) != 0) fail(errno);
  size_ = size;
}

void RowAppender::append(std::string_view rows) {
  if (const int error = write_all(file_.get(), rows); error != 0) {
    // Removes what was written of the rows, so that the file has complete records only.
    if (::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) fail(errno);
    fail(error);
  }
  size_ += rows.size();
}

void RowAppender::sync() {
  if (::fdatasync(file_.get()) != 0 && errno != EINVAL) fail(errno);  // EINVAL: it cannot be synced
}

void RowAppender::fail(int error) const {
  throw InputError("", "a file that can be written", std::strerror(error)).in_file(path_);
}

namespace {

/// Returns "r,s,t", the problem in blocks. Works without the platform, which may not exist at this
/// block size.
std::string blocks_of(const SweepInstance& instance) {
  const Problem problem = parse_problem(instance.problem_text, instance.block_size, "/problems");
  return fmt::format("{},{},{}", problem.r, problem.s, problem.t);
}

/// Returns the figures of runs and instances that rows have, in the order of the columns.
FigureList row_figures(const Models& models, bool repeated, bool wall_clock) {
  FigureList rows;
  for (const Figure* figure : figures_of(models)) {
    const bool of_rows = figure->scope == Scope::run || figure->scope == Scope::instance;
    if (of_rows && figure->repeated <= repeated && figure->wall_clock <= wall_clock) {
      rows.push_back(figure);
    }
  }
  return rows;
}

/// Returns the cells of a record: heuristic, status, error, cause, figures, details. Line breaks in
/// the error and the details become spaces.
std::string record_csv(const FigureList& figures, const Comparison& comparison,
                       const Record& record) {
  std::string text = quote_csv_field(record.algorithm) + "," + to_string(record.status) + ",";
  if (record.status != Status::ok) {
    const char* const cause = record.status == Status::error ? to_string(record.cause) : "";
    return text + quote_csv_field(sanitize_line(record.error)) + "," + cause +
           std::string(figures.size() + 1, ',');
  }
  text += ",";  // no cause
  const Figures& bounds = comparison.bounds_of(record.model);
  for (const Figure* figure : figures) {
    const Figures& source = figure->scope == Scope::run ? record.figures : bounds;
    text += "," + format_exact(source[*figure]);
  }
  return text + "," + quote_csv_field(sanitize_line(details_text(comparison.details_of(record))));
}

}  // namespace

std::string to_csv(const Comparison& comparison) {
  const FigureList figures = row_figures(comparison.models, comparison.has_repetitions(), true);
  const bool noisy = !comparison.noise.empty();
  std::string text = noisy ? "platform,noise,r,s,t,block_size,engine,heuristic,status,error,cause"
                           : "platform,r,s,t,block_size,engine,heuristic,status,error,cause";
  for (const Figure* figure : figures) text += "," + std::string(figure->key);
  text += ",details\r\n";
  const Problem& problem = comparison.instance.problem;
  const std::string start =
      fmt::format("{}{},{},{},{},{},{},", quote_csv_field(comparison.instance.file.name),
                  noisy ? "," + quote_csv_field(comparison.noise) : "", problem.r, problem.s,
                  problem.t, problem.block_size, to_string(comparison.engine));
  for (const Record& record : comparison.records) {
    text += start + record_csv(figures, comparison, record) + "\r\n";
  }
  return text;
}

ResultRows::ResultRows(const Specification& specification)
    : override_columns_(specification.override_columns()),
      measures_(specification.measures),
      noisy_(specification.has_noise()),
      figures_(row_figures(specification.models(), false, false)) {}

std::string ResultRows::header() const {
  std::string text = "instance,experiment,platform,problem,block_size,repetition,seed,";
  for (const std::string& column : override_columns_) text += column + ",";
  if (noisy_) text += "noise,";
  text += "workers,";
  for (const PlatformMeasure* measure : measures_) text += std::string(measure->figure.key) + ",";
  text += "r,s,t,engine,heuristic,status,error,cause";
  for (const Figure* figure : figures_) text += "," + std::string(figure->key);
  return text + ",details\r\n";
}

std::string ResultRows::measures_csv(const SweepInstance& instance) const {
  try {
    const Platform platform = instance.file.at_block_size(instance.block_size);
    std::string text;
    for (const PlatformMeasure* measure : measures_) {
      // Infinite or NaN if a memory holds no block.
      const double value = measure->compute(platform);
      text += (std::isfinite(value) ? format_exact(value) : "") + ",";
    }
    return text;
  } catch (const InputError&) {  // it is no star
    return std::string(measures_.size(), ',');
  }
}

std::string ResultRows::label(const SweepInstance& instance) const {
  std::string text =
      fmt::format("{},{},{},{},{},{},{},", instance.number,
                  quote_csv_field(instance.experiment->name), quote_csv_field(instance.file.name),
                  quote_csv_field(instance.problem_text), instance.block_size, instance.repetition,
                  instance.seed ? fmt::format("{}", *instance.seed) : "");
  for (const std::string& column : override_columns_) {
    text += quote_csv_field(instance.override_text(column)) + ",";
  }
  if (noisy_) text += quote_csv_field(to_text(instance.noise)) + ",";
  text += fmt::format("{},", instance.file.size());
  if (!measures_.empty()) text += measures_csv(instance);
  return text + blocks_of(instance) + ",";
}

std::string ResultRows::rows(const SweepInstance& instance, const Comparison& comparison) const {
  const std::string start = label(instance) + to_string(comparison.engine) + ",";
  std::string text;
  for (const Record& record : comparison.records) {
    text += start + record_csv(figures_, comparison, record) + "\r\n";
  }
  return text;
}

std::string ResultRows::timings(const SweepInstance& instance, const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) {
    text += fmt::format("{},{},{},{}\r\n", instance.number, quote_csv_field(record.algorithm),
                        format_exact(record.figures[kDecision]),
                        format_exact(record.figures[kSimulation]));
  }
  return text;
}

std::string ResultRows::find_fault(const SweepInstance& instance, std::string_view text,
                                   Failures& failures) const {
  const std::string start = label(instance);
  for (const NamedAlgorithm& named : *instance.experiment->algorithms) {
    const std::size_t end = std::min(text.find("\r\n"), text.size());
    std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 2, text.size()));
    if (!row.starts_with(start)) return "the row of instance " + start;
    row.remove_prefix(start.size());
    next_token(row, ',');  // the engine
    const std::string heuristic = quote_csv_field(named.name) + ",";
    if (!row.starts_with(heuristic)) return "the row of " + named.name;
    row.remove_prefix(heuristic.size());
    const std::string_view status = next_token(row, ',');
    if (status == to_string(Status::ok)) {
      for (int field = 0; field < 2; ++field) {
        if (!next_token(row, ',').empty()) return "no error where the status is ok";
      }
      for (const Figure* figure : figures_) {
        const std::string_view field = next_token(row, ',');
        const bool none = field.empty() && figure != &kMakespan;
        if (!none && !parse_number<double>(field)) {
          return fmt::format("{} figures where the status is ok", figures_.size());
        }
      }
      const bool quoted = row.size() >= 2 && row.front() == '"' && row.back() == '"';
      if (!quoted && row.find_first_of(",\"") != row.npos) return "details, then no more";
      continue;
    }
    const bool failed = status == to_string(Status::error);
    if (!failed && status != to_string(Status::not_applicable)) {
      return "a status: ok, error or not applicable";
    }
    if (!row.ends_with(std::string(figures_.size() + 1, ','))) {
      return "no figures where the status is not ok";
    }
    row.remove_suffix(figures_.size() + 1);
    const std::string_view cause = row.substr(row.rfind(',') + 1);
    if (!failed) {
      if (!cause.empty()) return "no cause where the status is not error";
      continue;
    }
    if (std::ranges::none_of(kFailureCauses,
                             [&](FailureCause known) { return cause == to_string(known); })) {
      return "the cause of an error: model, time, memory or killed";
    }
    ++failures.all;
    failures.of_machine += cause != to_string(FailureCause::model);
  }
  return text.empty() ? "" : "a row for each heuristic, once";
}

}  // namespace starport
