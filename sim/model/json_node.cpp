#include "sim/model/json_node.hpp"

#include "sim/model/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
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
  offset = std::min(offset, text.size());
  std::size_t line = 1;
  std::size_t column = 1;
  for (std::size_t i = 0; i < offset; ++i) {
    ++column;
    if (text[i] == '\n') {
      ++line;
      column = 1;
    }
  }
  return fmt::format("line {}, column {}", line, column);
}

/// RFC 6901: '~' and '/' are escaped inside a reference token.
std::string escaped(std::string_view key) {
  std::string token;
  for (char c : key) token += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return token;
}

}  // namespace

std::string read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw InputError("", "a file", "a directory").in_file(path);
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError("", "a readable file", std::strerror(errno)).in_file(path);
  std::ostringstream content;
  content << in.rdbuf();
  if (in.bad()) throw InputError("", "a readable file", std::strerror(errno)).in_file(path);
  return content.str();
}

json load_json(const std::string& path) { return parse_json(read_file(path), path); }

json parse_json(const std::string& text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw InputError("", "a JSON document", "an empty file").in_file(file);
  }
  // The library keeps the last of two equal keys; here the second one is an error.
  struct Level {
    std::set<std::string> keys;  ///< of an object
    std::string key;             ///< the current one
    std::size_t index = 0;       ///< in an array
    bool array = false;
  };
  std::vector<Level> levels;
  std::string repeated;
  const auto pointer = [&] {
    std::string path;
    for (const Level& level : levels) {
      path += "/" + (level.array ? std::to_string(level.index) : escaped(level.key));
    }
    return path;
  };
  const auto watch = [&](int, json::parse_event_t event, json& value) {
    using Event = json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      levels.emplace_back().array = event == Event::array_start;
    }
    if (event == Event::object_end || event == Event::array_end) levels.pop_back();
    if (event == Event::key) {
      levels.back().key = value.get<std::string>();
      if (!levels.back().keys.insert(levels.back().key).second && repeated.empty()) {
        repeated = pointer();
      }
    }
    const bool value_ends =
        event == Event::value || event == Event::object_end || event == Event::array_end;
    if (value_ends && !levels.empty() && levels.back().array) ++levels.back().index;
    return true;
  };
  try {
    json document = json::parse(text, watch);
    if (!repeated.empty()) {
      throw InputError(repeated, "each key once in an object", "it twice").in_file(file);
    }
    return document;
  } catch (const json::parse_error& error) {
    const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    const std::string found =
        offset < text.size() && std::isprint(static_cast<unsigned char>(text[offset]))
            ? fmt::format("a syntax error at '{}'", text[offset])
            : "a syntax error";
    throw InputError(line_and_column(text, offset), "JSON",
                     offset >= text.size() ? "the end of the file" : found)
        .in_file(file);
  } catch (const json::out_of_range&) {
    throw InputError(pointer(), "numbers that fit in a double", "a larger one").in_file(file);
  }
}

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
  if (!value_->is_string()) throw fault("a string");
  return value_->get<std::string>();
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

InputError JsonNode::fault(std::string expected, std::string hint) const {
  return {pointer_.empty() ? "/" : pointer_, std::move(expected), shown(*value_), std::move(hint)};
}

}  // namespace starport
