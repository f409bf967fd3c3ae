// JSON documents that consist of one long array: its elements one by one, never all at once.
#pragma once

#include "sim/files/json_node.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>

namespace starport {

/// As parse_json(), but an array that the document has under the key comes out empty.
nlohmann::json parse_json_without(const std::string& text, const std::string& file,
                                  const std::string& key);
/// The elements of that array, of a text that the other one has parsed.
void for_each_element(const std::string& text, const std::string& key,
                      const std::function<void(const JsonNode&)>& take);

}  // namespace starport
