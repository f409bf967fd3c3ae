#include "sim/tiles/validator.hpp"

#include "sim/platform/noise/expected_noise.hpp"
#include "sim/platform/ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace starport::tiles {
namespace {

constexpr std::int32_t kAbsent = -1;

/// The tasks of a product, the tiles that they access and the order in which those of a target must
/// run. Written anew here, from the size and the allocation, so that a wrong TaskGraph is noticed.
///
/// The update T_ijk reads A_ik and B_kj and writes C_ij; those of a tile of C run in the order of
/// k. With reductions, each of several nodes that share a tile of C writes a part of it, an
/// auxiliary tile, in the order of k, and the parts are then added to the tile of C, in the order
/// in which the nodes first occur.
class TaskRules {
 public:
  TaskRules(const ProductSize& size, const Allocation* allocation)
      : r_(size.r), s_(size.s), t_(size.t), allocation_(allocation) {
    for (std::int32_t cell = 0; cell < cells(); ++cell) targets_.push_back({cell, kAbsent});
    for (std::int32_t cell = 0; cell < cells(); ++cell) {
      first_part_.push_back(targets());
      if (allocation != nullptr && allocation->redux) add_parts(cell);
    }
    first_part_.push_back(targets());
  }

  std::int32_t cells() const { return r_ * s_; }
  std::int32_t targets() const { return static_cast<std::int32_t>(targets_.size()); }
  Tile tiles() const { return tile_of(targets()); }
  /// Returns the number of the tile of a target: the tiles of A and B, by rows, come first.
  Tile tile_of(std::int32_t target) const { return r_ * t_ + t_ * s_ + target; }
  bool is_reduction(const Task& task) const { return task.k >= t_; }
  bool exists(const Task& task) const {
    if (task.target < 0 || task.target >= targets() || task.k < 0) return false;
    return task.k < t_ + parts(targets_[index(task.target)].cell);
  }
  /// Returns the k of the task that follows task k of a target; of its first one for k = -1;
  /// kAbsent after the last one.
  std::int32_t next_k(std::int32_t target, std::int32_t k) const {
    const auto [cell, node] = targets_[index(target)];
    if (node == kAbsent && parts(cell) > 0) {
      k = std::max(k + 1, t_);
      return k < t_ + parts(cell) ? k : kAbsent;
    }
    for (++k; k < t_; ++k) {
      if (node == kAbsent || node_of(cell, k) == node) return k;
    }
    return kAbsent;
  }
  /// Returns the target that a reduction adds to its own.
  std::int32_t added_target(const Task& reduction) const {
    return first_part_[index(reduction.target)] + reduction.k - t_;
  }
  Operands operands(const Task& task) const {
    const Tile target = tile_of(task.target);
    if (is_reduction(task)) {
      const Tile part = tile_of(added_target(task));
      return {.target = target, .first = part, .second = part, .reduction = true};
    }
    const std::int32_t cell = targets_[index(task.target)].cell;
    return {.target = target,
            .first = cell / s_ * t_ + task.k,
            .second = r_ * t_ + task.k * s_ + cell % s_};
  }
  std::string name(const Task& task) const {
    const std::int32_t cell = targets_[index(task.target)].cell;
    if (!is_reduction(task)) return fmt::format("task ({}, {}, {})", cell / s_, cell % s_, task.k);
    return fmt::format("reduction {} of C({}, {})", task.k - t_, cell / s_, cell % s_);
  }

 private:
  /// A tile of C, or the part of it that a node accumulates.
  struct Target {
    std::int32_t cell;
    std::int32_t node;  ///< kAbsent for a tile of C
  };

  static std::size_t index(std::int32_t place) { return static_cast<std::size_t>(place); }
  std::int32_t parts(std::int32_t cell) const {
    return first_part_[index(cell) + 1] - first_part_[index(cell)];
  }
  /// Returns the node of an update; an allocation has one for each tile of C, or for each update.
  std::int32_t node_of(std::int32_t cell, std::int32_t k) const {
    const auto& nodes = allocation_->nodes;
    return nodes.size() == index(cells()) ? nodes[index(cell)]
                                          : nodes[index(cell) * index(t_) + index(k)];
  }
  void add_parts(std::int32_t cell) {
    std::vector<std::int32_t> nodes;
    for (std::int32_t k = 0; k < t_; ++k) {
      const std::int32_t node = node_of(cell, k);
      if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
    }
    if (nodes.size() < 2) return;
    for (const std::int32_t node : nodes) targets_.push_back({cell, node});
  }

