#include "sim/star/bounds/makespan_bounds.hpp"

#include "sim/star/bounds/concave_knapsack.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace starport {

std::vector<CommunicationBound> communication_bounds(std::int64_t m_blocks) {
  const auto m = static_cast<double>(m_blocks);
  return {{"Irony, Toledo, Tiskin 2004", std::sqrt(1 / (8 * m))},
          {"IPDPS'07 before refinement", std::sqrt(27 / (32 * m))},
          {"IPDPS'07 and PPoPP'08", std::sqrt(27 / (8 * m))},
          {"Smith et al., COSMA 2019", 2 / std::sqrt(m)}};
}

double achieved_ccr(const MemoryLayout& layout, std::int64_t m_blocks, std::int64_t t) {
  const std::int64_t side = layout.side(m_blocks);
  if (side == 0) return std::numeric_limits<double>::infinity();
  return 2 / static_cast<double>(t) + 2 / static_cast<double>(side);
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kLeastMemory = 3;  ///< a block of each matrix

/// The sizes r, s and t, sorted: d1 <= d2 <= d3.
using Sides = std::array<double, 3>;

Sides sorted_sides(const Problem& problem) {
  Sides sides{static_cast<double>(problem.r), static_cast<double>(problem.s),
              static_cast<double>(problem.t)};
  std::sort(sides.begin(), sides.end());
  return sides;
}

/// Computes touched_blocks() for sorted sizes.
double touched(const Sides& sides, double x) {
  if (x <= 0) return 0;
  const auto& [d1, d2, d3] = sides;
  if (x <= d1 * d1 * d1) {
    const double side = std::cbrt(x);
    return 3 * side * side;
  }
  if (x <= d1 * d2 * d2) return x / d1 + 2 * std::sqrt(x * d1);
  return x / d1 + x / d2 + d1 * d2;
}

/// The volume v of a segment at which S(v) - m = v S'(v), S the touched blocks: cutting there gives
/// the steepest bound. Infinite where the two smallest sides fit in memory: no cut helps.
double best_segment(const Sides& sides, double m) {
  const auto& [d1, d2, d3] = sides;
  if (m <= d1 * d1) return m * std::sqrt(m);
  return m < d1 * d2 ? m * m / d1 : kInfinity;
}

double loads_in_segments(const Sides& sides, double m, double updates, double segments) {
  return segments * touched(sides, updates / segments) - (segments - 1) * m;
}

/// The number of segments that gives the best bound on the loads of some updates, and that bound.
struct Segments {
  double count;
  double loads;
};
Segments best_segments(const Sides& sides, double m, double segment, double updates) {
  if (updates <= segment) return {1, touched(sides, updates)};  // S is concave: no cut helps
  const double low = std::floor(updates / segment);
  const auto loads = [&](double count) {
    return Segments{count, loads_in_segments(sides, m, updates, count)};
  };
  // Segments that are cubes: low + 1 are better from between low + 0.45 and low + 0.5 on.
  if (updates <= low * sides[0] * sides[0] * sides[0]) {
    const double part = updates / segment - low;
    if (part < 0.44) return loads(low);
    if (part > 0.51) return loads(low + 1);
  }
  const Segments fewer = loads(low);
  const Segments more = loads(low + 1);
  return more.loads > fewer.loads ? more : fewer;
}

/// The share of the port of one worker, as a function of its updates: loads, which cost `load_s`
/// each, and `sent_c_s` for each update, since C is sent.
class PortShare {
 public:
  PortShare(const Problem& problem, std::int64_t m_blocks, double load_s, double sent_c_s)
      : sides_(sorted_sides(problem)),
        m_(static_cast<double>(m_blocks)),
        segment_(best_segment(sides_, m_)),
        load_s_(load_s),
        sent_c_s_(sent_c_s) {}

  /// The share at x, and the number of segments that gives it.
  struct Point {
    double x = 0;
    double value = 0;
    double segments = 1;
  };
  Point at(double x) const {
    if (x <= 0) return {};
    const Segments best = best_segments(sides_, m_, segment_, x);
    return {x, share_s(x, best.loads), best.count};
  }
  /// Each of a fixed number of segments gives a concave bound, so that its chord is a bound too.
  /// Those best at either end are used.
  std::array<Chord, 2> chords(const Point& from, const Point& to) const {
    if (from.segments == to.segments) {
      return {Chord{from.value, to.value}, Chord{from.value, to.value}};
    }
    const auto with = [&](double x, double segments) {
      return share_s(x, loads_in_segments(sides_, m_, x, segments));
    };
    return {Chord{from.value, with(to.x, from.segments)},
            Chord{with(from.x, to.segments), to.value}};
  }

 private:
  double share_s(double x, double loads) const { return load_s_ * loads + sent_c_s_ * x; }

  Sides sides_;
  double m_;
  double segment_;  ///< volume of the best segment
  double load_s_;
  double sent_c_s_;
};

/// The least time, in seconds, that a block takes on the way between the master and the worker.
double block_s(const Platform& platform, const Worker& worker) {
  return std::max(worker.c_s, platform.port.c_s);
}

/// A resource that all transfers share, such as the port: the seconds of it that each worker uses,
/// as a function of its updates, and how many seconds of it there are in a second. The workers are
/// those with memory for a block of each matrix.
struct Resource {
  std::vector<PortShare> shares;
  double capacity;
};

/// Returns the resource of which a load of a worker takes load_s(worker) seconds, and each of its
/// updates sent_c_s(worker) for the values of C that it receives.
template <class LoadTime, class SentTime>
Resource make_resource(const Platform& platform, const Problem& problem, double capacity,
                       LoadTime&& load_s, SentTime&& sent_c_s) {
  Resource resource{.shares = {}, .capacity = capacity};
  for (const Worker& worker : platform.workers) {
    if (worker.m_blocks < kLeastMemory) continue;
    resource.shares.emplace_back(problem, worker.m_blocks, load_s(worker), sent_c_s(worker));
  }
  return resource;
}

/// Who adds up the partial sums of a block of C if several workers share its updates.
enum class PartialSums : std::uint8_t {
  added_by_workers,  ///< which receive those of the others
  added_by_master
};

/// Returns the resources that transfers share, each of which bounds the makespan; with a multi-port
/// without limits one of which nothing is used (makespan_bounds.md).
std::vector<Resource> shared_resources(const Platform& platform, const Problem& problem,
                                       PartialSums sums) {
  const auto t = static_cast<double>(problem.t);
  const auto on_link = [&](const Worker& worker) { return block_s(platform, worker); };
  const auto nothing = [](const Worker&) { return 0.0; };
  const auto [least, largest] = std::ranges::minmax(platform.workers, {}, on_link);
  const double least_s = on_link(least);
  const auto received = [&](const Worker& worker) {
    if (sums == PartialSums::added_by_master) return least_s / t;
    return std::min(on_link(worker), 2 * least_s) / t;
  };
  const Port& port = platform.port;
  std::vector<Resource> resources;
  switch (port.kind) {
    case Port::Kind::one:
      resources.push_back(make_resource(platform, problem, 1, on_link, received));
      break;
    case Port::Kind::two:
      if (sums == PartialSums::added_by_master) {
        resources.push_back(make_resource(platform, problem, 2, on_link, received));
        break;
      }
      for (const double part : {0.0, 0.25, 0.5, 1.0}) {
        const double return_weight = part * (1 - least.c_s / largest.c_s);  // theta
        const auto load_s = [&](const Worker& worker) {
          return std::min(worker.c_s, return_weight * worker.c_s + least_s);
        };
        resources.push_back(make_resource(platform, problem, 1 + return_weight, load_s, nothing));
        if (least.c_s == largest.c_s) break;
      }
      break;
    case Port::Kind::multi:
      if (port.c_s > 0) {
        resources.push_back(make_resource(
            platform, problem, 1, [&](const Worker&) { return port.c_s; },
            [&](const Worker&) { return port.c_s / t; }));
      }
      if (port.max_transfers > 0) {
        resources.push_back(make_resource(
            platform, problem, static_cast<double>(port.max_transfers), on_link, received));
      }
      if (resources.empty())
        resources.push_back(make_resource(platform, problem, 1, nothing, nothing));
  }
  return resources;
}

/// Whether the updates can be shared between the workers so that a resource, links and computations
/// suffice until T, as far as the relaxation tells.
class AnySchedule {
 public:
  AnySchedule(const Platform& platform, const Problem& problem, Resource resource)
      : updates_(static_cast<double>(problem.updates())),
        knapsack_(std::move(resource.shares)),
        capacity_(resource.capacity) {
    for (const Worker& worker : platform.workers) {
      if (worker.m_blocks < kLeastMemory) continue;
      workers_.push_back(worker);
      // A single port is busier than any link.
      if (platform.port.kind != Port::Kind::one)
        links_.emplace_back(problem, worker.m_blocks, block_s(platform, worker), 0);
    }
    most_.resize(workers_.size());
  }

  /// One worker for all: an upper bound on the bound.
  double alone_s() const {
    double least = kInfinity;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const double link_s = links_.empty() ? 0 : links_[i].at(updates_).value;
      least = std::min(least,
                       std::max({updates_ * workers_[i].w_s + start_and_end_s(workers_[i]), link_s,
                                 knapsack_.functions()[i].at(updates_).value / capacity_}));
    }
    return least;
  }

  bool impossible(double makespan_s, int nodes) {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const double room_s = makespan_s - start_and_end_s(workers_[i]);
      most_[i] = std::clamp(room_s / workers_[i].w_s, 0.0, updates_);
      if (!links_.empty()) most_[i] = most_by_link(links_[i], makespan_s, most_[i]);
    }
    return knapsack_.surely_above(most_, updates_, makespan_s * capacity_, nodes);
  }

 private:
  /// Before its first update a worker has got a block of A and one of B, after the last it returns
  /// one of C: two messages at least.
  static double start_and_end_s(const Worker& worker) {
    return 3 * worker.c_s + 2 * worker.latency_s;
  }
  /// Returns an upper bound, at most `most`, on the updates whose loads the link carries by
  /// `makespan_s`.
  static double most_by_link(const PortShare& link, double makespan_s, double most) {
    if (link.at(most).value <= makespan_s) return most;
    double possible = 0;
    while (most - possible > 1e-7 * most) {
      const double middle = possible + (most - possible) / 2;
      (link.at(middle).value <= makespan_s ? possible : most) = middle;
    }
    return most;
  }

  double updates_;
  std::vector<Worker> workers_;
  ConcaveKnapsack<PortShare> knapsack_;
  std::vector<PortShare> links_;  ///< by worker; empty if the port is busier than any link
  std::vector<double> most_;
  double capacity_;
};

