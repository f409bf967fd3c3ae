#include "sim/files/csv_reader.hpp"

#include "sim/files/error.hpp"
#include "sim/files/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace starport {
namespace {

[[noreturn]] void fail(std::string expected, std::string found, std::size_t line) {
  throw InputError(fmt::format("line {}", line), std::move(expected), std::move(found));
}

/// Returns whether a line of CSV contains a control character. Tabs, line ends and bytes that are
/// not UTF-8 (letters in a legacy encoding) are accepted.
bool has_csv_control_characters(std::string_view text) {
  const auto plain = [](unsigned char c) {
    return (c >= 0x20 && c < 0x7f) || c == '\t' || c == '\r' || c == '\n';
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    if (plain(first)) continue;
    const std::size_t size = control_character_size(text.substr(i));
    if (size > 1 || (size == 1 && first < 0x80)) return true;
  }
  return false;
}

}  // namespace

CsvReader::CsvReader(Receive receive) : receive_(std::move(receive)) {
  if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
  csv_set_space_func(&parser_, [](unsigned char) { return 0; });  // spaces belong to the field
}

// libcsv does not report positions, so it is fed line by line.
void CsvReader::read(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n') + 1);
    const std::string_view fed = line.empty() ? text : line;
    if (fed.find('\0') != std::string_view::npos) fail("text", "a NUL byte", line_);
    if (has_csv_control_characters(fed)) fail("text", "a control character", line_);
    if (csv_parse(&parser_, fed.data(), fed.size(), on_field, on_row, this) != fed.size()) {
      check();
      fail("quotes only around a whole field, doubled inside it", "a stray quote", line_);
    }
    check();
    text.remove_prefix(fed.size());
    ++line_;
    within_quotes_ ^= std::count(fed.begin(), fed.end(), '"') % 2 != 0;
    if (!within_quotes_) start_ = line_;
  }
  if (csv_fini(&parser_, on_field, on_row, this) != 0) {
    check();
    fail("a closing quote", "the end of the file", start_);
  }
  check();
}

void CsvReader::on_field(void* data, std::size_t size, void* self) noexcept {
  static_cast<CsvReader*>(self)->guard([&](CsvReader& reader) {
    reader.fields_.emplace_back(static_cast<const char*>(data), size);
  });
}

void CsvReader::on_row(int, void* self) noexcept {
  static_cast<CsvReader*>(self)->guard([](CsvReader& reader) {
    reader.receive_(reader.fields_, reader.start_);
    reader.fields_.clear();
  });
}

// Exceptions must not pass through the C library: the first one is stored for check().
template <class Action>
void CsvReader::guard(Action action) {
  if (failure_) return;
  try {
    action(*this);
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void CsvReader::check() {
  if (failure_) std::rethrow_exception(failure_);
  if (csv_error(&parser_) == CSV_ENOMEM) throw std::bad_alloc();
}

}  // namespace starport
