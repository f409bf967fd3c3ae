#include "sim/star/bounds/makespan_bounds.hpp"

#include "sim/star/bounds/concave_knapsack.hpp"
#include "sim/star/bounds/exposed_loads.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
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

std::vector<double> most_updates(std::size_t most_blocks) {
  std::vector<double> updates{0, 0};
  for (std::array<std::int64_t, 3> box{0, 1, 1}; updates.size() <= most_blocks;) {
    const auto [a, b, c] = box;  // a <= b <= c <= a + 1
    // The two sides of a layer have this sum; its area is largest if they are alike.
    for (std::int64_t sides = 1; sides <= b + c; ++sides)
      updates.push_back(static_cast<double>(a * b * c + std::min(sides * sides / 4, b * c)));
    box = {b, c, a + 1};
    std::ranges::sort(box);
  }
  updates.resize(most_blocks + 1);
  return updates;
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

/// Largest memory, in blocks, for which it matters that updates and blocks are whole.
constexpr std::int64_t kSmallMemory = 400;

/// A concave lower bound on the loads of a worker: the lesser of two lines in its updates.
struct LoadLines {
  double first_slope = 0;  ///< of the line through 0
  double slope = 0;        ///< of the other one
  double offset = 0;

  double at(double updates) const {
    return std::min(first_slope * updates, slope * updates + offset);
  }
};

/// Returns the bounds for memories of 0, 1, ..., kSmallMemory blocks, which are of use from three
/// blocks on.
std::vector<LoadLines> make_load_lines() {
  const std::vector<double> most = most_updates(5 * kSmallMemory);
  const auto at = [](std::int64_t index) { return static_cast<std::size_t>(index); };
  std::vector<LoadLines> lines(at(kSmallMemory + 1));
  for (std::int64_t m = kLeastMemory; m <= kSmallMemory; ++m) {
    LoadLines& line = lines[at(m)];
    std::int64_t window = 0;  // of the steepest line, in loads
    for (std::int64_t loads = 1; loads <= 3 * m; ++loads) {
      const double slope = static_cast<double>(loads) / most[at(m - 1 + loads)];
      if (slope <= line.slope) continue;
      line.slope = slope;
      window = loads;
    }
    line.first_slope = line.offset = kInfinity;
    const std::int64_t begin = 2 * m - 1;  // any number of loads would do; this one is good
    for (std::int64_t loads = begin; loads < begin + window; ++loads)
      line.offset =
          std::min(line.offset, static_cast<double>(loads) - line.slope * most[at(loads)]);
    for (std::int64_t loads = kLeastMemory; loads < begin; ++loads)
      line.first_slope = std::min(line.first_slope, static_cast<double>(loads) / most[at(loads)]);
  }
  return lines;
}

/// Returns the bound for a memory of `m_blocks` blocks, which is 0 above kSmallMemory.
LoadLines load_lines(std::int64_t m_blocks) {
  static const std::vector<LoadLines> lines = make_load_lines();
  return m_blocks <= kSmallMemory ? lines[static_cast<std::size_t>(m_blocks)] : LoadLines{};
}

/// A bound for long t: at least `loads` / sqrt(m) loads of A and B for an update if t is at least
/// `ratio` sqrt(m) and m a multiple of kMemoryUnit.
struct CertifiedLoads {
  double ratio;
  double loads;
};
constexpr double kMemoryUnit = 20;  ///< blocks
/// Proved by the numbers in tests/star/bounds/load_certificates.json.
constexpr CertifiedLoads kCertifiedLoads[] = {{1.8, 1.682}, {2, 1.729},   {2.2, 1.74}, {2.5, 1.76},
                                              {3, 1.784},   {3.5, 1.804}, {4, 1.817}};

/// Returns the bound on the loads of A and B per update of a worker that does all updates of its
/// blocks of C (makespan_bounds.md, steps 3b and 3c).
double operand_loads_per_update(std::int64_t m_blocks, std::int64_t inner) {
  const auto m = static_cast<double>(m_blocks);
  const auto t = static_cast<double>(inner);
  double best = 0;
  // Any integers would do; the best one is between m/8 and 3m, and its neighbours are hardly worse.
  for (double g = m / 8; g <= 3 * m; g *= 1.05) {
    const double fewest = std::ceil(g);
    const double most = fewest + 2 * (m - 2);
    const double slope = 2 / (std::sqrt(fewest) + std::sqrt(most));
    const double fixed = slope * t * std::sqrt(fewest * most);
    const double rest = std::min((fixed - 2) / (m - 2 + fewest), (fixed - m) / fewest);
    best = std::max(best, slope + rest / t);
  }
  // More memory needs no more loads.
  const double root = std::sqrt(kMemoryUnit * std::ceil(m / kMemoryUnit));
  for (const auto& [ratio, loads] : kCertifiedLoads) {
    if (t >= ratio * root) best = std::max(best, loads / root);
  }
  return best;
}

/// Lower bounds on the loads of a worker, each a concave function of its updates.
class LoadBounds {
 public:
  /// `whole_c`: the worker does all updates of the blocks of C that it has.
  LoadBounds(const Problem& problem, std::int64_t m_blocks, bool whole_c)
      : sides_(sorted_sides(problem)),
        m_(static_cast<double>(m_blocks)),
        segment_(best_segment(sides_, m_)),
        lines_(load_lines(m_blocks)),
        whole_c_(whole_c),
        t_(static_cast<double>(problem.t)),
        least_side_(static_cast<double>(std::min(problem.r, problem.s))),
        residencies_(whole_c ? operand_loads_per_update(m_blocks, problem.t) + 1 / t_ : 0) {}

  /// One of the functions, and its value.
  struct Value {
    double function;  ///< kLines, kWholeC, kOneResidency or the number of segments
    double loads;
  };
  /// Returns the largest of the bounds on the loads of some updates.
  Value best(double updates) const {
    Value best = best_segments(updates);
    const auto consider = [&](double function) {
      const double other = loads(updates, function);
      if (other > best.loads) best = {function, other};
    };
    if (lines_.slope > 0) consider(kLines);
    if (whole_c_) {
      consider(kWholeC);
      consider(kOneResidency);
    }
    return best;
  }
  /// Returns the bound on the loads of some updates by one of the functions.
  double loads(double updates, double function) const {
    if (function == kLines) return lines_.at(updates);
    if (function == kOneResidency) return residencies_ * updates;
    if (function == kWholeC) {
      const double blocks = updates / t_;
      const double d = least_side_;
      return blocks + t_ * (blocks <= d * d ? 2 * std::sqrt(blocks) : d + blocks / d);
    }
    return loads_in_segments(sides_, m_, updates, function);
  }

 private:
  static constexpr double kLines = 0;
  static constexpr double kWholeC = -1;
  static constexpr double kOneResidency = -2;

  Value best_segments(double updates) const {
    if (updates <= segment_) return {1, touched(sides_, updates)};  // S is concave: no cut helps
    const double low = std::floor(updates / segment_);
    const auto in_segments = [&](double count) {
      return Value{count, loads_in_segments(sides_, m_, updates, count)};
    };
    // Segments that are cubes: low + 1 are better from between low + 0.45 and low + 0.5 on.
    if (updates <= low * sides_[0] * sides_[0] * sides_[0]) {
      const double part = updates / segment_ - low;
      if (part < 0.44) return in_segments(low);
      if (part > 0.51) return in_segments(low + 1);
    }
    const Value fewer = in_segments(low);
    const Value more = in_segments(low + 1);
    return more.loads > fewer.loads ? more : fewer;
  }

  Sides sides_;
  double m_;
  double segment_;  ///< volume of the best segment
  LoadLines lines_;
  bool whole_c_;
  double t_;
  double least_side_;   ///< of C
  double residencies_;  ///< per update, if each block of C has one
};

/// The share of the port of one worker, as a function of its updates: loads, which cost `load_s`
/// each, and `sent_c_s` for each update, since C is sent.
class PortShare {
 public:
  PortShare(const LoadBounds& bounds, std::optional<ExposedLoads> exposed, double load_s,
            double sent_c_s)
      : bounds_(bounds), exposed_(std::move(exposed)), load_s_(load_s), sent_c_s_(sent_c_s) {}

  /// Sets the date by which the worker must have ended.
  void set_end_s(double end_s) {
    if (exposed_) exposed_->set_end_s(end_s);
  }

  /// The share at x.
  struct Point {
    double x = 0;
    double value = 0;
    double function = 1;  ///< function of LoadBounds that is largest at x
    /// Window whose bound is larger than that; kNone if there is none.
    ExposedLoads::Window window = ExposedLoads::kNone;
  };
  Point at(double x) const {
    if (x <= 0) return {};
    const LoadBounds::Value best = bounds_.best(x);
    Point point{x, share_s(x, best.loads), best.function};
    if (!exposed_) return point;
    const ExposedLoads::Window window = exposed_->best(x);
    if (window == ExposedLoads::kNone) return point;
    const double value = share_s(x, exposed_->loads(x, window));
    if (value <= point.value) return point;
    point.value = value;
    point.window = window;
    return point;
  }
  /// Each of the functions is concave, so that its chord is a bound too, and the bounds of windows
  /// are linear. Returns the lines of those that are largest at either end. At 0 all functions are
  /// 0; there the largest function at the other end is used.
  std::array<Chord, 2> chords(const Point& from, const Point& to) const {
    const auto chord = [&](double function) {
      return Chord{share_s(from.x, bounds_.loads(from.x, function)),
                   share_s(to.x, bounds_.loads(to.x, function))};
    };
    const auto line = [&](ExposedLoads::Window window) {
      const double at_begin = share_s(from.x, exposed_->loads(from.x, window));
      return Chord{from.x > 0 ? at_begin : std::min(0.0, at_begin),
                   share_s(to.x, exposed_->loads(to.x, window))};
    };
    const bool has_line = to.window != ExposedLoads::kNone;
    return {from.window != ExposedLoads::kNone
                ? line(from.window)
                : chord(has_line && from.x <= 0 ? to.function : from.function),
            has_line ? line(to.window) : chord(to.function)};
  }

 private:
  double share_s(double x, double loads) const { return load_s_ * loads + sent_c_s_ * x; }

  LoadBounds bounds_;
  std::optional<ExposedLoads> exposed_;
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
Resource make_resource(const Platform& platform, const Problem& problem, bool splits_k,
                       double capacity, LoadTime&& load_s, SentTime&& sent_c_s) {
  Resource resource{.shares = {}, .capacity = capacity};
  for (const Worker& worker : platform.workers) {
    if (worker.m_blocks < kLeastMemory) continue;
    std::optional<ExposedLoads> exposed;
    if (!splits_k)
      exposed.emplace(worker.m_blocks, worker.w_s, block_s(platform, worker), problem.t);
    resource.shares.emplace_back(LoadBounds(problem, worker.m_blocks, !splits_k), exposed,
                                 load_s(worker), sent_c_s(worker));
  }
  return resource;
}

/// Returns the resources that transfers share, each of which bounds the makespan; with a multi-port
/// without limits one of which nothing is used (makespan_bounds.md).
std::vector<Resource> shared_resources(const Platform& platform, const Problem& problem,
                                       bool splits_k) {
  const auto t = static_cast<double>(problem.t);
  const auto on_link = [&](const Worker& worker) { return block_s(platform, worker); };
  const auto nothing = [](const Worker&) { return 0.0; };
  const double least_s = on_link(std::ranges::min(platform.workers, {}, on_link));
  const auto received = [&](const Worker& worker) {
    return (splits_k ? least_s : on_link(worker)) / t;
  };
  const Port& port = platform.port;
  std::vector<Resource> resources;
  const auto add = [&](double capacity, const auto& load_s, const auto& sent_c_s) {
    resources.push_back(make_resource(platform, problem, splits_k, capacity, load_s, sent_c_s));
  };
  switch (port.kind) {
    case Port::Kind::one:
      add(1, on_link, received);
      break;
    case Port::Kind::two:
      if (splits_k) {
        add(2, on_link, received);
      } else {
        add(1, on_link, nothing);
      }
      break;
    case Port::Kind::multi:
      if (port.c_s > 0) {
        add(
            1, [&](const Worker&) { return port.c_s; },
            [&](const Worker&) { return port.c_s / t; });
      }
      if (port.max_transfers > 0) add(static_cast<double>(port.max_transfers), on_link, received);
      if (resources.empty()) add(1, nothing, nothing);
  }
  return resources;
}

/// Whether the updates can be shared between the workers so that a resource, links and computations
/// suffice until T, as far as the relaxation tells.
class ScheduleRelaxation {
 public:
  ScheduleRelaxation(const Platform& platform, const Problem& problem, bool splits_k,
                     Resource resource)
      : updates_(static_cast<double>(problem.updates())),
        knapsack_(std::move(resource.shares)),
        capacity_(resource.capacity),
        unit_(splits_k ? 0 : static_cast<double>(problem.t)) {
    const auto t = static_cast<double>(problem.t);
    for (const Worker& worker : platform.workers) {
      if (worker.m_blocks < kLeastMemory) continue;
      workers_.push_back(worker);
      const LoadBounds loads(problem, worker.m_blocks, !splits_k);
      const double link_s = block_s(platform, worker);
      std::optional<PortShare>& busy = busy_.emplace_back();
      if (worker.m_blocks == kLeastMemory) {
        // No transfer during an update, which takes all the memory.
        busy.emplace(loads, std::nullopt, link_s, worker.w_s);
      } else if (platform.port.kind != Port::Kind::one) {  // a single port is busier than any link
        busy.emplace(loads, std::nullopt, link_s, splits_k ? 0 : link_s / t);
      }
      std::optional<ExposedLoads>& exposed = exposed_.emplace_back();
      if (!splits_k) exposed.emplace(worker.m_blocks, worker.w_s, link_s, problem.t);
    }
    most_.resize(workers_.size());
  }

  /// Returns a date by which the relaxation probably does not disprove one worker for all updates.
  double alone_s() const {
    double least = kInfinity;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const double busy_s = busy_[i] ? busy_[i]->at(updates_).value : 0;
      least = std::min(least,
                       std::max({updates_ * workers_[i].w_s + start_and_end_s(workers_[i]), busy_s,
                                 knapsack_.functions()[i].at(updates_).value / capacity_}));
    }
    return least;
  }

  bool impossible(double makespan_s, int nodes) {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const double room_s = makespan_s - start_and_end_s(workers_[i]);
      most_[i] = std::clamp(room_s / workers_[i].w_s, 0.0, updates_);
      if (busy_[i]) most_[i] = most_within(*busy_[i], makespan_s, most_[i]);
      if (exposed_[i]) {
        exposed_[i]->set_end_s(makespan_s);
        most_[i] = exposed_[i]->max_updates(most_[i]);
      }
      knapsack_.functions()[i].set_end_s(makespan_s);
      // More by a relative 1e-9: if just these multiples have the sum needed, as for equal workers,
      // rounding in the relaxation would decide, for all T up to the next multiple.
      if (unit_ > 0) most_[i] = std::floor(most_[i] / unit_ + 1e-9) * unit_ * (1 + 1e-9);
    }
    return knapsack_.surely_above(most_, updates_, makespan_s * capacity_, nodes);
  }

 private:
  /// Before its first update a worker has got a block of A and one of B, after the last it returns
  /// one of C: two messages at least.
  static double start_and_end_s(const Worker& worker) {
    return 3 * worker.c_s + 2 * worker.latency_s;
  }
  /// Returns an upper bound, at most `most`, on the updates for which the worker's link is busy
  /// for `makespan_s` at most.
  static double most_within(const PortShare& busy, double makespan_s, double most) {
    if (busy.at(most).value <= makespan_s) return most;
    double possible = 0;
    while (most - possible > 1e-7 * most) {
      const double middle = possible + (most - possible) / 2;
      (busy.at(middle).value <= makespan_s ? possible : most) = middle;
    }
    return most;
  }

  double updates_;
  std::vector<Worker> workers_;
  ConcaveKnapsack<PortShare> knapsack_;
  /// The time for which the link of a worker is busy; none if the port is busier.
  std::vector<std::optional<PortShare>> busy_;
  std::vector<std::optional<ExposedLoads>> exposed_;  ///< none if workers split k
  std::vector<double> most_;
  double capacity_;
  double unit_;  ///< of which the updates of each worker are a multiple; 0: of none
};

