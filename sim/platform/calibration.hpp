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

/// The two ends of a 95 % confidence interval, usually of a median, in the unit of the values that
/// it was computed from (mostly seconds); also used for other statistics and for ratios.
struct MedianInterval {
  /// Lower end of the 95 % confidence interval, in the unit of the values it was computed from; at
  /// most `high`.
  double low;
  /// Upper end of the 95 % confidence interval, in the unit of the values it was computed from; at
  /// least `low`.
  double high;
};

/// Returns the distribution-free 95 % confidence interval of the median of `values`, in their unit;
/// both ends are among the values. For fewer than six values it is their range, whose confidence is
/// lower. `values` may be in any order; there must be at least one (not checked: undefined
/// behaviour).
MedianInterval median_interval(std::vector<double> values);

/// One measured point of a worker's speed as a function of size (functional performance models of
/// Clarke, Lastovetsky and Rychkov): the duration in seconds of the update C (rows x columns
/// blocks) += A (rows x inner blocks) . B (inner x columns blocks).
struct SpeedSample {
  /// Rows of C (and of A) in blocks; at least 1.
  std::int64_t rows = 1;
  /// Columns of C (and of B) in blocks; at least 1.
  std::int64_t columns = 1;
  /// Columns of A and rows of B in blocks, i.e. the number of block columns of A that the update
  /// multiplies; at least 1.
  std::int64_t inner = 1;
  /// Side of a block in matrix elements; at least 1.
  std::int64_t block_size = 1;
  /// Duration of the whole update in seconds, greater than 0 once measured: a median, but usually a
  /// mean in calibrations of stars and where `deviation_s` is known.
  double seconds = 0;
  /// 95% confidence interval in seconds of the median duration `seconds`, which lies in it; nullopt
  /// if not known.
  std::optional<MedianInterval> interval_s{};
  /// Standard deviation in seconds of the duration; at least 0, nullopt if not known. With it,
  /// `seconds` is usually the mean, as run-time systems measure it.
  std::optional<double> deviation_s{};

  /// Returns the number of blocks of C: rows * columns.
  std::int64_t blocks() const { return rows * columns; }
  /// Returns whether this measures an update by one block column of A and one block row of B (inner
  /// == 1) with blocks of q x q elements. Speed functions use no other samples.
  bool has_update_shape(std::int64_t q) const { return inner == 1 && block_size == q; }
  /// Returns the sample (measured duration of an update) of a machine that is `factor` (> 0, not
  /// checked) times as fast: the same size, its durations divided by `factor`.
  SpeedSample scaled_by(double factor) const;
};

/// The measurements of a calibration of a platform, as a platform file stores them: durations in
/// wall-clock seconds, one per repetition or mean of consecutive ones. Workers are numbered from 1.
/// Owns its data.
struct Calibration {
  /// Measured durations, in seconds, of one block update (C_ij += A_ik B_kj for q x q blocks) on
  /// one worker: with warm and with cold caches, within the update of a chunk (the rectangle of C
  /// that a worker holds), and the same with nothing else running. An element of
  /// Calibration::dgemm.
  struct Dgemm {
    /// Number of the worker that was measured, from 1.
    std::int64_t worker;
    /// Side q of a block in matrix elements; at least 1.
    std::int64_t block_size;
    /// Seconds of one block update whose blocks are in the caches; one value per repetition, empty
    /// if not measured.
    std::vector<double> warm_s;
    /// Seconds of one block update whose blocks are not in the caches; one value per repetition,
    /// empty if not measured.
    std::vector<double> cold_s;
    /// Seconds per block update in updates of whole chunks (rectangles of C that the worker holds):
    /// samples of the model's w_i, in the order of measurement; not empty in a file. Measured while
    /// all workers compute and communicate if `alone_s` has values, else with nothing else running.
    std::vector<double> update_s;
    /// Seconds per block update in updates of whole chunks (rectangles of C that the worker holds)
    /// with nothing else running; empty if not measured in addition to `update_s`.
    std::vector<double> alone_s{};
  };
  /// Measured durations, in seconds, of messages of one size between the master and one worker: in
  /// both directions, or, for operands (blocks of A and B), towards the worker only. An element of
  /// Calibration::links.
  struct Link {
    /// Number, from 1, of the worker at the other end of the link from the master.
    std::int64_t worker;
    /// Size of the message in bytes; at least 1.
    std::int64_t bytes;
    /// Durations of the message from the master to the worker, in wall-clock seconds, in the order
    /// of measurement: one value per repetition or, in a long series, per mean of consecutive
    /// repetitions. read_calibration() requires at least one value, and all above 0.
    std::vector<double> to_worker_s;
    /// Durations of the message from the worker to the master, in wall-clock seconds, as in
    /// `to_worker_s`; empty for operands (A and B), which are sent one way only.
    std::vector<double> to_master_s;
  };
  /// Series of block updates, at most one per worker and block size as a rule; may be empty.
  std::vector<Dgemm> dgemm;
  /// Series of messages, as a rule one per worker, message size and kind: blocks of C, with
  /// `to_master_s`, or blocks of A and B, without. May be empty.
  std::vector<Link> links;
  /// Wall-clock seconds that the measurement of links and updates took; greater than 0, nullopt if
  /// not known.
  std::optional<double> lasted_s{};
};

/// Reads the samples (measured durations of messages and block updates) of a platform file from
/// `node`, the value of the key "samples" of its provenance: an object with "dgemm", "links" and
/// "lasted_s", any of which may be missing. Throws InputError, without a file name, for a wrong key
/// or value, a series without one of its obligatory keys, such as update_s or to_worker_s, an empty
/// list of durations, or a duration that is not greater than 0. Does not check that the workers
/// exist in the file.
Calibration read_calibration(const JsonNode& node);
/// Reads a list of measured speeds, in its order, from `node`, the JSON array under the key
/// "speed_function" that speed_function_json() writes: durations in seconds, sizes in blocks.
/// Throws InputError, without a file name, when it is no array, is empty or an entry is invalid,
/// such as an interval that does not contain its duration. Whether the time increases with the size
/// is checked by measured_speeds().
std::vector<SpeedSample> read_speed_function(const JsonNode& node);

/// Returns the speed in block updates per second as a function of the number of blocks of C, from
/// those samples that have inner == 1 (an update by one block column of A and one block row of B)
/// and blocks of block_size x block_size elements: linear between their sizes and constant outside.
/// Throws InputError without a file name, at the JSON pointer `pointer`, when there are fewer than
/// two of them, one size occurs twice, or a larger update takes no longer than a smaller one.
SpeedFunction measured_speeds(const std::vector<SpeedSample>& samples, std::int64_t block_size,
                              const std::string& pointer);

/// Returns the measurements of a calibration as the JSON object that read_calibration() reads,
/// which refuses an empty `update_s` or `to_worker_s`; other lists may be empty.
nlohmann::ordered_json calibration_json(const Calibration& calibration);
/// Returns measured speeds as the JSON array that read_speed_function() reads, which refuses the
/// empty array for no samples.
nlohmann::ordered_json speed_function_json(const std::vector<SpeedSample>& samples);

}  // namespace starport
