// The text of a transfer in a schedule file, which long ones consist of.
#pragma once

#include "sim/star/schedule.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace starport {

/// A JSON object on one line (format: sim/star/schedules.md).
void append_text(const Transfer& transfer, std::string& text);

/// Reads such a text off the front of `rest`, twenty times as fast as by way of a JSON document.
/// False where it differs from what append_text() writes, or does not fit the problem: then
/// read_transfer() (schedule_json.hpp) takes it, or tells what is wrong.
bool take_text(std::string_view& rest, const Problem& problem, std::int64_t workers,
               Transfer& transfer);

}  // namespace starport