/// Finds the least T that the relaxation does not disprove, by bisection.
double least_possible_s(ScheduleRelaxation relaxation, std::size_t workers) {
  constexpr double precision = 1e-5;
  const auto p = static_cast<int>(std::min<std::size_t>(workers, 20000));
  // First without branching, then from there on with it.
  double impossible_s = 0;
  double end_s = relaxation.alone_s();
  while (relaxation.impossible(end_s, 1)) end_s *= 2;
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
  return LoadBounds(problem, m_blocks, false).best(updates).loads;
}

namespace {

std::optional<double> bound_s(const Platform& platform, const Problem& problem, bool splits_k) {
  const bool is_possible = std::ranges::any_of(
      platform.workers, [](const Worker& worker) { return worker.m_blocks >= kLeastMemory; });
  if (!is_possible) return std::nullopt;
  double largest_s = 0;
  for (Resource& resource : shared_resources(platform, problem, splits_k)) {
    const ScheduleRelaxation relaxation(platform, problem, splits_k, std::move(resource));
    largest_s = std::max(largest_s, least_possible_s(relaxation, platform.workers.size()));
  }
  return largest_s;
}

}  // namespace

std::optional<double> any_schedule_bound_s(const Platform& platform, const Problem& problem) {
  return bound_s(platform, problem, false);
}

std::optional<double> split_k_bound_s(const Platform& platform, const Problem& problem) {
  return bound_s(platform, problem, true);
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
