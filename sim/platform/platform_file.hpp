// Platform files: workers as measured or sold, from which the star for a block size is computed.
#pragma once

#include "sim/platform/bus.hpp"
#include "sim/platform/calibration.hpp"
#include "sim/platform/device.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace starport {

/// Largest number of devices (cores or accelerators) of one worker of a platform file, the sum of
/// the counts of its groups; reading more throws InputError.
inline constexpr std::int64_t kMaxDevices = 10'000;

/// The content of a platform file, read by load_platform(); at_block_size() computes from it the
/// star platform for a block size. Each worker is raw (seconds per block sent and per block update,
/// memory in blocks, for one block size), physical (hardware, from which the figures follow for any
/// block size), or shares the master's memory and has no link (PPoPP'08: a "fictitious extra worker
/// paying no communication cost"). Owns all its data.
struct PlatformFile {
  /// A worker given by seconds per block sent, seconds per block update and memory in blocks, which
  /// hold only for PlatformFile::block_size. Worker::speeds is null: measured speeds are in
  /// Entry::speed_function.
  using Raw = Worker;
  /// A worker given as hardware. For blocks of q x q elements of 8 bytes, sending one takes c = 8
  /// q^2 / bandwidth seconds, a block update w = 2 q^3 / speed seconds, and m = floor(memory / (8
  /// q^2)) blocks fit in its memory.
  struct Physical {
    /// Bandwidth of the link from the master to the worker in bytes/s, also the other way unless
    /// return_bandwidth_bytes_per_s is set; greater than 0.
    double bandwidth_bytes_per_s;
    /// Speed in flop/s of all the worker's devices together; greater than 0.
    double speed_flops;
    /// Memory of the worker for matrix blocks, in bytes; greater than 0.
    double memory_bytes;
    /// Start-up time in seconds of each message between master and worker; at least 0.
    double latency_s;
    /// Bandwidth in bytes/s from the worker to the master where it was given; nullopt: that of the
    /// link. at_block_size() throws InputError when the two differ, since a star has links alike
    /// both ways.
    std::optional<double> return_bandwidth_bytes_per_s{};
    /// Bandwidth in bytes/s of the worker's own memory, which determines the duration of additions
    /// of two tiles; nullopt if not known: heuristics with such additions then throw NotApplicable.
    /// Used by the model of tile tasks only.
    std::optional<double> memory_bandwidth_bytes_per_s{};
  };
  /// A worker that computes in the master's memory, given by its speed: it has no link to the
  /// master and no memory of its own (such as the master's own cores).
  struct MemorySharing {
    /// Speed of the worker in flop/s; greater than 0.
    double speed_flops;
    /// Bandwidth in bytes/s of the memory that it shares, which determines the duration of
    /// additions of two tiles; nullopt if not known: heuristics with such additions then throw
    /// NotApplicable. Used by the model of tile tasks only.
    std::optional<double> memory_bandwidth_bytes_per_s{};
  };
  /// An entry of the list of workers in a platform file: `count` identical workers.
  struct Entry {
    /// Description of each of the identical workers: times per block and memory in blocks (Raw),
    /// hardware (Physical), or the speed of a worker that computes in the master's memory and has
    /// no link (MemorySharing).
    std::variant<Raw, Physical, MemorySharing> worker;
    /// Number of identical workers; at least 1.
    std::int64_t count;
    /// JSON pointer (RFC 6901) to the entry in the file, for error messages; "" if it comes from
    /// none.
    std::string pointer;
    /// Measured durations of updates by one of the workers, for several numbers of blocks of C, in
    /// place of the speed in `worker`; may be empty, and must be if `devices` is not
    /// (load_platform() throws InputError otherwise). A star and the spmd model (distributed
    /// products) use the samples with the block size of the run and SpeedSample::inner == 1. If a
    /// list that is not empty has fewer than two of these, or they contradict each other
    /// (measured_speeds()), both throw InputError, except that a star keeps the speed in `worker`
    /// if none of these is of more than one block of C. Beyond the largest size, the speed is
    /// constant on a star, and spmd throws NotApplicable. The model of tile tasks uses the samples
    /// of a single block of C, of any block size and `inner`: their deviations and, unless the
    /// worker is raw, their durations.
    std::vector<SpeedSample> speed_function{};
    /// Devices (cores, accelerators) of a physical worker, with the speeds that they have in the
    /// file, also after a sweep has changed the speed in `worker` (see scaled_devices()); empty
    /// when only its total speed is given.
    std::vector<Device> devices{};
    /// Coefficient, at least 0, by which a worker slows down that holds more of A, B and C than
    /// fits in its memory: with f > 1 times its memory, its computations take 1 + paging (f - 1)
    /// times as long. nullopt: NotApplicable is thrown instead. Used by the spmd model (distributed
    /// products) only.
    std::optional<double> paging{};
    /// Name of the bus (in PlatformFile::buses) through which the links of the workers reach the
    /// master; "": none, the links share nothing. Used by the model of tile tasks only.
    std::string bus{};

    /// Returns copies of the devices with all speeds multiplied by one factor, so that their sum is
    /// the speed_flops of the physical worker, which a sweep may have changed. Empty for an entry
    /// without devices; unchanged for a worker that is not physical.
    std::vector<Device> scaled_devices() const;
  };

