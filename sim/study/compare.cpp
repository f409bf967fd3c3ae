#include "sim/study/compare.hpp"

#include "heuristics/star/chunks.hpp"
#include "sim/files/error.hpp"
#include "sim/process/progress.hpp"
#include "sim/star/validator/validator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <optional>

namespace starport {
namespace {

Result failed(const std::string& name, Status status, std::string why) {
  Result result;
  result.heuristic = name;
  result.status = status;
  result.error = std::move(why);
  return result;
}

}  // namespace

Planner planner_of(const NamedHeuristic& named, const Platform& platform, const Problem& problem) {
  return [&] {
    if (named.named) return named.heuristic->plan(platform, problem);
    try {
      return named.heuristic->plan(platform, problem);
    } catch (const InputError& error) {
      throw NotApplicable(fmt::format("it needs {}, there is {}", error.expected, error.found));
    }
  };
}

Result simulate_row(const std::string& name, const Platform& platform, const Problem& problem,
                    const Planner& planner, const Engine& engine,
                    const std::function<void(const Trace&)>& take_trace, const Noise& noise) {
  try {
    const auto begin = std::chrono::steady_clock::now();
    Result result;
    result.heuristic = name;
    const auto note = [&](const RunAbout& about) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
      result.decision_s = about.decision_s;
      result.simulation_s = elapsed.count() - about.decision_s;
      result.details = about.details;
    };
    if (!take_trace) {
      MetricsMeter meter(platform.workers.size());
      const auto about = engine.stream(
          platform, problem, planner, noise,
          [&](const Message& message, const Dates& dates) { meter.add(message, dates); });
      if (about) {
        note(*about);
        result.metrics = meter.metrics();
        return result;
      }
    }
    const Run run = engine.run(platform, problem, planner, noise);
    note(run);
    if (const auto violation = find_violation(platform, problem, run.trace, noise)) {
      return failed(name, Status::error,
                    fmt::format("the trace breaks the model at transfer {}: {}",
                                violation->transfer + 1, violation->message));
    }
    result.metrics = metrics_of(platform, run.trace);
    if (take_trace) take_trace(run.trace);
    return result;
  } catch (const NotApplicable& reason) {
    return failed(name, Status::not_applicable, reason.what());
  } catch (const SimulationError& error) {
    return failed(name, Status::error, error.what());
  } catch (const InputError& error) {  // no worker has the memory, say
    return failed(name, Status::error, error.what());
  } catch (const std::bad_alloc&) {
    return failed(name, Status::error, "the trace needs more memory than there is");
  }
}

Result simulate_repeatedly(const std::string& name, const Platform& platform,
                           const Problem& problem, const Planner& planner, const Engine& engine,
                           const std::function<void(const Trace&)>& take_trace,
                           const RepeatedNoise& repeated) {
  std::vector<Result> runs;
  std::vector<double> makespans_s;
  Noise noise = repeated.noise;
  for (noise.repetition = 1; noise.repetition <= repeated.repetitions; ++noise.repetition) {
    const bool first = noise.repetition == 1;
    runs.push_back(simulate_row(
        name, platform, problem, planner, engine,
        first && take_trace ? take_trace : [](const Trace&) {}, noise));
    Result& run = runs.back();
    if (run.status == Status::error && repeated.repetitions > 1) {
      run.error = fmt::format("repetition {}: {}", noise.repetition, run.error);
    }
    if (run.status != Status::ok) return run;
    makespans_s.push_back(run.metrics.makespan_s);
  }
  if (runs.size() == 1) return runs.front();
  const auto median = runs.begin() + static_cast<std::ptrdiff_t>((runs.size() - 1) / 2);
  std::nth_element(runs.begin(), median, runs.end(), [](const Result& x, const Result& y) {
    return x.metrics.makespan_s < y.metrics.makespan_s;
  });
  Result result = std::move(*median);
  result.repetitions = repetitions_of(std::move(makespans_s));
  result.metrics.makespan_s = result.repetitions->mean_s;
  return result;
}

std::vector<Result> compare(const std::vector<NamedHeuristic>& heuristics, const Platform& platform,
                            const Problem& problem, const Engine& engine,
                            const std::function<void(const std::string&, const Trace&)>& take_trace,
                            const RepeatedNoise& repeated) {
  std::vector<Result> results;
  const Progress progress;
  for (const NamedHeuristic& named : heuristics) {
    progress.show(fmt::format("[{}/{}] {}", results.size() + 1, heuristics.size(), named.name));
    results.push_back(simulate_repeatedly(
        named.name, platform, problem, planner_of(named, platform, problem), engine,
        [&](const Trace& trace) { take_trace(named.name, trace); }, repeated));
  }
  return results;
}

double fewest_transfers(const MemoryLayout& layout, const Platform& platform,
                        const Problem& problem) {
  std::int64_t side = 0;
  for (const Worker& worker : platform.workers) side = std::max(side, layout.side(worker.m_blocks));
  if (side == 0) return 0;
  const auto parts = [](std::int64_t whole, std::int64_t part) {
    return static_cast<double>((whole + part - 1) / part);
  };
  return parts(problem.r, side) * parts(problem.s, side) *
         (parts(problem.t, layout.step_depth(side)) + 2);
}

namespace {

/// Throws InputError when no worker has the memory for one of those named, or for any.
void check_memory(const std::vector<NamedHeuristic>& heuristics, const Instance& instance) {
  std::optional<InputError> least;
  std::int64_t least_blocks = INT64_MAX;
  bool some_fit = false;
  for (const NamedHeuristic& named : heuristics) {
    const MemoryLayout& layout = named.heuristic->layout();
    try {
      chunk_sides(instance.platform, instance.problem, layout);
      some_fit = true;
    } catch (InputError& error) {
      error.hint = named.name + " needs it";
      if (named.named) throw error.in_file(instance.platform_file);
      if (layout.blocks(1) < least_blocks) least = error.in_file(instance.platform_file);
      least_blocks = std::min(least_blocks, layout.blocks(1));
    }
  }
  if (!some_fit && least) throw InputError(*least);
}

}  // namespace

void check_instance(const std::vector<NamedHeuristic>& heuristics, const Instance& instance,
                    const SimulationLimits& limits) {
  check_memory(heuristics, instance);
  for (const NamedHeuristic& named : heuristics) {
    const double fewest =
        fewest_transfers(named.heuristic->layout(), instance.platform, instance.problem);
    if (fewest > static_cast<double>(limits.most_transfers)) {
      throw InputError("--problem",
                       fmt::format("a trace that fits in memory, at most {} transfers here",
                                   limits.most_transfers),
                       fmt::format("at least {:.3g} transfers ({:.3g} GiB) for {}", fewest,
                                   fewest * sizeof(TracedTransfer) / 0x1p30, named.name),
                       "use larger blocks or memories, or a smaller product");
    }
  }
}

}  // namespace starport
