// What many campaigns, not one, say of statements: draws of what a paper does not publish, and
// calibrations tried.
#pragma once

#include "sim/report/claims/claims.hpp"

#include <string>
#include <vector>

namespace starport {

/// The figures that the claims ask for, campaign by campaign, from the files of `starport vary` or
/// `starport fit`. Throws InputError when one is about other claims.
std::vector<std::vector<double>> read_answers(const std::vector<std::string>& paths,
                                              const Claims& claims);

DrawnFigures drawn_figures(const Claim& claim, std::vector<double> figures);

/// Judges the claims about draws by all of them: one holds when it does, within its tolerance, in
/// 5% of the draws, or when the paper's figure lies between 5% and 95% of ours.
void judge_by_draws(std::vector<CheckedClaim>& checked,
                    const std::vector<std::vector<double>>& draws);
/// Notes in how many of the calibrations each holds.
void note_tried(std::vector<CheckedClaim>& checked,
                const std::vector<std::vector<double>>& calibrations);

}  // namespace starport
