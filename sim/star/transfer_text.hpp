// The text of a transfer in a schedule file, which long ones consist of.
#pragma once

#include "sim/star/schedule.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace starport {

/// A JSON object on one line (format: sim/star/schedules.md).
void append_transfer_text(const Transfer& transfer, std::string& text);

/// Reads such an object off the front of `rest`, its keys in any order, with any white space, much
/// faster than by way of a JSON document. False where it is none, or does not fit the problem, or
/// has escapes or integers such as 7.0: read_transfer() (schedule_json.hpp) takes it, or tells what
/// is wrong.
bool parse_transfer_text(std::string_view& rest, const Problem& problem, std::int64_t workers,
                         Transfer& transfer);

}  // namespace starport