  std::int32_t r_;
  std::int32_t s_;
  std::int32_t t_;
  const Allocation* allocation_;
  std::vector<Target> targets_;           ///< tiles of C by rows, then the parts, by tile of C
  std::vector<std::int32_t> first_part_;  ///< by tile of C, and the end
};

/// Recomputes the rates of all transfers of a trace on a platform with buses, and keeps those under
/// way. Written anew here, by the definition of max-min fairness: all rates rise together, and each
/// transfer stops rising when its route or a shared line that it uses is full.
class SharingReplay {
 public:
  SharingReplay(const Platform& platform, const ValidationOptions& expectations)
      : platform_(platform), expectations_(expectations) {}

  /// Adds the next transfer of the trace, which moves `tiles` tiles because of noise.
  void add(const TracedTransfer& traced, double tiles) {
    const Route& route = platform_.route(traced.transfer.from, traced.transfer.to);
    waiting_.push_back({.transfer = traced.transfer,
                        .route = &route,
                        .start_s = traced.start_s,
                        .from_s = traced.start_s + tiles * route.latency_s,
                        .until_s = traced.end_s,
                        .tiles = tiles});
  }

  /// Moves tiles until the last change of rates before `date_s`. All transfers that start before
  /// then must have been added.
  void advance_to(double date_s) {
    for (;;) {
      double next_s = std::numeric_limits<double>::infinity();
      for (const Flow& flow : waiting_) next_s = std::min(next_s, flow.from_s);
      for (const Flow& flow : active_) next_s = std::min(next_s, flow.until_s);
      if (next_s >= date_s) return;
      for (Flow& flow : active_) {
        flow.moved += (next_s - now_s_) * flow.rate;
        flow.last_rate = flow.rate;
        ++flow.changes;
      }
      now_s_ = next_s;
      const auto starts = [&](const Flow& flow) { return flow.from_s <= now_s_; };
      std::ranges::copy_if(waiting_, std::back_inserter(active_), starts);
      std::erase_if(waiting_, starts);
      std::erase_if(active_, [&](const Flow& flow) {
        if (flow.until_s > now_s_) return false;
        if (violation_.empty()) violation_ = describe_violation(flow);
        return true;
      });
      raise_rates();
    }
  }

  /// Describes the first transfer that has moved more or less than its tile until its end.
  std::string finish() {
    advance_to(std::numeric_limits<double>::infinity());
    return violation_;
  }

 private:
  struct Flow {
    Transfer transfer;
    const Route* route;
    double start_s;
    double from_s;   ///< after the latency
    double until_s;  ///< the traced end
    double tiles;    ///< to move
    double moved = 0;
    double rate = 0;  ///< tiles per second
    double last_rate = 1;
    int changes = 0;  ///< events meanwhile, after which the rate may differ
    bool rises = true;
  };

  std::string describe_violation(const Flow& flow) const {
    const double off_s = std::abs(flow.moved - flow.tiles) / flow.last_rate;
    const double same_date_s = kSameDate * flow.until_s;
    if (off_s <=
        expectations_.tolerance * (flow.until_s - flow.from_s) + (flow.changes + 1) * same_date_s) {
      return {};
    }
    const auto [tile, from, to] = flow.transfer;
    return fmt::format(
        "at {:.9g} s, the transfer of tile {} from node {} to node {} ends when its fair share of "
        "the buses has moved {:.9g} tiles instead of {:.9g}",
        flow.start_s, tile, from, to, flow.moved, flow.tiles);
  }

