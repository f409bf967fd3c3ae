#include "heuristics/polaris/polaris.hpp"

#include "heuristics/chunks.hpp"
#include "heuristics/planning.hpp"
#include "heuristics/polaris/service.hpp"
#include "heuristics/registry.hpp"
#include "sim/model/c_stationary.hpp"
#include "sim/model/error.hpp"
#include "sim/model/recurrence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace starport {
namespace {

using polaris::Candidate;
using polaris::Effort;
using polaris::Mode;
using polaris::Objective;
using polaris::Service;
using polaris::Task;

/// Walks through the tasks in the order in which the port served them.
class PolarisDispatcher final : public Dispatcher {
 public:
  PolarisDispatcher(const Platform& platform, const Problem& problem,
                    const std::vector<Task>& tasks, const Candidate& candidate,
                    std::vector<std::uint32_t> order)
      : order_(std::move(order)) {
    services_.reserve(tasks.size());
    for (const Task& task : tasks) {
      services_.emplace_back(platform, problem, task, candidate.options);
    }
  }

  Decision next(const Star&) override {
    if (step_ == order_.size()) return Done{};
    const std::uint32_t served = order_[step_++];
    Service& service = services_[served / 2];
    if (served % 2 == 0) {
      service.send(0, &transfer_);
    } else {
      service.take_home(0, &transfer_);
    }
    message_ = message_of(transfer_);
    return &message_;
  }
  Transfer transfer() const override { return transfer_; }

 private:
  std::vector<Service> services_;
  std::vector<std::uint32_t> order_;
  std::size_t step_ = 0;
  Transfer transfer_;
  Message message_;
};

/// None of the seven ends sooner: their chunks are squares, of a side that a layout gives, so that
/// each update costs 1/h + 1/v + 2/t blocks.
std::optional<double> bound_on_the_seven_s(const Platform& platform, const Problem& problem) {
  return traffic_bound_s(platform, problem, [&](const Worker& worker) {
    const std::int64_t side =
        std::max(kOptimizedOverlapped.side(worker.m_blocks), kToledo.side(worker.m_blocks));
    if (side == 0) return kUnknown;
    return 1 / static_cast<double>(std::min(side, problem.r)) +
           1 / static_cast<double>(std::min(side, problem.s)) + 2 / static_cast<double>(problem.t);
  });
}

struct Outcome {
  double makespan_s = kUnknown;
  double work_s = kUnknown;  ///< makespan x enrolled workers

