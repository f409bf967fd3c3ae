// Validation of documents by JSON Schemas (draft 7).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>

namespace valijson {
class Schema;
}

namespace starport {

/// A compiled JSON Schema (draft 7).
class JsonSchema {
 public:
  /// Compiles a schema. Throws std::runtime_error when it is not a valid one.
  explicit JsonSchema(const nlohmann::json& document);
  JsonSchema(const JsonSchema&) = delete;
  JsonSchema& operator=(const JsonSchema&) = delete;
  ~JsonSchema();

  /// Returns whether a document is valid.
  bool accepts(const nlohmann::json& document) const;
  /// Throws InputError, at the most deeply nested error, unless a document is valid. `name` is the
  /// kind of document in the message, such as "a platform".
  void check(const nlohmann::json& document, const std::string& name) const;

 private:
  std::unique_ptr<valijson::Schema> schema_;
};

}  // namespace starport
