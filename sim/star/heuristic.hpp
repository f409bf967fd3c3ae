// The interface of the heuristics of the star model: their requirements, how they plan, and the
// memory layouts by which a worker divides its memory between A, B and C (PPoPP'08, sections 3 and
// 4; IPDPS'07, section 5).
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/results/model.hpp"
#include "sim/star/dispatcher.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace starport {

/// A memory layout: how a worker divides its memory between a chunk (a square of x * x blocks of C
/// that stays on the worker for all its updates) and buffers for blocks of A and B. Holds the
/// coefficients of the blocks needed, quadratic*x^2 + linear*x + constant, and a pointer to a name.
/// Heuristics refer to layouts: constants such as kOptimizedOverlapped, or those of plug-ins.
struct MemoryLayout {
  /// Name of the memory layout shown to users, such as "Toledo"; not null. Not owned: must outlive
  /// the layout.
  const char* name;
  /// Number of blocks of memory per x^2, where x is the side in blocks of the square of C that a
  /// worker holds; at least 1.
  std::int64_t quadratic;
  /// Number of blocks of memory per x, where x is the side in blocks of the square of C that a
  /// worker holds; at least 0.
  std::int64_t linear;
  /// Number of blocks of memory needed whatever the side of the square of C that a worker holds; at
  /// least 0.
  std::int64_t constant;
  /// Number of sets of buffers for blocks of A and B on a worker: 2 lets communication overlap
  /// computation, 1 does not.
  int buffer_sets;
  /// True if each set of buffers holds blocks of A and B for x values of k, x * x blocks of each,
  /// where x is the side of the square of C (Toledo); false if it holds them for one value of k. k
  /// is the inner index of C_ij += A_ik B_kj.
  bool square_buffers;

  /// Returns the largest side x, in blocks, of a square of C that fits in `m_blocks` blocks of a
  /// worker's memory with its buffers for A and B; 0 if not even x = 1 does, as for m_blocks <= 0.
  std::int64_t side(std::int64_t m_blocks) const {
    if (m_blocks < blocks(1)) return 0;
    // The root of the quadratic equation, corrected for rounding.
    const double a = static_cast<double>(quadratic);
    const double b = static_cast<double>(linear);
    const double room = static_cast<double>(m_blocks - constant);
    auto side = static_cast<std::int64_t>((std::sqrt(b * b + 4 * a * room) - b) / (2 * a));
    while (blocks(side) > m_blocks) --side;
    while (blocks(side + 1) <= m_blocks) ++side;
    return side;
  }
  /// Returns the memory, in blocks, for a square of `side` x `side` blocks of C on a worker and its
  /// buffers for A and B: quadratic*side^2 + linear*side + constant. Overflow is not checked.
  std::int64_t blocks(std::int64_t side) const {
    return quadratic * side * side + linear * side + constant;
  }
  /// Returns the number of values of k (inner index of C_ij += A_ik B_kj) that one step, i.e. one
  /// set of blocks of A and B sent to a worker, covers for a square of `side` x `side` blocks of C.
  std::int64_t step_depth(std::int64_t side) const { return square_buffers ? side : 1; }
};

/// Memory layout for a square of mu x mu blocks of C: these mu^2 blocks and two sets of buffers,
/// each with mu blocks of A and mu of B (no squares: `false`), so that one set is received while
/// the other is computed with: mu^2 + 4 mu blocks (PPoPP'08, section 4). The largest mu that fits
/// on worker i is mu_i.
inline constexpr MemoryLayout kOptimizedOverlapped{"optimized, overlapped", 1, 4, 0, 2, false};
/// Memory layout for a square of mu x mu blocks of C: these mu^2 blocks and one set of buffers, mu
/// blocks of A and mu of B (no squares: `false`), without overlap of communication and computation:
/// mu^2 + 2 mu blocks; for the heuristic DDOML (IPDPS'07, section 5).
inline constexpr MemoryLayout kOptimized{"optimized, not overlapped", 1, 2, 0, 1, false};
/// Memory layout for a square of mu x mu blocks of C: these mu^2 blocks, mu blocks of B, and one
/// block of A at a time (no squares: `false`): mu^2 + mu + 1 blocks (IPDPS'07, section 3.1). No
/// heuristic uses it; its communication is compared with lower bounds.
inline constexpr MemoryLayout kMaximumReuse{"maximum re-use", 1, 1, 1, 1, false};
/// Memory layout for a square of sigma x sigma blocks of C: one such square of each of A, B and C
/// (square buffers: `true`), without overlap of communication and computation: 3 sigma^2 blocks
/// (Toledo's; for the heuristic BMM of PPoPP'08 and IPDPS'07).
inline constexpr MemoryLayout kToledo{"Toledo", 3, 0, 0, 1, true};
/// Memory layout for a square of sigma x sigma blocks of C: two such squares of A and two of B
/// (square buffers: `true`), so that one pair is received while the other is computed with, and one
/// of C: 5 sigma^2 blocks; for the heuristic OBMM (IPDPS'07, section 5).
inline constexpr MemoryLayout kToledoOverlapped{"Toledo, overlapped", 5, 0, 0, 2, true};

