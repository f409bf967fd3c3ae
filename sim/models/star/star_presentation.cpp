// Presentation of the star: comparison table, platform table, notes and bottlenecks.
#include "sim/files/error.hpp"
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/results/comparison.hpp"
#include "sim/results/figure.hpp"
#include "sim/star/heuristic.hpp"
#include "sim/sweep/override.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace starport {
namespace {

/// Returns whether the schedule splits k: whether workers share the updates of blocks of C.
bool splits_k(const Record& record) { return !is_none(record.figures[kSplitKBound]); }

/// Returns the bound that the column "x bound" refers to.
const Figure& tightest_bound(const Record& record) {
  if (splits_k(record)) return kSplitKBound;
  return record.figures.real(kCStationary) == 1 ? kCStationaryBound : kAnyScheduleBound;
}

/// Returns the first index of each run of consecutive identical workers, then their number.
std::vector<std::size_t> starts_of_equal_runs(const std::vector<Worker>& workers) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (i == 0 || !(workers[i] == workers[i - 1])) starts.push_back(i);
  }
  starts.push_back(workers.size());
  return starts;
}

/// An improvement of one resource of the platform.
struct Improvement {
  std::string resource;
  Override change;
};

/// Returns improvements of each resource by the fraction `more`. Workers are improved in groups of
/// identical ones, or all together when there are too many groups.
std::vector<Improvement> list_improvements(const Platform& platform, double more) {
  constexpr std::size_t max_groups = 24;
  std::vector<Improvement> improvements;
  const auto add = [&](const std::string& resource, const char* field, std::size_t first,
                       std::size_t end) {
    Override change{.column = field, .field = field, .multiply = true, .values = {1 + more}};
    if (end - first < platform.workers.size()) {  // otherwise all that have such a resource
      change.workers.resize(end - first);
      std::iota(change.workers.begin(), change.workers.end(), static_cast<std::int64_t>(first));
    }
    improvements.push_back({resource, std::move(change)});
  };
  const std::size_t p = platform.workers.size();
  add(platform.port.kind == Port::Kind::multi ? "bandwidth of the links"
                                              : "bandwidth of the master's port",
      "bandwidth", 0, p);
  std::vector<std::size_t> starts = starts_of_equal_runs(platform.workers);
  if (starts.size() > max_groups) starts = {0, p};
  for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
    const std::string whose = p == 1 ? "the worker"
                              : starts.size() == 2
                                  ? "all workers"
                                  : platform.names.format_range(starts[k], starts[k + 1]);
    for (const char* field : {"speed", "memory"}) {
      add(fmt::format("{} of {}", field, whose), field, starts[k], starts[k + 1]);
    }
  }
  return improvements;
}

class StarPresentation final : public Presentation {
 public:
  std::vector<Column> columns(const Case& instance) const override;
  std::string heading(const Case& instance, const Figures& bounds) const override;
  std::string caveat(const Case& instance) const override;
  std::string footnote(const Comparison& comparison, const Figures& bounds) const override;
  std::string bound_distance(const Record& record, const Figures& bounds) const override;
  std::string bottleneck(const Case& instance, const Record& record) const override;
  const Figure* work_figure() const override { return &kBlockUpdates; }
  std::vector<Figures> worker_facts(const Case& instance) const override;
};

std::vector<Column> StarPresentation::columns(const Case& instance) const {
  Column port{
      .heading = "port use", .figures = {&kPortUtilisation}, .form = Form::share, .repeated = true};
  // With one or two ports a share of the time, with many the mean number in use.
  const Port::Kind kind = instance.file.port.kind;
  if (kind != Port::Kind::one) {
    port = {.heading = "sends+returns",
            .figures = {&kSendUtilisation, &kReceiveUtilisation},
            .form = kind == Port::Kind::two ? Form::share : Form::mean,
            .repeated = true};
  }
  return {{"makespan (s)", {&kMakespan}, Form::date},
          {"rel. cost", {&kRelativeCost}, Form::ratio},
          {"enrolled", {&kEnrolledWorkers}, Form::count, true},
          {"rel. work", {&kRelativeWork}, Form::ratio, true},
          {"x bound", {&kTimesTightest}, Form::ratio, false, true},
          port,
          {"CCR", {&kCcr}, Form::per_update},
          {"blocks moved", {&kBlocksMoved}, Form::count},
          {"decision", {&kDecision}, Form::duration}};
}

