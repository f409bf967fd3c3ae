// Strict reading of JSON input: every fault is an InputError that names the JSON pointer.
#pragma once

#include "sim/files/error.hpp"
#include "sim/files/units.hpp"

#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

inline constexpr std::size_t kLargestInput = std::size_t{1}
                                             << 30;  ///< bytes of a file a person wrote

/// The whole of a file. Throws InputError naming the file when it cannot be read or is larger.
std::string read_file(const std::string& path, std::size_t largest = kLargestInput);

/// Why a file could not be opened, with the near miss among those beside it.
InputError unreadable(const std::string& path, int error);

/// Parses a JSON file. Throws InputError that names the file and the line and column of a syntax
/// error, or the pointer to a repeated key or to a number that is too large.
nlohmann::json load_json(const std::string& path);
nlohmann::json parse_json(const std::string& text, const std::string& file);
/// The same with the keys in the order of the file.
nlohmann::ordered_json parse_ordered_json(const std::string& text, const std::string& file);

/// A value inside a JSON document, and the pointer (RFC 6901) that leads to it. Errors name the
/// pointer, not the file; the loader of the file adds it.
class JsonNode {
 public:
  explicit JsonNode(const nlohmann::json& value, std::string pointer = "")
      : value_(&value), pointer_(std::move(pointer)) {}

  /// Throws unless this is an object whose keys are all in `known`.
  void allow_only(std::initializer_list<std::string_view> known) const;

  bool has(std::string_view key) const;
  bool is_array() const;
  bool is_object() const;
  bool is_text() const;
  JsonNode at(std::string_view key) const;  ///< throws when the key is missing
  std::optional<JsonNode> find(std::string_view key) const;
  std::vector<JsonNode> elements() const;  ///< throws unless this is an array

  /// The elements of an array, each as `read` gives it. Throws when there is none, or one twice.
  template <class Read>
  auto distinct(Read read) const {
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

  std::string text() const;    ///< without control characters: it is shown, and goes into files
  std::string lines() const;   ///< the same, or the texts of an array with spaces between
  void check_comment() const;  ///< a text with any characters
  /// Throws unless the key "schema_version" is there and has this value.
  void check_version(std::int64_t version) const;
  bool boolean() const;
  double number() const;           ///< finite
  double positive_number() const;  ///< finite and > 0
  double non_negative_number() const;
  std::int64_t integer(std::int64_t smallest, std::int64_t largest) const;

  /// An error about this value.
  InputError fault(std::string expected, std::string hint = {}) const;

  const std::string& pointer() const { return pointer_; }
  const nlohmann::json& value() const { return *value_; }

 private:
  const nlohmann::json* value_;
  std::string pointer_;
};

/// A string such as "10MBps", in the SI unit of its dimension; greater than 0, a time may be 0.
double read_quantity(const JsonNode& node, Dimension dimension);
/// That of a key, where it is given.
std::optional<double> find_quantity(const JsonNode& node, std::string_view key,
                                    Dimension dimension);

}  // namespace starport
