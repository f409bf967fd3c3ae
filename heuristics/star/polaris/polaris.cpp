#include "heuristics/star/polaris/polaris.hpp"

#include "heuristics/star/polaris/serving.hpp"
#include "sim/star/metrics_run.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport::polaris {
namespace {

/// Goes through the tasks in the order in which the port served them.
class PolarisDispatcher final : public Dispatcher {
 public:
  PolarisDispatcher(const Platform& platform, const Problem& problem,
                    const std::vector<Task>& tasks, const ServingOptions& options,
                    std::vector<std::uint32_t> order)
      : order_(std::move(order)) {
    services_.reserve(tasks.size());
    for (const Task& task : tasks) {
      services_.emplace_back(platform, problem, task, options);
    }
  }

  Decision next(const MasterView&) override {
    if (step_ == order_.size()) return Done{};
    const std::uint32_t served = order_[step_++];
    Service& service = services_[served / 2];
    if (served % 2 == 0) {
      transfer_ = service.message();
      service.send(0);
    } else {
      transfer_ = service.home();
      service.take_home(0);
    }
    message_ = to_message(transfer_);
    return &message_;
  }
  Transfer transfer() const override { return transfer_; }
  void measure(MetricsRun& run) override { run.execute(*this); }

 private:
  std::vector<Service> services_;
  std::vector<std::uint32_t> order_;
  std::size_t step_ = 0;
  Transfer transfer_;
  Message message_;
};

/// Each level goes on from where those below it end.
std::vector<Effort> efforts_of(Level level) {
  std::vector<Effort> efforts{
      {.tilings = 3, .estimates = 30'000, .transfers = 150'000, .trials = 1'000}};
  if (level >= Level::normal) {
    efforts.push_back(
        {.tilings = 6, .estimates = 1'500'000, .transfers = 6'000'000, .trials = 10'000});
  }
  if (level >= Level::high) {
    efforts.push_back(
        {.tilings = 12, .estimates = 6'000'000, .transfers = 40'000'000, .trials = 100'000});
  }
  return efforts;
}

std::string shape(const Tiling& tiling) {
  const std::size_t strips = tiling.strips.size();
  return fmt::format("{} strip{} of {}", strips, strips == 1 ? "" : "s",
                     tiling.of_rows ? "rows" : "columns");
}

std::string modes(const std::vector<Task>& tasks) {
  const auto resident = std::count_if(tasks.begin(), tasks.end(), [](const Task& task) {
    return task.mode.kind == Mode::Kind::a_resident;
  });
  return fmt::format("{} resident, {} C-stationary", resident,
                     static_cast<std::ptrdiff_t>(tasks.size()) - resident);
}

}  // namespace

Plan plan(const Parameters& parameters, const std::vector<Rival>& rivals, const Platform& platform,
          const Problem& problem) {
  Parts parts;
  if (parameters.without) parts.*(*parameters.without) = false;
  const Objective objective = parameters.objective;
  const auto search = [&](Objective aim) {
    return polaris::search(platform, problem, efforts_of(parameters.level), parameters.seed, aim,
                           parts);
  };
  Found found = search(objective);
  if (objective == Objective::work) {
    Found fastest = search(Objective::time);
    if (fastest.candidate.work_s() < found.candidate.work_s()) found = std::move(fastest);
  }
  const Candidate& best = found.candidate;
  const double found_s = objective == Objective::work ? best.work_s() : best.makespan_s;
  if (const auto* better = best_rival(rivals, platform, problem, objective, found_s)) {
    Plan plan = better->heuristic->plan(platform, problem);
    plan.details = {{"schedule", "that of " + better->name}};
    return plan;
  }
  return {.dispatcher = std::make_unique<PolarisDispatcher>(platform, problem, found.tasks,
                                                            best.options, std::move(found.order)),
          .details = {{"layout", shape(best.tiling)}, {"modes", modes(found.tasks)}}};
}

}  // namespace starport::polaris
