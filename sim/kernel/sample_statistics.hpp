// Statistics of repeated measurements of durations, and lines and links fitted to them.
#pragma once

#include "sim/platform/calibration.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// Number of repetitions of a measurement (PPoPP'08, section 6.2), of which usually the median is
/// used; a measurement that must also last for some time may have more or fewer.
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
/// Fits latency and bandwidth of the link of worker `worker`, numbered from 1, to the median
/// durations of its messages: one median for each series, over both directions (Theil-Sen
/// estimator, robust against outliers). When larger messages took no longer, the link has latency 0
/// and the bandwidth of the largest message (its size / its median duration). Requires series of at
/// least two message sizes of that worker, none without durations; otherwise the behaviour is
/// undefined.
FittedLink fit_link(const std::vector<Calibration::Link>& links, std::int64_t worker);

/// Fits latency and bandwidth of the link of worker `worker`, numbered from 1, by
/// fit_line_to_means() to the mean durations of its messages, those of both directions averaged
/// where both were measured. When larger messages took no longer, the link has latency 0 and the
/// bandwidth of the largest message (its size / its mean duration). Requires series of at least two
/// message sizes of that worker, none without to_worker_s; otherwise the behaviour is undefined.
///
/// If the largest message of C (a series with to_master_s) is more than twice as large as the
/// largest one of A or B (a series without), the line goes through these two only, as the most
/// frequent ones in a run: they belong to the largest chunk (rectangle of C on a worker).
FittedLink fit_mean_link(const std::vector<Calibration::Link>& links, std::int64_t worker);

}  // namespace starport
