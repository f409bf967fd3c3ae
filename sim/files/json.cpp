#include "sim/files/json.hpp"

#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <new>
#include <set>
#include <utility>

namespace starport {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

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

/// Returns "line L, column C" of a byte offset, both from 1.
std::string line_and_column(const std::string& text, std::size_t offset) {
  const std::string_view before(text.data(), std::min(offset, text.size()));
  return fmt::format("line {}, column {}", std::count(before.begin(), before.end(), '\n') + 1,
                     before.size() - (before.rfind('\n') + 1) + 1);
}

/// SAX handler that reports what the library does not: the JSON pointer of a repeated key (the
/// library keeps the last value) or of a number out of range, and the line of a syntax error.
class Scanner : public json::json_sax_t {
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
      throw InputError(pointer(), "each key once in an object", "this key twice").in_file(file_);
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    if (dynamic_cast<const json::out_of_range*>(&error) != nullptr) {
      throw InputError(pointer(), "a number that fits in a double", "a larger one").in_file(file_);
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
    // Copying a document recurses: deep nesting must not exhaust the stack.
    constexpr std::size_t deepest = 64;
    if (levels_.size() == deepest) {
      throw InputError(pointer(), fmt::format("at most {} levels of nesting", deepest),
                       "a deeper one")
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
      path += "/" + (level.array ? std::to_string(level.index) : escape_pointer_token(level.key));
    }
    return path;
  }

  const std::string& text_;
  const std::string& file_;
  std::vector<Level> levels_;
};

/// Parses the text twice: to find what the library does not report, and to make the document.
template <class Document>
Document parse_strictly(const std::string& text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw InputError("", "a JSON document", "an empty file").in_file(file);
  }
  try {
    Scanner scanner(text, file);
    json::sax_parse(text, &scanner);
    return Document::parse(text);
  } catch (const std::bad_alloc&) {
    throw InputError("", "a document that fits in memory", "a larger one").in_file(file);
  }
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

json parse_json(const std::string& text, const std::string& file) {
  return parse_strictly<json>(text, file);
}

ordered_json parse_ordered_json(const std::string& text, const std::string& file) {
  return parse_strictly<ordered_json>(text, file);
}

json load_json(const std::string& path) { return parse_json(read_file(path), path); }

std::string to_json_line(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string to_json_line(const ordered_json& document) {
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string to_indented_json(const ordered_json& document) {
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string quote_json_string(const std::string& text) { return to_json_line(ordered_json(text)); }

ordered_json parse_trusted_json(const std::string& text) { return ordered_json::parse(text); }

std::string document_kind(const nlohmann::json& document) {
  // Output of commands may also have the keys of a file: the kinds of output come first.
  constexpr std::array<std::pair<const char*, const char*>, 9> kinds{
      {{"bandwidth_centric_order", "what starport bound --json prints"},
       {"first_other_step", "what starport compare-runs --json prints"},
       {"specification_sha256", "the run_info.json of a directory of results"},
       {"workers", "a platform"},
       {"transfers", "a schedule"},
       {"experiments", "a sweep"},
       {"claims", "claims"},
       {"results", "results"},
       {"traceEvents", "a trace"}}};
  if (!document.is_object()) return "";
  for (const auto& [key, kind] : kinds) {
    if (document.contains(key)) return kind;
  }
  return "";
}

std::string csv_document_kind(std::string_view text) {
  const std::string header = "," + std::string(text.substr(0, text.find_first_of("\r\n"))) + ",";
  const auto has = [&](const char* column) { return header.find(column) != std::string::npos; };
  if (!has(",heuristic,")) return "";
  return has(",start_s,") ? "a trace (CSV)" : has(",status,") ? "results (CSV)" : "";
}

void require_document_kind(const nlohmann::json& document, const std::string& kind,
                           const std::string& hint) {
  const std::string found = document_kind(document);
  if (!found.empty() && found != kind) throw InputError("", kind, found, hint);
}

void reject_csv(std::string_view text, const std::string& kind) {
  if (const std::string found = csv_document_kind(text); !found.empty())
    throw InputError("", kind, found);
}

}  // namespace starport
