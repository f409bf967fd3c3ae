#include "heuristics/polaris/polaris.hpp"

#include "heuristics/chunks.hpp"
#include "heuristics/planning.hpp"
#include "heuristics/polaris/service.hpp"
#include "heuristics/registry.hpp"
#include "sim/model/c_stationary.hpp"
#include "sim/model/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace starport {
namespace {

using polaris::Candidate;
using polaris::Effort;
using polaris::Mode;
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

struct Fallback {
  std::string name;
  Plan plan;
  double makespan_s = kUnknown;
};

Fallback best_of_the_seven(const Platform& platform, const Problem& problem) {
  Fallback best;
  for (const HeuristicEntry& entry : heuristic_registry()) {
    if (!entry.in_ppopp08) continue;
    try {
      const auto heuristic = entry.make({});
      const Plan tried = heuristic->plan(platform, problem);
      const double makespan = makespan_s(*tried.dispatcher, platform, problem);
      if (makespan >= best.makespan_s) continue;
      best = {entry.name, heuristic->plan(platform, problem), makespan};
    } catch (const InputError&) {  // no worker has the memory for its layout
    }
  }
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
  const Candidate found =
      polaris::search(platform, problem, effort_of(level_), seed_, objective_, without_);
  // None of the seven beats the bound on C-stationary schedules: they need not be tried then.
  Fallback fallback;
  const auto bound_s = c_stationary_bound_s(platform, problem);
  const bool surely_better = bound_s && found.makespan_s <= *bound_s;
  if (!surely_better && (objective_ == Objective::time || found.makespan_s == kUnknown)) {
    fallback = best_of_the_seven(platform, problem);
  }
  if (found.makespan_s > fallback.makespan_s || found.makespan_s == kUnknown) {
    // Throws when nobody has the memory at all.
    if (!fallback.plan.dispatcher) chunk_sides(platform, problem, layout());
    fallback.plan.details = {{"schedule", "that of " + fallback.name}};
    return std::move(fallback.plan);
  }
  const auto tasks = tasks_of(found.layout, platform, problem, without_.modes);
  auto run = run_port(platform, problem, tasks, found.options, true, kUnknown);
  return {.dispatcher = std::make_unique<PolarisDispatcher>(platform, problem, tasks, found,
                                                            std::move(run.order)),
          .details = {{"layout", shape(found.layout)}, {"modes", modes(tasks)}}};
}

}  // namespace starport
