// What makes a run differ from the model's nominal durations: durations that vary from one transfer
// or update to the next, workers that slow down or stop at a date.
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

enum class Activity : std::uint8_t { transfer, update };

/// How the durations of one kind of activity vary: each is its nominal one times a factor, drawn
/// for itself.
struct Variation {
  /// Coefficient of variation (standard deviation over mean) of a log-normal factor of mean 1.
  double cv = 0;
  /// Where there are some, factors are drawn from these instead: measured durations over their
  /// median.
  std::vector<double> ratios;
  std::string file;  ///< that they come from; may be empty

  bool none() const { return cv == 0 && ratios.empty(); }
  bool operator==(const Variation&) const = default;
};

/// From `from_s` on, c_i (transfers) or w_i (updates) of the worker is `factor` times the nominal
/// one, until its next change. What is under way goes on at the new pace.
struct SlowDown {
  int worker = 0;  ///< from 0
  Activity activity = Activity::transfer;
  double from_s = 0;
  double factor = 1;
  bool operator==(const SlowDown&) const = default;
};

/// At `at_s` the worker stops for good: what it holds is lost, a transfer with it ends there.
struct Stop {
  int worker = 0;  ///< from 0
  double at_s = 0;
  bool operator==(const Stop&) const = default;
};

/// The noise of one run. Everything follows from its values: same noise, same run.
struct Noise {
  std::uint64_t seed = 0;
  std::int64_t repetition = 1;  ///< other factors for each
  Variation transfers;
  Variation updates;
  std::vector<SlowDown> slow_downs;
  std::vector<Stop> stops;

  bool none() const {
    return transfers.none() && updates.none() && slow_downs.empty() && stops.empty();
  }
  bool operator==(const Noise&) const = default;
};

/// The noise as the dates of a run need it. A factor depends on the seed, the repetition, the
/// worker, the activity and which one it is of that worker's, and on nothing else: engines see the
/// same factors, heuristics too (common random numbers), whatever the order of events. Dates before
/// a thousandth of the fastest link's time to move a block count as 0: nothing has happened by
/// then.
class DrawnNoise {
 public:
  /// The workers that the noise names must exist (check_workers). Throws SimulationError when the
  /// master has not the port that the noise needs.
  DrawnNoise(const Noise& noise, const Platform& platform);

  /// Of the worker's n-th transfer or update, n from 1; a positive multiple of 2^-30.
  double factor(Activity activity, int worker, std::int64_t n) const;

  /// When the worker's n-th transfer ends if it starts at start_s and nothing stops it. The factor
  /// applies to latency and blocks, a slow-down to the blocks.
  double transfer_end_s(int worker, std::int64_t n, double start_s, std::int64_t blocks) const;
  /// The same of its n-th update, which costs so many block updates.
  double update_end_s(int worker, std::int64_t n, double start_s, double cost) const;

  /// The changes of pace, by date.
  const std::vector<SlowDown>& slow_downs() const { return slow_downs_; }
  /// Those of one worker, of one kind, by date, as (date, factor).
  using Pace = std::vector<std::pair<double, double>>;
  const Pace& pace(Activity activity, int worker) const;

  /// When the worker stops; infinity when it does not.
  double stop_s(int worker) const;
  /// Who has stopped by a date, in the order of the dates (coinciding ones included, ties.hpp).
  std::span<const Stop> stopped_by(double date_s) const;
  /// The first stop after a date; infinity when there is none.
  double next_stop_s(double date_s) const;
  /// Whether any worker stops at that date, to a relative 1e-9.
  bool stop_at(double date_s) const;

 private:
  struct Draw {
    double sigma = 0;  ///< of the logarithm
    std::vector<double> ratios;
  };
  void count_instants_as_0();
  static double drawn_factor(const Draw& draw, std::uint64_t sequence, std::int64_t n);

  const Platform* platform_;
  std::uint64_t state_;
  Draw transfers_;
  Draw updates_;
  std::vector<SlowDown> slow_downs_;
  std::vector<Stop> stops_;
  std::array<PerWorker<Pace>, 2> paces_;  ///< by activity; empty when there is no slow-down
  PerWorker<double> stop_at_;             ///< empty when there is none
};

/// The noise of a run, if any.
std::optional<DrawnNoise> drawn(const Noise& noise, const Platform& platform);

/// What its master must have, when noise like this is not modelled on such a port: varying
/// durations and slow-downs are on one port and two, where transfers do not share bandwidth; stops
/// on one.
std::optional<std::string> port_needed(const Noise& noise, Port::Kind kind);

/// Throws InputError at `place` when the noise names a worker beyond those of the platform of that
/// name.
void check_workers(const Noise& noise, std::int64_t workers, const std::string& platform,
                   const std::string& place);

}  // namespace starport