std::string StarPresentation::heading(const Case& instance, const Figures& bounds) const {
  const Problem& problem = instance.problem;
  const Value rho = bounds[kSteadyStateRate];
  const Platform platform = make_star(instance);
  const bool has_chunks = std::ranges::any_of(platform.workers, [](const Worker& worker) {
    return chunk_side(worker, kOptimizedOverlapped) > 0;
  });
  std::string text = platform_table(platform, problem);
  text += fmt::format("C += A.B with r={}, s={}, t={}: {} block updates; {}\n", problem.r,
                      problem.s, problem.t, problem.updates(),
                      !is_none(rho) ? fmt::format("steady-state bound {:.4g} updates/s", real(rho))
                      : has_chunks  ? "no lower bounds: they could not be computed"
                                   : "no steady-state bound: no worker's memory holds five blocks");
  if (const Value bound = bounds[kAnyScheduleBound]; !is_none(bound)) {
    text += fmt::format("Lower bound on the makespan of any schedule: {} s",
                        format_value(Form::date, bound));
    const Value stationary = bounds[kCStationaryBound];
    if (!is_none(stationary) && real(stationary) > real(bound)) {
      text += fmt::format(
          "; of C-stationary schedules (one rectangle of C at a time on a worker): {} s",
          format_value(Form::date, stationary));
    }
    text += "\n";
  }
  return text;
}

std::string StarPresentation::caveat(const Case& instance) const {
  std::string text = fmt::format(
      "{} master; the published heuristics keep no blocks of A and B from one chunk to the next, "
      "and "
      "transfer each block of C once in each direction",
      to_string(instance.file.port.kind));
  std::int64_t workers = 0;
  for (const PlatformFile::Entry& entry : instance.file.entries) {
    if (std::holds_alternative<PlatformFile::MemorySharing>(entry.worker)) workers += entry.count;
  }
  if (workers > 0) {
    text += fmt::format("; {} that {} the master's memory: links that cost almost nothing",
                        format_count(workers, "worker"), workers == 1 ? "shares" : "share");
  }
  return text + (instance.file.start_up_s > 0 ? "; start-up time is not counted" : "");
}

/// Returns a warning of one line that names the heuristics that take at least twice the bound with
/// at most half of the workers, if C is small for the workers' memories, the kind of instance on
/// which those of PPoPP'08 lose most (experiments/worst/README.md); otherwise "".
std::string warn_of_small_product(const Comparison& comparison) {
  double blocks = 0;
  double columns = 0;
  for (const Worker& worker : make_star(comparison.instance).workers) {
    blocks += static_cast<double>(worker.m_blocks);
    columns += static_cast<double>(chunk_side(worker, kOptimizedOverlapped));
  }
  const Problem& problem = comparison.instance.problem;
  const double in_panels = columns / static_cast<double>(problem.s);
  const double in_chunks = blocks / static_cast<double>(problem.r * problem.s);
  if (in_chunks < 4 && in_panels < 3) return "";
  std::vector<std::string> affected;
  const auto workers = static_cast<double>(comparison.instance.file.size());
  for (const Record& record : comparison.records) {
    const bool few = 2 * record.figures.real(kEnrolledWorkers) <= workers;
    if (few && record.figures.real(kTimesBound) >= 2) affected.push_back(record.algorithm);
  }
  if (affected.empty()) return "";
  return fmt::format(
      "{}: few workers get work, because the memories are large for this product: together they "
      "hold C {:.1f} times, and panels as wide as their chunks cover it {:.1f} times\n",
      fmt::join(affected, ", "), in_chunks, in_panels);
}

std::string StarPresentation::footnote(const Comparison& comparison, const Figures& bounds) const {
  std::vector<std::string> stationary;
  std::vector<std::string> others;
  std::vector<std::string> notes;
  for (const Record& record : comparison.records) {
    const Value is_stationary = record.figures[kCStationary];
    if (is_none(is_stationary)) continue;
    if (splits_k(record)) {
      notes.push_back(fmt::format("for {}, which splits k: makespan / {} ({} s)", record.algorithm,
                                  kSplitKBound.label,
                                  format_value(Form::date, record.figures[kSplitKBound])));
      continue;
    }
    (real(is_stationary) == 1 ? stationary : others).push_back(record.algorithm);
  }
  const auto ratio = [&](const Figure& bound) {
    return fmt::format("makespan / {} ({} s)", bound.label,
                       format_value(Form::date, bounds[bound]));
  };
  std::string text;
  if (!stationary.empty()) {
    text = fmt::format("x bound: {}", ratio(kCStationaryBound));
    if (!others.empty())
      text += fmt::format("; for {}: {}", fmt::join(others, ", "), ratio(kAnyScheduleBound));
  } else if (!others.empty()) {
    text = fmt::format("x bound: {}", ratio(kAnyScheduleBound));
  }
  if (!notes.empty())
    text += fmt::format("{}{}", text.empty() ? "x bound " : "; ", fmt::join(notes, "; "));
  // The platform may be no star if no heuristic for stars ran.
  return text.empty() ? text : text + "\n" + warn_of_small_product(comparison);
}

