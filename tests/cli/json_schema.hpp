// The JSON Schemas that are shipped.
#pragma once

#include "sim/files/json.hpp"
#include "sim/files/json_schema.hpp"
#include "tests/paths.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace starport::test {

class JsonSchema : public starport::JsonSchema {
 public:
  /// `path` from the top of the checkout.
  explicit JsonSchema(const std::string& path)
      : starport::JsonSchema(load_json(STARPORT_SOURCE_DIR "/" + path)) {}
};

}  // namespace starport::test