  void raise_rates() {
    for (Flow& flow : active_) {
      flow.rate = 0;
      flow.rises = true;
    }
    auto rising = active_.size();
    while (rising > 0) {
      double step = std::numeric_limits<double>::infinity();
      std::vector<double> left;
      std::vector<int> users(platform_.shared_lines.size());
      for (const SharedLine& line : platform_.shared_lines) left.push_back(1 / line.tile_s);
      for (const Flow& flow : active_) {
        if (flow.rises) step = std::min(step, 1 / flow.route->tile_s - flow.rate);
        for (const std::int32_t line : flow.route->lines) {
          left[static_cast<std::size_t>(line)] -= flow.rate;
          users[static_cast<std::size_t>(line)] += flow.rises ? 1 : 0;
        }
      }
      for (std::size_t line = 0; line < left.size(); ++line) {
        if (users[line] > 0) step = std::min(step, left[line] / users[line]);
      }
      step = std::max(step, 0.0);
      for (Flow& flow : active_) {
        if (!flow.rises) continue;
        const bool is_full = std::ranges::any_of(flow.route->lines, [&](std::int32_t line) {
          const auto at = static_cast<std::size_t>(line);
          return left[at] / users[at] <= step + kRounding / platform_.shared_lines[at].tile_s;
        });
        const double alone = 1 / flow.route->tile_s;
        flow.rises = !is_full && alone - flow.rate > step + kRounding * alone;
        flow.rate += step;
        if (!flow.rises) --rising;
      }
    }
  }

  static constexpr double kRounding = 1e-12;
  // Engines treat dates that differ by less as one, at which all rates change.
  static constexpr double kSameDate = 1e-12;

  const Platform& platform_;
  const ValidationOptions& expectations_;
  double now_s_ = 0;           ///< date of the last change of rates
  std::vector<Flow> waiting_;  ///< for the end of their latency
  std::vector<Flow> active_;
  std::string violation_;
};

}  // namespace

/// Replays a trace, event by event. The version of a copy is the number of tasks that had written
/// it. Of equal date, ends of tasks come first, then ends of transfers, evictions, starts of tasks
/// and starts of transfers: the start of a task frees the space of the copies that it invalidates.
class TraceValidator::Replay {
 public:
  Replay(const Platform& platform, const TaskGraph& graph, const ValidationOptions& expectations)
      : platform_(platform),
        rules_(graph.numbering(), graph.allocation()),
        expectations_(expectations),
        noise_(expectations.noise, shortest_s(platform)),
        copies_(index(platform.nodes()) * index(rules_.tiles()), kAbsent),
        written_(index(rules_.tiles())),
        ended_(index(rules_.targets())),
        users_(copies_.size()),
        held_(static_cast<std::size_t>(platform.nodes())),
        working_(platform.workers.size()),
        tasks_(working_.size()),
        transfers_(2 * held_.size()),
        incoming_(held_.size()),
        outgoing_(held_.size()),
        returning_(held_.size()),
        last_requests_(held_.size()),
        fetches_(held_.size()),
        arrived_s_(held_.size()) {
    if (!platform.shared_lines.empty() && std::isfinite(expectations.tolerance)) {
      sharing_.emplace(platform, expectations_);
    }
    std::fill_n(copies_.begin(), rules_.tiles(), 0);
    for (std::int32_t target = 0; target < rules_.targets(); ++target) {
      next_.push_back(rules_.next_k(target, -1));
    }
  }

  std::string add(const TraceRecord& record) {
    const double date_s = start_of(record);
    std::string violation;
    if (!(date_s >= now_s_))
      return fmt::format("at {:.9g} s, an entry starts after one of {:.9g} s", date_s, now_s_);
    if (date_s > now_s_) {
      violation = apply_starts();
      if (sharing_) sharing_->advance_to(date_s);
      now_s_ = date_s;
      std::erase_if(invalidated_, [&](const Invalidated& old) {
        return old.date_s < date_s * (1 - 2 * kDateRounding);
      });
    }
    if (const auto* task = std::get_if<TracedTask>(&record)) {
      task_starts_.push_back(*task);
    } else if (const auto* transfer = std::get_if<TracedTransfer>(&record)) {
      transfer_starts_.push_back(*transfer);
    } else {
      evictions_.push_back(std::get<TracedEviction>(record));
    }
    return violation;
  }

  std::string finish() {
    std::string violation = apply_starts();
    apply_ends(std::numeric_limits<double>::infinity());
    if (violation.empty()) violation = find_missing();
    return violation.empty() && sharing_ ? sharing_->finish() : violation;
  }

 private:
  /// A task or transfer that has started, and ends at a later date.
  struct End {
    double date_s;
    bool is_transfer;
    std::int64_t number;   ///< in the order in which activities start
    std::size_t resource;  ///< the worker of a task, or the link direction of a transfer

