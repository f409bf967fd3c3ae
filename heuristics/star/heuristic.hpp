// What a heuristic is: it plans, from the platform and the problem alone, and says what for.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/layout.hpp"
#include "sim/study/model.hpp"

#include <cstdint>
#include <string_view>

namespace starport {

/// What a heuristic asks of a platform.
struct Requirements {
  std::int64_t blocks = 1;               ///< of memory, on one worker at least
  const MemoryLayout* layout = nullptr;  ///< of its chunks, whose side of 1 needs them; may be none
  bool one_port = false;                 ///< it plans for a master with one port
  bool homogeneous = false;              ///< and workers all alike
};
inline Requirements memory_for(const MemoryLayout& layout) {
  return {.blocks = layout.blocks(1), .layout = &layout};
}

/// Throws NotApplicable when the platform is not of the kind required.
void check_kind(const Requirements& required, const Platform& platform);
/// Throws InputError that names the memory needed when no worker has it.
void check_memory(const Requirements& required, const Platform& platform, const Problem& problem);

class Heuristic : public Algorithm {
 public:
  std::string_view model() const override { return "star"; }

  virtual Requirements requirements() const = 0;
  /// Checks the requirements, as above, and plans. The platform and the problem must outlive the
  /// plan.
  Plan plan(const Platform& platform, const Problem& problem) const {
    check_kind(requirements(), platform);
    check_memory(requirements(), platform, problem);
    return make_plan(platform, problem);
  }

 private:
  virtual Plan make_plan(const Platform& platform, const Problem& problem) const = 0;
};

}  // namespace starport
