// What a fit, or a variation, found, as Markdown.
#pragma once

#include "sim/report/claims/search.hpp"

#include <string>

namespace starport::fit {

/// The best calibration, the spread of each parameter over the best ones, and the statements that
/// no calibration tried satisfies.
std::string search_markdown(const Claims& claims, const std::vector<Parameter>& parameters,
                            const Attempts& attempts);

/// What each reading changes: how many statements hold, and which do with it alone, or without.
std::string readings_markdown(const Claims& claims, const std::vector<Parameter>& parameters,
                              const Attempts& attempts);

/// How many statements hold from campaign to campaign, and the figure of each.
std::string variation_markdown(const Claims& claims, const Attempts& attempts);

}  // namespace starport::fit
