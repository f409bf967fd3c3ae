// The messages between the master and the workers, other than blocks. They are sent as bytes, since
// all ranks run the same program.
#pragma once

#include "sim/kernel/emulation.hpp"
#include "sim/mpi/transport/cores.hpp"
#include "sim/platform/calibration.hpp"
#include "sim/platform/problem.hpp"
#include "sim/spmd/outer_product.hpp"
#include "sim/star/schedule.hpp"

#include <sched.h>

#include <array>
#include <cstdint>

namespace starport::mpi {

/// Message from the master (Tag::setup) that starts one activity of a worker (a run on a star, a
/// distributed product, a measurement), with its settings, or ends the worker; run_worker_rank()
/// receives it. A member whose comment names activities is ignored by the others. Sent as bytes.
struct Setup {
  /// Activity that a Setup message starts on a worker (a run on a star, a distributed product, a
  /// measurement of its speed), or the worker's end.
  enum class Kind : std::uint8_t {
    run,            ///< run as a worker of a star (run_star_worker)
    distributed,    ///< run as a worker of a distributed product (run_product_worker)
    measure,        ///< measure the dgemm (BLAS matrix product) of this worker (measure_this_rank)
    measure_speed,  ///< measure the speed by size (measure_speed_of_this_rank)
    shut_down       ///< end
  };
  /// Activity that the worker is to start (`run`: as a worker of a star), or `shut_down` to end the
  /// worker.
  Kind kind = Kind::run;
  /// Sizes of the product in blocks, and the block size in elements. Workers use only the block
  /// size, for the activity `measure` not even that.
  Problem problem{};
  /// Number of blocks that the worker has memory for. Only for the activity `run` (worker of a
  /// star).
  std::int64_t m_blocks = 0;
  /// Predicted highest number of blocks that the worker holds at a time, which only affects which
  /// memory is touched first; 0: unknown. Only for the activity `run` (worker of a star).
  std::int64_t expected_blocks = 0;
  /// Type of the matrix elements. Only for the activity `run` (worker of a star); `distributed` and
  /// `measure_speed` use doubles.
  ElementType type = ElementType::float64;
  /// Path, on the worker's machine, of the shared library whose functions compute the updates
  /// (option --kernel), ended by a zero; empty: the CPU's BLAS. Only for the activity `run` (worker
  /// of a star).
  std::array<char, 1024> kernel{};
  /// True if transfers and updates are prolonged to the durations that the platform file predicts;
  /// those that take longer keep their real durations. Only for the activities `run` (worker of a
  /// star) and `distributed` (worker of a distributed product).
  bool emulated = false;
  /// Cores that the worker's threads are to be pinned to (none: any core), which also decide how it
  /// polls (set_polling_cores()). Only for the activity `run` (worker of a star).
  CoreAssignment cores{};
  /// Number of threads that compute each of the worker's updates, at least 1; the activity
  /// `measure` takes it from the command line instead.
  int threads = 1;
  /// Slow-down that emulates a slower worker. Only for the activities `distributed` (worker of a
  /// distributed product) and `measure_speed`.
  Emulation emulation{};
  /// Memory in bytes that the matrices A, B and C of the measurement may take together; infinity:
  /// no limit. Only for the activity `measure_speed` (of the speed by matrix size).
  double memory_bytes = 0;
  /// Longest wait in seconds, after which the worker fails, for a message of blocks to or from rank
  /// 0 (`run`); for blocks between workers (`distributed`) it waits twice as long. Also the timeout
  /// after which rank 0 gives up a worker that sends no event (report). Must be positive for the
  /// activities `run` and `distributed` (not checked).
  double timeout_s = 0;
  /// Longest wait in seconds for rank 0, for memory that an update must free (`run`), or for the
  /// other workers at the end of an iteration (`distributed`), after which the worker fails; 0: no
  /// limit. Only for the activities `run` (worker of a star) and `distributed` (worker of a
  /// distributed product).
  double master_timeout_s = 0;
  /// True if errors of the worker advise to raise --time-out or --time-limit. Only for the activity
  /// `run` (worker of a star).
  bool advises_options = false;
};

/// Message from the master (Tag::order) to a worker whose speed is measured as a function of the
/// matrix size: the next size to measure, or the end of the measurement.
struct SpeedOrder {
  /// `measure` asks for one measurement and gets a SpeedReply; `finish` ends the activity and gets
  /// no reply.
  enum class Kind : std::uint8_t { measure, finish };
  /// Action that the worker is asked for: a measurement, or the end of them.
  Kind kind = Kind::measure;
  /// Side, in blocks (at least 1, not checked), of the square matrices A, B and C whose update (C
  /// += one block column of A times one block row of B) is to be measured. Only for the kind
  /// `measure`.
  std::int64_t side = 0;
};

/// Reply of a worker (Tag::values) to a SpeedOrder of kind `measure`: the measured duration of an
/// update of that size, or that the matrices do not fit into its memory.
struct SpeedReply {
  /// True if the matrices fit into the memory that Setup::memory_bytes allows; false: nothing was
  /// measured.
  bool fits = false;
  /// Size, as the SpeedOrder named it, and measured duration of one update, with the emulated
  /// slow-down: the median in seconds, with its 95 % interval (if fewer than six updates were
  /// measured, their range). Default-constructed unless `fits`.
  SpeedSample sample{};
};

/// Description of the machine of a rank, which every worker sends to the master at the start
/// (Tag::startup); sent as bytes, so that it refers to nothing.
struct Host {
  /// Host name, ended by a zero and cut off at 127 characters. Ranks with equal names are taken to
  /// run on the same machine.
  std::array<char, 128> name{};
  /// Free memory of the machine, or what the rank's control group still allows if that is less, in
  /// bytes; ranks on the same machine all report the whole of it. Infinity: unknown.
  double available_memory_bytes = 0;
  /// Cores that the operating system lets the rank run on; none if unknown.
  cpu_set_t cores{};
  /// Processor time that the control groups of the system grant, in cores, possibly a fraction;
  /// infinity: no limit, or unknown.
  double quota_cores = 0;
  /// Number of cores that other programs keep busy before the run; may be fractional. 0 also if
  /// unknown, and under SMPI (SimGrid's simulator of MPI).
  double load = 0;
  /// Reason why the BLAS does not suit the processor, ended by a zero and cut off at 255
  /// characters; empty if it does, or if that is unknown.
  std::array<char, 256> kernel_warning{};
};

/// Order from the master to a worker of a star (Tag::order): to report the date of its clock, to
/// carry out a transfer and the update that it allows, or to end the run. The blocks of a transfer
/// follow in messages of their own, in the direction of the transfer.
struct Order {
  /// `report_time`: reply with the date of the worker's clock. `transfer`: receive blocks, then
  /// compute the update, or send blocks of C. `finish`: end the run.
  enum class Kind : std::uint8_t { report_time, transfer, finish };
  /// Action that the worker is asked for; the other members count only for the kind `transfer`.
  Kind kind = Kind::transfer;
  /// Blocks to move between master and worker, the direction, and the update that they allow.
  Transfer transfer{};
  /// Chunk (rectangle of C that the worker updates as a whole) of which transfer.c is only a part;
  /// empty if there is no larger one.
  Rectangle chunk{};
  /// Intended end of the transfer, in seconds on the worker's clock; used in emulated runs
  /// (prolonged to the platform's durations) only.
  double due_end_s = 0;
  /// Intended duration, in seconds, of the update that the transfer allows; 0 if it allows none.
  /// Used in emulated runs (prolonged to the platform's durations) only.
  double update_s = 0;
};

/// Report of a worker to the master (Tag::event), sent by EventSender and received by
/// WorkerMonitor. Dates are seconds on the worker's clock (monotonic_time_s()); members whose
/// comments name kinds are 0 for the others.
struct WorkerEvent {
  /// Event that a worker reports to the master: a step of the run that it has reached (memory
  /// allocated, blocks arrived, update ended, ...), a sign of life in between, its end or its
  /// failure.
  enum class Kind : std::uint8_t {
    ready,         ///< memory is allocated (star) or A, B and C are received (distributed product)
    arrived,       ///< all blocks of a transfer have arrived
    sending_c,     ///< the worker starts sending blocks of C to the master
    update_ended,  ///< the worker's next update has ended
    alive,         ///< no other event for a while
    finished,      ///< the worker has carried out all orders
    failed         ///< the worker has failed; a text with the reason follows
  };
  /// Event that is reported; it decides which of the other members count.
  Kind kind = Kind::alive;
  /// For kind `arrived`, the date from which the worker had room for the blocks: the end of the
  /// last update, since the previous transfer to the worker, that had to free memory for them or
  /// older copies of them, possibly before `ordered_s`; 0 if none had to. For `update_ended`, the
  /// start of the update. In seconds on the worker's clock.
  double start_s = 0;
  /// For kind `arrived`, the date of arrival of the last block; for `update_ended`, the end of the
  /// update. In seconds on the worker's clock.
  double end_s = 0;
  /// For kind `update_ended`: in emulated runs (prolonged to the platform's durations) the intended
  /// end of the update, or the end of its computation if that is later; `end_s` may be later still
  /// by a late wake-up. In other runs equal to `end_s`. In seconds on the worker's clock.
  double due_end_s = 0;
  /// For kinds `arrived` and `sending_c`, the date at which the worker received the order of the
  /// transfer, in seconds on the worker's clock.
  double ordered_s = 0;
  /// For kind `finished`, the highest number of blocks of A, B and C, together, that the worker has
  /// held at a time.
  std::int64_t blocks = 0;
};

/// Message (a list of one element) from the master to a worker of a distributed product that names
/// its part of A, B and C, with predicted durations for emulated runs (prolonged to the platform's
/// durations).
struct WorkerPart {
  /// Rectangle of blocks that the worker holds of each of A, B and C; rows and columns in blocks,
  /// from 0.
  spmd::NodeRectangle own{};
  /// Predicted duration of the worker's update of its part of C in one iteration, in seconds; used
  /// in emulated runs (prolonged to the platform's durations) only.
  double update_s = 0;
  /// Predicted duration of the update of the slowest of all workers in one iteration, in seconds;
  /// used in emulated runs (prolonged to the platform's durations) only.
  double slowest_update_s = 0;
};

/// Element of the list that the master sends to each worker of a distributed product: a stage, that
/// is, consecutive iterations with the same messages.
struct WorkerStage {
  /// First iteration (from 0) and number of the iterations of the stage, which have the same
  /// messages.
  spmd::Stage stage{};
  /// Predicted duration of the exchange of blocks in one iteration, in seconds: that of the slowest
  /// link, the same for all workers. Used in emulated runs (prolonged to the platform's durations)
  /// only.
  double communication_s = 0;
};

/// Element of the list that the master sends to a worker of a distributed product: a transfer of
/// blocks between workers that this worker sends or receives in every iteration of a stage
/// (consecutive iterations with the same messages).
struct WorkerHop {
  /// Index, from 0, of the stage (consecutive iterations with the same messages) that the transfer
  /// belongs to.
  std::int64_t stage = 0;
  /// Number of the transfer among all those of its iteration, from 0; part of its MPI tag, hence at
  /// most 15,999 (not checked).
  int number = 0;
  /// Blocks to transfer, sender and receiver (workers from 0).
  spmd::Hop hop{};
};

/// Message (a list of one element) from a worker at the end of a distributed product: how it spent
/// its time, in wall-clock seconds.
struct WorkerTimes {
  /// Wall time in seconds, over all iterations, of the worker's exchange of blocks with other
  /// workers; in emulated runs including the wait that prolongs it.
  double communication_s = 0;
  /// Wall time in seconds, over all iterations, of the worker's updates; in emulated runs including
  /// the wait that prolongs them.
  double update_s = 0;
  /// Wall time in seconds that the worker spent waiting for slower workers at the ends of
  /// iterations.
  double waiting_s = 0;
  /// Wall time in seconds from the common start of all workers to the end of the worker's last
  /// iteration, including the wait for slower workers at that end.
  double makespan_s = 0;
};

}  // namespace starport::mpi
