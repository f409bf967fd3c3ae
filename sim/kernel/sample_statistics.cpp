#include "sim/kernel/sample_statistics.hpp"

#include "sim/files/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace starport {
namespace {

/// Sizes of messages in bytes and their durations (medians or means) in seconds.
struct MessageDurations {
  std::vector<double> bytes;
  std::vector<double> seconds;

  void add(std::int64_t message_bytes, double duration_s) {
    bytes.push_back(static_cast<double>(message_bytes));
    seconds.push_back(duration_s);
  }
};

/// Returns the largest messages of a worker, with operands (sent one way only) or with C; nullptr
/// when there are none.
const Calibration::Link* largest_of(const std::vector<Calibration::Link>& links,
                                    std::int64_t worker, bool operands) {
  const Calibration::Link* largest = nullptr;
  for (const Calibration::Link& link : links) {
    if (link.worker != worker || link.to_master_s.empty() != operands) continue;
    if (largest == nullptr || link.bytes > largest->bytes) largest = &link;
  }
  return largest;
}

/// Returns the mean durations of a worker's messages.
MessageDurations mean_durations(const std::vector<Calibration::Link>& links, std::int64_t worker) {
  const auto both_ways = [](const Calibration::Link& link) {
    return (sample_mean(link.to_worker_s) + sample_mean(link.to_master_s)) / 2;
  };
  MessageDurations points;
  const Calibration::Link* const operands = largest_of(links, worker, true);
  const Calibration::Link* const c = largest_of(links, worker, false);
  if (operands != nullptr && c != nullptr && c->bytes > 2 * operands->bytes) {
    points.add(operands->bytes, sample_mean(operands->to_worker_s));
    points.add(c->bytes, both_ways(*c));
    return points;
  }
  for (const Calibration::Link& link : links) {
    if (link.worker != worker) continue;
    points.add(link.bytes,
               link.to_master_s.empty() ? sample_mean(link.to_worker_s) : both_ways(link));
  }
  return points;
}

/// Returns the link of a fitted line of bytes and seconds. If the measurements were disturbed, so
/// that larger messages took less time, the largest message alone decides.
FittedLink link_of(const Line& line, const MessageDurations& messages) {
  if (line.slope > 0) {
    return {.bandwidth_bytes_per_s = 1 / line.slope, .latency_s = line.intercept};
  }
  const auto largest = std::ranges::max_element(messages.bytes) - messages.bytes.begin();
  return {.bandwidth_bytes_per_s = messages.bytes[largest] / messages.seconds[largest],
          .latency_s = 0};
}

}  // namespace

double relative_dispersion(const std::vector<double>& values) {
  return (quantile_of(values, 0.75) - quantile_of(values, 0.25)) / 2 / median_of(values);
}

std::vector<double> batch_means(const std::vector<double>& values, std::size_t max_batches) {
  const std::size_t batches = std::min(max_batches, values.size());
  std::vector<double> means;
  for (std::size_t n = 0; n < batches; ++n) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(n * values.size() / batches);
    const auto end =
        values.begin() + static_cast<std::ptrdiff_t>((n + 1) * values.size() / batches);
    means.push_back(sample_mean({begin, end}));
  }
  return means;
}

double sample_mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Line fit_line_to_means(const std::vector<double>& x, const std::vector<double>& y) {
  double w = 0;
  double wx = 0;
  double wxx = 0;
  double wy = 0;
  double wxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = 1 / (y[i] * y[i]);
    w += weight;
    wx += weight * x[i];
    wxx += weight * x[i] * x[i];
    wy += weight * y[i];
    wxy += weight * x[i] * y[i];
  }
  const double slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  const double intercept = (wy - slope * wx) / w;
  if (intercept < 0) return {.slope = wxy / wxx, .intercept = 0};
  return {.slope = slope, .intercept = intercept};
}

Line fit_theil_sen(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = i + 1; j < x.size(); ++j) {
      if (x[i] != x[j]) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
    }
  }
  const double slope = median_of(slopes);
  std::vector<double> intercepts;
  for (std::size_t i = 0; i < x.size(); ++i) intercepts.push_back(y[i] - slope * x[i]);
  return {.slope = slope, .intercept = std::max(0.0, median_of(intercepts))};
}

FittedLink fit_link(const std::vector<Calibration::Link>& links, std::int64_t worker) {
  MessageDurations messages;
  for (const Calibration::Link& link : links) {
    if (link.worker != worker) continue;
    std::vector<double> both = link.to_worker_s;
    both.insert(both.end(), link.to_master_s.begin(), link.to_master_s.end());
    messages.add(link.bytes, median_of(both));
  }
  return link_of(fit_theil_sen(messages.bytes, messages.seconds), messages);
}

FittedLink fit_mean_link(const std::vector<Calibration::Link>& links, std::int64_t worker) {
  const MessageDurations messages = mean_durations(links, worker);
  return link_of(fit_line_to_means(messages.bytes, messages.seconds), messages);
}

}  // namespace starport
