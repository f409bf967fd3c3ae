// Fast text form of transfers: long schedule files consist of little else.
#include "sim/star/schedule_file.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace starport {
namespace {

/// JSON keys of the two dimensions of a matrix.
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

/// Reads JSON of an expected form from left to right. After a mismatch fits() is false for good.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  bool fits() const { return fits_; }
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

  /// Skips white space, then `text` if it comes next. Returns whether it did.
  bool take(std::string_view text) {
    skip_white_space();
    const bool comes = rest().starts_with(text);
    if (comes) at_ += text.size();
    return comes;
  }
  void expect(std::string_view text) { fits_ = take(text) && fits_; }
  std::string_view quoted() {
    expect("\"");
    const std::size_t length = std::min(rest().find('"'), rest().size());
    const std::string_view text = rest().substr(0, length);
    at_ += length;
    expect("\"");
    return text;
  }
  template <class Integer>
  Integer integer(std::int64_t smallest, std::int64_t largest) {
    skip_white_space();
    std::int64_t value = 0;
    const auto [after, error] = std::from_chars(at_, end_, value);
    // JSON allows no leading zero, and no value here is negative.
    const bool plain = after > at_ && *at_ != '-' && (*at_ != '0' || after == at_ + 1);
    fits_ = fits_ && error == std::errc() && plain && value >= smallest && value <= largest;
    if (!fits_) return 0;
    at_ = after;
    return static_cast<Integer>(value);
  }
  bool boolean() {
    if (take("true")) return true;
    expect("false");
    return false;
  }
  /// Parses an object that has some of `keys`, each at most once. Calls parse_value(n) at the value
  /// of keys[n]. Returns a bit mask of the keys that were present.
  template <std::size_t count, class ParseValue>
  unsigned object(const std::array<std::string_view, count>& keys, ParseValue&& parse_value) {
    unsigned seen = 0;
    std::size_t next = 0;  // the key expected first: usually they come in this order
    expect("{");
    if (take("}")) return seen;
    do {
      const std::string_view key = quoted();
      expect(":");
      std::size_t tried = 0;
      while (tried < count && keys[(next + tried) % count] != key) ++tried;
      const std::size_t n = (next + tried) % count;
      fits_ = fits_ && tried < count && (seen >> n & 1U) == 0;
      if (!fits_) return seen;
      seen |= 1U << n;
      next = n + 1;
      parse_value(n);
    } while (fits_ && take(","));
    expect("}");
    return seen;
  }
  void range(std::int64_t size, Range& range) {
    expect("[");
    range.begin = integer<std::int32_t>(0, size - 1);
    expect(",");
    range.end = integer<std::int32_t>(range.begin + 1, size);
    expect("]");
  }
  void rectangle(const Axes& axes, std::int64_t height, std::int64_t width, Rectangle& blocks) {
    const unsigned seen = object(
        std::array<std::string_view, 2>{axes.rows, axes.columns},
        [&](std::size_t n) { n == 0 ? range(height, blocks.rows) : range(width, blocks.columns); });
    require(seen == 3);
  }
  void require(bool holds) { fits_ = fits_ && holds; }

 private:
  void skip_white_space() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }

  const char* at_;
  const char* end_;
  bool fits_ = true;
};

void parse_update(Cursor& cursor, const Problem& problem, Update& update) {
  static constexpr std::array<std::string_view, 6> kKeys{"rows",  "columns",   "inner",
                                                         "add_c", "release_a", "release_b"};
  const auto [r, s, t, q] = problem;
  const unsigned seen = cursor.object(kKeys, [&, r = r, s = s, t = t](std::size_t n) {
    switch (n) {
      case 0:
        return cursor.range(r, update.rows);
      case 1:
        return cursor.range(s, update.columns);
      case 2:
        return cursor.range(t, update.inner);
      case 3:
        update.add_c = cursor.boolean();
        return;
      case 4:
        return cursor.rectangle(kAxesOfA, r, t, update.release_a);
      default:
        return cursor.rectangle(kAxesOfB, t, s, update.release_b);
    }
  });
  constexpr unsigned box = 7;  // rows, columns and inner go together
  cursor.require(((seen & box) == 0 || (seen & box) == box) && !update.empty());
}

Direction parse_direction(Cursor& cursor) {
  const std::string_view to = cursor.quoted();
  cursor.require(to == "worker" || to == "master");
  return to == "worker" ? Direction::to_worker : Direction::to_master;
}

}  // namespace

void append_transfer_text(const Transfer& transfer, std::string& text) {
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
  if (transfer.partial_sums) text += ",\"partial_sums\":true";
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

bool parse_transfer_text(std::string_view& rest, const Problem& problem, std::int64_t workers,
                         Transfer& transfer) {
  static constexpr std::array<std::string_view, 8> kKeys{
      "worker", "to", "a", "b", "c", "partial_sums", "after_update", "update"};
  const auto [r, s, t, q] = problem;
  Cursor cursor(rest);
  const unsigned seen = cursor.object(kKeys, [&, r = r, s = s, t = t](std::size_t n) {
    switch (n) {
      case 0:
        transfer.worker = cursor.integer<std::int32_t>(1, workers) - 1;
        return;
      case 1:
        transfer.direction = parse_direction(cursor);
        return;
      case 2:
        return cursor.rectangle(kAxesOfA, r, t, transfer.a);
      case 3:
        return cursor.rectangle(kAxesOfB, t, s, transfer.b);
      case 4:
        return cursor.rectangle(kAxesOfC, r, s, transfer.c);
      case 5:
        transfer.partial_sums = cursor.boolean();
        return;
      case 6:
        transfer.after_update = cursor.integer<std::int64_t>(0, INT64_MAX);
        return;
      default:
        return parse_update(cursor, problem, transfer.update);
    }
  });
  constexpr unsigned required = 3;  // worker and to
  cursor.require((seen & required) == required);
  rest = cursor.rest();
  return cursor.fits();
}

}  // namespace starport
