// What a heuristic is: it plans, from the platform and the problem alone, and says what for.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/results/model.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/instance.hpp"
#include "sim/star/layout.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace starport {

/// What a heuristic asks of a platform.
struct Requirements {
  std::int64_t blocks = 1;               ///< of memory, on one worker at least
  const MemoryLayout* layout = nullptr;  ///< of its chunks, whose side of 1 needs them; may be none
  bool one_port = false;                 ///< it plans for a master with one port
  bool homogeneous = false;              ///< and workers all alike
  bool in_elements = false;              ///< it plans in blocks of one matrix element
};
inline Requirements memory_for(const MemoryLayout& layout) {
  return {.blocks = layout.blocks(1), .layout = &layout};
}

/// Throws NotApplicable when the platform is not of the kind required.
void check_kind(const Requirements& required, const Platform& platform);
/// Throws NotApplicable when the blocks are not those required.
void check_unit(const Requirements& required, const Problem& problem);
/// Throws InputError that names the memory needed when no worker has it.
void check_memory(const Requirements& required, const Platform& platform, const Problem& problem);

/// Who wrote it. What somebody else's decides is believed once it is validated.
enum class Origin : std::uint8_t { ours, somebody_else };

class Heuristic final : public Algorithm {
 public:
  using MakePlan = std::function<Plan(const Platform&, const Problem&)>;
  /// The same plans, of several instances at once.
  using MakePlans = std::function<std::vector<Plan>(std::span<const Instance>)>;

  Heuristic(const Requirements& requirements, MakePlan make_plan, Origin origin = Origin::ours,
            MakePlans make_plans = nullptr)
      : requirements_(requirements),
        make_plan_(std::move(make_plan)),
        origin_(origin),
        make_plans_(std::move(make_plans)) {}

  std::string_view model() const override { return "star"; }
  Origin origin() const { return origin_; }
  const Requirements& requirements() const { return requirements_; }
  /// Checks the requirements, as above, and plans. The platform and the problem must outlive the
  /// plan.
  Plan plan(const Platform& platform, const Problem& problem) const {
    check(platform, problem);
    return make_plan_(platform, problem);
  }
  /// Whether several instances are planned and run sooner at once than one by one.
  bool plans_together() const { return make_plans_ != nullptr; }
  /// The plan of each, as above.
  std::vector<Plan> plan_each(std::span<const Instance> instances) const {
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
