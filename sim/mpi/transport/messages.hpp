// What the master and the workers tell each other beside the blocks. Sent as bytes: all ranks run
// the same program.
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

/// From the master, before the orders of a run: who the worker is.
struct Setup {
  enum class Kind : std::uint8_t { run, distributed, measure, measure_speed, over };
  Kind kind = Kind::run;
  Problem problem{};
  std::int64_t m_blocks = 0;
  std::int64_t expected_blocks = 0;  ///< what it is predicted to hold at most
  ElementType type = ElementType::float64;
  std::array<char, 1024> kernel{};  ///< its library; that of the CPU when empty
  bool paced = false;
  Cores cores{};
  int threads = 1;          ///< of its dgemm
  Emulation emulation{};    ///< of a slower worker, when distributed or measured by size
  double memory_bytes = 0;  ///< of a worker whose speed is measured by size
  double time_out_s = 0;
  double patience_s = 0;  ///< with a rank 0 that says nothing; 0: for ever
};

/// From rank 0 to a worker whose speed is measured by size: the next one.
struct SpeedOrder {
  enum class Kind : std::uint8_t { measure, finish };
  Kind kind = Kind::measure;
  std::int64_t side = 0;
};

/// Its answer.
struct SpeedAnswer {
  bool room = false;
  SpeedSample sample{};
};

/// From every rank at the start.
struct Host {
  std::array<char, 128> name{};
  double available_bytes = 0;
  cpu_set_t cores{};  ///< that the rank may run on
  double quota_cores = 0;
  double load = 0;                     ///< before the run
  std::array<char, 256> bad_kernel{};  ///< what to say of its dgemm
};

/// From the master. The blocks of a transfer follow, or come back.
struct Order {
  enum class Kind : std::uint8_t { tell_time, transfer, finish };
  Kind kind = Kind::transfer;
  Transfer transfer{};
  Rectangle chunk{};     ///< that the blocks of C are a part of, where they are
  double due_end_s = 0;  ///< paced: when the transfer ends, on the worker's clock
  double update_s = 0;   ///< paced: how long the update lasts that it allows
};

/// From a worker, its dates on its own clock.
struct News {
  enum class Kind : std::uint8_t {
    ready,    ///< it has its memory
    arrived,  ///< the blocks of a transfer, at end_s; at start_s, if not 0, it had room for them
    leaving,  ///< blocks of C are about to be sent home
    update_ended,  ///< its next update
    alive,         ///< nothing, but it is there
    over,          ///< it has done all that it was told to; `blocks` it held at most
    failed         ///< a text follows that says why
  };
  Kind kind = Kind::alive;
  double start_s = 0;
  double end_s = 0;
  double due_end_s = 0;
  double ordered_s = 0;  ///< of a transfer: when it was seen to be due
  std::int64_t blocks = 0;
};

}  // namespace starport::mpi
