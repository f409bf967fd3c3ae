#include "sim/star/transfer_text.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <charconv>
#include <iterator>

namespace starport {
namespace {

/// The axes of a matrix, named as in an update.
struct Axes {
  const char* rows;
  const char* columns;
};
constexpr Axes kAxesOfA{"rows", "inner"};
constexpr Axes kAxesOfB{"inner", "columns"};
constexpr Axes kAxesOfC{"rows", "columns"};

void append_range(const char* key, const Range& range, std::string& text) {
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("\"{}\":[{},{}]"), key, range.begin,
                 range.end);
}

void append_rectangle(const char* key, const Rectangle& blocks, const Axes& axes,
                      std::string& text) {
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("\"{}\":{{"), key);
  append_range(axes.rows, blocks.rows, text);
  text += ',';
  append_range(axes.columns, blocks.columns, text);
  text += '}';
}

void append_update(const Update& update, std::string& text) {
  const char* separator = "";
  const auto next = [&] {
    text += separator;
    separator = ",";
  };
  if (update.block_updates() > 0) {
    next();
    append_range("rows", update.rows, text);
    next();
    append_range("columns", update.columns, text);
    next();
    append_range("inner", update.inner, text);
  }
  if (update.add_c) {
    next();
    text += "\"add_c\":true";
  }
  if (!update.release_a.empty()) {
    next();
    append_rectangle("release_a", update.release_a, kAxesOfA, text);
  }
  if (!update.release_b.empty()) {
    next();
    append_rectangle("release_b", update.release_b, kAxesOfB, text);
  }
}

/// Reads on through a text as long as it is what was written; `fits()` tells whether it was.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool fits() const { return fits_; }
  std::string_view rest() const { return rest_; }

  /// Takes the word when it comes next.
  bool take(std::string_view word) {
    const bool comes = fits_ && rest_.starts_with(word);
    if (comes) rest_.remove_prefix(word.size());
    return comes;
  }
  void expect(std::string_view word) { fits_ = take(word); }
  template <class Integer>
  Integer integer(std::int64_t smallest, std::int64_t largest) {
    std::int64_t value = 0;
    const char* const end = rest_.data() + rest_.size();
    const auto [after, error] = std::from_chars(rest_.data(), end, value);
    // As it is written: no zero in front.
    const bool zeros = after - rest_.data() > 1 && rest_.front() == '0';
    fits_ = fits_ && error == std::errc() && !zeros && value >= smallest && value <= largest;
    if (!fits_) return 0;
    rest_.remove_prefix(static_cast<std::size_t>(after - rest_.data()));
    return static_cast<Integer>(value);
  }
  void range(std::string_view key, std::int64_t size, Range& range) {
    expect("\"");
    expect(key);
    expect("\":[");
    range.begin = integer<std::int32_t>(0, size - 1);
    expect(",");
    range.end = integer<std::int32_t>(range.begin + 1, size);
    expect("]");
  }
  void rectangle(const Axes& axes, std::int64_t height, std::int64_t width, Rectangle& blocks) {
    expect("{");
    range(axes.rows, height, blocks.rows);
    expect(",");
    range(axes.columns, width, blocks.columns);
    expect("}");
  }

 private:
  std::string_view rest_;
  bool fits_ = true;
};

void take_update(Cursor& cursor, const Problem& problem, Update& update) {
  const auto [r, s, t, q] = problem;
  bool first = true;
  const auto takes = [&](std::string_view key) {
    return cursor.take(first ? key.substr(1) : key) && (first = false, true);
  };
  if (cursor.rest().starts_with("\"rows\"")) {
    first = false;
    cursor.range("rows", r, update.rows);
    cursor.expect(",");
    cursor.range("columns", s, update.columns);
    cursor.expect(",");
    cursor.range("inner", t, update.inner);
  }
  if (takes(",\"add_c\":true")) update.add_c = true;
  if (takes(",\"release_a\":")) cursor.rectangle(kAxesOfA, r, t, update.release_a);
  if (takes(",\"release_b\":")) cursor.rectangle(kAxesOfB, t, s, update.release_b);
  cursor.expect("}");
}

}  // namespace

void append_text(const Transfer& transfer, std::string& text) {
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("{{\"worker\":{},\"to\":\"{}\""),
                 transfer.worker + 1,
                 transfer.direction == Direction::to_worker ? "worker" : "master");
  const auto add = [&](const char* key, const Rectangle& blocks, const Axes& axes) {
    if (blocks.empty()) return;
    text += ',';
    append_rectangle(key, blocks, axes, text);
  };
  add("a", transfer.a, kAxesOfA);
  add("b", transfer.b, kAxesOfB);
  add("c", transfer.c, kAxesOfC);
  if (transfer.after_update > 0) {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE(",\"after_update\":{}"),
                   transfer.after_update);
  }
  if (!transfer.update.empty()) {
    text += ",\"update\":{";
    append_update(transfer.update, text);
    text += '}';
  }
  text += '}';
}

bool take_text(std::string_view& rest, const Problem& problem, std::int64_t workers,
               Transfer& transfer) {
  const auto [r, s, t, q] = problem;
  Cursor cursor(rest);
  cursor.expect("{\"worker\":");
  transfer.worker = cursor.integer<std::int32_t>(1, workers) - 1;
  cursor.expect(",\"to\":\"");
  const bool to_worker = cursor.take("worker\"");
  if (!to_worker) cursor.expect("master\"");
  transfer.direction = to_worker ? Direction::to_worker : Direction::to_master;
  if (cursor.take(",\"a\":")) cursor.rectangle(kAxesOfA, r, t, transfer.a);
  if (cursor.take(",\"b\":")) cursor.rectangle(kAxesOfB, t, s, transfer.b);
  if (cursor.take(",\"c\":")) cursor.rectangle(kAxesOfC, r, s, transfer.c);
  if (cursor.take(",\"after_update\":")) {
    transfer.after_update = cursor.integer<std::int64_t>(1, INT64_MAX);
  }
  if (cursor.take(",\"update\":{")) {
    take_update(cursor, problem, transfer.update);
    if (transfer.update.empty()) return false;
  }
  cursor.expect("}");
  rest = cursor.rest();
  return cursor.fits();
}

}  // namespace starport
