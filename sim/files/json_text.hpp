// JSON documents as text. Kept in one source file because nlohmann's writer and parser are slow to
// compile. Bytes that are not UTF-8 are written as U+FFFD.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace starport {

/// Returns a document as JSON text on one line, without a newline at its end. Bytes that are not
/// UTF-8 are written as U+FFFD.
std::string to_json_line(const nlohmann::json& document);
/// Returns a document as JSON text on one line, keys in their order, without a newline at its end.
/// Bytes that are not UTF-8 are written as U+FFFD.
std::string to_json_line(const nlohmann::ordered_json& document);
/// Returns a document as JSON text, indented by two spaces per level, ending with a newline. Bytes
/// that are not UTF-8 are written as U+FFFD.
std::string to_indented_json(const nlohmann::ordered_json& document);
/// Returns a text as a JSON string literal, with its quotes and escapes. Bytes that are not UTF-8
/// become U+FFFD.
std::string quote_json_string(const std::string& text);

/// Parses JSON that this program has written itself, keeping the order of keys. Throws
/// nlohmann::json::parse_error when it is malformed; use parse_json() or parse_ordered_json() for
/// input files, whose errors they report.
nlohmann::ordered_json parse_trusted_json(const std::string& text);

}  // namespace starport
