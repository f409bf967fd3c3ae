// What a layout is expected to cost, without serving it.
#pragma once

#include "heuristics/star/polaris/layout.hpp"

#include <cstdint>
#include <vector>

namespace starport::polaris {

/// What the estimate does not see, measured on served schedules: by worker, the time that its
/// updates wait and what comes after them; for the port, the time it is idle.
struct Lags {
  std::vector<double> worker_s;
  double port_s = 0;
};

struct StripCost {
  double port_s = 0;
  double longest_s = 0;  ///< of the computations, lag included
  bool possible = true;
};

class Estimator {
 public:
  Estimator(const Platform& platform, const Problem& problem, const ModeChoice& choice);

  StripCost cost(const Layout& layout, const Strip& strip) const;
  /// The longer of port and computations; infinite when a worker cannot do its part.
  double makespan_s(const Layout& layout) const;
  /// The same without lags: no schedule ends much sooner.
  double least_s(const Layout& layout) const;
  double port_s(int worker, std::int64_t rows, std::int64_t columns) const;

  ModeChoice modes;
  Lags lags;
  mutable std::int64_t operations = 0;  ///< so far, in rectangles looked at

 private:
  const Platform* platform_;
  const Problem* problem_;
};

}  // namespace starport::polaris
