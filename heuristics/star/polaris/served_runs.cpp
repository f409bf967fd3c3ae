#include "heuristics/star/polaris/served_runs.hpp"

#include <algorithm>
#include <bit>

namespace starport::polaris {
namespace {

constexpr std::size_t kMostDates = 1 << 20;  ///< 12 MB; then all are forgotten

}  // namespace

ServedRuns::Key ServedRuns::key(const std::vector<Task>& tasks,
                                const ServingOptions& options) const {
  const auto bits = [](double x) { return std::bit_cast<std::int64_t>(x); };
  Key key{bits(options.patience), options.return_columns};
  for (const Task& task : tasks) {
    const Mode& mode = task.mode;
    const bool resident = mode.kind == Mode::Kind::a_resident;
    key.insert(key.end(), {task.worker, task.c.rows.size(), task.c.columns.size(), resident ? 1 : 0,
                           mode.transposed ? 1 : 0, mode.height});
    const BundleOptions& bundles = options.bundles;
    if (!resident) {
      key.insert(key.end(), {mode.window, mode.kept, mode.pieces, bundles.joining, bundles.rest});
      continue;
    }
    key.push_back(bundles.late_c ? 1 : 0);
    const std::int64_t high = mode.transposed ? task.c.columns.size() : task.c.rows.size();
    const std::int64_t wide = mode.transposed ? task.c.rows.size() : task.c.columns.size();
    const std::int64_t m = platform_.workers[task.worker].m_blocks;
    for (const std::int64_t h : {std::min(high, mode.height), 1 + (high - 1) % mode.height}) {
      const ResidentBand band = resident_band(h, wide, problem_.t, m, mode, bundles);
      key.insert(key.end(), {band.loading, band.depth, band.group, band.pieces});
    }
  }
  return key;
}

const ServedTasks& ServedRuns::run(const std::vector<Task>& tasks, const ServingOptions& options,
                                   double limit_s) {
  if (dates_ > kMostDates) {
    runs_.clear();
    dates_ = 0;
  }
  ServedTasks& run =
      runs_.try_emplace(key(tasks, options), ServedTasks{.stopped = true}).first->second;
  // What stopped at a lower limit than this one is served again.
  const bool reaches = !run.ends_s.empty() && run.ends_s.back() >= limit_s;
  if (run.stopped && !reaches) {
    dates_ -= run.ends_s.size();
    run = serve_tasks(platform_, problem_, tasks, options, limit_s);
    dates_ += run.ends_s.size();
  }
  return run;
}

ServedTasks ServedRuns::serve(const std::vector<Task>& tasks, const ServingOptions& options,
                              double limit_s) {
  const ServedTasks& known = run(tasks, options, limit_s);
  const auto last = std::lower_bound(known.ends_s.begin(), known.ends_s.end(), limit_s);
  if (last != known.ends_s.end()) {
    return {.transfers = 1 + (last - known.ends_s.begin()), .stopped = true};
  }
  return {.makespan_s = known.makespan_s, .tasks = known.tasks, .transfers = known.transfers};
}

}  // namespace starport::polaris
