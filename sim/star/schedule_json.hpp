// Pieces of schedule files, which messages to other programs have too.
#pragma once

#include "sim/star/schedule.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>

namespace starport {

class JsonNode;

/// The effective figures of a platform.
nlohmann::ordered_json to_json(const Platform& platform);
nlohmann::ordered_json to_json(const Transfer& transfer);
/// Its form is checked. Throws InputError.
Transfer read_transfer(const JsonNode& node, const Problem& problem, std::int64_t workers);

}  // namespace starport
