// Statistics of repeated measurements of durations, and lines and links fitted to them.
#pragma once

#include "sim/platform/calibration.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// Number of repetitions of a measurement (PPoPP'08, section 6.2); where a measurement must also
/// last for some time, there may be more or fewer. The median counts.
inline constexpr int kRepetitions = 10;

/// Returns half the interquartile range divided by the median (a ratio, 0.02 for +-2%): a measure
/// of dispersion that is robust against single outliers. Requires at least one value (undefined
/// behaviour otherwise) and a median other than 0 (infinite or NaN otherwise); neither is checked.
double relative_dispersion(const std::vector<double>& values);

/// Reduces a series of samples (measured values) to means of max_batches groups of consecutive
/// samples, in order, which show how they change with time; the sizes of the groups differ by one
/// at most. A series of at most max_batches samples is returned as it is; max_batches = 0 gives an
/// empty one.
std::vector<double> batch_means(const std::vector<double>& values, std::size_t max_batches);
/// Returns the mean of `values`; NaN when there are none.
double sample_mean(const std::vector<double>& values);
/// A straight line y = slope * x + intercept fitted to points: the result of fit_line_to_means()
/// and of fit_theil_sen(), in the units of their arguments.
struct Line {
  /// Slope of the line: the increase of y per unit of x.
  double slope;
  /// Value of y at x = 0; at least 0 for fitted lines.
  double intercept;
};
/// Fits a line to the points (x[i], y[i]) by least squares of the relative errors (error / y), as
/// suits means of durations, whose errors are proportional to them. If the intercept would be below
/// 0, the best line through the origin is returned; the slope may be negative. Requires y at least
/// as long as x, y > 0 and at least two different x; not checked: a short y is undefined behaviour,
/// other violations give a meaningless line, usually of NaN or infinity.
Line fit_line_to_means(const std::vector<double>& x, const std::vector<double>& y);

/// Fits a line to the points (x[i], y[i]) by the Theil-Sen estimator: the median of the slopes of
/// all pairs of points, then the median of the intercepts, but at least 0; the slope may be
/// negative. Robust against outliers. Requires equal sizes and at least two different x (not
/// checked: undefined behaviour). Takes quadratic time.
Line fit_theil_sen(const std::vector<double>& x, const std::vector<double>& y);

/// A link between the master and one worker as fit_link() or fit_mean_link() fits it to samples: a
/// message of b bytes takes latency_s + b / bandwidth_bytes_per_s seconds.
struct FittedLink {
  /// Bandwidth of the fitted link in bytes/s; greater than 0.
  double bandwidth_bytes_per_s;
  /// Start-up time of each message in seconds; at least 0.
  double latency_s;
};
/// Fits latency and bandwidth of the link of worker `worker`, numbered from 1, to the medians of
/// the measured durations of its messages in both directions (Theil-Sen estimator, robust against
/// outliers). When larger messages took no longer, the link has the bandwidth of the largest
/// message and latency 0. Requires samples of at least two message sizes of that worker; otherwise
/// the behaviour is undefined.
FittedLink fit_link(const std::vector<Calibration::Link>& links, std::int64_t worker);

/// Fits latency and bandwidth of the link of worker `worker`, numbered from 1, by
/// fit_line_to_means() to the means of the measured durations of its messages (of the means of both
/// directions, if both were measured), since the total time of many messages follows their mean.
/// When larger messages took no longer, the link has the bandwidth of the largest message and
/// latency 0. Requires samples of at least two message sizes of that worker; otherwise the
/// behaviour is undefined.
///
/// If messages of A and B (series without to_master_s) were measured beside those of C and the
/// largest is less than half as large as the largest of C, the fit goes through these two only:
/// they belong to the largest chunk (rectangle of C on a worker) and are the most frequent ones.
/// Operands are sent while the worker computes, C while it does not, which may be faster.
FittedLink fit_mean_link(const std::vector<Calibration::Link>& links, std::int64_t worker);

}  // namespace starport
