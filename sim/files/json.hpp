// Strict reading of JSON input, in which every error is an InputError that names the JSON pointer
// (RFC 6901), and writing of JSON documents. Bytes that are not UTF-8 are written as U+FFFD.
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

/// Reads a JSON file (at most 1 GiB) by read_file(), which also finds installed files and registers
/// it as an input, and parses it strictly. Throws InputError naming the file when it cannot be
/// read, is empty, is not valid JSON, repeats a key in an object, has a number that does not fit in
/// a double, is nested deeper than 64 levels, or does not fit in memory. Not thread-safe.
nlohmann::json load_json(const std::string& path);
/// Parses JSON text strictly; `file` is the name that errors give. Throws InputError with the line
/// and column, from 1, of a syntax error, or the JSON pointer of a repeated key, of a number that
/// does not fit in a double, or of a nesting deeper than 64 levels; also for an empty text and when
/// memory does not suffice.
nlohmann::json parse_json(const std::string& text, const std::string& file);
/// Parses JSON text strictly, keeping the keys of objects in the order of the text (a plain json
/// sorts them). `file` is the name that errors give. Throws InputError for a syntax error, an empty
/// text, a repeated key, a number that does not fit in a double, a nesting deeper than 64 levels,
/// or when memory does not suffice.
nlohmann::ordered_json parse_ordered_json(const std::string& text, const std::string& file);

class JsonNode;

/// Returns an object key as a token of a JSON pointer (RFC 6901), without a leading '/': '~' and
/// '/' are escaped as "~0" and "~1".
std::string escape_pointer_token(std::string_view key);

/// A typed view of one value in a JSON document, with the JSON pointer to it. Does not own the
/// document, which must outlive it and its copies and must not change. Its reading functions throw
/// InputError with the pointer as the place ("/" for the whole document) and without a file name
/// (see with_file_in_errors). Cheap to copy.
class JsonNode {
 public:
  /// Makes a view of `value`, which must outlive it (a temporary is accepted and dangles).
  /// `pointer` is the JSON pointer (RFC 6901) that errors name, "" for a whole document.
  explicit JsonNode(const nlohmann::json& value, std::string pointer = "")
      : value_(&value), pointer_(std::move(pointer)) {}

  /// Throws InputError unless this JSON value is an object and all its keys are among `keys`; the
  /// error is at the first other key and suggests a similar one. The keys may be missing.
  void allow_only_keys(std::initializer_list<std::string_view> keys) const;

  /// Returns whether this JSON value is an object with that key; false for any other value.
  bool has(std::string_view key) const;
  /// Returns whether this JSON value is an array, which may be empty.
  bool is_array() const;
  /// Returns whether this JSON value is an object, which may be empty.
  bool is_object() const;
  /// Returns whether this JSON value is a string, of any characters (text() refuses control
  /// characters).
  bool is_text() const;
  /// Returns a view of the value of a key. Throws InputError when this JSON value is not an object
  /// or lacks the key. The view refers to the document, not to this object.
  JsonNode at(std::string_view key) const;
  /// Returns a view of the value of a key, or nullopt without that key. Throws InputError unless
  /// this JSON value is an object. The view refers to the document, not to this object.
  std::optional<JsonNode> find(std::string_view key) const;
  /// Returns views of the elements of an array, in order; empty for an empty array. Throws
  /// InputError unless this JSON value is an array. The views refer to the document, not to this
  /// object.
  std::vector<JsonNode> elements() const;

  /// Returns a std::vector with the result of `read(element)` for each element of an array, in
  /// order; `read` takes a JsonNode. Throws InputError when this JSON value is not an array, is
  /// empty, or two of the results are equal; exceptions of `read` pass through. Takes quadratic
  /// time.
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

  /// Returns the value of a string, which may be empty. Throws InputError unless this JSON value is
  /// a string without control characters (line ends included).
  std::string text() const;
  /// Returns the value of a string, or the strings of an array joined by spaces ("" for an empty
  /// one). Throws InputError for any other value and for control characters.
  std::string joined_text() const;
  /// Throws InputError unless this JSON value is a string; it may contain any characters.
  void require_string() const;
  /// Throws InputError unless this JSON value is an object whose key "schema_version" has the
  /// integer `version` as its value.
  void check_version(std::int64_t version) const;
  /// Returns this JSON value as a bool. Throws InputError unless it is true or false.
  bool boolean() const;
  /// Returns this JSON value as a double. Throws InputError unless it is a finite number.
  double number() const;
  /// Returns this JSON value as a double. Throws InputError unless it is a finite number greater
  /// than 0.
  double positive_number() const;
  /// Returns this JSON value as a double. Throws InputError unless it is a finite number of at
  /// least 0.
  double non_negative_number() const;
  /// Returns this JSON value as an integer. Throws InputError unless it is one in [smallest,
  /// largest]; 1e3 and 1000.0 count as integers (if below 2^53 in absolute value).
  std::int64_t integer(std::int64_t smallest, std::int64_t largest) const;

