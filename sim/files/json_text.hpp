// JSON documents as text. Kept in one source file because nlohmann's writer and parser are slow to
// compile. Bytes that are not UTF-8 are written as U+FFFD.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace starport {

/// Returns a document as JSON text on one line, without a line end.
std::string to_json_line(const nlohmann::json& document);
std::string to_json_line(const nlohmann::ordered_json& document);
/// Returns a document as JSON text, indented by two spaces per level, ending with a newline.
std::string to_indented_json(const nlohmann::ordered_json& document);
/// Returns a text as a JSON string literal, with its quotes.
std::string quote_json_string(const std::string& text);

/// Parses JSON that this program has written itself. Throws nlohmann::json::parse_error when it is
/// malformed; use parse_json() or parse_ordered_json() for input files.
nlohmann::ordered_json parse_trusted_json(const std::string& text);

}  // namespace starport
