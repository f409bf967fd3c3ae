// Scheduling policies of StarPU that apply the strategies of the tile model.
#pragma once

#include "sim/starpu/policy/machine.hpp"
#include "sim/tiles/tile_algorithm.hpp"

#include <starpu.h>
#include <starpu_scheduler.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace starport::starpu {

/// Settings of make_policy(), which makes a StarPU scheduling policy of a strategy of the tile
/// model: name, strategy, seed, and functions to be called. Owned by the policy.
struct PolicySettings {
  /// Name of the strategy, such as "ChoiceDyn[x=50]", which becomes the name of the policy.
  std::string name{};
  /// Strategy of the tile model that schedules products; must not be null for make_policy()
  /// (undefined behaviour when a product starts).
  std::shared_ptr<const tiles::TileAlgorithm> algorithm{};
  /// Size of all products: each starts as soon as its r x s first updates are ready. nullopt, or if
  /// fewer are ready: it starts once the program waits for its tasks, or has neither submitted nor
  /// finished any for 50 ms, and has the size of what was submitted.
  std::optional<tiles::ProductSize> size{};
  /// Seed of the random numbers that some strategies draw; equal seeds give equal numbers.
  std::uint64_t seed = 1;
  /// Function that sets the durations of the machine for a product whose tiles have `tile_bytes`
  /// bytes each and whose updates are like `task`; empty: they come from StarPU's performance
  /// models. May throw a std::exception; the policy then does not schedule that product (see
  /// make_policy()).
  std::function<void(Machine& machine, struct starpu_task* task, double tile_bytes)> durations{};
  /// Function that is told of each task of a product that begins to compute, and whether its worker
  /// has taken it from those stored for others. Called by threads of StarPU, one at a time in each
  /// scheduling context; may be empty. If it throws a std::exception, the product goes on without
  /// the strategy.
  std::function<void(struct starpu_task* task, bool stolen)> on_start{};
  /// Function that receives the messages for the user, each once per scheduling context; empty:
  /// they go to the standard error stream. Any thread may call it; it must not throw.
  std::function<void(const std::string& message)> report{};
};

/// Creates a policy for starpu_conf::sched_policy or starpu_sched_ctx_create(). It lives until the
/// program ends, and may be used by several scheduling contexts. Thread-safe; never null.
///
/// The policy recognises the updates C_ij += A_ik . B_kj of a product by the data that they access
/// (find_update_tiles()), and the order k = 0, 1, ... by that in which they become ready. Products
/// run one after the other. All other tasks, and those of products that the strategy cannot
/// schedule, are executed in the order in which they become ready, by any worker. The policy never
/// aborts the program, and throws nothing.
///
/// It reports three things, each once per scheduling context, by PolicySettings::report or on the
/// standard error stream: why the strategy cannot schedule a product; that StarPU's performance
/// models lack durations of tasks (Machine::unknown); and, at the end of the context, that it had
/// other tasks, but no product that the strategy has scheduled.
struct starpu_sched_policy* make_policy(PolicySettings settings);

/// Makes the strategy of the next product in the scheduling context in which StarPU starts, which
/// must have a policy of make_policy() (undefined behaviour otherwise), so that the computing time
/// of the strategy does not count in that of the product. `sample` has the codelet of the product's
/// tasks, whose tiles have `tile_bytes` bytes each. Does nothing unless both PolicySettings::size
/// and PolicySettings::durations are set. A failure is reported when the product starts.
void prepare_product(struct starpu_task* sample, std::size_t tile_bytes);

}  // namespace starport::starpu