/// Finds the least T that AnySchedule does not disprove, by bisection.
double least_possible_s(AnySchedule relaxation, std::size_t workers) {
  constexpr double precision = 1e-5;
  const auto p = static_cast<int>(std::min<std::size_t>(workers, 20000));
  // First without branching, then from there on with it.
  double impossible_s = 0;
  double end_s = relaxation.alone_s();
  for (const int nodes : {1, std::clamp(20000 / p, 1, 300)}) {
    double perhaps_s = impossible_s == 0 ? end_s : std::min(end_s, 1.01 * impossible_s);
    while (relaxation.impossible(perhaps_s, nodes) && perhaps_s < end_s) {
      impossible_s = perhaps_s;
      perhaps_s = std::min(end_s, 1.01 * perhaps_s);
    }
    while (perhaps_s - impossible_s > precision * perhaps_s) {
      const double middle = impossible_s + (perhaps_s - impossible_s) / 2;
      (relaxation.impossible(middle, nodes) ? impossible_s : perhaps_s) = middle;
    }
  }
  return impossible_s;
}

}  // namespace

double c_stationary_blocks_per_update(const Problem& problem, std::int64_t m_blocks) {
  if (m_blocks < 3) return kInfinity;
  const auto m = static_cast<double>(m_blocks);
  double best = kInfinity;
  // u = min(h, v), from the largest that fits downwards, until 1/u + 1/v can only grow.
  std::int64_t u = std::min(problem.r, problem.s);
  const auto largest = static_cast<std::int64_t>(std::sqrt(m));
  u = std::min(u, largest);
  while (u > 1 && u * u + u + 1 > m_blocks) --u;
  for (; u >= 1; --u) {
    const auto real = static_cast<double>(u);
    if (1 / real + real / (m - 1 - real) >= best) break;
    const std::int64_t v = std::min(std::max(problem.r, problem.s), (m_blocks - 1 - u) / u);
    best = std::min(best, 1 / real + 1 / static_cast<double>(v));
  }
  return best + 2 / static_cast<double>(problem.t);
}

