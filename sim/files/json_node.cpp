#include "sim/files/json_node.hpp"

#include "sim/files/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace starport {
namespace {

using nlohmann::json;

/// Returns a JSON value as error messages show it: on one line, at most some 60 bytes.
std::string describe(const json& value) {
  constexpr std::size_t longest = 60;
  if (value.is_object()) return value.empty() ? "an empty object" : "an object";
  if (value.is_array() && value.empty()) return "an empty array";
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (value.is_array() && text.size() > longest) {
    return fmt::format("an array of {}", format_count(std::ssize(value), "element"));
  }
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

}  // namespace

std::string escape_pointer_token(std::string_view key) {
  std::string token;
  for (const char c : key) token += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return token;
}

void JsonNode::allow_only_keys(std::initializer_list<std::string_view> keys) const {
  if (!value_->is_object()) throw fault("an object");
  const std::vector<std::string> names(keys.begin(), keys.end());
  for (const auto& [key, ignored] : value_->items()) {
    if (std::find(names.begin(), names.end(), key) == names.end()) {
      throw InputError::with_unknown_name(pointer_ + "/" + escape_pointer_token(key), key,
                                          "a key of this object", names,
                                          fmt::format("{}", fmt::join(names, ", ")));
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
  throw InputError::with_problem(pointer_.empty() ? "/" : pointer_,
                                 fmt::format("the key '{}' is missing", key));
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  if (!value_->is_object()) throw fault("an object");
  const auto child = value_->find(key);
  if (child == value_->end()) return std::nullopt;
  return JsonNode(*child, pointer_ + "/" + escape_pointer_token(key));
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
  require_string();
  auto text = value_->get<std::string>();
  if (has_control_characters(text)) throw fault("a text on one line, without control characters");
  return text;
}

std::string JsonNode::joined_text() const {
  if (!is_array()) return text();
  std::string lines;
  for (const JsonNode& line : elements()) lines += (lines.empty() ? "" : " ") + line.text();
  return lines;
}

void JsonNode::require_string() const {
  if (!value_->is_string()) throw fault("a string");
}

void JsonNode::check_version(std::int64_t version) const {
  const auto given = find("schema_version");
  if (given) {
    given->integer(version, version);
  } else {
    throw InputError::with_problem(
        "/", fmt::format("the key \"schema_version\" is missing; this version reads {}", version));
  }
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
  return {pointer_.empty() ? "/" : pointer_, std::move(expected), describe(*value_),
          std::move(hint)};
}

std::optional<double> find_quantity(const JsonNode& node, std::string_view key,
                                    Dimension dimension) {
  const auto found = node.find(key);
  return found ? std::optional(read_quantity(*found, dimension)) : std::nullopt;
}

}  // namespace starport
