// What was measured on real machines: the samples that a platform file keeps of its calibration.
#pragma once

#include "sim/platform/speed_function.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

class JsonNode;

/// Where a median lies with 95% confidence.
struct MedianInterval {
  double low;
  double high;
};

/// Where the median of what is measured lies with a confidence of 95%, whatever its distribution:
/// from one value to another, by the number of values below a median, which is binomial. Fewer than
/// six values cannot say so much: all of them then.
MedianInterval median_interval(std::vector<double> values);

/// One point of a worker's speed as a function of size (Clarke, Lastovetsky and Rychkov's
/// functional performance models): how long C (rows x columns blocks) += A (rows x inner) . B
/// takes.
struct SpeedSample {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t inner = 1;
  std::int64_t block_size = 1;
  double seconds = 0;  ///< median
  std::optional<MedianInterval> interval_s{};

  std::int64_t blocks() const { return rows * columns; }
  /// One block deep, with blocks of that size: an update as schedules and outer products make them.
  bool of_update(std::int64_t q) const { return inner == 1 && block_size == q; }
  /// On a machine so many times as fast.
  SpeedSample faster(double times) const;
};

/// All times in seconds, one for each repetition. Workers are numbered from 1.
struct Calibration {
  struct Dgemm {
    std::int64_t worker;
    std::int64_t block_size;
    std::vector<double> warm_s;     ///< of a block update, its three blocks just used
    std::vector<double> cold_s;     ///< its three blocks out of the caches
    std::vector<double> update_s;   ///< of a block update among those of a chunk
    std::vector<double> alone_s{};  ///< the same while nothing else went on, where that is another
  };
  struct Link {
    std::int64_t worker;
    std::int64_t bytes;
    std::vector<double> to_worker_s;
    std::vector<double> to_master_s;
    std::vector<double> alone_s{};  ///< both ways, while nothing else went on
  };
  std::vector<Dgemm> dgemm;
  std::vector<Link> links;
  /// From the first time of each series to the last, without spans that were left out; where known.
  std::optional<double> lasted_s{};
};

/// Throw InputError, without the file.
Calibration read_calibration(const JsonNode& node);
std::vector<SpeedSample> read_speed_function(const JsonNode& node);

/// Those of updates with blocks of this size: blocks of C, block updates a second. Throws
/// InputError, naming `pointer`, where there are not two, or a larger one takes no longer.
SpeedFunction measured_speeds(const std::vector<SpeedSample>& samples, std::int64_t block_size,
                              const std::string& pointer);

nlohmann::ordered_json calibration_json(const Calibration& calibration);
nlohmann::ordered_json speed_function_json(const std::vector<SpeedSample>& samples);

}  // namespace starport
