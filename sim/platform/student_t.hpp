#pragma once

namespace starport {

/// Returns the 97.5% quantile of Student's t distribution: half the width of a two-sided 95%
/// interval of a mean, in standard errors. Throws std::domain_error unless degrees_of_freedom (not
/// necessarily whole) is greater than 0.
double student_t_975(double degrees_of_freedom);
/// 97.5% quantile, rounded to two decimals, of the standard normal distribution, to which Student's
/// t distribution tends for many degrees of freedom.
inline constexpr double kNormal975 = 1.96;

}  // namespace starport
