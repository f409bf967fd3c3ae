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

/// One platform and one product: the input of a heuristic. Points to both, which must outlive it.
struct Instance {
  const Platform* platform;
  const Problem* problem;
};

/// The platforms and block sizes that a heuristic can plan for.
struct Requirements {
  /// Memory, in blocks, that at least one worker must have.
  std::int64_t blocks = 1;
  /// The memory layout of the heuristic's chunks, which error messages name; null if it has none.
  const MemoryLayout* layout = nullptr;
  bool one_port = false;     ///< plans only for a master with one port
  bool homogeneous = false;  ///< plans only for identical workers
  bool in_elements = false;  ///< plans only for blocks of one matrix element
};
/// Returns the requirements of a heuristic that needs one chunk of side 1 in `layout`. Keeps a
/// pointer to `layout`.
inline Requirements memory_for(const MemoryLayout& layout) {
  return {.blocks = layout.blocks(1), .layout = &layout};
}

/// Throws NotApplicable if the heuristic requires one port or identical workers and `platform` has
/// neither.
void check_kind(const Requirements& required, const Platform& platform);
/// Throws NotApplicable if the heuristic plans in matrix elements and blocks are larger than one.
void check_unit(const Requirements& required, const Problem& problem);
/// Throws InputError, stating the memory needed, if no worker has `required.blocks` blocks.
void check_memory(const Requirements& required, const Platform& platform, const Problem& problem);

/// Origin of a heuristic's code. Schedules of external heuristics (programs, plug-ins,
/// Python) are always validated.
enum class Origin : std::uint8_t { built_in, external };

/// A heuristic of the star model with its parameters set. Owned by its caller; has no state, so one
/// object may plan any number of instances.
class Heuristic final : public Algorithm {
 public:
  using MakePlan = std::function<Plan(const Platform&, const Problem&)>;
  /// Plans several instances at once; returns one plan for each, in their order.
  using MakePlans = std::function<std::vector<Plan>(std::span<const Instance>)>;

  Heuristic(const Requirements& requirements, MakePlan make_plan, Origin origin = Origin::built_in,
            MakePlans make_plans = nullptr)
      : requirements_(requirements),
        make_plan_(std::move(make_plan)),
        origin_(origin),
        make_plans_(std::move(make_plans)) {}

  std::string_view model() const override { return "star"; }
  Origin origin() const { return origin_; }
  const Requirements& requirements() const { return requirements_; }
  /// Returns a plan; the platform and the problem must outlive it. Throws NotApplicable or
  /// InputError if the requirements are not met, and whatever the heuristic itself throws.
  Plan plan(const Platform& platform, const Problem& problem) const {
    check(platform, problem);
    return make_plan_(platform, problem);
  }
  /// Returns true if plan_batch() may be called: planning instances together is faster.
  bool has_batch_planning() const { return make_plans_ != nullptr; }
  /// Returns the plans of several instances, in their order; has_batch_planning() must hold. Throws
  /// as plan() does.
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