/// The least T for which x_i >= 0 exist with sum x_i = r s t, x_i w_i <= T, and the blocks that the
/// updates move fit into what the port, or its bandwidth, and the links carry by T. All limits are
/// proportional to T: for each of those shared, the best rate is the bandwidth-centric one.
std::optional<double> c_stationary_bound_s(const Platform& platform, const Problem& problem) {
  struct Rate {
    double shared_s;  ///< of what is shared, for an update
    double most;      ///< updates per second of the worker and its link
  };
  const Port& port = platform.port;
  const auto least_rate = [&](double capacity, double returned, const auto& shared_block_s) {
    std::vector<Rate> rates;
    for (const Worker& worker : platform.workers) {
      const double blocks = c_stationary_blocks_per_update(problem, worker.m_blocks);
      if (blocks == kInfinity) continue;
      const double link_s = port.kind == Port::Kind::one ? 0 : blocks * block_s(platform, worker);
      rates.push_back(
          {(blocks - returned) * shared_block_s(worker), 1 / std::max(worker.w_s, link_s)});
    }
    std::ranges::sort(rates, {}, &Rate::shared_s);
    double sum = 0;
    for (const auto& [shared_s, most] : rates) {
      const double x = shared_s > 0 ? std::min(most, capacity / shared_s) : most;
      capacity = std::max(0.0, capacity - x * shared_s);
      sum += x;
    }
    return sum;
  };
  const auto on_link = [&](const Worker& worker) { return block_s(platform, worker); };
  double rate = 0;
  if (port.kind == Port::Kind::multi) {
    rate = least_rate(1, 0, [&](const Worker&) { return port.c_s; });
    if (port.max_transfers > 0)
      rate = std::min(rate, least_rate(static_cast<double>(port.max_transfers), 0, on_link));
  } else {
    // On two ports, the returns of C do not use the port that sends.
    const bool two = port.kind == Port::Kind::two;
    rate = least_rate(1, two ? 1 / static_cast<double>(problem.t) : 0, on_link);
  }
  if (rate == 0) return std::nullopt;
  return static_cast<double>(problem.updates()) / rate;
}