  /// Makes, without throwing it, an InputError at the JSON pointer of the viewed JSON value:
  /// "expected `expected`, found ...", with the value in short. `hint` says how to fix it; may be
  /// empty.
  InputError fault(std::string expected, std::string hint = {}) const;

  /// Returns the JSON pointer (RFC 6901) to the viewed JSON value; "" for a whole document. The
  /// reference is valid as long as this object.
  const std::string& pointer() const { return pointer_; }
  /// Returns the viewed JSON value, a reference into the document, valid as long as that.
  const nlohmann::json& value() const { return *value_; }

 private:
  const nlohmann::json* value_;
  std::string pointer_;
};

/// Reads a string with a unit such as "10MBps" and returns its value in the SI unit of `dimension`
/// (bytes/s, flop/s, bytes, seconds). Throws InputError if it is no such string or its value is not
/// in [1e-100, 1e100] (a time may also be 0); the error names the JSON pointer but no file.
double read_quantity(const JsonNode& node, Dimension dimension);
/// Reads the string with a unit under `key` of an object and returns its value in the SI unit of
/// `dimension` (bytes/s, flop/s, bytes, seconds); nullopt without that key. Throws InputError,
/// without a file name, when `node` is no object or the value is no such string with a value in
/// [1e-100, 1e100] (a time may also be 0).
std::optional<double> find_quantity(const JsonNode& node, std::string_view key,
                                    Dimension dimension);

/// Returns a document as JSON text on one line, keys sorted, without a newline at its end. Bytes
/// that are not UTF-8 are written as U+FFFD, numbers that are not finite as null.
std::string to_json_line(const nlohmann::json& document);
/// Returns a document as JSON text on one line, keys in their order, without a newline at its end.
/// Bytes that are not UTF-8 are written as U+FFFD, numbers that are not finite as null.
std::string to_json_line(const nlohmann::ordered_json& document);
/// Returns a document as JSON text, indented by two spaces per level, keys in their order, ending
/// with a newline. Bytes that are not UTF-8 are written as U+FFFD, numbers that are not finite as
/// null.
std::string to_indented_json(const nlohmann::ordered_json& document);
/// Returns a text as a JSON string literal, with its quotes and escapes. Bytes that are not UTF-8
/// become U+FFFD.
std::string quote_json_string(const std::string& text);

/// Parses JSON that this program has written itself, keeping the order of keys. Throws
/// nlohmann::json::parse_error when it is malformed; use parse_json() or parse_ordered_json() for
/// input files, whose errors they report.
nlohmann::ordered_json parse_trusted_json(const std::string& text);

/// Returns the kind of a JSON document as messages name it, such as "a platform", "a schedule", "a
/// sweep", "claims" or "results", recognised by one top-level key only; "" for an unknown kind or a
/// value that is no object. If keys of several kinds occur, the kinds of output of commands ("what
/// starport bound --json prints") win.
std::string document_kind(const nlohmann::json& document);
/// Returns "a trace (CSV)" if the first line of a text has the columns "heuristic" and "start_s",
/// else "results (CSV)" if it has "heuristic" and "status", else "". Quoted names are not
/// recognised.
std::string csv_document_kind(std::string_view text);

/// Throws InputError, without a file name, when a document is of another known kind than `kind`,
/// which is spelled as document_kind() returns it, such as "a platform" or "claims". A document of
/// unknown kind passes. `hint` is added to the message.
void require_document_kind(const nlohmann::json& document, const std::string& kind,
                           const std::string& hint = {});
/// Throws InputError, without a file name, when the text of a file that should hold JSON of kind
/// `kind` (with its article, such as "a platform") is a trace or results in CSV. Any other text
/// passes.
void reject_csv(std::string_view text, const std::string& kind);

}  // namespace starport