std::string StarPresentation::bound_distance(const Record& record, const Figures& bounds) const {
  if (std::isnan(record.figures.real(kTimesTightest))) return "";
  const double makespan_s = record.figures.real(kMakespan);
  std::vector<std::string> above;
  const auto add_value = [&](const Value& bound_s, const char* of) {
    if (is_none(bound_s)) return;
    above.push_back(fmt::format(
        "{:.1f}% above {} for {} ({} s)", 100 * (makespan_s / real(bound_s) - 1),
        above.empty() ? "the lower bound" : "that", of, format_value(Form::date, bound_s)));
  };
  const auto add = [&](const Figure& bound, const char* of) { add_value(bounds[bound], of); };
  if (splits_k(record)) {
    add_value(record.figures[kSplitKBound], "schedules that split k");
    return above.front();
  }
  if (record.figures.real(kCStationary) == 1 &&
      bounds.real(kCStationaryBound) > bounds.real(kAnyScheduleBound)) {
    add(kCStationaryBound, "C-stationary schedules");
  }
  add(kAnyScheduleBound, "any schedule");
  return fmt::format("{}", fmt::join(above, " and "));
}

// The decrease of the bound corresponds to the dual prices of its linear program. Differences work
// for every kind of port, and where memories are whole blocks.
std::string StarPresentation::bottleneck(const Case& instance, const Record& record) const {
  constexpr double more = 0.1;
  constexpr double least_decrease = 5e-4;
  constexpr std::size_t max_resources = 3;
  const Figure& bound = tightest_bound(record);
  if (std::isnan(record.figures.real(kTimesTightest))) return "";
  const auto bound_s = [&](const PlatformFile& file) {
    const Case changed{file, instance.problem};
    if (splits_k(record)) return split_k_bound_s(make_star(changed), changed.problem).value_or(NAN);
    return star_bounds(changed, {}).real(bound);
  };
  const double current_s = bound_s(instance.file);
  std::vector<std::pair<double, std::string>> decreases;
  std::vector<Improvement> improvements = list_improvements(make_star(instance), more);
  if (PortFile port = instance.file.port; port.bandwidth_bytes_per_s || port.c_s) {
    if (port.bandwidth_bytes_per_s) *port.bandwidth_bytes_per_s *= 1 + more;
    if (port.c_s) *port.c_s /= 1 + more;
    improvements.push_back(
        {"bandwidth that all transfers share",
         Override{.column = "port", .field = "port", .values = {std::move(port)}}});
  }
  for (const auto& [resource, change] : improvements) {
    try {
      const double decrease = 1 - bound_s(change.apply_to(instance.file, 0)) / current_s;
      if (decrease > least_decrease) decreases.emplace_back(decrease, resource);
    } catch (const InputError&) {  // a worker that shares the master's memory has no such resource
    }
  }
  std::ranges::stable_sort(decreases, std::greater<>(),
                           [](const auto& decrease) { return decrease.first; });
  if (decreases.size() > max_resources) decreases.resize(max_resources);
  std::vector<std::string> texts;
  for (const auto& [decrease, resource] : decreases) {
    texts.push_back(fmt::format("{} by {:.1f}%", resource, 100 * decrease));
  }
  if (texts.empty()) return "";
  return fmt::format("{:.0f}% more of one resource lowers the bound: {}.", 100 * more,
                     fmt::join(texts, ", "));
}

std::vector<Figures> StarPresentation::worker_facts(const Case& instance) const {
  std::vector<Figures> facts;
  for (const Worker& worker : instance.file.star_or_empty(instance.problem.block_size).workers) {
    facts.push_back({{&kSide, chunk_side(worker, kOptimizedOverlapped)}});
  }
  return facts;
}

}  // namespace

const Presentation& star_presentation() {
  static const StarPresentation presentation;
  return presentation;
}

std::string platform_table(const Platform& platform, const Problem& problem) {
  constexpr std::size_t most_rows = 16;
  std::string text = fmt::format("{}: {} worker{}, {}blocks of {} x {}\n", platform.name,
                                 platform.workers.size(), platform.workers.size() > 1 ? "s" : "",
                                 platform.port == Port{} ? "" : describe(platform.port) + ", ",
                                 problem.block_size, problem.block_size);
  const bool latency = std::any_of(platform.workers.begin(), platform.workers.end(),
                                   [](const Worker& worker) { return worker.latency_s > 0; });
  std::vector<std::vector<std::string>> rows{{"worker", "c_i", "w_i", "m_i", "mu_i"}};
  if (latency) rows.front().push_back("latency");
  std::size_t shown = 0;
  for (std::size_t i = 0; i < platform.workers.size() && rows.size() <= most_rows;) {
    const Worker& worker = platform.workers[i];
    const Worker seen = at_chunk_size(worker, kOptimizedOverlapped);
    std::size_t end = i + 1;
    while (end < platform.workers.size() && platform.workers[end] == worker) ++end;
    rows.push_back({platform.names.format_range(i, end), format_seconds(worker.c_s),
                    format_seconds(seen.w_s), fmt::format("{}", worker.m_blocks),
                    fmt::format("{}", kOptimizedOverlapped.side(seen.m_blocks))});
    if (latency) rows.back().push_back(format_seconds(worker.latency_s));
    shown = i = end;
  }
  text += align(rows, 2);
  if (shown < platform.workers.size()) {
    text += fmt::format("  ... and {} more\n", platform.workers.size() - shown);
  }
  return text;
}

}  // namespace starport