    bool operator>(const End& other) const {
      return std::tie(date_s, is_transfer, number) >
             std::tie(other.date_s, other.is_transfer, other.number);
    }
  };
  /// A transfer under way, and the version of the tile that it copies.
  struct StartedTransfer {
    Transfer transfer{};
    std::int32_t version = 0;
  };
  /// A copy that was valid until a task elsewhere started to write the tile.
  struct Invalidated {
    std::size_t copy;
    double date_s;
  };
  /// The requests with the highest numbers among the transfers that have started at a node.
  struct LastRequests {
    std::int64_t into = -1;      ///< the node
    std::int64_t sent = -1;      ///< to another GPU
    std::int64_t returned = -1;  ///< to main memory
  };
  /// A transfer to a GPU whose tile no task there has used yet.
  struct Fetch {
    Tile tile;
    double requested_s;
    double end_s;
  };

  // Numbers of random factors: target or tile, times 2^32, plus task or pair of nodes.
  static constexpr std::int64_t kNumbers = std::int64_t{1} << 32;

  /// Returns the shortest duration of a task or of a transfer of a tile.
  static double shortest_s(const Platform& platform) {
    double shortest = std::numeric_limits<double>::infinity();
    for (const Worker& worker : platform.workers) shortest = std::min(shortest, worker.update_s);
    for (const Link& link : platform.links) shortest = std::min({shortest, link.in_s, link.out_s});
    return shortest;
  }

  static std::size_t index(std::int32_t place) { return static_cast<std::size_t>(place); }
  std::size_t at(int node, Tile tile) const {
    return index(node) * index(rules_.tiles()) + index(tile);
  }
  static double start_of(const TraceRecord& record) {
    if (const auto* task = std::get_if<TracedTask>(&record)) return task->start_s;
    if (const auto* transfer = std::get_if<TracedTransfer>(&record)) return transfer->start_s;
    return std::get<TracedEviction>(record).date_s;
  }

  /// Applies the entries of the current date. Returns a description of the first violation, if any.
  std::string apply_starts() {
    apply_ends(now_s_);
    std::string violation;
    const auto apply = [&](auto& entries, auto start) {
      for (const auto& entry : entries) {
        if (violation.empty()) violation = (this->*start)(entry);
      }
      entries.clear();
    };
    apply(evictions_, &Replay::evict);
    apply(task_starts_, &Replay::start_task);
    apply(transfer_starts_, &Replay::start_transfer);
    return violation.empty() ? violation : fmt::format("at {:.9g} s, {}", now_s_, violation);
  }

  void apply_ends(double until_s) {
    for (; !ends_.empty() && ends_.top().date_s <= until_s; ends_.pop()) {
      const End& end = ends_.top();
      if (end.is_transfer) {
        end_transfer(transfers_[end.resource]);
      } else {
        end_task(end.resource);
      }
    }
  }

  // The ends of tasks and transfers by the specification, written anew here, so that a wrong
  // formula of the engines is noticed.

  double task_end_s(const TracedTask& traced) const {
    const Worker& worker = platform_.worker(traced.worker);
    const double nominal_s =
        rules_.is_reduction(traced.task) ? worker.reduction_s.value() : worker.update_s;
    const double factor =
        noise_.factor(starport::Activity::update, 0, kNumbers * traced.task.target + traced.task.k,
                      worker.update_cv.value_or(0));
    return noise_.end_of_work_s(starport::Activity::update, {worker.number}, traced.start_s,
                                nominal_s * factor) +
           platform_.task_overhead_s;
  }
  double transfer_factor(const Transfer& transfer) const {
    return noise_.factor(
        starport::Activity::transfer, 0,
        kNumbers * transfer.tile + std::int64_t{transfer.from} * platform_.nodes() + transfer.to);
  }
  /// Returns the end of a transfer: its latency, then the tile at the speed of the slower link, or
  /// as the link between the two GPUs says. Slow-downs of either GPU make the tile late.
  double transfer_end_s(const TracedTransfer& traced) const {
    const auto [tile, from, to] = traced.transfer;
    double latency_s = 0;
    double tile_s = 0;
    if (!platform_.routes.empty()) {
      const Route& route = platform_.route(from, to);
      latency_s = route.latency_s;
      tile_s = route.tile_s;
    } else {
      if (from != kHub) {
        latency_s = platform_.link(from).latency_s;
        tile_s = platform_.link(from).out_s;
      }
      if (to != kHub) {
        latency_s = std::max(latency_s, platform_.link(to).latency_s);
        tile_s = std::max(tile_s, platform_.link(to).in_s);
      }
    }
    const double factor = transfer_factor(traced.transfer);
    const double sent_s = traced.start_s + latency_s * factor;
    const double end_s = sent_s + tile_s * factor;
    if (expectations_.noise.slow_downs.empty()) return end_s;
    std::optional<double> latest_s;
    for (const Worker& worker : platform_.workers) {
      if (worker.node == kHub || (worker.node != from && worker.node != to)) continue;
      const double own_s = noise_.end_of_work_s(starport::Activity::transfer, {worker.number},
                                                sent_s, tile_s * factor);
      latest_s = std::max(latest_s.value_or(own_s), own_s);
    }
    return latest_s.value_or(end_s);
  }
  bool is_on_time(double start_s, double end_s, double expected_s) const {
    return std::abs(end_s - expected_s) <=
           expectations_.tolerance * (expected_s - start_s) + kDateRounding * expected_s;
  }