/// Returns a copy of `worker` with a constant speed (Worker::speeds null), for planning with square
/// chunks (x * x blocks of C on a worker) in `layout`; an equal worker if its speed is constant
/// already. Otherwise w_s becomes the seconds per block update, and m_blocks the memory in blocks,
/// for the side x in blocks that minimises worker.block_update_s(x * x) + 2 c_s / x, the seconds of
/// a block update on the worker plus those on the port (of equal sums, the largest side).
/// Candidates are the sides that fit in the worker's memory and whose x * x does not exceed the
/// largest size in Worker::speeds (side 1 may); speeds must have a point (not checked). If no side
/// fits, w_s and m_blocks stay as they are. O(x) for the largest candidate x.
Worker at_chunk_size(const Worker& worker, const MemoryLayout& layout);

/// Returns the side in blocks of the squares of C that heuristics give `worker` to update at a time
/// with the memory layout `layout`: the largest that fits in its memory with its buffers, or the
/// fastest (at_chunk_size()) if its speed depends on the size; 0 if its memory is too small.
inline std::int64_t chunk_side(const Worker& worker, const MemoryLayout& layout) {
  return layout.side(at_chunk_size(worker, layout).m_blocks);
}

/// One star platform and one matrix product: the input of a heuristic in Heuristic::plan_batch().
/// Refers to both, which must outlive it and the plan made of it.
struct Instance {
  /// The platform to plan for; not null, must outlive the plan.
  const Platform* platform;
  /// The matrix product to plan; not null, must outlive the plan.
  const Problem* problem;
};

/// The kinds of port of the master (which transfers may take place at once) that a heuristic plans
/// for: `any`, or `one`, one-port masters only.
enum class SupportedPorts : std::uint8_t { any, one };

/// Conditions on the platform and the block size under which a heuristic can plan; set by its
/// author, checked by Heuristic::plan() and plan_batch(). By default any platform with a worker
/// that has memory for a block.
struct Requirements {
  /// Memory, in blocks of the product to plan, that at least one worker must have; else
  /// Heuristic::plan() throws InputError.
  std::int64_t blocks = 1;
  /// Memory layout by which the heuristic cuts C into chunks (rectangles that stay on a worker for
  /// all their updates); null if it does not. Error messages name it, runs of which even the fewest
  /// transfers that it allows do not fit in the memory of the simulator are refused, and schedules
  /// of a built-in heuristic are reported as C-stationary, without a check, if it is not null. Must
  /// outlive this object.
  const MemoryLayout* layout = nullptr;
  /// Kinds of the master's port that the heuristic plans for (`any`: all; `one`: one-port only);
  /// for others Heuristic::plan() throws NotApplicable.
  SupportedPorts ports = SupportedPorts::any;
  /// True if the heuristic plans only for identical workers (Platform::is_homogeneous()); for
  /// others Heuristic::plan() throws NotApplicable.
  bool homogeneous = false;
  /// True if the heuristic plans only for blocks of one matrix element (block size 1); for larger
  /// ones Heuristic::plan() throws NotApplicable.
  bool in_elements = false;
};
/// Returns the requirements of a heuristic that plans for any platform on which at least one worker
/// has the memory for one block of C and its buffers for A and B in `layout`. Stores a pointer to
/// `layout`, which must outlive the result.
inline Requirements memory_for(const MemoryLayout& layout) {
  return {.blocks = layout.blocks(1), .layout = &layout};
}

