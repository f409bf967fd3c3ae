#include "sim/report/trace_file.hpp"

#include "sim/files/csv_reader.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/ties.hpp"
#include "sim/report/trace_export.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace starport {
namespace {

constexpr const char* kHint = "starport run ... --trace FILE.csv writes traces";

enum Field {
  kHeuristic,
  kKind,
  kWorker,
  kDirection,
  kABlocks,
  kBBlocks,
  kCBlocks,
  kStart,
  kEnd,
  kHeld,
  kMemory,
  kBound,
  kPort,
  kColumns
};
constexpr std::array<const char*, kColumns> kNames{
    "heuristic", "kind",  "worker",      "direction", "a_blocks", "b_blocks", "c_blocks",
    "start_s",   "end_s", "held_blocks", "m_blocks",  "bound_s",  "port"};

class TraceReader {
 public:
  explicit TraceReader(std::optional<std::string> heuristic) : asked_(std::move(heuristic)) {}

  void receive(const std::vector<std::string>& fields, std::size_t line) {
    line_ = line;
    if (width_ == 0) return find_columns(fields);
    if (fields.size() != width_) {
      fail(fmt::format("{} fields, as in the header", width_), fmt::format("{}", fields.size()));
    }
    for (std::size_t i = 0; i < kColumns; ++i) fields_[i] = &fields[at_[i]];
    const std::string& name = *fields_[kHeuristic];
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
    if (name == asked_.value_or(names_.front())) add_row();
  }

  /// What was read, once all the rows have been received.
  TraceFile finish() {
    if (width_ == 0) throw InputError("", "a trace", "an empty file", kHint);
    if (names_.empty()) throw InputError("", "a trace", "no row after the header", kHint);
    const bool known = !asked_ || std::find(names_.begin(), names_.end(), *asked_) != names_.end();
    if (!known || (!asked_ && names_.size() > 1)) {
      throw InputError("--heuristic",
                       fmt::format("one of the trace's: {}", fmt::join(names_, ", ")),
                       known ? "none" : "'" + *asked_ + "'");
    }
    file_.heuristic = asked_.value_or(names_.front());
    if (file_.makespan_s <= 0) {
      throw InputError("", "a trace that brings C home", "no transfer to the master", kHint);
    }
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(std::string expected, std::string found, std::string hint = {}) const {
    throw InputError(fmt::format("line {}", line_), std::move(expected), std::move(found),
                     std::move(hint));
  }
  [[noreturn]] void fail(Field column, const std::string& expected) const {
    fail(fmt::format("{} to be {}", kNames[column], expected), "'" + *fields_[column] + "'");
  }

  void find_columns(const std::vector<std::string>& header) {
    for (std::size_t i = 0; i < kColumns; ++i) {
      const auto found = std::find(header.begin(), header.end(), kNames[i]);
      if (i == kPort) has_port_ = found != header.end();
      if (i == kPort && !has_port_) continue;
      if (found == header.end()) {
        fail(fmt::format("a trace, with a column {}", kNames[i]), "none of that name", kHint);
      }
      at_[i] = static_cast<std::size_t>(found - header.begin());
    }
    width_ = header.size();
  }

  template <class Number>
  Number number(Field column, Number least, Number most, const char* expected) const {
    const std::string& text = *fields_[column];
    Number value{};
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || rest != text.data() + text.size() ||
        !(value >= least && value <= most)) {
      fail(column, expected);
    }
    return value;
  }
  std::int64_t blocks(Field column) const {
    return number<std::int64_t>(column, 0, std::numeric_limits<std::int64_t>::max() / 4,
                                "a number of blocks");
  }
  double date(Field column) const {
    return number<double>(column, 0, std::numeric_limits<double>::max(), "a date in seconds");
  }

