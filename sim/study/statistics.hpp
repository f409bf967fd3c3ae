// What repetitions under noise come to.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace starport {

struct Comparison;

/// A 95% confidence interval of a mean: Student's, from n - 1 degrees of freedom.
struct Interval {
  double low = 0;
  double high = 0;
  bool has(double value) const { return low <= value && value <= high; }
};

/// Repetitions of one heuristic. There are at least two.
struct Repetitions {
  std::vector<double> makespans_s;  ///< in the order of the repetitions
  double mean_s = 0;
  double median_s = 0;
  Interval interval_s;        ///< of the mean
  Interval above_best;        ///< of the mean difference from the best heuristic, over its mean
  bool within_noise = false;  ///< that interval has 0: it may be as good as the best
};

double mean_of(const std::vector<double>& values);
double median_of(
    std::vector<double> values);  ///< the mean of the two in the middle of an even number
/// Of at least two values.
Interval interval_of(const std::vector<double>& values);
/// Of the mean of x - y, repetition by repetition: both had the same factors.
Interval paired_interval(const std::vector<double>& x, const std::vector<double>& y);

/// The figures of the makespans alone; those about the best follow when results are related.
Repetitions repetitions_of(std::vector<double> makespans_s);

/// Compares the results that have repetitions with the one of the smallest mean.
void relate_repetitions(Comparison& comparison);
/// The pairs of heuristics whose difference is within noise, in the order of the results.
std::vector<std::pair<std::string, std::string>> pairs_within_noise(const Comparison& comparison);

}  // namespace starport