  /// Path of the platform file as it was given to load_platform() or parse_platform(), which error
  /// messages name; not opened again.
  std::string path;
  /// Name of the platform (key "name"), for messages and reports.
  std::string name;
  /// Free text on where the speeds, bandwidths and memories of the platform come from; may be
  /// empty.
  std::string provenance;
  /// Measured durations of messages and block updates from which the workers' bandwidths and speeds
  /// were computed; nullopt when the file has none.
  std::optional<Calibration> samples;
  /// Side q of a block in matrix elements, at least 1. The times of raw workers (per block) and the
  /// c_s of the port hold for this q only; for physical workers it is the default block size.
  /// nullopt only if nothing in the file needs it.
  std::optional<std::int64_t> block_size;
  /// The list of workers in the order of the file, not empty there. Each entry is a kind of worker
  /// and their `count`; worker indices, from 0, run through the list, the `count` workers of an
  /// entry one after another.
  std::vector<Entry> entries;
  /// The master's port, i.e. which transfers may take place at the same time; one-port (a single
  /// one) unless the file says otherwise.
  PortFile port = {};
  /// Start-up time in seconds of the run-time system, before the first transfer; at least 0.
  /// Counted by the model of tile tasks only.
  double start_up_s = 0;
  /// Names of the workers by index from 0.
  WorkerNames names = {};
  /// Type of the matrix elements that the speeds and times were measured with or are to be used
  /// for; nullopt: doubles.
  std::optional<ElementType> element_type = {};
  /// Name of the host on which each worker ran when its speed and bandwidth were measured, by
  /// worker index from 0: one per worker, or none at all if not recorded.
  std::vector<std::string> hosts = {};
  /// Buses that links of workers share; used by the model of tile tasks only. at_block_size()
  /// throws InputError when there are any.
  std::vector<Bus> buses = {};
  /// Bandwidths and latencies of direct transfers between workers, at most one per ordered pair.
  /// Transfers between workers of other pairs take the larger latency and the longer time of their
  /// two links to the master. Both kinds also share the bandwidths of the buses between the two
  /// workers (`buses`). Used by the model of tile tasks only.
  std::vector<PeerLink> peer_links = {};
  /// Time in seconds that the run-time system takes on the worker for each tile task, in addition
  /// to the task itself; at least 0. Counted by the model of tile tasks only.
  double task_overhead_s = 0;

  /// Returns the number of workers of the platform: the sum of the counts of all entries; 0 without
  /// entries.
  std::int64_t size() const;
  /// Returns the star platform for blocks of q x q elements (q >= 1, not checked): each worker's
  /// seconds per block sent (c_i) and per block update (w_i, at its highest speed) and memory in
  /// blocks (m_i). Float elements (4 bytes) count as doubles with all bandwidths and memories
  /// doubled (convert_to_doubles()). Workers that share the master's memory get a link 1000 times
  /// as fast as the fastest one and the memory of the largest other worker. A memory smaller than
  /// one block gives m_i = 0.
  ///
  /// Throws InputError naming the file when times of raw workers or the port's c_s hold for another
  /// q; measured speeds are invalid (measured_speeds); the c or w of a worker or the c of the port
  /// is not within 1e-100..1e100 s per block, or a latency is above 1e100 s; the largest c or w of
  /// all workers exceeds the smallest by a factor of more than 1e12; a physical memory has more
  /// than kMaxBlocks blocks; or the workers are no star: none has a link of its own, the file has
  /// buses, or a link differs between the two directions. Requires block_size when an entry is raw
  /// (not checked: undefined behaviour).
  Platform at_block_size(std::int64_t q) const;
  /// Returns the star platform for blocks of q x q elements as at_block_size(q) does, with the same
  /// preconditions. Where that throws InputError, returns a platform without workers and their
  /// names, with the file's name and port; the port is without its shared bandwidth if that has no
  /// figure for this block size. For reports, which show platforms that are no star too.
  Platform star_or_empty(std::int64_t q) const;
};

/// Returns a copy of `file` without speed functions (speeds that depend on the size of an update)
/// and devices, so that each worker has its full speed (speed_flops or w_s) for any number of
/// blocks.
PlatformFile with_constant_speeds(PlatformFile file);

/// Reads a worker from the keys "c_s", "w_s" (seconds > 0 per block sent and per block update),
/// "m_blocks" (its memory) and, if present, "latency_s" (seconds >= 0 per message, else 0) of an
/// object; other keys are ignored. Throws InputError without a file name when `node` is no object,
/// one of the first three is missing, a value is out of range, or the memory is not a whole number
/// within min_blocks..kMaxBlocks blocks.
Worker read_raw_worker(const JsonNode& node, std::int64_t min_blocks);
/// Returns the value of the key "name" of a worker's JSON object in a platform file, or "" when
/// there is no such key. Throws InputError, without a file name, unless `node` is an object and the
/// value a string of 1 to 64 bytes without control characters.
std::string read_worker_name(const JsonNode& node);

/// Returns the indented JSON text of a platform file, ending in a newline. Numbers are written in
/// full precision, so that load_platform() reads the same ones; the path and comments of the
/// original file are lost. Names of workers in an entry of several must end in "-1", "-2", ..., as
/// load_platform() makes them; throws std::length_error when the first one is not empty and has no
/// hyphen.
std::string to_json(const PlatformFile& file);

/// Reads and checks a platform file (schema: platforms/platform.schema.json); a relative path that
/// does not exist is also searched among the installed files. Throws InputError naming the file
/// when it cannot be read or is invalid. Whether a star platform for some block size follows from
/// it is checked by PlatformFile::at_block_size() only. Not thread-safe.
PlatformFile load_platform(const std::string& path);
/// Checks and converts a platform file that is already parsed as JSON; `document` is used during
/// the call only. `path` becomes the path of the result and need not exist. Throws InputError,
/// naming `path` as the file, when the document is invalid.
PlatformFile parse_platform(const nlohmann::json& document, const std::string& path);

}  // namespace starport
