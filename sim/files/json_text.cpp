#include "sim/files/json_text.hpp"

#include <nlohmann/json.hpp>

namespace starport {

using nlohmann::json;
using nlohmann::ordered_json;

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

}  // namespace starport
