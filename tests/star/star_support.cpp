#include "tests/star/star_support.hpp"

#include "sim/app/algorithms.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/report/trace_files.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/star_timeline.hpp"
#include "sim/star/validator/memory_use.hpp"
#include "sim/star/validator/validator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>

namespace starport::test {

Case case_of(const Platform& platform, const Problem& problem, const std::string& path) {
  Case instance;
  instance.file.path = path;
  instance.file.name = platform.name;
  instance.file.block_size = problem.block_size;
  instance.file.port = {.kind = platform.port.kind, .max_transfers = platform.port.max_transfers};
  if (platform.port.c_s > 0) instance.file.port.c_s = platform.port.c_s;
  for (const Worker& worker : platform.workers) {
    instance.file.entries.push_back({.worker = worker, .count = 1, .pointer = ""});
  }
  instance.problem = problem;
  return instance;
}

Platform star(PerWorker<Worker> workers) { return {.name = "test", .workers = std::move(workers)}; }

Trace simulate(const std::string& name, const Platform& platform, const Problem& problem) {
  const auto heuristics = parse_heuristics(name);
  return SimgridEngine({.time_limit_s = 300})
      .run(platform, problem, [&] { return heuristics.at(0).heuristic->plan(platform, problem); })
      .trace;
}

Run run_here(const Platform& platform, const Problem& problem, const Planner& planner,
             const Noise& noise) {
  Run run;
  const auto add = [&](const TracedTransfer& traced) { run.trace.push_back(traced); };
  static_cast<PlanSummary&>(run) =
      *AnalyticEngine().stream_here(platform, problem, planner, noise, add);
  return run;
}

Run run_on_both_engines(const Platform& platform, const Problem& problem, const Planner& planner,
                        const Noise& noise) {
  Run exact;
  try {
    exact = run_here(platform, problem, planner, noise);
  } catch (const NotApplicable&) {
    throw;
  } catch (const std::exception& error) {
    try {
      SimgridEngine().run(platform, problem, planner, noise);
      ADD_FAILURE() << "not on SimGrid: " << error.what();
    } catch (const SimulationError& other) {
      EXPECT_STREQ(other.what(), error.what());
    }
    throw;
  }
  Run reference = SimgridEngine().run(platform, problem, planner, noise);
  EXPECT_EQ(find_difference(exact.trace, reference.trace), "");
  EXPECT_EQ(exact.details, reference.details);
  for (const Run* run : {&exact, &reference}) {
    const auto violation = find_violation(platform, problem, run->trace, noise);
    EXPECT_FALSE(violation) << violation->transfer << ": " << violation->message;
  }
  return exact;
}

Run run_on_both_engines(const std::string& name, const Platform& platform, const Problem& problem,
                        const Noise& noise) {
  const auto heuristics = parse_heuristics(name);
  const auto plan = [&] { return heuristics.at(0).heuristic->plan(platform, problem); };
  return run_on_both_engines(platform, problem, plan, noise);
}

Noise noise_of(const std::string& text) { return parse_noise(text, "--noise"); }

Trace by_recurrence(const std::string& name, const Platform& platform, const Problem& problem) {
  const Plan plan = parse_heuristics(name).at(0).heuristic->plan(platform, problem);
  return run_to_trace(*plan.dispatcher, platform, problem);
}

double makespan_s(const Heuristic& heuristic, const Platform& platform, const Problem& problem) {
  const Plan plan = heuristic.plan(platform, problem);
  MasterView star(platform, problem);
  return run_recurrence(*plan.dispatcher, star, [](const Message&, const Dates&) {});
}

Plan function_plan(std::function<Choice(const MasterView&)> next) {
  class FunctionDispatcher final : public Dispatcher {
   public:
    explicit FunctionDispatcher(std::function<Choice(const MasterView&)> next)
        : next_(std::move(next)) {}
    Decision next(const MasterView& star) override {
      const Choice choice = next_(star);
      if (const Wait* wait = std::get_if<Wait>(&choice)) return *wait;
      if (std::holds_alternative<Done>(choice)) return Done{};
      transfer_ = std::get<Transfer>(choice);
      message_ = to_message(transfer_);
      return &message_;
    }
    Transfer transfer() const override { return transfer_; }

   private:
    std::function<Choice(const MasterView&)> next_;
    Transfer transfer_;
    Message message_;
  };
  return {.dispatcher = std::make_unique<FunctionDispatcher>(std::move(next)),
          .details = {},
          .adapts = false};
}

HeldBack held_back() {
  // At (c, w) = (1, 10): C [0, 1], A and B [1, 3], update [3, 13], C of the second worker [13, 14].
  HeldBack example{.platform = star({{1, 10, 5, 0}, {1, 10, 5, 0}}),
                   .problem = {.r = 1, .s = 2, .t = 1, .block_size = 1},
                   .trace = {}};
  const Rectangle left{{0, 1}, {0, 1}};
  std::vector<Transfer> transfers(3);
  transfers[0].c = transfers[1].a = transfers[1].b = left;
  transfers[1].update = {.rows = {0, 1},
                         .columns = {0, 1},
                         .inner = {0, 1},
                         .add_c = false,
                         .release_a = left,
                         .release_b = left};
  transfers[2].worker = 1;
  transfers[2].c = {{0, 1}, {1, 2}};
  std::size_t next = 0;
  const Plan plan = function_plan([&](const MasterView& seen) -> Choice {
    if (next == transfers.size()) return Done{};
    if (next == 2 && seen.now_s() < 13) return Wait{};
    return transfers[next++];
  });
  example.trace = run_to_trace(*plan.dispatcher, example.platform, example.problem);
  return example;
}

const std::vector<NamedHeuristic>& every_heuristic() {
  static const std::vector<NamedHeuristic> heuristics = [] {
    std::string names;
    for (const HeuristicEntry& entry : heuristic_registry()) {
      const bool polaris = entry.name == "Polaris";
      names += (names.empty() ? "" : ",") + entry.name + (polaris ? "[effort=low]" : "");
      if (polaris) names += ",Polaris[effort=low,adapt=yes]";
    }
    return parse_heuristics(names);
  }();
  return heuristics;
}

const std::vector<NamedHeuristic>& every_third_heuristic(std::uint64_t seed) {
  static const auto thirds = [] {
    std::array<std::vector<NamedHeuristic>, 3> parts;
    std::size_t next = 0;
    for (const NamedHeuristic& named : every_heuristic()) {
      parts[next++ % 3].push_back(std::move(parse_heuristics(named.name).front()));
    }
    return parts;
  }();
  return thirds[seed / 12 % 3];
}

std::string heuristic_names() {
  std::string names;
  for (const AlgorithmEntry* entry : algorithm_entries()) {
    names += (names.empty() ? "" : ", ") + entry->usage();
  }
  return names;
}

std::string trace_csv(const std::string& name, const Platform& platform, const Problem& problem,
                      const Trace& trace, std::optional<double> bound_s) {
  std::string text;
  TraceExporter exporter(TraceFormat::csv, [&](std::string_view piece) { text += piece; });
  const auto held = compute_held_blocks(platform, problem, trace);
  exporter.add(star_timeline(
      {.heuristic = name, .platform = platform, .trace = trace, .held = held, .bound_s = bound_s}));
  exporter.finish();
  return text;
}

double makespan(const Trace& trace) {
  double end_s = 0;
  for (const TracedTransfer& event : trace) {
    if (event.transfer.direction == Direction::to_master)
      end_s = std::max(end_s, event.dates.end_s);
  }
  return end_s;
}

RandomInstance random_instance(std::uint64_t seed, double scale_s) {
  Random random(seed);
  const bool coinciding = seed % 2 == 0;
  const auto figure = [&] {
    return scale_s * (coinciding ? static_cast<double>(random.integer(1, 4)) : random.real(0.5, 8));
  };
  RandomInstance instance;
  instance.platform.name = "random";
  const std::int64_t p = random.integer(1, 6);
  for (std::int64_t i = 0; i < p; ++i) {
    instance.platform.workers.push_back(
        {.c_s = figure(), .w_s = figure(), .m_blocks = random.integer(5, 60), .latency_s = 0});
  }
  instance.problem = {.r = random.integer(1, 12),
                      .s = random.integer(1, 12),
                      .t = random.integer(1, 12),
                      .block_size = random.integer(1, 100)};
  return instance;
}

RandomInstance uneven_instance(std::uint64_t seed, double decades) {
  RandomInstance instance = random_instance(seed);
  Random random(seed);
  for (Worker& worker : instance.platform.workers) {
    worker.c_s = std::pow(10, random.real(0, decades));
    worker.w_s = std::pow(10, random.real(0, decades));
  }
  return instance;
}

bool is_c_stationary(const Trace& trace, const Problem& problem) {
  std::size_t workers = 0;
  for (const TracedTransfer& event : trace) {
    workers = std::max(workers, static_cast<std::size_t>(event.transfer.worker) + 1);
  }
  CStationaryCheck check(workers, problem);
  for (const TracedTransfer& event : trace) check.add(event.transfer);
  return check.holds();
}

}  // namespace starport::test