/// Throws NotApplicable if a heuristic with the requirements `required` does not plan for the kind
/// of port that the master of `platform` has, or requires identical workers and they differ; else
/// does nothing.
void check_kind(const Requirements& required, const Platform& platform);
/// Throws NotApplicable if a heuristic plans in single matrix elements (required.in_elements) and
/// the block size of `problem` is above 1; else does nothing.
void check_unit(const Requirements& required, const Problem& problem);
/// Throws InputError, stating the number of blocks needed and their size in bytes, if no worker of
/// `platform` has memory for `required.blocks` blocks, those of a heuristic's requirements; else
/// does nothing. The error names no file.
void check_memory(const Requirements& required, const Platform& platform, const Problem& problem);

/// Origin of a heuristic's code: `built_in`, part of this program, or `external` (a program, a
/// plug-in, Python). Schedules of external heuristics are always validated.
enum class Origin : std::uint8_t { built_in, external };

/// A heuristic of the star model (a master with one link to each worker) with its parameters set:
/// an object that makes plans (schedules of transfers) for a platform and a matrix product. Made by
/// the code that registers or loads heuristics; engines call it through a Planner. One object may
/// plan any number of instances, one after another: not in several threads at once, since the first
/// plan of a plug-in creates the object of its class.
class Heuristic final : public Algorithm {
 public:
  /// Function of a heuristic that plans one instance (a platform and a matrix product) and returns
  /// a plan with a dispatcher, the object that decides the transfers. Called by plan() after the
  /// requirements have been checked; both arguments outlive the plan. Its exceptions pass to the
  /// caller of plan().
  using MakePlan = std::function<Plan(const Platform&, const Problem&)>;
  /// Function of a heuristic that plans several instances (platforms and matrix products) at once
  /// and returns one plan for each, in their order. The platforms and products outlive the plans,
  /// the span need not. Called by plan_batch() after the requirements have been checked for each;
  /// its exceptions pass to the caller.
  using MakePlans = std::function<std::vector<Plan>(std::span<const Instance>)>;

  /// Stores the requirements, the origin and the functions that plan. `make_plan` must not be null
  /// (plan() would throw std::bad_function_call); `make_plans` may be, and then plan_batch() must
  /// not be called. What the functions and requirements.layout refer to must outlive this object.
  Heuristic(const Requirements& requirements, MakePlan make_plan, Origin origin = Origin::built_in,
            MakePlans make_plans = nullptr)
      : requirements_(requirements),
        make_plan_(std::move(make_plan)),
        origin_(origin),
        make_plans_(std::move(make_plans)) {}

  /// Returns "star", the name of the model whose platforms heuristics plan for.
  std::string_view model() const override { return "star"; }
  /// Returns whether the heuristic's code is part of this program or external.
  Origin origin() const { return origin_; }
  /// Returns the conditions on the platform (its port, workers and their memory) and on the block
  /// size under which the heuristic can plan. Valid as long as this object.
  const Requirements& requirements() const { return requirements_; }
  /// Returns a new plan of the product `problem` on `platform`; both must outlive it. Throws
  /// NotApplicable or InputError if the requirements are not met (check_kind(), check_unit(),
  /// check_memory()), and whatever the heuristic itself throws. May take long for large instances.
  Plan plan(const Platform& platform, const Problem& problem) const {
    check(platform, problem);
    return make_plan_(platform, problem);
  }
  /// Returns true if plan_batch() may be called: planning several instances (platforms and
  /// products) together is then faster.
  bool has_batch_planning() const { return make_plans_ != nullptr; }
  /// Returns the plans of several instances (platforms and matrix products), in their order; the
  /// platforms and problems, whose pointers must not be null, must outlive them, the span need not.
  /// Requires has_batch_planning(), otherwise throws std::bad_function_call. Throws NotApplicable
  /// or InputError if an instance does not meet the requirements, and whatever the heuristic itself
  /// throws; no plan is returned then.
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
