#include "sim/files/json_node.hpp"

#include "sim/files/output.hpp"
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
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(path.c_str(), "rb"),
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

/// Where in a document its parser is.
class Position {
 public:
  void enter(bool array) { levels_.push_back({.array = array}); }
  void leave() { levels_.pop_back(); }
  /// A value of the array or object that it is in has been read.
  void pass() {
    if (!levels_.empty() && levels_.back().array) ++levels_.back().index;
  }
  /// False when the object has had the key before.
  bool enter_key(const std::string& name) {
    levels_.back().key = name;
    return levels_.back().keys.insert(name).second;
  }
  std::size_t depth() const { return levels_.size(); }
  std::string pointer() const {
    std::string path;
    for (const Level& level : levels_) {
      path += "/" + (level.array ? std::to_string(level.index) : escaped(level.key));
    }
    return path;
  }

 private:
  struct Level {
    bool array;
    std::size_t index = 0;  ///< in an array
    std::string key = {};   ///< the current one of an object
    std::set<std::string> keys = {};
  };

  std::vector<Level> levels_;
};

/// What stands where the syntax breaks.
std::string found_at(const std::string& text, std::size_t offset) {
  if (offset >= text.size()) return "the end of the file";
  if (std::isprint(static_cast<unsigned char>(text[offset])) == 0) return "a syntax error";
  return fmt::format("a syntax error at '{}'", text[offset]);
}

/// Refuses what the library would not tell: keys repeated (it keeps the last one), and endless
/// nesting, which must not exhaust the stack: copying a document recurses.
template <class Json>
Json parse_strictly(const std::string& text, const std::string& file) {
  using Event = typename Json::parse_event_t;
  constexpr std::size_t deepest = 64;
  Position position;
  const auto follow = [&](int /*depth*/, Event event, const Json& parsed) {
    if (event == Event::key) {
      if (!position.enter_key(parsed.template get<std::string>())) {
        throw InputError(position.pointer(), "each key once in an object", "it twice");
      }
    } else if (event == Event::object_start || event == Event::array_start) {
      if (position.depth() == deepest) {
        throw InputError(position.pointer(), fmt::format("at most {} levels of nesting", deepest),
                         "more");
      }
      position.enter(event == Event::array_start);
    } else {
      if (event != Event::value) position.leave();
      position.pass();
    }
    return true;
  };
  try {
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
      throw InputError("", "a JSON document", "an empty file");
    }
    return Json::parse(text, follow);
  } catch (const InputError& error) {
    throw error.in_file(file);
  } catch (const json::out_of_range&) {
    throw InputError(position.pointer(), "numbers that fit in a double", "a larger one")
        .in_file(file);
  } catch (const json::parse_error& error) {
    const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    throw InputError(line_and_column(text, offset), "JSON", found_at(text, offset)).in_file(file);
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
  const std::string expected = fmt::format("an integer from {} to {}", smallest, largest);
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
  const std::string text = node.text();
  double value = 0;
  try {
    value = parse_quantity(text, dimension);
  } catch (InputError& error) {
    throw InputError(node.pointer(), error.expected, error.found, error.hint);
  }
  if (value < 0) throw node.fault("a quantity that is not negative");
  if (value == 0 && dimension != Dimension::time) throw node.fault("a quantity greater than 0");
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
