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
/// cluster; returns one rectangle per worker, by index from 0. Called in a child process; its
/// arguments are valid during the call only.
using DivideProduct =
    std::function<PerWorker<NodeRectangle>(const Cluster& cluster, std::int64_t side)>;

/// A distribution whose rectangles somebody else's code gives: a program, a shared library or
/// Python. The devices of a worker share its rectangle as in HeteroPar'12 with functional
/// performance models. Immutable.
class ExternalDistribution final : public Distribution {
 public:
  /// Stores the function that divides C and the options of the product. The function must not be
  /// empty (not checked: plan() then throws SimulationError).
  ExternalDistribution(DivideProduct divide, const HierarchicalParameters& parameters)
      : divide_(std::move(divide)), parameters_(parameters) {}
  bool is_external() const override { return true; }
  /// Calls the function in a child process, for at most `time_limit_s` seconds of wall-clock time
  /// (0: no limit), and returns the plan of its rectangles. Throws SimulationError if it throws,
  /// crashes or gives rectangles that do not cover C, overlap or do not stand in columns from top
  /// to bottom; MachineError if it takes too long; NotApplicable if it says so, a memory is too
  /// small or the measured speeds of a device end before its share.
  std::variant<ProductPlan, PairPlan> plan(const Cluster& cluster, std::int64_t side,
                                           double time_limit_s) const override;

 private:
  DivideProduct divide_;
  HierarchicalParameters parameters_;
};

/// Returns the registry entry `exec-spmd:PROGRAM`, which stands for all programs that divide
/// distributed products.
Entry<Distribution> make_program_entry();

/// Returns a registry entry with the parameters of distributed products, whose `make` gives
/// `divide` the values of the parameters of `about`.
Entry<Distribution> make_external_entry(
    AlgorithmEntry about, std::function<DivideProduct(const ParameterTexts&)> make_divide);

/// Returns the first message of a conversation about a distributed product: "protocol", "model",
/// "platform", "problem" and "parameters"; heuristics/protocol.schema.json is its schema.
nlohmann::ordered_json make_question(const Cluster& cluster, std::int64_t side,
                                     const ParameterTexts& parameters);
/// Converts the answer to make_question(): a rectangle for each worker. Throws InputError, without
/// a file name, if it is malformed, and NotApplicable if the heuristic declines. Does not check
/// that the rectangles cover C.
PerWorker<NodeRectangle> read_answer(const nlohmann::json& answer, const Cluster& cluster,
                                     std::int64_t side);

}  // namespace starport::spmd
