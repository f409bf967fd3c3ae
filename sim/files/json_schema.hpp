// JSON Schemas (draft 7) applied to documents.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>

namespace valijson {
class Schema;
}

namespace starport {

class JsonSchema {
 public:
  explicit JsonSchema(const nlohmann::json& document);
  JsonSchema(const JsonSchema&) = delete;
  JsonSchema& operator=(const JsonSchema&) = delete;
  ~JsonSchema();

  bool accepts(const nlohmann::json& document) const;
  /// Throws InputError at the deepest place that the schema does not allow; `name` is what the
  /// schema describes.
  void check(const nlohmann::json& document, const std::string& name) const;

 private:
  std::unique_ptr<valijson::Schema> schema_;
};

}  // namespace starport
