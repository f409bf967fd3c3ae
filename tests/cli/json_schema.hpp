// The JSON Schemas that are shipped, applied by an independent validator.
#pragma once

#include "sim/files/json_node.hpp"
#include "tests/paths.hpp"

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <string>

namespace starport::test {

class JsonSchema {
 public:
  /// `path` from the top of the checkout.
  explicit JsonSchema(const std::string& path) {
    const nlohmann::json document = load_json(STARPORT_SOURCE_DIR "/" + path);
    const valijson::adapters::NlohmannJsonAdapter adapter(document);
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(adapter, schema_);
  }
  bool accepts(const nlohmann::json& document) const {
    valijson::Validator validator;
    return validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
  }

 private:
  valijson::Schema schema_;
};

}  // namespace starport::test
