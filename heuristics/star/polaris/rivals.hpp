// The comparison of a schedule of Polaris with those of other heuristics.
#pragma once

#include "heuristics/star/polaris/tiling.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/heuristic.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace starport::polaris {

/// Sides of the chunks (squares of C) of a heuristic. Its panels (groups of adjacent block columns
/// of C that one worker computes) are as wide as the chunks of their worker; only the panel with
/// the last columns may be narrower.
enum class ChunkSides {
  optimized,  ///< the side that chunk_side() gives for each worker in the optimized memory layout:
              ///< ORROML, OMMOML, ODDOML, Het
  toledo,     ///< the side that chunk_side() gives for each worker in Toledo's layout: BMM
  equal  ///< the same for all enrolled workers, the side that chunk_side() gives for one of the
         ///< platform's workers in the optimized memory layout: Hom, HomI
};

/// Lower bound on the makespan of the heuristics that send square chunks of C in panels (block
/// columns of C for one worker), such as those of PPoPP'08: Polaris does not plan those that cannot
/// reach a given makespan. Computed from the time of one port and of each worker
/// (heuristics/star/polaris/README.md, "Never worse than the seven"); keeps no reference to the
/// platform or the problem. can_end_by() takes O(p log p) for p workers; with ChunkSides::equal, as
/// often as there are different sides.
class ChunkBound {
 public:
  /// Computes the sides of the workers' chunks (squares of C) for the product given; a worker
  /// without memory for a chunk of one block has none. Ignores the platform's port: the bounds
  /// count transfers in both directions on one.
  ChunkBound(const Platform& platform, const Problem& problem, ChunkSides sides);

  /// Returns false if the bound excludes that a heuristic with chunks of the constructor's sides,
  /// on one port and at most `enrolled` workers, has a makespan of at most `makespan_s` simulated
  /// seconds (kUnknown excludes none), or if no worker has memory for a chunk (square of C). True
  /// does not mean that one reaches it.
  bool can_end_by(double makespan_s, std::size_t enrolled) const;
  /// Returns false if the bound excludes that makespan x enrolled workers is at most `work_s`
  /// (simulated seconds x workers; kUnknown excludes none) for a heuristic with chunks of the
  /// constructor's sides on one port, or if no worker has memory for a chunk (square of C). True
  /// does not mean that one reaches it.
  bool can_cost(double work_s) const;
  /// Returns false if the bound excludes that the objective, makespan or makespan x enrolled
  /// workers, is at most `threshold_s` (simulated seconds, or these x workers; kUnknown excludes
  /// none) for a heuristic with chunks of the constructor's sides on one port, or if no worker has
  /// memory for a chunk (square of C). True does not mean that one reaches it.
  bool can_reach(double threshold_s, Objective objective) const;

 private:
  /// A time that grows linearly with the width of a panel.
  struct Line {
    double fixed_s;
    double column_s;

    double at(double columns) const { return fixed_s + column_s * columns; }
    /// Returns the width, which may be negative, at which the time is `s`.
    double columns_at(double s) const { return (s - fixed_s) / column_s; }
  };
  /// The cost of panels on one worker, by their width, which is at most `columns`.
  struct Panel {
    double columns;
    Line port;         ///< time of the port
    Line link;         ///< time of the worker where its link is slow
    Line computation;  ///< time of the worker where its updates are slow

    Panel(const Worker& worker, const Problem& problem, std::int64_t side, std::int64_t depth);
    double worker_s() const { return std::max(link.at(columns), computation.at(columns)); }
    /// Returns the port time per column of a full panel.
    double price_s() const { return port.at(columns) / columns; }
    /// Returns the number of columns of the panel with the last columns that the worker can do
    /// within a makespan beside full panels.
    double narrower(double makespan_s) const;
    /// Returns the number of columns of full panels that the worker can do within a makespan.
    double full(double makespan_s) const { return columns * std::floor(makespan_s / worker_s()); }
  };
  /// One panel per worker that has memory for a chunk, the cheapest for the port first.
  using Panels = std::vector<Panel>;
  /// Number of columns, and their port time, of the full panels of the first workers.
  struct Sum {
    double columns;
    double port_s;
  };
  /// Returns the panels of workers whose chunks have their own sides or, if `side` is not 0, of
  /// those that have memory for chunks of that side.
  Panels make_panels(std::int64_t side) const;
  /// Returns true if `can` returns true for the panels of any of the sides to try.
  bool any_panels(const std::function<bool(const Panels&)>& can) const;
  /// Returns false if all columns of C take all workers, or the port, longer than the makespan.
  bool have_time(const Panels& panels, double makespan_s) const;
  /// Returns false if so many workers cannot do all columns of C within the makespan.
  bool suffice(const Panels& panels, double makespan_s, std::size_t enrolled) const;
  /// Returns the least port time of all columns of C if the workers do not exceed their capacities
  /// and worker `last`, if it is one, does the panel with the last columns, at most `narrower`.
  /// sums[i] is that of the first i workers.
  double least_port_s(const Panels& panels, const std::vector<Sum>& sums, std::size_t last,
                      double narrower) const;

