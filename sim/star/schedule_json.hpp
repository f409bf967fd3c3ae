// JSON of schedules, platforms and transfers: parts of schedule files that other programs exchange
// too.
#pragma once

#include "sim/star/schedule.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace starport {

class JsonNode;

/// Key of the list of transfers in a schedule file.
inline constexpr const char* kTransfersKey = "transfers";

/// Reads a schedule whose list of transfers is parsed element by element, which takes less memory
/// than one document. `head` is the document with an empty list, `text` the complete JSON text,
/// `path` the file named in errors. Throws InputError.
Schedule parse_schedule(const nlohmann::json& head, const std::string& text,
                        const std::string& path);

/// Returns the platform as schedule files have it: c_i and w_i in seconds, m_i in blocks.
nlohmann::ordered_json to_json(const Platform& platform);
/// Returns the transfer as schedule files have it.
nlohmann::ordered_json to_json(const Transfer& transfer);

/// Reads a transfer. Throws InputError if a key is unknown or missing, the worker is not in
/// 1..`workers`, or a range exceeds the matrices of `problem`.
Transfer read_transfer(const JsonNode& node, const Problem& problem, std::int64_t workers);

/// Appends a transfer to `text` as a JSON object on one line (format: sim/star/schedules.md).
void append_transfer_text(const Transfer& transfer, std::string& text);

/// Parses a transfer at the start of `rest` and removes it from there, much faster than through a
/// JSON document. Keys may come in any order. Returns false if the text is malformed, does not fit
/// `problem` and `workers`, or uses escapes or integers such as 7.0; read_transfer() then gives the
/// result or the error.
bool parse_transfer_text(std::string_view& rest, const Problem& problem, std::int64_t workers,
                         Transfer& transfer);

}  // namespace starport
