// Pieces of schedule files, which messages to other programs have too.
#pragma once

#include "sim/star/schedule.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

namespace starport {

class JsonNode;

/// The key of the transfers, which are many.
inline constexpr const char* kTransfersKey = "transfers";
/// As parse_schedule(document, path), the head parsed from the text without the array under that
/// key (json_elements.hpp).
Schedule parse_schedule(const nlohmann::json& head, const std::string& text,
                        const std::string& path);

/// The effective figures of a platform.
nlohmann::ordered_json to_json(const Platform& platform);
nlohmann::ordered_json to_json(const Transfer& transfer);
/// Its form is checked. Throws InputError.
Transfer read_transfer(const JsonNode& node, const Problem& problem, std::int64_t workers);

}  // namespace starport