  std::string name(const Task& task) const { return rules_.name(task); }

  /// True if the copy was valid until a task elsewhere started to write the tile at `date_s`. Then
  /// a transfer may start at the same date, which copies the former content in vain.
  bool was_valid_until(int node, Tile tile, double date_s) const {
    const std::size_t copy = at(node, tile);
    return std::ranges::any_of(invalidated_, [&](const Invalidated& old) {
      return old.copy == copy && std::abs(old.date_s - date_s) <= kDateRounding * date_s;
    });
  }
  bool is_valid(int node, Tile tile) const {
    return copies_[at(node, tile)] == written_[index(tile)];
  }

  std::string start_task(const TracedTask& traced) {
    const Task& task = traced.task;
    if (!rules_.exists(task)) {
      return fmt::format("target {} has no task {}", task.target, task.k);
    }
    if (task.k != next_[index(task.target)] || !are_predecessors_ended(task)) {
      return name(task) + " is not the next task of its tile";
    }
    next_[index(task.target)] = rules_.next_k(task.target, task.k);
    if (working_[index(traced.worker)]) {
      return fmt::format("worker {} runs two tasks at once",
                         platform_.worker(traced.worker).number + 1);
    }
    working_[index(traced.worker)] = true;
    const double stop_date_s = noise_.stop_s(platform_.worker(traced.worker).number);
    if (traced.start_s > stop_date_s * (1 + expectations_.tolerance)) {
      return fmt::format("worker {} starts a task after it has stopped",
                         platform_.worker(traced.worker).number + 1);
    }
    const double end_s = task_end_s(traced);
    if (!is_on_time(traced.start_s, traced.end_s, end_s)) {
      return fmt::format("{} takes {:.9g} s instead of {:.9g} s", name(task),
                         traced.end_s - traced.start_s, end_s - traced.start_s);
    }
    const int node = platform_.worker(traced.worker).node;
    const Operands operands = rules_.operands(task);
    if (users_[at(node, operands.target)] > 0) {
      return fmt::format("{} changes tile {} at node {} while a transfer reads it", name(task),
                         operands.target, node);
    }
    for (const Tile tile : {operands.target, operands.first, operands.second}) {
      if (!is_valid(node, tile)) {
        return fmt::format("{} runs at node {} without a valid copy of tile {}", name(task), node,
                           tile);
      }
      ++users_[at(node, tile)];
    }
    if (std::string violation = check_fetches(node, task, operands); !violation.empty())
      return violation;
    for (int other = 0; other < platform_.nodes(); ++other) {
      if (other == node) continue;
      if (is_valid(other, operands.target)) {
        invalidated_.push_back({at(other, operands.target), traced.start_s});
      }
      remove(other, operands.target);
    }
    ++written_[index(operands.target)];
    tasks_[index(traced.worker)] = task;
    ends_.push({traced.end_s, false, started_++, index(traced.worker)});
    return {};
  }

  /// Checks that the tiles that a task at a GPU is the first to use were requested when those of
  /// all tasks before it had arrived, if the GPU fetches them for one task at a time.
  std::string check_fetches(int node, const Task& task, const Operands& operands) {
    double arrived_s = arrived_s_[index(node)];
    for (const Tile tile : {operands.target, operands.first, operands.second}) {
      const auto fetch = std::ranges::find(fetches_[index(node)], tile, &Fetch::tile);
      if (fetch == fetches_[index(node)].end()) continue;
      if (fetch->requested_s < arrived_s_[index(node)] * (1 - kDateRounding)) {
        return fmt::format(
            "{} starts at node {}, which requested tile {} for it at {:.9g} s, before the tiles "
            "of the tasks before it had arrived",
            name(task), node, tile, fetch->requested_s);
      }
      arrived_s = std::max(arrived_s, fetch->end_s);
      fetches_[index(node)].erase(fetch);
    }
    arrived_s_[index(node)] = arrived_s;
    return {};
  }

