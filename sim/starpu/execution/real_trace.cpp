#include "sim/starpu/execution/real_trace.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace starport::starpu {
namespace {

using tiles::kHub;

template <class Number>
std::int32_t place_of(const std::vector<Number>& numbers, Number number) {
  const auto place = std::find(numbers.begin(), numbers.end(), number);
  return place == numbers.end() ? 0 : static_cast<std::int32_t>(place - numbers.begin());
}

std::vector<tiles::TracedTask> order_tasks(const RecordedRun& run) {
  std::vector<tiles::TracedTask> tasks;
  for (const RecordedTask& task : run.tasks) {
    tasks.push_back({.task = task.task,
                     .worker = place_of(run.workers, task.worker),
                     .stolen = task.stolen,
                     .start_s = 1e-6 * (task.start_us - run.start_us),
                     .end_s = 1e-6 * (task.end_us - run.start_us)});
  }
  const auto by_start = [](const auto& a, const auto& b) { return a.start_s < b.start_s; };
  std::stable_sort(tasks.begin(), tasks.end(), by_start);
  std::vector<double> free_s(run.workers.size());
  for (tiles::TracedTask& task : tasks) {
    double& free = free_s[static_cast<std::size_t>(task.worker)];
    task.start_s = std::max(task.start_s, free);
    task.end_s = std::max(task.end_s, task.start_s);
    free = task.end_s;
  }
  std::stable_sort(tasks.begin(), tasks.end(), by_start);
  return tasks;
}

/// The first date, from a given one on, at which the copy of a tile at a node was used.
class Uses {
 public:
  void add(int node, tiles::Tile tile, double date_s) { dates_[{node, tile}].push_back(date_s); }
  void sort() {
    for (auto& [copy, dates] : dates_) std::sort(dates.begin(), dates.end());
  }
  double first_from(int node, tiles::Tile tile, double from_s) const {
    const auto dates = dates_.find({node, tile});
    if (dates == dates_.end()) return std::numeric_limits<double>::infinity();
    const auto first = std::lower_bound(dates->second.begin(), dates->second.end(), from_s);
    return first == dates->second.end() ? std::numeric_limits<double>::infinity() : *first;
  }

 private:
  std::map<std::pair<int, tiles::Tile>, std::vector<double>> dates_;
};

std::vector<tiles::TracedTransfer> order_transfers(const RecordedRun& run,
                                                   const std::vector<tiles::TracedTask>& tasks,
                                                   const tiles::Platform& platform,
                                                   const tiles::TaskGraph& graph) {
  std::vector<tiles::TracedTransfer> transfers;
  Uses uses;
  for (const tiles::TracedTask& task : tasks) {
    const tiles::Operands operands = graph.operands(task.task);
    for (const tiles::Tile tile : {operands.target, operands.first, operands.second}) {
      uses.add(platform.worker(task.worker).node, tile, task.start_s);
    }
  }
  for (const RecordedTransfer& recorded : run.transfers) {
    const auto node = [&](std::int32_t number) {
      return place_of(run.nodes, static_cast<unsigned>(number));
    };
    transfers.push_back({.transfer = {.tile = recorded.transfer.tile,
                                      .from = node(recorded.transfer.from),
                                      .to = node(recorded.transfer.to)},
                         .start_s = 1e-6 * (recorded.submitted_us - run.start_us),
                         .end_s = 1e-6 * (recorded.end_us - run.start_us)});
    const tiles::TracedTransfer& added = transfers.back();
    uses.add(added.transfer.from, added.transfer.tile, added.start_s);
  }
  uses.sort();
  std::map<std::pair<int, int>, double> free_s;  // by nodes from and to
  for (tiles::TracedTransfer& traced : transfers) {
    const auto [tile, from, to] = traced.transfer;
    const double used_s = uses.first_from(to, tile, traced.start_s);
    double& free = free_s[{from, to}];
    traced.end_s = std::min(traced.end_s, used_s);
    traced.start_s = std::min(std::max(traced.start_s, free), traced.end_s);
    free = std::max(free, traced.end_s);
  }
  std::stable_sort(transfers.begin(), transfers.end(),
                   [](const auto& a, const auto& b) { return a.start_s < b.start_s; });
  return transfers;
}

/// Returns the evictions that must have taken place before tiles were fetched again.
std::vector<tiles::TracedEviction> find_evictions(const tiles::TileTrace& trace,
                                                  const tiles::Platform& platform,
                                                  const tiles::TaskGraph& graph) {
  enum class Kind { transfer_end, task_start, transfer_start };
  struct Event {
    double date_s;
    Kind kind;
    std::size_t index;
  };
  std::vector<Event> events;
  for (std::size_t i = 0; i < trace.transfers.size(); ++i) {
    events.push_back({trace.transfers[i].start_s, Kind::transfer_start, i});
    events.push_back({trace.transfers[i].end_s, Kind::transfer_end, i});
  }
  for (std::size_t i = 0; i < trace.tasks.size(); ++i) {
    events.push_back({trace.tasks[i].start_s, Kind::task_start, i});
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.date_s, a.kind) < std::tie(b.date_s, b.kind);
  });
  std::vector<tiles::TracedEviction> evictions;
  const auto tiles = static_cast<std::size_t>(graph.tiles());
  std::vector<bool> valid(static_cast<std::size_t>(platform.nodes()) * tiles);
  const auto copy = [&](int node, tiles::Tile tile) {
    return valid[static_cast<std::size_t>(node) * tiles + static_cast<std::size_t>(tile)];
  };
  for (const Event& event : events) {
    if (event.kind == Kind::task_start) {
      const tiles::TracedTask& task = trace.tasks[event.index];
      const tiles::Tile target = graph.operands(task.task).target;
      for (int node = 0; node < platform.nodes(); ++node) {
        copy(node, target) = node == platform.worker(task.worker).node;
      }
      continue;
    }
    const auto [tile, from, to] = trace.transfers[event.index].transfer;
    if (event.kind == Kind::transfer_end) {
      copy(to, tile) = true;
    } else if (to != kHub && copy(to, tile)) {
      copy(to, tile) = false;
      evictions.push_back({.eviction = {.tile = tile, .node = to}, .date_s = event.date_s});
    }
  }
  return evictions;
}

}  // namespace

tiles::TileTrace make_trace(const RecordedRun& run, const tiles::Platform& platform,
                            const tiles::TaskGraph& graph) {
  tiles::TileTrace trace;
  trace.tasks = order_tasks(run);
  trace.transfers = order_transfers(run, trace.tasks, platform, graph);
  trace.evictions = find_evictions(trace, platform, graph);
  return trace;
}

}  // namespace starport::starpu
