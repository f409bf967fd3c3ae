// Strategies of others for tile tasks: how they become algorithms, and what a program is asked and
// answers (heuristics/PROTOCOL.md).
#pragma once

#include "heuristics/registry.hpp"
#include "sim/tiles/strategy.hpp"
#include "sim/tiles/tile_algorithm.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace starport::tiles {

/// Plan that external code (a program or Python) made for the tile tasks of one product: either a
/// static allocation of all tasks to memory nodes, or a function that makes the strategy which
/// decides during the run. Owns both.
struct ExternalPlan {
  /// Static allocation of the tasks to memory nodes; empty if tasks are assigned at run time.
  std::optional<Allocation> allocation{};
  /// Makes the strategy that assigns tasks to workers during the run; must not be empty without an
  /// allocation (the run then ends with SimulationError), ignored with one.
  StrategyMaker decisions{};
};

/// Function of a program or of Python code that plans the tasks of a product of `size` tiles on
/// `platform`. Called in a child process: once before the run and, if it gives no allocation, once
/// more in the run. Its arguments are valid during the call only. May throw NotApplicable; with any
/// other exception the run fails.
using MakeExternalPlan =
    std::function<ExternalPlan(const Platform& platform, const ProductSize& size)>;

/// Returns the registry entry of an algorithm whose plans external code makes. To the parameters of
/// `about` it adds those of the run-time system and `strategy`, the built-in strategy that executes
/// an allocation (by default `Static`, without stealing); `make_plan` gets the values of the
/// others. Allocations and decisions are checked: the algorithm throws SimulationError for a wrong
/// one, or if the code gives an allocation in the run but gave none before it. It throws
/// NotApplicable for an allocation with strategy=Static and cpus=timely, by which slow CPU workers
/// leave tasks that others would have to steal.
Entry<TileAlgorithm> make_external_entry(
    AlgorithmEntry about, std::function<MakeExternalPlan(const ParameterTexts&)> make_plan);

/// Function that makes a new strategy (the object that assigns tasks to workers) for one run; must
/// not return null (not checked). The parameters are those that the user gave, by key, without
/// those of the run-time system. May throw NotApplicable if the strategy does not fit the platform
/// or the tasks; with any other exception the run fails.
using MakeStrategy =
    std::function<std::unique_ptr<Strategy>(const StrategyContext&, const ParameterTexts&)>;
/// Returns the registry entry of a strategy in C++, which `make`, not empty (not checked), creates
/// for each run. The parameters of the run-time system are added to those of `about`; `make` gets
/// the values of the others. `allocate` computes the static allocation and is empty if there is
/// none. Decisions and allocations are checked: a wrong one ends the run with SimulationError.
Entry<TileAlgorithm> make_external_entry(AlgorithmEntry about, MakeStrategy make,
                                         Allocate allocate);

/// Returns the registry entry `exec-tiles:PROGRAM`, which stands for all programs that schedule
/// tile tasks; users write a path, or a name searched in PATH, for PROGRAM. Starts nothing: each
/// plan starts the program.
Entry<TileAlgorithm> make_program_entry();

/// Returns the first message of a conversation about tile tasks: "protocol", "model" ("tiles"),
/// "platform" (times in seconds, memories in tiles), "problem" ("r", "s" and "t" in tiles) and
/// "parameters"; heuristics/protocol.schema.json is its schema. Workers are in the order of the
/// platform file.
nlohmann::ordered_json make_question(const Platform& platform, const ProductSize& size,
                                     const ParameterTexts& parameters);

/// The moment at which an external strategy is asked for a decision: when a worker has room for
/// another task (`idle`, although it may still run one), or when a task becomes ready (`ready`).
enum class DecisionPoint : std::uint8_t {
  idle,  ///< a worker has room for a task: which one?
  ready  ///< a task is ready: which worker gets it?
};
/// The answer of an external strategy to the first message about tile tasks (make_question()), as
/// read_answer() reads it: a static allocation of all tasks, or when the strategy is to be asked
/// for decisions during the run. A plain value.
struct StrategyAnswer {
  /// Static allocation of all tasks, if the answer has one; the other members then have no effect.
  std::optional<Allocation> allocation{};
  /// The moment at which the strategy is asked for each decision: `idle` (a worker has room: which
  /// task does it get?) or `ready` (a task is ready: which worker gets it?). Meaningless with an
  /// allocation.
  DecisionPoint decides = DecisionPoint::idle;
  /// True if the strategy wants to be told, by the events in each question, when a copy of a tile
  /// is requested for a memory node or removed from it.
  bool copies = false;
};
/// Converts the answer to make_question(). Memory nodes of an allocation count from 0 (main memory;
/// GPUs from 1). Throws InputError, without a file name, if the answer is malformed or names a
/// memory node that does not exist, and NotApplicable if the heuristic declines. Does not check
/// that an allocation has the right number of entries and only nodes with workers; see
/// check_allocation().
StrategyAnswer read_answer(const nlohmann::json& answer, const Platform& platform,
                           const ProductSize& size);

}  // namespace starport::tiles