  /// True if all tasks have ended whose result `task` reads: those before it in its chain and, for
  /// a reduction, all updates of its auxiliary tile.
  bool are_predecessors_ended(const Task& task) const {
    const auto all_ended = [&](std::int32_t target) {
      return written_[index(rules_.tile_of(target))] == ended_[index(target)];
    };
    if (!all_ended(task.target)) return false;
    if (!rules_.is_reduction(task)) return true;
    const std::int32_t part = rules_.added_target(task);
    return next_[index(part)] == kAbsent && all_ended(part);
  }

  void end_task(std::size_t worker) {
    working_[worker] = false;
    const Task& task = tasks_[worker];
    const int node = platform_.workers[worker].node;
    const Operands operands = rules_.operands(task);
    for (const Tile tile : {operands.target, operands.first, operands.second})
      --users_[at(node, tile)];
    copies_[at(node, operands.target)] = written_[index(operands.target)];
    ++ended_[index(task.target)];
  }

  /// True if a transfer under way excludes one that starts.
  bool overlaps(const Transfer& transfer) const {
    const auto [tile, from, to] = transfer;
    if (to != kHub && incoming_[index(to)]) return true;
    if (!expectations_.cuda_order) return from != kHub && outgoing_[index(from)] > 0;
    if (to == kHub) return returning_[index(from)];
    const bool is_sending = outgoing_[index(to)] > (returning_[index(to)] ? 1 : 0);
    return is_sending || (from != kHub && incoming_[index(from)]);
  }

  /// Returns true if a transfer that was requested later than this one, and had to wait for it, has
  /// started before. Stores the number of its request.
  bool is_overtaken(const TracedTransfer& traced) {
    const auto [tile, from, to] = traced.transfer;
    LastRequests& source = last_requests_[index(from)];
    LastRequests& destination = last_requests_[index(to)];
    std::int64_t& own = to == kHub ? source.returned : destination.into;
    std::int64_t last = own;
    if (expectations_.cuda_order && to != kHub) last = std::max(last, destination.sent);
    if (expectations_.cuda_order && to != kHub && from != kHub) last = std::max(last, source.into);
    own = std::max(own, traced.request);
    if (from != kHub && to != kHub) source.sent = std::max(source.sent, traced.request);
    return traced.request < last;
  }

  std::string start_transfer(const TracedTransfer& traced) {
    const Transfer& transfer = traced.transfer;
    const auto [tile, from, to] = transfer;
    const auto what = [&] {
      return fmt::format("the transfer of tile {} from node {} to node {}", transfer.tile,
                         transfer.from, transfer.to);
    };
    if (from != kHub && to != kHub && expectations_.relay)
      return what() + " does not go through the hub";
    if (!is_valid(from, tile) && !was_valid_until(from, tile, traced.start_s))
      return what() + " has no valid copy at its source";
    if (copies_[at(to, tile)] == written_[index(tile)])
      return what() + " is superfluous, since its destination has a valid copy";
    if (overlaps(transfer)) {
      return what() + " overlaps another transfer in the same link direction";
    }
    if (is_overtaken(traced)) return what() + " starts after one that was requested later";
    const double end_s = transfer_end_s(traced);
    const bool may_be_late = !platform_.shared_lines.empty() && traced.end_s > end_s;
    if (!may_be_late && !is_on_time(traced.start_s, traced.end_s, end_s)) {
      return fmt::format("{} takes {:.9g} s instead of {:.9g} s", what(),
                         traced.end_s - traced.start_s, end_s - traced.start_s);
    }
    if (sharing_) sharing_->add(traced, transfer_factor(traced.transfer));
    if (to != kHub) incoming_[index(to)] = true;
    if (from != kHub) ++outgoing_[index(from)];
    if (from != kHub && to == kHub) returning_[index(from)] = true;
    const std::int32_t written = written_[index(tile)];
    const std::size_t direction = 2 * index(to == kHub ? from : to) + (to == kHub ? 1 : 0);
    transfers_[direction] = {transfer, is_valid(from, tile) ? written : written - 1};
    ends_.push({traced.end_s, true, started_++, direction});
    ++users_[at(from, tile)];
    if (to == kHub) return {};
    if (expectations_.fetches_for_one_task)
      fetches_[index(to)].push_back({tile, traced.requested_s, traced.end_s});
    const auto capacity = platform_.link(to).memory_tiles;
    if (++held_[index(to)] > capacity && capacity && expectations_.limited_memory) {
      return what() + " exceeds the memory of its destination";
    }
    return {};
  }

