// The text of a transfer in a schedule file, which long ones consist of.
#pragma once

#include "sim/star/schedule.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace starport {

/// A JSON object on one line (format: sim/star/schedules.md).
void append_text(const Transfer& transfer, std::string& text);

/// Reads such an object off the front of `rest`, whatever its layout, twenty times as fast as by way
/// of a JSON document. False where it is none, or does not fit the problem: read_transfer()
/// (schedule_json.hpp) tells what is wrong, or takes it where keys are written with escapes.
bool take_text(std::string_view& rest, const Problem& problem, std::int64_t workers,
               Transfer& transfer);

}  // namespace starport
