// Noise: random variation of the durations of transfers and updates, and workers that slow down or
// stop at a given date.
#pragma once

#include "sim/platform/platform.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// The two kinds of activity whose durations noise changes: `transfer`, one message over a link,
/// and `update`, what is computed in one go: all block updates of C that a message allows (star), a
/// tile task, what a device computes in an iteration of a distributed product, or, on two
/// processors, the part of one of them that needs no message, or the rest of its work.
enum class Activity : std::uint8_t { transfer, update };

/// Random variation of the durations of one kind of activity (transfers or updates): each is the
/// nominal one times an independently drawn factor, from a log-normal distribution or from a list
/// of measured ratios. A plain value; by default no variation.
struct Variation {
  /// Coefficient of variation (standard deviation over mean, 0.06 for 6%) of the log-normal factors
  /// of mean 1 by which durations are multiplied; at least 0 (noise from files and options: at most
  /// 2). 0: no such variation. Ignored when `ratios` is not empty.
  double cv = 0;
  /// If not empty, the factors by which durations are multiplied are drawn uniformly from these:
  /// measured durations divided by their median, or factors from an option; greater than 0. If
  /// empty, `cv` or `measured` determines the factors.
  std::vector<double> ratios;
  /// Path of the file that `ratios` come from, which to_json() opens again (see
  /// DurationRatios::file); "" when they come from none.
  std::string file;
  /// True if each worker has its own coefficient of variation, that of an update of one block of C
  /// in the platform file (SpeedSample::deviation_s / seconds), for the block size nearest to that
  /// of the run; `cv` is then 0 and `ratios` empty. For updates of tile tasks only, whose model
  /// throws NotApplicable if a worker has none; making a DrawnNoise with it throws SimulationError.
  bool measured = false;

  /// Returns true if durations do not vary: `cv` is 0, `ratios` is empty and `measured` is false.
  bool is_none() const { return cv == 0 && ratios.empty() && !measured; }
  bool operator==(const Variation&) const = default;
};

/// A slow-down of a worker: from date `from_s` on, its seconds per block sent (c_i, for transfers)
/// or per block update (w_i, for updates) are `factor` times the nominal ones, until its next
/// slow-down in the same activity or the end of the run. Activities under way continue at the new
/// speed, except in emulated real runs, where only transfers that start later, and the updates that
/// wait for them, change. Latencies do not change.
struct SlowDown {
  /// Index of the worker that slows down, from 0.
  int worker = 0;
  /// The durations that change: those of the worker's transfers or those of its updates.
  Activity activity = Activity::transfer;
  /// Date from which the slow-down holds, in simulated seconds (emulated real runs: wall-clock
  /// seconds) since the start of the run; at least 0.
  double from_s = 0;
  /// Factor by which the nominal seconds per block sent (without latency) or per block update are
  /// multiplied; greater than 0, in files and options from 0.001 to 1e6. Below 1 the worker is
  /// faster, at 1 as in the platform file again.
  double factor = 1;
  bool operator==(const SlowDown&) const = default;
};

/// The event that a worker stops for good at some date of a run. On a star, it loses the blocks it
/// holds, and its transfer and its update under way end at that date and are lost. With tile tasks,
/// it starts no more tasks, but ends the one that it runs, and the tiles in its memory remain
/// available. A distributed product (spmd) fails with SimulationError unless the worker has
/// finished its part.
struct Stop {
  /// Index of the worker that stops, from 0.
  int worker = 0;
  /// Simulated date of the stop in seconds since the start of the run; at least 0.
  double at_s = 0;
  bool operator==(const Stop&) const = default;
};

/// A piecewise constant slow-down: pairs (date in simulated seconds, factor) by ascending date.
/// From each date to the next one, or for ever after the last, work takes `factor` times as long;
/// before the first date, and without any, the factor is 1.
using SlowdownProfile = std::vector<std::pair<double, double>>;

/// Returns the simulated date in seconds when work of `work_s` seconds (at least 0) that starts at
/// `start_s` ends under a profile of pairs (date, factor): from each date to the next, or for ever,
/// work takes `factor` times as long; before the first date, and without any, the factor is 1. Of
/// equal dates the later entry counts. Requires ascending dates and factors > 0 (not checked).
double slowed_end_s(double start_s, double work_s, const SlowdownProfile& profile);

/// The noise of one run: random variation of durations, slow-downs and stops of workers. Everything
/// that is drawn follows from these values, so the same noise gives the same run. A description
/// only: DrawnNoise or draw_noise() makes durations of it for a platform. Whether its workers exist
/// is checked by check_workers(), and whether it is modelled for a port by port_needed().
struct Noise {
  /// Seed of the random factors by which durations are multiplied; any value.
  std::uint64_t seed = 0;
  /// Number of the repetition of the run, from 1; each repetition draws other random factors of
  /// durations from the same seed.
  std::int64_t repetition = 1;
  /// Random variation of the durations of transfers, latency included.
  Variation transfers;
  /// Random variation of the durations of updates; all that a worker computes in one go gets one
  /// factor.
  Variation updates;
  /// Slow-downs of workers in any order, at most one per worker, activity and date.
  std::vector<SlowDown> slow_downs;
  /// Permanent stops of workers in any order, at most one per worker.
  std::vector<Stop> stops;

