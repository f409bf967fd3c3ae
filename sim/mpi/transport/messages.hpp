// The messages between the master and the workers, other than blocks. They are sent as bytes, since
// all ranks run the same program.
#pragma once

#include "sim/kernel/panel_kernel.hpp"
#include "sim/mpi/transport/cores.hpp"
#include "sim/platform/calibration.hpp"
#include "sim/platform/element_type.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/schedule.hpp"

#include <sched.h>

#include <array>
#include <cstdint>

namespace starport::mpi {

/// Sent by the master to start an activity of a worker, or to end the worker.
struct Setup {
  enum class Kind : std::uint8_t {
    run,            ///< run as a worker of a star (WorkerRank)
    distributed,    ///< run as a worker of a distributed product (ProductWorker)
    measure,        ///< measure the dgemm of this worker (measure_this_rank)
    measure_speed,  ///< measure the speed by size (measure_speed_of_this_rank)
    shut_down       ///< end
  };
  Kind kind = Kind::run;
  Problem problem{};
  std::int64_t m_blocks = 0;         ///< run: memory, in blocks
  std::int64_t expected_blocks = 0;  ///< run: predicted peak of blocks held
  ElementType type = ElementType::float64;
  std::array<char, 1024> kernel{};  ///< path of the kernel library; empty: the CPU's BLAS
  bool emulated = false;  ///< transfers and updates last at least what the platform file says
  CoreAssignment cores{};
  int threads = 1;              ///< number of threads of the dgemm
  Emulation emulation{};        ///< distributed, measure_speed: an artificially slower worker
  double memory_bytes = 0;      ///< measure_speed: memory for the matrices
  double timeout_s = 0;         ///< a rank gives up if a message makes no progress for so long
  double master_timeout_s = 0;  ///< a worker gives up if rank 0 sends nothing for so long; 0: never
};

/// Sent by the master to a worker whose speed is measured by size: the next size, or the end.
struct SpeedOrder {
  enum class Kind : std::uint8_t { measure, finish };
  Kind kind = Kind::measure;
  std::int64_t side = 0;  ///< side of the square matrices, in blocks
};

/// A worker's reply to a SpeedOrder.
struct SpeedReply {
  bool fits = false;     ///< the matrices fit into the worker's memory; else there is no sample
  SpeedSample sample{};  ///< the measured speed
};

/// The machine of a rank. Sent by every worker at the start.
struct Host {
  std::array<char, 128> name{};
  double available_memory_bytes = 0;
  cpu_set_t cores{};       ///< cores that the rank may run on
  double quota_cores = 0;  ///< processor time that the control groups leave, in cores
  double load = 0;         ///< cores that other programs keep busy before the run
  std::array<char, 256> kernel_warning{};  ///< why the BLAS does not suit the processor; or empty
};

/// Sent by the master to a worker of a star. The blocks of a transfer follow in messages of their
/// own, in the direction of the transfer.
struct Order {
  enum class Kind : std::uint8_t { report_time, transfer, finish };
  Kind kind = Kind::transfer;
  Transfer transfer{};
  Rectangle chunk{};     ///< larger chunk that transfer.c is a part of; empty: none
  double due_end_s = 0;  ///< emulated: end of the transfer, on the worker's clock
  double update_s = 0;   ///< emulated: duration of the update that the transfer allows
};

/// Sent by a worker to the master. Dates are seconds on the worker's clock.
struct WorkerEvent {
  enum class Kind : std::uint8_t {
    ready,         ///< the worker has allocated its memory
    arrived,       ///< all blocks of a transfer have arrived
    sending_c,     ///< the worker starts sending blocks of C to the master
    update_ended,  ///< the worker's next update has ended
    alive,         ///< no other event for a while
    finished,      ///< the worker has carried out all orders
    failed         ///< the worker has failed; a text with the reason follows
  };
  Kind kind = Kind::alive;
  double start_s = 0;    ///< arrived: when memory became free for the blocks, 0 if it was free at
                         ///< once; update_ended: start of the update
  double end_s = 0;      ///< arrived: when the last block arrived; update_ended: end of the update
  double due_end_s = 0;  ///< update_ended: the intended end (UpdateDates)
  double ordered_s = 0;  ///< arrived, sending_c: when the worker received the order
  std::int64_t blocks = 0;  ///< finished: peak number of blocks held
};

}  // namespace starport::mpi
