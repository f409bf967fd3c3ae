#include "sim/files/json_node.hpp"

#include "sim/files/output.hpp"
#include "sim/files/shipped.hpp"
#include "sim/files/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <set>
#include <utility>

namespace starport {
namespace {

using nlohmann::json;

/// The value as it is shown in an error: short, on one line.
std::string shown(const json& value) {
  constexpr std::size_t longest = 60;
  if (value.is_object()) return value.empty() ? "an empty object" : "an object";
  if (value.is_array()) return value.empty() ? "an empty array" : "an array";
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

std::string line_and_column(const std::string& text, std::size_t offset) {
  const std::string_view before(text.data(), std::min(offset, text.size()));
  return fmt::format("line {}, column {}", std::count(before.begin(), before.end(), '\n') + 1,
                     before.size() - (before.rfind('\n') + 1) + 1);
}

/// RFC 6901: '~' and '/' are escaped inside a reference token.
std::string escaped(std::string_view key) {
  std::string token;
  for (char c : key) token += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return token;
}

}  // namespace

std::string read_file(const std::string& path, std::size_t largest) {
  const auto fail = [&](const char* expected, const char* found) -> InputError {
    return InputError("", expected, found).in_file(path);
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw fail("a file", "a directory");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(shipped(path).c_str(), "rb"),
                                                           std::fclose);
  if (!in) throw fail("a readable file", std::strerror(errno));
  note_input(::fileno(in.get()));
  try {
    std::string content;
    std::vector<char> piece(1 << 16);
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), in.get())) {
      content.append(piece.data(), got);
      if (content.size() > largest) throw fail("a file of at most 1 GiB", "a larger one");
    }
    if (std::ferror(in.get()) != 0) throw fail("a readable file", std::strerror(errno));
    return content;
  } catch (const std::bad_alloc&) {
    throw fail("a file that fits in memory", "a larger one");
  }
}

namespace {

/// Walks through a document for what the library would not tell: where a key is repeated (it keeps
/// the last one) or a number too large, and at which byte the syntax breaks.
class Scanner final : public json::json_sax_t {
 public:
  explicit Scanner(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    levels_.back().key = name;
    if (!levels_.back().keys.insert(name).second) {
      throw InputError(pointer(), "each key once in an object", "it twice").in_file(file_);
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    if (dynamic_cast<const json::out_of_range*>(&error) != nullptr) {
      throw InputError(pointer(), "numbers that fit in a double", "a larger one").in_file(file_);
    }
    const std::size_t offset = position > 0 ? position - 1 : 0;
    std::string found = "a syntax error";
    if (offset >= text_.size()) {
      found = "the end of the file";
    } else if (std::isprint(static_cast<unsigned char>(text_[offset])) != 0) {
      found = fmt::format("a syntax error at '{}'", text_[offset]);
    }
    throw InputError(line_and_column(text_, offset), "JSON", found).in_file(file_);
  }

 private:
  struct Level {
    bool array;
    std::size_t index = 0;  ///< in an array
    std::string key = {};   ///< the current one of an object
    std::set<std::string> keys = {};
  };

  bool open(bool array) {
    // Copying a document recurses: an endless nesting must not exhaust the stack.
    constexpr std::size_t deepest = 64;
    if (levels_.size() == deepest) {
      throw InputError(pointer(), fmt::format("at most {} levels of nesting", deepest), "more")
          .in_file(file_);
    }
    levels_.push_back({.array = array});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return value();
  }
  bool value() {
    if (!levels_.empty() && levels_.back().array) ++levels_.back().index;
    return true;
  }
  std::string pointer() const {
    std::string path;
    for (const Level& level : levels_) {
      path += "/" + (level.array ? std::to_string(level.index) : escaped(level.key));
    }
    return path;
  }

  const std::string& text_;
  const std::string& file_;
  std::vector<Level> levels_;
};

/// The library's own way to look at each value as it builds the document goes through all that is
/// in an array for each that is added.
template <class Json>
Json parse_strictly(const std::string& text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw InputError("", "a JSON document", "an empty file").in_file(file);
  }
  try {
    Scanner scanner(text, file);
    json::sax_parse(text, &scanner);
    return Json::parse(text);
  } catch (const std::bad_alloc&) {
    throw InputError("", "a document that fits in memory", "a larger one").in_file(file);
  }
}

}  // namespace

json parse_json(const std::string& text, const std::string& file) {
  return parse_strictly<json>(text, file);
}

nlohmann::ordered_json parse_ordered_json(const std::string& text, const std::string& file) {
  return parse_strictly<nlohmann::ordered_json>(text, file);
}

json load_json(const std::string& path) { return parse_json(read_file(path), path); }

