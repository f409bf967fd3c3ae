// Partitions of others for distributed products (heuristics/PROTOCOL.md).
#pragma once

#include "heuristics/spmd/distributions.hpp"
#include "sim/spmd/distribution.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>

namespace starport::spmd {

/// Function of somebody else's code that divides the side x side blocks of C among the workers of a
/// cluster; returns one rectangle per worker, by index from 0. The rectangles must cover C without
/// overlaps and have at least one block each, and those that begin in the same block column must be
/// equally wide and fill C from top to bottom. Called in a child process; its arguments are valid
/// during the call only. May throw NotApplicable; with any other exception the run fails (see
/// ExternalDistribution::plan()).
using DivideProduct =
    std::function<PerWorker<NodeRectangle>(const Cluster& cluster, std::int64_t side)>;

/// A distribution whose rectangles of C, one per worker, somebody else's code gives: a program, a
/// shared library or Python. The rectangle of a worker is divided among its devices into slices of
/// columns that take nearly equal times, at speeds that depend on the size of the slice. Immutable.
class ExternalDistribution final : public Distribution {
 public:
  /// Stores the function that divides C, the routes of A and B between workers, and where the
  /// matrices are stored. The function must not be empty (not checked: plan() then throws
  /// SimulationError).
  ExternalDistribution(DivideProduct divide, const HierarchicalParameters& parameters)
      : divide_(std::move(divide)), parameters_(parameters) {}
  bool is_external() const override { return true; }
  /// Calls the function in a child process, for at most `time_limit_s` seconds of wall-clock time
  /// (0: no limit), and returns a ProductPlan with its rectangles of the side x side blocks of C,
  /// side >= 1 (not checked). A NotApplicable or MachineError of the function passes through; any
  /// other exception becomes a SimulationError. Also throws SimulationError if the function crashes
  /// or its rectangles break the rules of DivideProduct; MachineError if it takes too long, is
  /// killed or runs out of memory, or no process can be created; NotApplicable if the memory of a
  /// worker without paging is too small, the measured speeds of a device end before a share tried
  /// for it, or the matrices are at a hub (see HierarchicalParameters::home) that can send to
  /// several workers at a time.
  std::variant<ProductPlan, PairPlan> plan(const Cluster& cluster, std::int64_t side,
                                           double time_limit_s) const override;

 private:
  DivideProduct divide_;
  HierarchicalParameters parameters_;
};

/// Returns the registry entry `exec-spmd:PROGRAM`, which stands for all programs that divide
/// distributed products; users write a path, or a name searched in PATH, for PROGRAM. Starts
/// nothing: each plan starts the program.
Entry<Distribution> make_program_entry();

/// Returns the registry entry of a distribution that is not built in (ExternalDistribution):
/// `about`, with the parameters `multicast` and `data` added to its own. Each call of the entry's
/// `make` passes the values of all other parameters to `make_divide`, which returns the function
/// that divides C; exceptions of `make_divide` pass through. Neither function may be empty (not
/// checked).
Entry<Distribution> make_external_entry(
    AlgorithmEntry about, std::function<DivideProduct(const ParameterTexts&)> make_divide);

/// Returns the first message of a conversation about a distributed product: "protocol", "model"
/// ("spmd"), "platform", "problem" ("side" in blocks, "block_size" in elements) and "parameters".
/// Keys of the platform end in their units, as "latency_s"; "speeds" of a device is a list of
/// pairs, each of a size in blocks of C and the speed at that size in block updates/s.
/// heuristics/protocol.schema.json is its schema.
nlohmann::ordered_json make_question(const Cluster& cluster, std::int64_t side,
                                     const ParameterTexts& parameters);
/// Converts the answer to make_question(): a rectangle for each worker, in their order, as
/// half-open ranges of block rows and columns of C, from 0. Throws InputError, without a file name,
/// if the answer is malformed, has not one rectangle per worker, or one that is empty or not within
/// the side x side blocks of C; and NotApplicable if the heuristic declines. Does not check that
/// the rectangles cover C or do not overlap.
PerWorker<NodeRectangle> read_answer(const nlohmann::json& answer, const Cluster& cluster,
                                     std::int64_t side);

}  // namespace starport::spmd
