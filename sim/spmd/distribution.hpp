// The interface between the model of distributed products and its algorithms (HeteroPar'12,
// HCW'06).
#pragma once

#include "sim/results/model.hpp"
#include "sim/spmd/cluster.hpp"
#include "sim/spmd/outer_product.hpp"
#include "sim/spmd/partition.hpp"
#include "sim/spmd/two_processors.hpp"

#include <cstdint>
#include <string_view>
#include <variant>

namespace starport::spmd {

/// Plan of a blocked outer product in which each node computes a rectangle of C (HeteroPar'12,
/// section 2): the partition of C, and the routes of messages. Made by Distribution::plan(); refers
/// to nothing.
struct ProductPlan {
  /// Division of C among nodes and their devices, and how it was found.
  Partitioning partitioning;
  /// Routes of the messages between nodes, and place where the matrices are stored before and after
  /// the run.
  ProductRules rules;
};

/// Plan of a product on two processors that exchange a few large messages (HCW'06, section 3): the
/// input, and the messages and the work of each processor. Made by Distribution::plan(); refers to
/// nothing.
struct PairPlan {
  /// Matrix size, speeds of the two processors and their link.
  TwoProcessors problem;
  /// Messages between the two processors, and the work of each.
  BulkPlan bulk;
};

/// Default of the wall-clock seconds that a user's code may take to plan a product
/// (Distribution::plan()): an hour, like the default of the option --time-limit.
inline constexpr double kPlanningLimit_s = 3600;

/// Interface of the algorithms of the distributed model: each decides before the start which worker
/// owns which part of A, B and C. Objects are immutable.
class Distribution : public Algorithm {
 public:
  /// Returns "spmd", the name of the model that runs this algorithm.
  std::string_view model() const override { return "spmd"; }
  /// Returns true if plan() calls a user's code, in a child process of its own; false by default.
  virtual bool is_external() const { return false; }

  /// Plans the product of N x N matrices of doubles on `cluster`, N = side * cluster.block_size
  /// elements; returns a PairPlan for algorithms on two processors, otherwise a ProductPlan.
  /// Simulates nothing. `side` (in blocks), the number of nodes and the number of devices of each
  /// node must be at least 1 (not checked). Throws NotApplicable if the algorithm does not support
  /// this cluster or so few blocks of C, a memory is too small or the measured speeds do not cover
  /// the sizes needed.
  ///
  /// If is_external(), a user's code runs in a forked child process, and plan() blocks until it
  /// ends: call it from a process with one thread. A NotApplicable or MachineError of that code
  /// passes through. Throws SimulationError if the code throws anything else, crashes, gives a
  /// wrong division, or is a program that cannot be run, and MachineError if it is killed, runs out
  /// of memory, is stopped because it takes longer than `time_limit_s` wall-clock seconds (0: no
  /// limit), or no process can be created for it. Other algorithms ignore that limit.
  virtual std::variant<ProductPlan, PairPlan> plan(
      const Cluster& cluster, std::int64_t side, double time_limit_s = kPlanningLimit_s) const = 0;
};

}  // namespace starport::spmd
