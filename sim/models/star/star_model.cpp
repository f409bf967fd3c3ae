#include "sim/models/star/star_model.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/models/star/star_figures.hpp"
#include "sim/results/common_figures.hpp"
#include "sim/results/comparison.hpp"
#include "sim/star/bounds/steady_state.hpp"
#include "sim/star/c_stationary.hpp"
#include "sim/star/heuristic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace starport {

const Heuristic& heuristic_of(const NamedAlgorithm& named) {
  return dynamic_cast<const Heuristic&>(*named.algorithm);
}

Platform star_of(const Case& instance) {
  return instance.file.at_block_size(instance.problem.block_size);
}

Planner planner_of(const NamedAlgorithm& named, const Platform& platform, const Problem& problem) {
  return [&] {
    const Heuristic& heuristic = heuristic_of(named);
    if (named.named) return heuristic.plan(platform, problem);
    try {
      return heuristic.plan(platform, problem);
    } catch (const InputError& error) {
      throw NotApplicable(fmt::format("it needs {}, there is {}", error.expected, error.found));
    }
  };
}

const FigureList& StarModel::figures() const { return star_figures(); }

std::vector<Column> StarModel::columns(const Case& instance) const {
  Column port{
      .heading = "port use", .figures = {&kPortUtilisation}, .form = Form::share, .repeated = true};
  // Of many ports how many are in use, of one or two each one's share of the time.
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

std::optional<InputError> StarModel::misfit(const Case& instance, const RunOptions& options) const {
  try {
    star_of(instance);
  } catch (const InputError& error) {
    return error;
  }
  const Port::Kind kind = instance.file.port.kind;
  if (options.engine == EngineKind::analytic && kind == Port::Kind::multi) {
    return InputError("--engine",
                      "simgrid: the recurrence is that of one-port and two-port masters",
                      "analytic, on a multi-port platform");
  }
  if (const auto needed = port_needed(options.noise, kind)) {
    return InputError("--noise", "a platform whose master has " + *needed, to_string(kind));
  }
  return std::nullopt;
}

double fewest_transfers(const Requirements& required, const Platform& platform,
                        const Problem& problem) {
  std::int64_t m_blocks = 0;
  for (const Worker& worker : platform.workers) m_blocks = std::max(m_blocks, worker.m_blocks);
  if (m_blocks < required.blocks) return 0;
  if (required.layout == nullptr) {
    // Any schedule moves 2 / sqrt(m) blocks for an update (Smith et al. 2019), at most m in each.
    const auto m = static_cast<double>(m_blocks);
    return 2 * static_cast<double>(problem.updates()) / (m * std::sqrt(m));
  }
  const std::int64_t side = required.layout->side(m_blocks);
  const auto parts = [](std::int64_t whole, std::int64_t part) {
    return static_cast<double>(ceil_div(whole, part));
  };
  return parts(problem.r, side) * parts(problem.s, side) *
         (parts(problem.t, required.layout->step_depth(side)) + 2);
}

namespace {

/// Throws InputError when no worker has the memory for one of those named, or for any.
void check_memory(const std::vector<NamedAlgorithm>& heuristics, const Case& instance,
                  const Platform& platform) {
  std::optional<InputError> least;
  std::int64_t least_blocks = INT64_MAX;
  bool some_fit = false;
  for (const NamedAlgorithm& named : heuristics) {
    const Requirements required = heuristic_of(named).requirements();
    try {
      check_memory(required, platform, instance.problem);
      some_fit = true;
    } catch (InputError& error) {
      error.hint = named.name + " needs it";
      if (named.named) throw NoWorker(error.in_file(instance.file.path));
      if (required.blocks < least_blocks) least = error.in_file(instance.file.path);
      least_blocks = std::min(least_blocks, required.blocks);
    }
  }
  if (!some_fit && least) throw NoWorker(*least);
}

}  // namespace

void StarModel::check(const std::vector<NamedAlgorithm>& heuristics, const Case& instance,
                      const RunOptions& options) const {
  const Platform platform = star_of(instance);
  check_memory(heuristics, instance, platform);
  for (const NamedAlgorithm& named : heuristics) {
    const double fewest =
        fewest_transfers(heuristic_of(named).requirements(), platform, instance.problem);
    const std::size_t most = most_transfers(options.limits, options.noise);
    if (fewest > static_cast<double>(most)) {
      throw InputError("--problem",
                       fmt::format("a run that fits in memory, at most {} transfers here", most),
                       fmt::format("at least {:.3g} transfers for {}", fewest, named.name),
                       "use larger blocks or memories, or a smaller product");
    }
  }
}

Figures figures_of(const MakespanBounds& bounds) {
  Figures figures;
  const auto set = [&](const Figure& figure, const std::optional<double>& bound_s) {
    if (bound_s) figures.set(figure, *bound_s);
  };
  set(kSteadyStateBound, bounds.steady_state_s);
  set(kCStationaryBound, bounds.c_stationary_s);
  set(kAnyScheduleBound, bounds.any_schedule_s);
  return figures;
}

Figures StarModel::bounds(const Case& instance, const Noise& noise) const {
  const Platform platform = star_of(instance);
  const double rho = steady_state(platform, instance.problem).throughput_updates_per_s;
  Figures bounds = figures_of(makespan_bounds(platform, instance.problem, rho, noise.none()));
  // There is no bound where no memory holds its layout; DDOML and BMM need less.
  if (rho > 0) bounds.set(kSteadyStateRate, rho);
  return bounds;
}

std::vector<Figures> StarModel::worker_facts(const Case& instance) const {
  std::vector<Figures> facts;
  for (const Worker& worker : instance.file.star_if_any(instance.problem.block_size).workers) {
    facts.push_back({{&kSide, chunk_side(worker, kOptimizedOverlapped)}});
  }
  return facts;
}

std::string StarModel::caveat(const Case& instance) const {
  std::string text = fmt::format(
      "{} master; the published heuristics keep nothing of A and B from one chunk to the next, and "
      "send C out and home once",
      to_string(instance.file.port.kind));
  std::int64_t workers = 0;
  for (const PlatformFile::Entry& entry : instance.file.entries) {
    if (std::holds_alternative<PlatformFile::Sharing>(entry.worker)) workers += entry.count;
  }
  if (workers > 0) {
    text += workers == 1 ? "; one that shares the master's memory has a link for nearly nothing"
                         : fmt::format(
                               "; {} that share the master's memory have links for nearly "
                               "nothing",
                               workers);
  }
  return text + (instance.file.start_up_s > 0 ? "; no start-up" : "");
}

std::string StarModel::heading(const Case& instance, const Figures& bounds) const {
  const Problem& problem = instance.problem;
  const Value rho = bounds[kSteadyStateRate];
  std::string text = platform_table(star_of(instance), problem);
  text += fmt::format("C += A.B with r={}, s={}, t={}: {} block updates; {}\n", problem.r,
                      problem.s, problem.t, problem.updates(),
                      is_none(rho)
                          ? "no steady-state bound, which is that of chunks in five blocks at least"
                          : fmt::format("steady-state bound {:.4g} updates/s", real(rho)));
  if (const Value bound = bounds[kAnyScheduleBound]; !is_none(bound)) {
    text += fmt::format("No schedule ends before {} s", shown(Form::date, bound));
    const Value stationary = bounds[kCStationaryBound];
    if (!is_none(stationary) && real(stationary) > real(bound)) {
      text += fmt::format("; none that keeps a rectangle of C at a time before {} s",
                          shown(Form::date, stationary));
    }
    text += "\n";
  }
  return text;
}

}  // namespace starport
