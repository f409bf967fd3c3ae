#include "sim/platform/student_t.hpp"

#include <boost/math/distributions/students_t.hpp>

namespace starport {

double student_t_975(double degrees_of_freedom) {
  // Boost's default, long double inside, aborts under valgrind, which computes it in double.
  using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const boost::math::students_t_distribution<double, InDouble> distribution(degrees_of_freedom);
  return boost::math::quantile(distribution, 0.975);
}

}  // namespace starport