  double columns() const { return static_cast<double>(problem_.s); }

  PerWorker<Worker> workers_;
  Problem problem_;
  const MemoryLayout* layout_;
  PerWorker<std::int64_t> largest_sides_;
  std::vector<std::int64_t> tried_sides_;  ///< by make_panels(); empty if no worker has a chunk
};

/// A heuristic of the paper PPoPP'08 that competes with Polaris: its plan is used if it is better
/// than that of Polaris. Shares the ownership of the heuristic; copies are cheap.
struct Rival {
  /// Name of the competing heuristic as shown in reports.
  std::string name;
  /// The heuristic, with its parameters set, that competes with Polaris; not null (not checked:
  /// undefined behaviour).
  std::shared_ptr<const Heuristic> heuristic;
  /// The sides of the heuristic's chunks (squares of C), for the lower bound (ChunkBound) that may
  /// exclude it; not checked: with other sides than it has, the best rival may be excluded.
  ChunkSides sides = ChunkSides::optimized;
  /// True if the plans of the heuristic adapt to the run (Plan::adapts), so that they may also
  /// replace a plan of Polaris that adapts.
  bool adapts = false;
};

/// Returns the rival (other heuristic) with the least value of the objective, the first of equal
/// ones, if that is below `threshold_s`, else nullptr. The value is the simulated makespan in
/// seconds or, for Objective::work, makespan x enrolled workers. Replaces `threshold_s` (kUnknown:
/// no threshold) by the value of the result, if there is one. The result points into `rivals` and
/// is valid as long as that is unchanged. Plans and simulates each rival that a lower bound does
/// not exclude (with one port; otherwise all), and stops a simulation at the threshold. Skips
/// rivals that throw InputError or a type derived from it, e.g. for lack of memory; passes on other
/// exceptions.
const Rival* find_best_rival(const std::vector<Rival>& rivals, const Platform& platform,
                             const Problem& problem, Objective objective, double& threshold_s);

/// Result of find_best_rival_on_some(): the rival (another heuristic that competes with Polaris)
/// and the set of workers with the best schedule, or no rival (nullptr) if none is good enough.
/// Does not own the rival: valid as long as the list passed to that function is unchanged.
struct RivalOnSome {
  /// The rival (a heuristic that competes with Polaris), not owned; nullptr if none had a value of
  /// the objective (makespan in seconds, or makespan x enrolled workers) below the `threshold_s`
  /// passed to find_best_rival_on_some(), or if the master has more than one port.
  const Rival* rival = nullptr;
  /// The workers to which the rival's schedule is limited, by ascending index in the platform, from
  /// 0; empty only if `rival` is null.
  std::vector<int> workers = {};
};

/// Returns the rival (other heuristic) and the set of usable workers (usable_workers()) with the
/// least value of the objective among those tried, if that is below `threshold_s`, which it then
/// replaces; otherwise, and if the master has more than one port, the result's `rival` is null.
/// Value and `threshold_s` are those of find_best_rival(), after which it is meant to be called: if
/// `threshold_s` exceeds what the rivals reach on all workers, the set may be that of all. The
/// result points into `rivals` and is valid as long as that is unchanged. If at most kFewWorkers
/// workers are usable, tries all sets of them. Otherwise each rival leaves out the worker that ends
/// last, one after the other, until a lower bound excludes that this can help, in about two million
/// transfers all together, where planning a worker counts as eight; then, if at most
/// kSeveralWorkers workers are usable, tries sets of them, in about 200,000 transfers all together.
/// Skips rivals that throw InputError; passes on other exceptions.
RivalOnSome find_best_rival_on_some(const std::vector<Rival>& rivals, const Platform& platform,
                                    const Problem& problem, Objective objective,
                                    double& threshold_s);

}  // namespace starport::polaris
