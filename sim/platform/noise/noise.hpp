// Noise: random variation of the durations of transfers and updates, and workers that slow down or
// stop at a given date.
#pragma once

#include "sim/platform/platform.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// The two kinds of activity whose durations noise changes.
enum class Activity : std::uint8_t { transfer, update };

/// Random variation of the durations of one kind of activity: each duration is the nominal one
/// times an independently drawn factor.
struct Variation {
  /// Coefficient of variation (standard deviation over mean) of log-normal factors of mean 1.
  double cv = 0;
  /// If not empty, factors are drawn uniformly from these instead: measured durations divided by
  /// their median.
  std::vector<double> ratios;
  std::string file;  ///< file of the ratios; may be empty

  /// Returns whether durations do not vary.
  bool is_none() const { return cv == 0 && ratios.empty(); }
  bool operator==(const Variation&) const = default;
};

/// A slow-down of a worker: from date `from_s` on, its c_i (transfers) or w_i (updates) is `factor`
/// times the nominal one, until its next slow-down. Activities under way continue at the new speed.
struct SlowDown {
  int worker = 0;  ///< from 0
  Activity activity = Activity::transfer;
  double from_s = 0;
  double factor = 1;
  bool operator==(const SlowDown&) const = default;
};

/// A permanent stop of a worker at date `at_s`: the blocks it holds are lost, and a transfer to or
/// from it ends at that date.
struct Stop {
  int worker = 0;  ///< from 0
  double at_s = 0;
  bool operator==(const Stop&) const = default;
};

/// A piecewise constant slow-down: (date, factor) pairs by ascending date. From each date on, work
/// takes `factor` times as long; before the first date the factor is 1.
using SlowdownProfile = std::vector<std::pair<double, double>>;

/// Returns the date when work of nominal duration `work_s` that starts at `start_s` ends under a
/// slow-down profile: the end of the interval over which the integral of 1 / factor is `work_s`.
double slowed_end_s(double start_s, double work_s, const SlowdownProfile& profile);

/// The noise of one run. Everything follows from its values: same noise, same run.
struct Noise {
  std::uint64_t seed = 0;
  std::int64_t repetition = 1;  ///< each repetition draws other factors
  Variation transfers;
  Variation updates;
  std::vector<SlowDown> slow_downs;
  std::vector<Stop> stops;

  /// Returns whether there is no noise at all.
  bool is_none() const {
    return transfers.is_none() && updates.is_none() && slow_downs.empty() && stops.empty();
  }
  bool operator==(const Noise&) const = default;
};

/// The random factors and slow-downs of one run on one platform. A factor depends only on the seed,
/// the repetition, the worker, the activity and its index on that worker. Thus all engines and
/// heuristics get the same factors (common random numbers), whatever the order of events. Dates of
/// slow-downs and stops below a thousandth of the smallest c_i are rounded to 0. Refers to the
/// platform, which must outlive it.
class DrawnNoise {
 public:
  /// Draws the noise for a platform, on which the workers it names must exist (check_workers).
  /// Throws SimulationError when the noise is not modelled for the master's port (port_needed).
  DrawnNoise(const Noise& noise, const Platform& platform);

  /// Returns the factor on the duration of the worker's n-th transfer or update, n from 1: a
  /// positive multiple of 2^-30.
  double factor(Activity activity, int worker, std::int64_t n) const;

  /// Returns the date when the worker's n-th transfer, of `blocks` blocks, ends if it starts at
  /// `start_s`, ignoring stops. The factor applies to latency and blocks, slow-downs to the blocks.
  double transfer_end_s(int worker, std::int64_t n, double start_s, std::int64_t blocks) const;
  /// Returns the date when the worker's n-th update ends if it starts at `start_s`, ignoring stops.
  /// Its nominal duration is `cost` times w_i.
  double update_end_s(int worker, std::int64_t n, double start_s, double cost) const;

  /// Returns the slow-downs of all workers, by ascending date.
  const std::vector<SlowDown>& slow_downs() const { return slow_downs_; }
  /// Returns the slow-downs of one worker in one kind of activity. The reference is valid as long
  /// as this object.
  const SlowdownProfile& slowdown_profile(Activity activity, int worker) const;

  /// Returns the date when a worker stops; infinity when it does not.
  double stop_s(int worker) const;
  /// Returns the stops up to `date_s`, by ascending date; dates nearly equal to `date_s` (ties.hpp)
  /// are included.
  std::span<const Stop> stops_until(double date_s) const;
  /// Returns the date of the first stop after `date_s`; infinity when there is none.
  double next_stop_s(double date_s) const;
  /// Returns whether a worker stops at `date_s`, within a relative 1e-9.
  bool any_stop_at(double date_s) const;

 private:
  /// Parameters of the random factors of one kind of activity.
  struct Draw {
    double sigma = 0;  ///< standard deviation of the logarithm
    std::vector<double> ratios;
  };
  void round_early_dates_to_zero();
  static double drawn_factor(const Draw& draw, std::uint64_t sequence, std::int64_t n);

  const Platform* platform_;
  std::uint64_t state_;
  Draw transfers_;
  Draw updates_;
  std::vector<SlowDown> slow_downs_;
  std::vector<Stop> stops_;
  std::array<PerWorker<SlowdownProfile>, 2> profiles_;  ///< by activity; empty without slow-downs
  PerWorker<double> stop_at_;  ///< date of each worker's stop; empty without stops
};

/// Draws the noise of a run; nullopt when there is none.
std::optional<DrawnNoise> draw_noise(const Noise& noise, const Platform& platform);

/// Returns nullopt when noise is modelled for ports of this kind, else a description of the ports
/// that it needs. Variation and slow-downs need one-port or two-port, where transfers do not share
/// bandwidth; stops need one-port.
std::optional<std::string> port_needed(const Noise& noise, Port::Kind kind);

/// Throws InputError at `place` when the noise names a worker beyond the `workers` workers of the
/// platform named `platform`.
void check_workers(const Noise& noise, std::int64_t workers, const std::string& platform,
                   const std::string& place);

}  // namespace starport