double touched_blocks(const Problem& problem, double updates) {
  return touched(sorted_sides(problem), updates);
}

double fewest_loads(const Problem& problem, std::int64_t m_blocks, double updates) {
  const auto m = static_cast<double>(m_blocks);
  const Sides sides = sorted_sides(problem);
  return best_segments(sides, m, best_segment(sides, m), updates).loads;
}

namespace {

std::optional<double> bound_s(const Platform& platform, const Problem& problem, PartialSums sums) {
  const bool is_possible = std::ranges::any_of(
      platform.workers, [](const Worker& worker) { return worker.m_blocks >= kLeastMemory; });
  if (!is_possible) return std::nullopt;
  double largest_s = 0;
  for (Resource& resource : shared_resources(platform, problem, sums)) {
    const AnySchedule relaxation(platform, problem, std::move(resource));
    largest_s = std::max(largest_s, least_possible_s(relaxation, platform.workers.size()));
  }
  return largest_s;
}

}  // namespace

std::optional<double> any_schedule_bound_s(const Platform& platform, const Problem& problem) {
  return bound_s(platform, problem, PartialSums::added_by_workers);
}

std::optional<double> split_k_bound_s(const Platform& platform, const Problem& problem) {
  return bound_s(platform, problem, PartialSums::added_by_master);
}

MakespanBounds makespan_bounds(const Platform& platform, const Problem& problem,
                               double steady_state_updates_per_s, bool nominal) {
  MakespanBounds bounds;
  if (steady_state_updates_per_s > 0) {
    bounds.steady_state_s = static_cast<double>(problem.updates()) / steady_state_updates_per_s;
  }
  if (!nominal) return bounds;
  bounds.c_stationary_s = c_stationary_bound_s(platform, problem);
  bounds.any_schedule_s = any_schedule_bound_s(platform, problem);
  return bounds;
}

}  // namespace starport
