// Validation of documents by JSON Schemas (draft 7).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>

namespace valijson {
class Schema;
}

namespace starport {

/// A JSON Schema (draft 7), compiled once, against which any number of parsed JSON documents can be
/// checked. Does not refer to the schema document. Neither copyable nor movable.
class JsonSchema {
 public:
  /// Compiles a schema; `document` is not needed afterwards. Throws std::runtime_error when it is
  /// not a valid schema, or refers to another document.
  explicit JsonSchema(const nlohmann::json& document);
  JsonSchema(const JsonSchema&) = delete;
  JsonSchema& operator=(const JsonSchema&) = delete;
  ~JsonSchema();

  /// Returns true if `document` is valid under this schema. Throws nothing for an invalid one;
  /// keeps no reference to it.
  bool accepts(const nlohmann::json& document) const;
  /// Throws InputError if `document` is not valid under this schema, without a file name, at the
  /// JSON pointer of the most deeply nested error ("/" for the whole document). `name` is the kind
  /// of document with its article, such as "a platform", for the message.
  void check(const nlohmann::json& document, const std::string& name) const;

 private:
  std::unique_ptr<valijson::Schema> schema_;
};

}  // namespace starport