  TraceRow::Kind kind() const {
    std::string_view what = *fields_[kKind];
    if (what.starts_with(kLost)) what.remove_prefix(kLost.size());
    if (what == "update") return TraceRow::Kind::update;
    if (what != "transfer") fail(kKind, "transfer or update");
    if (*fields_[kDirection] == "to_worker") return TraceRow::Kind::to_worker;
    if (*fields_[kDirection] != "to_master") fail(kDirection, "to_worker or to_master");
    return TraceRow::Kind::to_master;
  }

  /// Traces of before there were ports have no such column.
  Port::Kind port() const {
    if (!has_port_) return Port::Kind::one;
    for (const auto kind : {Port::Kind::one, Port::Kind::two, Port::Kind::multi}) {
      if (*fields_[kPort] == to_string(kind)) return kind;
    }
    fail(kPort, "one-port, two-port or multi-port");
  }

  void add_row() {
    file_.port = port();
    TraceRow row{.worker = number<std::int64_t>(kWorker, 1, kMostWorkers, "a worker's number"),
                 .kind = kind(),
                 .start_s = date(kStart),
                 .end_s = date(kEnd),
                 .ab_blocks = 0,
                 .c_blocks = 0,
                 .held_blocks = blocks(kHeld)};
    if (row.kind != TraceRow::Kind::update) {
      row.ab_blocks = blocks(kABlocks) + blocks(kBBlocks);
      row.c_blocks = blocks(kCBlocks);
    }
    check_dates(row);
    const std::int64_t m =
        number<std::int64_t>(kMemory, 1, kMostBlocks, "a number of blocks, 1 or more");
    if (file_.m_blocks.emplace(row.worker, m).first->second != m) {
      fail(kMemory,
           fmt::format("that of worker {} above, {}", row.worker, file_.m_blocks.at(row.worker)));
    }
    if (row.held_blocks > m) fail(kHeld, fmt::format("at most m_blocks, {}", m));
    if (!fields_[kBound]->empty()) file_.bound_s = date(kBound);
    if (row.kind == TraceRow::Kind::to_master) {
      file_.makespan_s = std::max(file_.makespan_s, row.end_s);
    }
    file_.end_s = std::max(file_.end_s, row.end_s);
    file_.rows.push_back(row);
  }

  void check_dates(const TraceRow& row) {
    if (row.end_s < row.start_s) fail(kEnd, "no earlier than start_s");
    const auto follow = [&](double& free_s, const char* what) {
      if (clearly_less(row.start_s, free_s)) {
        fail(kStart, fmt::format("{} or later, the end of the {} before", free_s, what));
      }
      free_s = row.end_s;
    };
    if (row.kind == TraceRow::Kind::update) {
      follow(computed_until_s_[row.worker], "worker's update");
      return;
    }
    const bool home = row.kind == TraceRow::Kind::to_master;
    if (file_.port != Port::Kind::multi) {
      follow(port_free_s_[file_.port == Port::Kind::two && home ? 1 : 0], "transfer");
    }
    follow(link_free_s_[row.worker], "worker's transfer");
  }

  std::optional<std::string> asked_;
  std::vector<std::string> names_;
  std::array<std::size_t, kColumns> at_{};
  std::array<const std::string*, kColumns> fields_{};
  std::size_t width_ = 0;
  std::size_t line_ = 0;
  bool has_port_ = false;
  std::array<double, 2> port_free_s_{};  ///< two ports: by direction
  std::map<std::int64_t, double> link_free_s_;
  std::map<std::int64_t, double> computed_until_s_;
  TraceFile file_;
};

}  // namespace

TraceFile read_trace(const std::string& path, const std::optional<std::string>& heuristic) {
  TraceReader reader(heuristic);
  CsvReader rows([&](const std::vector<std::string>& fields, std::size_t line) {
    reader.receive(fields, line);
  });
  const std::string text = read_file(path);
  try {
    rows.read(text);
    return reader.finish();
  } catch (const InputError& error) {
    throw error.in_file(path);
  }
}

}  // namespace starport