  void end_transfer(const StartedTransfer& started) {
    const auto& [transfer, version] = started;
    const auto [tile, from, to] = transfer;
    if (to != kHub) incoming_[index(to)] = false;
    if (from != kHub) --outgoing_[index(from)];
    if (from != kHub && to == kHub) returning_[index(from)] = false;
    --users_[at(from, tile)];
    if (version != written_[index(tile)]) {  // a task elsewhere has changed the tile meanwhile
      if (to != kHub) --held_[index(to)];
      return;
    }
    copies_[at(to, tile)] = version;
  }

  std::string evict(const TracedEviction& traced) {
    const auto [tile, node] = traced.eviction;
    if (!is_valid(node, tile) || users_[at(node, tile)] > 0 || !is_valid(kHub, tile)) {
      return fmt::format("tile {} is evicted from node {}, where it is needed", tile, node);
    }
    remove(node, tile);
    return {};
  }

  void remove(int node, Tile tile) {
    if (copies_[at(node, tile)] == kAbsent) return;
    copies_[at(node, tile)] = kAbsent;
    if (node != kHub) --held_[index(node)];
  }

  std::string find_missing() const {
    for (std::int32_t target = 0; target < rules_.targets(); ++target) {
      if (next_[index(target)] != kAbsent) {
        return name({.target = target, .k = next_[index(target)]}) + " never runs";
      }
      if (target < rules_.cells() && !is_valid(kHub, rules_.tile_of(target))) {
        return fmt::format("tile {} of C does not return to the hub", target);
      }
    }
    return {};
  }

  const Platform& platform_;
  TaskRules rules_;
  ValidationOptions expectations_;
  ExpectedNoise noise_;
  std::vector<std::int32_t> copies_;   ///< by node and tile: its version
  std::vector<std::int32_t> written_;  ///< by tile: tasks that have started to write it
  std::vector<std::int32_t> next_;     ///< by target: the k that must start next
  std::vector<std::int32_t> ended_;    ///< by target: tasks that have ended
  std::vector<std::int32_t> users_;    ///< by copy: running tasks and transfers that read it
  std::vector<std::int64_t> held_;     ///< by node: tiles in memory
  std::vector<bool> working_;
  std::vector<Task> tasks_;                  ///< by worker: the one that runs
  std::vector<StartedTransfer> transfers_;   ///< by link direction, two for each node
  std::vector<bool> incoming_;               ///< by node: a transfer to it is under way
  std::vector<int> outgoing_;                ///< by node: transfers from it that are under way
  std::vector<bool> returning_;              ///< by node: one of them goes to main memory
  std::vector<LastRequests> last_requests_;  ///< by node
  std::vector<std::vector<Fetch>> fetches_;  ///< by node, if it fetches for one task at a time
  std::vector<double> arrived_s_;            ///< by node: all tiles of the tasks that have started
  double now_s_ = 0;
  // Entries of the current date, not applied yet.
  std::vector<TracedEviction> evictions_;
  std::vector<TracedTask> task_starts_;
  std::vector<TracedTransfer> transfer_starts_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::int64_t started_ = 0;
  std::vector<Invalidated> invalidated_;  ///< at the current date, up to rounding
  std::optional<SharingReplay> sharing_;  ///< on a platform with buses
};

TraceValidator::TraceValidator(const Platform& platform, const TaskGraph& graph,
                               const ValidationOptions& expectations)
    : replay_(std::make_unique<Replay>(platform, graph, expectations)) {}

TraceValidator::~TraceValidator() = default;

std::string TraceValidator::add(const TraceRecord& record) { return replay_->add(record); }

std::string TraceValidator::finish() { return replay_->finish(); }

