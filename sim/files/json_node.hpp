// Strict reading of JSON input: every error is an InputError that names the JSON pointer (RFC
// 6901).
#pragma once

#include "sim/files/error.hpp"
#include "sim/files/units.hpp"

#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Reads and parses a JSON file. Throws InputError, as read_file() and parse_json() do.
nlohmann::json load_json(const std::string& path);
/// Parses JSON text; `file` is the name that errors give. Throws InputError with the line and
/// column of a syntax error, or the JSON pointer of a repeated key, of a number that does not fit
/// in a double, or of a nesting deeper than 64 levels.
nlohmann::json parse_json(const std::string& text, const std::string& file);
/// Parses JSON text as parse_json() does, keeping the keys of objects in the order of the text.
nlohmann::ordered_json parse_ordered_json(const std::string& text, const std::string& file);

/// Parses JSON text as parse_json() does, but leaves the array under the top-level key `key` empty,
/// so that a long one need not fit in memory. for_each_element() visits its elements.
nlohmann::json parse_json_without_array(const std::string& text, const std::string& file,
                                        const std::string& key);

class JsonNode;

/// Calls `visit` with each element, in order, of the array under the top-level key `key`. The node
/// is valid during the call only. `text` must have passed parse_json_without_array().
void for_each_element(const std::string& text, const std::string& key,
                      const std::function<void(const JsonNode&)>& visit);

/// Returns an object key as a token of a JSON pointer: '~' and '/' escaped as "~0" and "~1".
std::string escape_pointer_token(std::string_view key);

/// A typed view of one value in a JSON document, with the JSON pointer to it. Does not own the
/// document, which must outlive it. Its functions throw InputError with the pointer as the place
/// and without a file name (see with_file_in_errors).
class JsonNode {
 public:
  explicit JsonNode(const nlohmann::json& value, std::string pointer = "")
      : value_(&value), pointer_(std::move(pointer)) {}

  /// Throws InputError unless this is an object and all its keys are among `keys`.
  void allow_only_keys(std::initializer_list<std::string_view> keys) const;

  /// Returns whether this is an object with that key.
  bool has(std::string_view key) const;
  bool is_array() const;
  bool is_object() const;
  bool is_text() const;
  /// Returns the value of a key. Throws InputError when this is not an object or lacks the key.
  JsonNode at(std::string_view key) const;
  /// Returns the value of a key, or nullopt without it. Throws InputError unless this is an object.
  std::optional<JsonNode> find(std::string_view key) const;
  /// Returns the elements of an array. Throws InputError unless this is an array.
  std::vector<JsonNode> elements() const;

  /// Returns `read(element)` of each element of an array. Throws InputError when the array is empty
  /// or two of the results are equal.
  template <class Read>
  auto distinct_elements(Read read) const {
    std::vector<decltype(read(*this))> values;
    for (const JsonNode& element : elements()) {
      auto value = read(element);
      if (std::find(values.begin(), values.end(), value) != values.end()) {
        throw element.fault("each value once");
      }
      values.push_back(std::move(value));
    }
    if (values.empty()) throw fault("at least one value");
    return values;
  }

  /// Returns a string. Throws InputError unless this is one without control characters.
  std::string text() const;
  /// Returns a string, or the strings of an array joined by spaces, without control characters.
  std::string joined_text() const;
  /// Throws InputError unless this is a string; it may contain any characters.
  void require_string() const;
  /// Throws InputError unless this is an object whose key "schema_version" has the value `version`.
  void check_version(std::int64_t version) const;
  /// Returns true or false. Throws InputError unless this is a boolean.
  bool boolean() const;
  /// Returns a finite number. Throws InputError otherwise.
  double number() const;
  /// Returns a finite number greater than 0. Throws InputError otherwise.
  double positive_number() const;
  /// Returns a finite number of at least 0. Throws InputError otherwise.
  double non_negative_number() const;
  /// Returns an integer in [smallest, largest]; 1e3 and 1000.0 count as integers. Throws InputError
  /// otherwise.
  std::int64_t integer(std::int64_t smallest, std::int64_t largest) const;

  /// Makes, without throwing it, an InputError at this value: "expected `expected`, found ...".
  InputError fault(std::string expected, std::string hint = {}) const;

  const std::string& pointer() const { return pointer_; }
  const nlohmann::json& value() const { return *value_; }

 private:
  const nlohmann::json* value_;
  std::string pointer_;
};

/// Reads a string with a unit such as "10MBps" and returns its value in the SI unit of `dimension`
/// (bytes/s, flop/s, bytes, seconds). Throws InputError unless it is between 1e-100 and 1e100; a
/// time may also be 0.
double read_quantity(const JsonNode& node, Dimension dimension);
/// Reads the quantity under `key` of an object as read_quantity() does; nullopt without that key.
std::optional<double> find_quantity(const JsonNode& node, std::string_view key,
                                    Dimension dimension);

}  // namespace starport