void JsonNode::allow_only(std::initializer_list<std::string_view> known) const {
  if (!value_->is_object()) throw fault("an object");
  const std::vector<std::string> names(known.begin(), known.end());
  for (const auto& [key, ignored] : value_->items()) {
    if (std::find(names.begin(), names.end(), key) == names.end()) {
      throw InputError(pointer_ + "/" + escaped(key),
                       fmt::format("one of {}", fmt::join(names, ", ")),
                       "the unknown key '" + key + "'", did_you_mean(key, names));
    }
  }
}

bool JsonNode::is_array() const { return value_->is_array(); }
bool JsonNode::is_object() const { return value_->is_object(); }
bool JsonNode::is_text() const { return value_->is_string(); }

bool JsonNode::has(std::string_view key) const {
  return value_->is_object() && value_->contains(key);
}

JsonNode JsonNode::at(std::string_view key) const {
  if (auto child = find(key)) return *child;
  throw InputError(pointer_.empty() ? "/" : pointer_, fmt::format("the key '{}'", key), "none");
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  if (!value_->is_object()) throw fault("an object");
  const auto it = value_->find(key);
  if (it == value_->end()) return std::nullopt;
  return JsonNode(*it, pointer_ + "/" + escaped(key));
}

std::vector<JsonNode> JsonNode::elements() const {
  if (!value_->is_array()) throw fault("an array");
  std::vector<JsonNode> nodes;
  nodes.reserve(value_->size());
  for (const json& element : *value_) {
    nodes.emplace_back(element, fmt::format("{}/{}", pointer_, nodes.size()));
  }
  return nodes;
}

std::string JsonNode::text() const {
  check_comment();
  auto text = value_->get<std::string>();
  if (has_controls(text)) throw fault("a text on one line, without control characters");
  return text;
}

std::string JsonNode::lines() const {
  if (!is_array()) return text();
  std::string lines;
  for (const JsonNode& line : elements()) lines += (lines.empty() ? "" : " ") + line.text();
  return lines;
}

void JsonNode::check_comment() const {
  if (!value_->is_string()) throw fault("a string");
}

bool JsonNode::boolean() const {
  if (!value_->is_boolean()) throw fault("true or false");
  return value_->get<bool>();
}

double JsonNode::number() const {
  if (!value_->is_number()) throw fault("a number");
  const double number = value_->get<double>();
  if (!std::isfinite(number)) throw fault("a finite number");
  return number;
}

double JsonNode::positive_number() const {
  if (!value_->is_number() || number() <= 0) throw fault("a number greater than 0");
  return number();
}

double JsonNode::non_negative_number() const {
  if (!value_->is_number() || number() < 0) throw fault("a number, 0 or greater");
  return number();
}

std::int64_t JsonNode::integer(std::int64_t smallest, std::int64_t largest) const {
  const std::string expected = smallest == largest
                                   ? fmt::format("{}", smallest)
                                   : fmt::format("an integer from {} to {}", smallest, largest);
  // A whole number written as 1e3 or 1000.0 is an integer too.
  if (value_->is_number_float()) {
    const double number = value_->get<double>();
    if (number == std::floor(number) && number >= static_cast<double>(smallest) &&
        number <= static_cast<double>(largest) && std::abs(number) < 0x1p53) {
      return static_cast<std::int64_t>(number);
    }
    throw fault(expected);
  }
  if (!value_->is_number_integer()) throw fault(expected);
  if (value_->is_number_unsigned() &&
      value_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    throw fault(expected);
  }
  const auto number = value_->get<std::int64_t>();
  if (number < smallest || number > largest) throw fault(expected);
  return number;
}

double read_quantity(const JsonNode& node, Dimension dimension) {
  double value = 0;
  try {
    value = parse_quantity(node.is_text() ? node.text() : "", dimension);
  } catch (InputError& error) {
    if (!node.is_text()) throw node.fault(error.expected);
    throw InputError(node.pointer(), error.expected, error.found, error.hint);
  }
  if (value < 0) throw node.fault("a quantity that is not negative");
  if (value == 0 && dimension != Dimension::time) throw node.fault("a quantity greater than 0");
  if (value > 1e100 || (value > 0 && value < 1e-100)) {
    throw node.fault("a quantity between 1e-100 and 1e100");
  }
  return value;
}

InputError JsonNode::fault(std::string expected, std::string hint) const {
  return {pointer_.empty() ? "/" : pointer_, std::move(expected), shown(*value_), std::move(hint)};
}

std::optional<double> find_quantity(const JsonNode& node, std::string_view key,
                                    Dimension dimension) {
  const auto found = node.find(key);
  return found ? std::optional(read_quantity(*found, dimension)) : std::nullopt;
}

}  // namespace starport
