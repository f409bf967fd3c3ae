// What workers take just before a run, beside what their platform file says.
#pragma once

#include "sim/mpi/calibration/chunk_series.hpp"
#include "sim/mpi/execution/prediction.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport::mpi {

/// How many times as long as when it was measured.
struct Change {
  double times = 1;
  MedianInterval interval{1, 1};  ///< with 95% confidence

  /// By more than the promise, and than what was measured now and then leaves open.
  bool seen() const;
};

struct WorkerToday {
  Change updates;
  Change transfers;
};

inline constexpr std::size_t kFewestSamples = 8;
/// Whether the file has samples of blocks of q x q with which something can be compared: of each
/// worker that was measured with them, kFewestSamples or more.
bool has_samples(const PlatformFile& file, std::int64_t q);

/// Messages by those of their kind and size in the file. For has_samples.
PerWorker<WorkerToday> compare_today(const PlatformFile& file, std::int64_t q,
                                     const LinkMeasures& now);

/// How long workers are looked at before a run of so many seconds, all together: a tenth of that,
/// from kLook_s to 3 s.
inline constexpr double kLook_s = 0.3;
double look_s(double run_s);

/// How far a run strays from what a look right before it tells, as a share of its makespan, by the
/// calibration: how much longer or shorter a time as long as the run was there than the look before
/// it, wherever in the calibration they are, as a root of mean squares. nullopt where the file does
/// not tell how long the calibration lasted.
std::optional<double> strays(const Foreseen& run);
/// Beyond, not even the mean of a few runs holds to the promise.
inline constexpr double kMostStrays = 0.04;

/// The run by the figures of today. The interval is one run's, by Student's t with as many looks
/// and runs as share no time in the calibration; none where it is not known how far the run strays.
Prediction predict_today(const Foreseen& run, const PerWorker<WorkerToday>& today,
                         std::optional<double> strays);

/// The platform by the figures of today.
Platform platform_today(const Platform& platform, const PerWorker<WorkerToday>& today);

/// One sentence for each figure that has changed; `file`: where it is told from.
std::vector<std::string> changes_text(const Platform& platform, const std::string& file,
                                      const PerWorker<WorkerToday>& today);

}  // namespace starport::mpi