  /// Returns whether the noise changes nothing: neither random variation nor a slow-down nor a
  /// stop.
  bool is_none() const {
    return transfers.is_none() && updates.is_none() && slow_downs.empty() && stops.empty();
  }
  bool operator==(const Noise&) const = default;
};

/// The random factors of durations, the slow-downs and the stops of workers of one run on one
/// platform. A factor depends only on the seed, the repetition, the worker, the activity and its
/// number on that worker. Thus all engines and heuristics get the same factors (common random
/// numbers), whatever the order of events. Copies the noise and refers to the platform, which must
/// outlive it and whose workers must not change. Dates of slow-downs and stops below a thousandth
/// of the platform's smallest c_i (seconds per block on a link) are rounded to 0. All functions
/// that take a worker take its index from 0, and it must exist (not checked: undefined behaviour).
class DrawnNoise {
 public:
  /// Prepares the noise, which is copied, for a platform, which must outlive this object. Throws
  /// SimulationError when the noise is not modelled for the master's port (see port_needed), or
  /// takes its variation from the platform file (Variation::measured). Requires that the workers
  /// that the noise names exist (checked by check_workers(), otherwise undefined behaviour) and
  /// that factors are greater than 0 (not checked: dates are then meaningless).
  DrawnNoise(const Noise& noise, const Platform& platform);

  /// Returns the factor by which noise multiplies the duration of the n-th transfer or update, n
  /// from 1, of worker `worker` (index from 0): a positive multiple of 2^-30, and 1 when that
  /// activity does not vary. It is the random variation alone, without slow-downs. Transfers in
  /// both directions count together. For tile tasks, `n` is instead a number that identifies the
  /// task or the transfer, and `worker` is 0.
  double factor(Activity activity, int worker, std::int64_t n) const;

  /// Returns the simulated date in seconds when the n-th transfer, n from 1 over both directions,
  /// of worker `worker` (index from 0, must exist) ends if it starts at date `start_s` and moves
  /// `blocks` blocks (>= 0), ignoring stops. The random factor applies to latency and blocks,
  /// slow-downs to the blocks only.
  double transfer_end_s(int worker, std::int64_t n, double start_s, std::int64_t blocks) const;
  /// Returns the simulated date in seconds when the n-th update, n from 1, of worker `worker`
  /// (index from 0, must exist) ends if it starts at date `start_s`, with its random factor and the
  /// worker's slow-downs, but ignoring stops. `cost` (>= 0) is its nominal duration divided by w_i
  /// (seconds per block update), as update_cost() returns it.
  double update_end_s(int worker, std::int64_t n, double start_s, double cost) const;

  /// Returns the slow-downs of all workers by ascending date, those of equal dates in the order of
  /// the noise; dates below a thousandth of the platform's smallest c_i (seconds per block on a
  /// link) are then rounded to 0. The reference is valid as long as this object.
  const std::vector<SlowDown>& slow_downs() const { return slow_downs_; }
  /// Returns the slow-downs of worker `worker` (index from 0, must exist) in one kind of activity,
  /// as pairs (date in simulated seconds, factor) by ascending date: from each date to the next, or
  /// for ever, work (of a transfer, all but the latency) takes `factor` times as long. Empty when
  /// there are none. The reference is valid as long as this object.
  const SlowdownProfile& slowdown_profile(Activity activity, int worker) const;

  /// Returns the simulated date in seconds when worker `worker` (index from 0, must exist) stops;
  /// infinity when it does not.
  double stop_s(int worker) const;
  /// Returns the stops of workers up to the simulated date `date_s`, by ascending date; dates later
  /// by no more than a relative 1e-9 are included. Empty when there are none. The span is valid as
  /// long as this object.
  std::span<const Stop> stops_until(double date_s) const;
  /// Returns the simulated date in seconds of the first stop of a worker after `date_s`, not
  /// counting stops within a relative 1e-9 of it; infinity when there is none.
  double next_stop_s(double date_s) const;

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

/// Returns the noise of a run on `platform`, which must outlive the result; nullopt when `noise`
/// has neither variation nor slow-downs nor stops. Throws SimulationError when the noise is not
/// modelled for the master's port (see port_needed), or takes its variation from the platform file
/// (Variation::measured). Requires that the workers named in `noise` exist (checked by
/// check_workers(); otherwise undefined behaviour). `noise` is copied.
std::optional<DrawnNoise> draw_noise(const Noise& noise, const Platform& platform);

/// Returns nullopt when the star model can simulate `noise` for a master's port of this kind, else
/// the kinds that it needs, as a part of a message, such as "one port or two". One-port (one
/// transfer at a time) suits any noise, two-port (one in each direction) noise without stops of
/// workers, multi-port only noise that changes nothing. Does not consider Variation::measured,
/// which is modelled for tile tasks only.
std::optional<std::string> port_needed(const Noise& noise, Port::Kind kind);

/// Throws InputError without a file name, at `place` (an option or JSON pointer), when the noise
/// names a worker whose index is not below `workers`, the number of workers of the platform; the
/// message counts workers from 1. `platform` is the platform's name for the message.
void check_workers(const Noise& noise, std::int64_t workers, const std::string& platform,
                   const std::string& place);

}  // namespace starport
