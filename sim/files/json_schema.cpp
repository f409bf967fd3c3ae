#include "sim/files/json_schema.hpp"

#include "sim/files/error.hpp"

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <algorithm>

namespace starport {
namespace {

using Adapter = valijson::adapters::NlohmannJsonAdapter;

/// Converts a valijson context such as "<root>", "[results]", "[0]" to a JSON pointer.
nlohmann::json::json_pointer pointer_to(const std::vector<std::string>& context) {
  nlohmann::json::json_pointer pointer;
  for (const std::string& step : context) {
    if (step.starts_with('[')) pointer /= step.substr(1, step.size() - 2);
  }
  return pointer;
}

}  // namespace

JsonSchema::JsonSchema(const nlohmann::json& document)
    : schema_(std::make_unique<valijson::Schema>()) {
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(Adapter(document), *schema_);
}

JsonSchema::~JsonSchema() = default;

bool JsonSchema::accepts(const nlohmann::json& document) const {
  return valijson::Validator().validate(*schema_, Adapter(document), nullptr);
}

void JsonSchema::check(const nlohmann::json& document, const std::string& name) const {
  valijson::ValidationResults faults;
  if (valijson::Validator().validate(*schema_, Adapter(document), &faults)) return;
  const auto deepest =
      std::ranges::max_element(faults, {}, [](const auto& fault) { return fault.context.size(); });
  const auto place = pointer_to(deepest->context);
  constexpr std::size_t max_bytes = 60;
  const std::string value = document.at(place).dump(-1, ' ', true);
  throw InputError(
      place.empty() ? "/" : place.to_string(), "what the JSON Schema of " + name + " allows",
      value.size() > max_bytes ? value.substr(0, max_bytes) + "..." : value, deepest->description);
}

}  // namespace starport
