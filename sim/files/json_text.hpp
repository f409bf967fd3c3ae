// JSON as text, written and read in one place: elsewhere nobody compiles the library's writer and
// parser. Bytes that are no UTF-8 become the sign for an unknown character.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace starport {

std::string on_one_line(const nlohmann::json& document);
std::string on_one_line(const nlohmann::ordered_json& document);
/// With two spaces a level, and a line end after the last line.
std::string indented(const nlohmann::ordered_json& document);
/// A text as JSON has it, with its quotes.
std::string json_string(const std::string& text);

/// What this program has written. For files of others: parse_json() and parse_ordered_json().
nlohmann::ordered_json own_json(const std::string& text);

}  // namespace starport