namespace {

enum class MemoryEvent : std::uint8_t { eviction, task_start, transfer_start };

/// An event that may change what memories hold: an eviction, the start of a task, which invalidates
/// all other copies of its target, or the start of a transfer. At equal dates, events are applied
/// in the order of MemoryEvent.
struct MemoryChange {
  double date_s;
  MemoryEvent event;
  std::int32_t node;
  Tile tile;
  std::int32_t from;  ///< source of a transfer
  double end_s;       ///< of a transfer
};

/// Returns the memory events of a trace, sorted by date.
std::vector<MemoryChange> find_memory_changes(const Platform& platform, const TaskGraph& graph,
                                              const TileTrace& trace) {
  std::vector<MemoryChange> changes;
  for (const auto& [eviction, date_s] : trace.evictions) {
    changes.push_back({date_s, MemoryEvent::eviction, eviction.node, eviction.tile, kHub, date_s});
  }
  for (const TracedTask& traced : trace.tasks) {
    changes.push_back({traced.start_s, MemoryEvent::task_start, platform.worker(traced.worker).node,
                       graph.operands(traced.task).target, kHub, traced.start_s});
  }
  for (const auto& [transfer, request, requested_s, start_s, end_s] : trace.transfers) {
    changes.push_back(
        {start_s, MemoryEvent::transfer_start, transfer.to, transfer.tile, transfer.from, end_s});
  }
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
    return std::tie(a.date_s, a.event) < std::tie(b.date_s, b.event);
  });
  return changes;
}

}  // namespace

std::string find_violation(const Platform& platform, const TaskGraph& graph, const TileTrace& trace,
                           const ValidationOptions& expectations) {
  TraceValidator validator(platform, graph, expectations);
  std::string violation;
  send_records(trace, [&](const TraceRecord& record) {
    if (violation.empty()) violation = validator.add(record);
  });
  return violation.empty() ? validator.finish() : violation;
}

MemoryOccupancy::MemoryOccupancy(const Platform& platform, const TaskGraph& graph,
                                 const TileTrace& trace)
    : steps_(static_cast<std::size_t>(platform.nodes())) {
  const auto tiles = static_cast<std::size_t>(graph.tiles());
  // By node and tile: when the copy arrives, or arrived; none.
  constexpr double none = -1;
  std::vector<double> arrivals_s(steps_.size() * tiles, none);
  std::fill_n(arrivals_s.begin(), tiles, 0);
  const auto arrival_s = [&](int node, Tile tile) -> double& {
    return arrivals_s[static_cast<std::size_t>(node) * tiles + static_cast<std::size_t>(tile)];
  };
  for (const auto& [date_s, event, node, tile, from, end_s] :
       find_memory_changes(platform, graph, trace)) {
    if (event == MemoryEvent::transfer_start) {
      // A transfer that starts when a task begins to write the tile copies the former content.
      const bool in_vain = arrival_s(from, tile) == none;
      if (node != kHub) steps_[static_cast<std::size_t>(node)].push_back({date_s, 1});
      if (!in_vain) arrival_s(node, tile) = end_s;
      if (in_vain && node != kHub) removals_.push_back({end_s, node, tile, false});
      continue;
    }
    const bool is_eviction = event == MemoryEvent::eviction;
    for (int other = 0; other < platform.nodes(); ++other) {
      double& arrived_s = arrival_s(other, tile);
      if (arrived_s == none || is_eviction != (other == node)) continue;
      if (other != kHub) {
        removals_.push_back({std::max(date_s, arrived_s), other, tile, is_eviction});
      }
      arrived_s = none;
    }
  }
  std::ranges::stable_sort(removals_, {}, &Removal::date_s);
  for (const Removal& removal : removals_) {
    steps_[static_cast<std::size_t>(removal.node)].push_back({removal.date_s, -1});
  }
  for (std::vector<Step>& steps : steps_) {
    std::ranges::stable_sort(steps, {}, &Step::date_s);
    std::int64_t held = 0;
    for (Step& step : steps) step.tiles = held += step.tiles;
  }
}

std::int64_t MemoryOccupancy::tiles_at(int node, double date_s) const {
  const auto& steps = steps_[static_cast<std::size_t>(node)];
  const auto later =
      std::upper_bound(steps.begin(), steps.end(), date_s,
                       [](double date, const Step& step) { return date < step.date_s; });
  return later == steps.begin() ? 0 : std::prev(later)->tiles;
}

}  // namespace starport::tiles
