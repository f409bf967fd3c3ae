// Noise as text on one line: option --noise, and a column of results.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform_file.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace starport {

/// Parses noise from items separated by commas: cv=6% or 0.06 (of transfers and updates;
/// transfer_cv= or update_cv= of one), samples=FILE or transfer_factors=0.9:1:1.1 and
/// update_factors=, slow=WORKER@DATE:x2 (slow_link=, slow_compute= one of them), stop=WORKER@DATE,
/// seed=N; or the path of a JSON file (*.json) with an object as read_noise() reads it.
///
/// Workers count from 1, or are called by the names that `platform` gives them (nullptr: numbers
/// only; it is used during the call only, and numbers beyond its workers pass, see check_workers).
/// Dates are simulated seconds or have a unit. `default_seed` applies without seed=. Throws
/// InputError at `place` when the text is wrong, and naming the file when a file is.
Noise parse_noise(std::string_view text, const std::string& place, std::uint64_t default_seed = 0,
                  const PlatformFile* platform = nullptr);

/// Returns noise as a text on one line that parse_noise() reads, without the repetition; "" for no
/// noise. Factors from a file are given as the name of the file.
std::string to_text(const Noise& noise);

}  // namespace starport
