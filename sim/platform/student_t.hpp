#pragma once

namespace starport {

/// Returns the 97.5% quantile of Student's t distribution: half the width of a two-sided 95%
/// interval of a mean, in standard errors. Precondition: degrees_of_freedom > 0.
double student_t_975(double degrees_of_freedom);

}  // namespace starport
