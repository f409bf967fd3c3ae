#include "sim/files/input_file.hpp"

#include "sim/files/error.hpp"
#include "sim/files/installation.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>
#include <vector>

namespace starport {
namespace {

/// Suggests a file of a similar name in the same folder, or the shipped platform of that name.
std::string suggest_file(const std::filesystem::path& path) {
  constexpr std::size_t max_names = 10'000;
  const std::filesystem::path folder = path.parent_path();
  const std::string missing = path.filename().string();
  // Neither the folder nor the extension, which most files share, makes two names similar.
  const std::size_t max_edits = std::max<std::size_t>(1, path.stem().string().size() / 3);
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end && names.size() < max_names; entry.increment(error)) {
    const std::filesystem::path name = entry->path().filename();
    if (edit_distance(missing, name.string()) <= max_edits) {
      names.push_back((folder / name).string());
    }
  }
  std::ranges::sort(names);  // whatever order the system has them in
  const std::string platform = "platforms/" + path.stem().string() + ".json";
  if (std::filesystem::exists(resolve_installed_path(platform), error)) {
    return fmt::format("did you mean '{}'?", platform);
  }
  return did_you_mean(path.string(), names);
}

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

InputError make_unreadable_error(const std::string& path, int error) {
  if (error == ENOENT) {
    const char* problem = path.empty() ? "the name of a file is empty" : "there is no such file";
    return InputError::with_problem("", problem, suggest_file(path)).in_file(path);
  }
  return InputError("", "a readable file", std::strerror(error)).in_file(path);
}

void read_file_in_pieces(const std::string& path,
                         const std::function<void(std::string_view)>& consume) {
  const auto fail = [&](const char* expected, const char* found) -> InputError {
    return InputError("", expected, found).in_file(path);
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw fail("a file", "a directory");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(
      std::fopen(resolve_installed_path(path).c_str(), "rb"), std::fclose);
  if (!in) throw make_unreadable_error(path, errno);
  register_input_file(::fileno(in.get()));
  std::vector<char> piece(1 << 16);
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), in.get())) {
    consume({piece.data(), got});
  }
  if (std::ferror(in.get()) != 0) throw fail("a readable file", std::strerror(errno));
}

std::string read_file(const std::string& path, std::size_t max_bytes) {
  const auto fail = [&](const std::string& expected) -> InputError {
    return InputError("", expected, "a larger one").in_file(path);
  };
  try {
    std::string content;
    read_file_in_pieces(path, [&](std::string_view piece) {
      content.append(piece);
      if (content.size() > max_bytes) {
        throw fail("a file of at most " + format_bytes(static_cast<double>(max_bytes)));
      }
    });
    return content;
  } catch (const std::bad_alloc&) {
    throw fail("a file that fits in memory");
  }
}

std::string resolve_installed_path(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::path(path).is_absolute() || fs::exists(path, error)) return path;
  const fs::path installed = find_installed(fs::path("share/starport") / path);
  return installed.empty() ? path : installed.string();
}

CsvReader::CsvReader(Receive receive) : receive_(std::move(receive)) {
  if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
  csv_set_space_func(&parser_, [](unsigned char) { return 0; });  // spaces belong to the field
}

void CsvReader::read(std::string_view text) {
  read_lines(text);
  finish();
}

void CsvReader::read_path(const std::string& path) {
  std::string lines;
  read_file_in_pieces(path, [&](std::string_view piece) {
    const std::size_t whole = piece.rfind('\n') + 1;
    lines.append(piece.substr(0, whole));
    if (whole > 0) {
      read_lines(lines);
      lines.clear();
    }
    lines.append(piece.substr(whole));
    if (lines.size() > kMaxInputBytes) fail("lines of at most 1 GiB", "a longer one", line_);
  });
  read_lines(lines);
  finish();
}

// libcsv does not report positions, so it is fed line by line.
void CsvReader::read_lines(std::string_view text) {
  if (line_ == 1 && text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
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
}

void CsvReader::finish() {
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
