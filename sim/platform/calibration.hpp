// Measurements on real machines, as stored in a platform file.
#pragma once

#include "sim/platform/speed_function.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

class JsonNode;

/// A 95% confidence interval, usually of a median.
struct MedianInterval {
  double low;
  double high;
};

/// Returns the distribution-free 95% confidence interval of the median: between two order
/// statistics, since the number of values below the median is binomial. For fewer than six values
/// it is their range, whose confidence is lower. Needs at least one value.
MedianInterval median_interval(std::vector<double> values);

/// One measured point of a worker's speed as a function of size (functional performance models of
/// Clarke, Lastovetsky and Rychkov): the duration of C (rows x columns blocks) += A (rows x inner)
/// . B (inner x columns).
struct SpeedSample {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t inner = 1;
  std::int64_t block_size = 1;
  double seconds = 0;  ///< median duration
  std::optional<MedianInterval> interval_s{};

  /// Returns the number of blocks of C.
  std::int64_t blocks() const { return rows * columns; }
  /// Returns whether this measures an update as schedules make them: inner == 1, block size q.
  bool has_update_shape(std::int64_t q) const { return inner == 1 && block_size == q; }
  /// Returns the sample of a machine that is `factor` times as fast.
  SpeedSample scaled_by(double factor) const;
};

/// The measurements of a calibration: durations in seconds, one per repetition. Workers are
/// numbered from 1.
struct Calibration {
  /// Durations of one block update on one worker.
  struct Dgemm {
    std::int64_t worker;
    std::int64_t block_size;
    std::vector<double> warm_s;     ///< one block update, its blocks in the caches
    std::vector<double> cold_s;     ///< one block update, its blocks not in the caches
    std::vector<double> update_s;   ///< one block update, as part of a chunk's update
    std::vector<double> alone_s{};  ///< update_s again with nothing else running, if measured
  };
  /// Durations of a message of `bytes` bytes between the master and one worker.
  struct Link {
    std::int64_t worker;
    std::int64_t bytes;
    std::vector<double> to_worker_s;
    std::vector<double> to_master_s;
    std::vector<double> alone_s{};  ///< one-way times, both directions, with nothing else running
  };
  std::vector<Dgemm> dgemm;
  std::vector<Link> links;
  /// Duration of the calibration in seconds, without excluded spans; nullopt if not known.
  std::optional<double> lasted_s{};
};

/// Reads the samples of a platform file. Throws InputError without a file name.
Calibration read_calibration(const JsonNode& node);
/// Reads a list of measured speeds. Throws InputError without a file name when it is empty or
/// invalid.
std::vector<SpeedSample> read_speed_function(const JsonNode& node);

/// Returns the speed in block updates per second as a function of the number of blocks of C, from
/// the samples of updates with this block size. Throws InputError at `pointer` when there are fewer
/// than two of them, one size occurs twice, or a larger update takes no longer than a smaller one.
SpeedFunction measured_speeds(const std::vector<SpeedSample>& samples, std::int64_t block_size,
                              const std::string& pointer);

/// Returns a calibration as read_calibration() reads it.
nlohmann::ordered_json calibration_json(const Calibration& calibration);
/// Returns measured speeds as read_speed_function() reads them.
nlohmann::ordered_json speed_function_json(const std::vector<SpeedSample>& samples);

}  // namespace starport
