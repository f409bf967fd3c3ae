// One run of a whole specification under some calibration, and what its statements say of it.
#pragma once

#include "sim/report/claims/claims.hpp"
#include "sim/report/claims/parameter.hpp"
#include "sim/sweep/run_sweep.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace starport::fit {

/// The figures that the claims ask for, in their order; NaN where there is none.
using Answers = std::vector<double>;

std::int64_t holding(const Claims& claims, const Answers& answers);
/// The sum of what they miss: two calibrations of which as many statements hold differ by this.
double missed(const Claims& claims, const Answers& answers);

/// Runs specifications by the analytic engine, in this process, and asks the claims.
class Inquiry {
 public:
  /// A chance to change the records of an instance before they are compared.
  using Disturb = std::function<void(const SweepInstance&, Comparison&)>;

  Inquiry(const Specification& specification, const Claims& claims, const SimulationLimits& limits);

  /// Throws InputError, naming the claims file and the place, for a question that the results of
  /// the specification itself do not answer by a number.
  void check() const;
  /// Keeps the rows of the instances whose platform is not drawn, for `ask` of specifications that
  /// differ in their seed alone.
  void keep_fixed_rows();
  Answers ask(const Specification& changed, const Disturb& disturb = {}) const;

 private:
  ResultTable results_of(const Specification& changed, const Disturb& disturb) const;

  const Specification& specification_;
  const Claims& claims_;
  SweepEngines engines_;
  ResultRows rows_;
  std::map<std::int64_t, std::string> fixed_;
};

}  // namespace starport::fit
