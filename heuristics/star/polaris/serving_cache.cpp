#include "heuristics/star/polaris/serving_cache.hpp"

#include <algorithm>
#include <bit>

namespace starport::polaris {
namespace {

constexpr std::size_t kMaxDates = 1 << 20;  ///< 12 MB; beyond that the cache is cleared

}  // namespace

ServingCache::Key ServingCache::make_key(const std::vector<RectangleTask>& tasks,
                                         const ServingOptions& options) const {
  const auto bits = [](double x) { return std::bit_cast<std::int64_t>(x); };
  Key key{bits(options.patience), options.return_columns};
  for (const RectangleTask& task : tasks) {
    const Mode& mode = task.mode;
    const bool resident = mode.kind == Mode::Kind::a_resident;
    key.insert(key.end(), {task.worker, task.c.rows.size(), task.c.columns.size(), resident ? 1 : 0,
                           mode.transposed ? 1 : 0, mode.height});
    const MessageOptions& message_options = options.message_options;
    if (!resident) {
      key.insert(key.end(), {mode.window, mode.retained, mode.pieces, message_options.joining,
                             message_options.rest});
      continue;
    }
    key.push_back(message_options.late_c ? 1 : 0);
    const std::int64_t high = mode.transposed ? task.c.columns.size() : task.c.rows.size();
    const std::int64_t wide = mode.transposed ? task.c.rows.size() : task.c.columns.size();
    const std::int64_t m = platform_.workers[task.worker].m_blocks;
    for (const std::int64_t h : {std::min(high, mode.height), 1 + (high - 1) % mode.height}) {
      const ResidentBand band = make_resident_band(h, wide, problem_.t, m, mode, message_options);
      key.insert(key.end(), {band.loading, band.depth, band.group, band.pieces});
    }
  }
  return key;
}

const ServedSchedule& ServingCache::find_or_serve(const std::vector<RectangleTask>& tasks,
                                                  const ServingOptions& options, double limit_s) {
  if (dates_ > kMaxDates) {
    runs_.clear();
    dates_ = 0;
  }
  ServedSchedule& run =
      runs_.try_emplace(make_key(tasks, options), ServedSchedule{.stopped = true}).first->second;
  // Simulate again if the cached simulation stopped at a lower limit.
  const bool reaches_limit = !run.ends_s.empty() && run.ends_s.back() >= limit_s;
  if (run.stopped && !reaches_limit) {
    dates_ -= run.ends_s.size();
    run = serve_tasks(platform_, problem_, tasks, options, limit_s);
    dates_ += run.ends_s.size();
  }
  return run;
}

ServedSchedule ServingCache::serve(const std::vector<RectangleTask>& tasks,
                                   const ServingOptions& options, double limit_s) {
  const ServedSchedule& cached = find_or_serve(tasks, options, limit_s);
  const auto last = std::lower_bound(cached.ends_s.begin(), cached.ends_s.end(), limit_s);
  if (last != cached.ends_s.end()) {
    return {.transfers = 1 + (last - cached.ends_s.begin()), .stopped = true};
  }
  return {.makespan_s = cached.makespan_s, .tasks = cached.tasks, .transfers = cached.transfers};
}

}  // namespace starport::polaris
