// Repeated measures of one time.
#pragma once

#include "sim/platform/calibration.hpp"

#include <functional>
#include <vector>

namespace starport {

class Random;

/// PPoPP'08 section 6.2: ten times, and the median.
inline constexpr int kRepetitions = 10;

/// Half the distance between the quartiles over the median: a dispersion that one slow sample, when
/// the system did something else, does not spoil.
double relative_dispersion(const std::vector<double>& values);

/// Samples in the order of time as at most `most` means of those that follow each other: their mean
/// is that of all, and they tell how it changes with time.
std::vector<double> batch_means(const std::vector<double>& values, std::size_t most);
double sample_mean(const std::vector<double>& values);
/// As many, in blocks of about the square root of that number, each from any of them on, the first
/// coming after the last: neighbours stay together, since a machine that is slow for a while makes
/// them alike (the circular block bootstrap of Politis and Romano, 1992).
std::vector<double> redrawn(const std::vector<double>& values, Random& random);
/// Between which the statistic of samples drawn anew from these, with replacement, lies in 95% of
/// 400 draws (Efron's bootstrap, by blocks). `statistic` gets a function that draws a series anew.
using Redraw = std::function<std::vector<double>(const std::vector<double>& values)>;
MedianInterval bootstrap_interval(const std::function<double(const Redraw&)>& statistic);

/// The line through points (x, y) with the least sum of squares of (error / y): where y are means
/// of times, each as trustworthy in proportion. The intercept is at least 0. Of at least two
/// different x.
struct Line {
  double slope;
  double intercept;
};
Line fit_means(const std::vector<double>& x, const std::vector<double>& y);

/// The line through points (x, y) such that as many lie above as below: the median of the slopes of
/// all pairs, then of the intercepts (Theil and Sen), which outliers leave in place. The intercept
/// is at least 0. Of at least two different x.
Line fit_line(const std::vector<double>& x, const std::vector<double>& y);

/// Seconds of the wall clock that each of kRepetitions calls takes; `prepare` goes before each,
/// unmeasured.
std::vector<double> measure(const std::function<void(int)>& call,
                            const std::function<void(int)>& prepare = {});

}  // namespace starport