  double of(Objective objective) const {
    return objective == Objective::time ? makespan_s : work_s;
  }
};

struct Fallback {
  std::string name;
  Plan plan;
  Outcome outcome;
};

Outcome outcome_of(const Candidate& candidate) {
  if (candidate.makespan_s == kUnknown) return {};
  return {candidate.makespan_s,
          candidate.makespan_s * static_cast<double>(candidate.layout.enrolled())};
}

Outcome outcome_of(Dispatcher& dispatcher, const Platform& platform, const Problem& problem) {
  std::vector<bool> enrolled(platform.workers.size());
  Star star(platform, problem);
  run_recurrence(dispatcher, star, [&](const Message& message, const Dates&) {
    enrolled[static_cast<std::size_t>(message.worker)] = true;
  });
  const double makespan_s = star.last_end_s();
  return {makespan_s,
          makespan_s * static_cast<double>(std::count(enrolled.begin(), enrolled.end(), true))};
}

/// The steps that Het would plan, eight times, on the worker with the largest chunks.
std::int64_t het_steps(const Platform& platform, const Problem& problem) {
  std::int64_t side = 1;
  for (const Worker& worker : platform.workers) {
    side = std::max(side, kOptimizedOverlapped.side(worker.m_blocks));
  }
  return problem.updates() / (side * side);
}

/// The best of the seven by the objective. Planning Het can take longer than all the rest: with
/// `spare_het`, it is left out where the others are a third behind `makespan_s` already, and always
/// where it would take minutes.
Fallback best_of_the_seven(const Platform& platform, const Problem& problem, Objective objective,
                           bool spare_het, double makespan_s) {
  Fallback best;
  const auto attempt = [&](const HeuristicEntry& entry) {
    try {
      const auto heuristic = entry.make({});
      const Plan tried = heuristic->plan(platform, problem);
      const Outcome outcome = outcome_of(*tried.dispatcher, platform, problem);
      if (outcome.of(objective) >= best.outcome.of(objective)) return;
      best = {entry.name, heuristic->plan(platform, problem), outcome};
    } catch (const InputError&) {  // no worker has the memory for its layout
    }
  };
  const HeuristicEntry* het = nullptr;
  for (const HeuristicEntry& entry : heuristic_registry()) {
    if (entry.name == "Het") {
      het = &entry;
    } else if (entry.in_ppopp08) {
      attempt(entry);
    }
  }
  constexpr std::int64_t most_steps = 300'000;
  const bool far_behind = makespan_s < 0.75 * best.outcome.makespan_s;
  if (!(spare_het && far_behind) && het_steps(platform, problem) <= most_steps) attempt(*het);
  return best;
}

Effort effort_of(Polaris::Level level) {
  switch (level) {
    case Polaris::Level::low:
      return {.layouts = 2, .estimates = 20'000, .transfers = 150'000, .trials = 1'000};
    case Polaris::Level::normal:
      return {};
    case Polaris::Level::high:
      break;
  }
  return {.layouts = 12, .estimates = 1'000'000, .transfers = 60'000'000, .trials = 100'000};
}

std::string shape(const polaris::Layout& layout) {
  const std::size_t strips = layout.strips.size();
  return fmt::format("{} strip{} of {}", strips, strips == 1 ? "" : "s",
                     layout.of_rows ? "rows" : "columns");
}

std::string modes(const std::vector<Task>& tasks) {
  const auto resident = std::count_if(tasks.begin(), tasks.end(), [](const Task& task) {
    return task.mode.kind == Mode::Kind::a_resident;
  });
  return fmt::format("{} resident, {} C-stationary", resident,
                     static_cast<std::ptrdiff_t>(tasks.size()) - resident);
}

}  // namespace

Plan Polaris::plan(const Platform& platform, const Problem& problem) const {
  if (platform.port.kind != Port::Kind::one) {
    throw NotApplicable("Polaris plans for masters with one port");
  }
  const auto search = [&](Objective objective) {
    return polaris::search(platform, problem, effort_of(level_), seed_, objective, without_);
  };
  Candidate found = search(objective_);
  if (objective_ == Objective::work) {
    const Candidate fastest = search(Objective::time);
    if (outcome_of(fastest).work_s < outcome_of(found).work_s) found = fastest;
  }
  const Outcome outcome = outcome_of(found);
  Fallback fallback;
  const auto bound_s = bound_on_the_seven_s(platform, problem);
  const bool surely_better =
      objective_ == Objective::time && bound_s && found.makespan_s <= *bound_s;
  if (!surely_better) {
    const bool spare_het = level_ == Level::low && objective_ == Objective::time;
    fallback = best_of_the_seven(platform, problem, objective_, spare_het, found.makespan_s);
  }
  if (outcome.of(objective_) > fallback.outcome.of(objective_) || found.makespan_s == kUnknown) {
    // Throws when nobody has the memory at all.
    if (!fallback.plan.dispatcher) chunk_sides(platform, problem, layout());
    fallback.plan.details = {{"schedule", "that of " + fallback.name}};
    return std::move(fallback.plan);
  }
  const auto tasks = tasks_of(found.layout, platform, problem, without_.modes);
  auto run = run_port(platform, problem, tasks, found.options, true, kUnknown);
  return {.dispatcher = std::make_unique<PolarisDispatcher>(platform, problem, tasks, found,
                                                            std::move(run.order)),
          .details = {{"layout", shape(found.layout)}, {"modes", modes(tasks)}},
          .adapts = false};
}

}  // namespace starport
