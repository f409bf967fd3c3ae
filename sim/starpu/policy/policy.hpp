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
  /// Size of the products in tiles, if known: a product starts as soon as r s first updates are
  /// ready, and must then have r x s tiles of C with t updates each (not checked). With nullopt or
  /// another number of first updates, it starts once the program waits for its tasks, or no task
  /// has been submitted, become ready or ended for 50 ms, and has the size of what was submitted.
  /// If other submitted updates depend on it, or wait for data that the program holds, it starts
  /// once no task has done so for 50 ms and no other task runs, and has the size of what is ready.
  std::optional<tiles::ProductSize> size{};
  /// Seed of the random numbers that some strategies draw, with which each product starts anew;
  /// equal seeds give equal numbers.
  std::uint64_t seed = 1;
  /// Function that sets the durations, in seconds, in Machine::platform for a product whose tiles
  /// have `tile_bytes` bytes each and whose updates are like `task`; empty: StarPU's performance
  /// models give them. The arguments are valid during the call only. Any thread may call it, one at
  /// a time in each scheduling context; it must not submit tasks there (deadlock). If it throws a
  /// std::exception, the policy does not schedule that product (see make_policy()).
  std::function<void(Machine& machine, struct starpu_task* task, double tile_bytes)> durations{};
  /// Function that is told of each task of a scheduled product that begins to compute, and whether
  /// it was stolen, i.e. the strategy had stored it for another worker; may be empty. Called by
  /// threads of StarPU, one at a time in each scheduling context; it must not submit tasks there
  /// (deadlock). If it throws a std::exception, the product goes on without the strategy.
  std::function<void(struct starpu_task* task, bool stolen)> on_start{};
  /// Function that receives messages about products that the strategy does not schedule and missing
  /// durations (see make_policy()), each kind once per scheduling context and without a newline at
  /// its end; empty: messages go to the standard error stream. Any thread may call it; it must
  /// neither throw nor submit tasks to that context (deadlock).
  std::function<void(const std::string& message)> report{};
};

/// Creates a policy for starpu_conf::sched_policy or starpu_sched_ctx_create(). It lives until the
/// program ends, and may be used by several scheduling contexts. Thread-safe; never null.
///
/// The policy recognises the updates C_ij += A_ik . B_kj of a product by the data that they access
/// (find_update_tiles()), and the order k = 0, 1, ... by that in which they become ready. Products
/// run one after the other. All other tasks, and those of products that the strategy cannot
/// schedule, are executed in the order in which they become ready, by any worker that can execute
/// them. When the strategy, PolicySettings::durations or PolicySettings::on_start throws a
/// std::exception, the product goes on without the strategy; no other exception may be thrown.
///
/// It reports three things, each once per scheduling context, by PolicySettings::report or on the
/// standard error stream: why the strategy cannot schedule a product; that StarPU's performance
/// models lack durations of tasks (Machine::unknown); and, at the end of the context, that it had
/// other tasks, but no product that the strategy has scheduled.
struct starpu_sched_policy* make_policy(PolicySettings settings);

/// Makes the strategy of the next product ahead of time, so that this does not count in the
/// duration of the product. Applies to the initial scheduling context, that of starpu_init(), which
/// must have been called with a policy of make_policy() (not checked: undefined behaviour
/// otherwise). `sample` has the codelet of the product's tasks, whose tiles have `tile_bytes` bytes
/// each; it needs no data and is not kept. Does nothing unless both PolicySettings::size and
/// PolicySettings::durations are set. A failure is reported when the product starts.
void prepare_product(struct starpu_task* sample, std::size_t tile_bytes);

}  // namespace starport::starpu
