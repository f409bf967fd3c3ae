// The interface of the heuristics of the star model: their requirements and how they plan.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/results/model.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/layout.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace starport {

/// One platform and one product: the input of a heuristic. Refers to both, which must outlive it.
struct Instance {
  /// The platform to plan for; not null.
  const Platform* platform;
  /// The matrix product to plan; not null.
  const Problem* problem;
};

/// The platforms and block sizes that a heuristic can plan for. By default any.
struct Requirements {
  /// Memory, in blocks of the problem's block size, that at least one worker must have.
  std::int64_t blocks = 1;
  /// The memory layout of the heuristic's chunks (rectangles of C on a worker), named in error
  /// messages; null if it has none. Must outlive this object.
  const MemoryLayout* layout = nullptr;
  /// True if the heuristic plans only for a master with one port.
  bool one_port = false;
  /// True if the heuristic plans only for identical workers.
  bool homogeneous = false;
  /// True if the heuristic plans only for blocks of one matrix element (block size 1).
  bool in_elements = false;
};
/// Returns the requirements of a heuristic that plans for any platform on which one worker has the
/// memory for a chunk of 1 x 1 block in `layout`. Stores a pointer to `layout`, which must outlive
/// the result.
inline Requirements memory_for(const MemoryLayout& layout) {
  return {.blocks = layout.blocks(1), .layout = &layout};
}

/// Throws NotApplicable if the heuristic requires one port and `platform` has another kind of port,
/// or requires identical workers and they differ.
void check_kind(const Requirements& required, const Platform& platform);
/// Throws NotApplicable if the heuristic plans in matrix elements (Requirements::in_elements) and
/// the block size of `problem` is above 1.
void check_unit(const Requirements& required, const Problem& problem);
/// Throws InputError, stating the memory needed in blocks and bytes, if no worker of `platform` has
/// `required.blocks` blocks of memory. The error names no file.
void check_memory(const Requirements& required, const Platform& platform, const Problem& problem);

/// Origin of a heuristic's code: part of this program, or external (a program, a plug-in, Python).
/// Schedules of external heuristics are always validated.
enum class Origin : std::uint8_t { built_in, external };

/// A heuristic of the star model with its parameters set. Owned by its caller; has no state that
/// planning changes, so one object may plan any number of instances.
class Heuristic final : public Algorithm {
 public:
  /// Function that plans one instance. Called after the requirements have been checked; both
  /// arguments outlive the plan.
  using MakePlan = std::function<Plan(const Platform&, const Problem&)>;
  /// Function that plans several instances at once and returns one plan for each, in their order.
  /// Called after the requirements have been checked for each.
  using MakePlans = std::function<std::vector<Plan>(std::span<const Instance>)>;

  /// Stores the functions that plan. `make_plan` must not be null; `make_plans` may be, and then
  /// plan_batch() must not be called.
  Heuristic(const Requirements& requirements, MakePlan make_plan, Origin origin = Origin::built_in,
            MakePlans make_plans = nullptr)
      : requirements_(requirements),
        make_plan_(std::move(make_plan)),
        origin_(origin),
        make_plans_(std::move(make_plans)) {}

  /// Returns "star".
  std::string_view model() const override { return "star"; }
  /// Returns where the heuristic's code comes from.
  Origin origin() const { return origin_; }
  /// Returns the platforms and block sizes that the heuristic can plan for.
  const Requirements& requirements() const { return requirements_; }
  /// Returns a new plan for one instance; `platform` and `problem` must outlive it. Throws
  /// NotApplicable or InputError if the requirements are not met (check_kind(), check_unit(),
  /// check_memory()), and whatever the heuristic itself throws. May take long for large instances.
  Plan plan(const Platform& platform, const Problem& problem) const {
    check(platform, problem);
    return make_plan_(platform, problem);
  }
  /// Returns true if plan_batch() may be called: planning several instances together is then
  /// faster.
  bool has_batch_planning() const { return make_plans_ != nullptr; }
  /// Returns the plans of several instances, in their order; the platforms and problems must
  /// outlive them. Requires has_batch_planning(), otherwise throws std::bad_function_call. Throws
  /// NotApplicable or InputError if an instance does not meet the requirements, and whatever the
  /// heuristic itself throws; no plan is returned then.
  std::vector<Plan> plan_batch(std::span<const Instance> instances) const {
    for (const auto& [platform, problem] : instances) check(*platform, *problem);
    return make_plans_(instances);
  }

 private:
  void check(const Platform& platform, const Problem& problem) const {
    check_kind(requirements_, platform);
    check_unit(requirements_, problem);
    check_memory(requirements_, platform, problem);
  }

  Requirements requirements_;
  MakePlan make_plan_;
  Origin origin_;
  MakePlans make_plans_;
};

}  // namespace starport
