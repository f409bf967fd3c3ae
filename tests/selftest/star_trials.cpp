// Random cases and checks of the star.
#include "sim/files/json.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/platform/noise/noise.hpp"
#include "sim/platform/random.hpp"
#include "sim/platform/ties.hpp"
#include "sim/results/figure.hpp"
#include "sim/star/heuristic.hpp"
#include "sim/star/schedule.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/random_noise.hpp"
#include "tests/selftest/trials.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace starport {
namespace {

/// Draws up to five workers. In half of the cases their figures are small integers, so that many
/// dates coincide.
std::vector<Worker> draw_workers(Random& random) {
  const bool coinciding = random.integer(0, 1) == 0;
  const bool late = random.integer(0, 3) == 0;
  const auto figure = [&] {
    return coinciding ? static_cast<double>(random.integer(1, 4)) : random.real(0.5, 8);
  };
  std::vector<Worker> workers(static_cast<std::size_t>(random.integer(1, 5)));
  for (Worker& worker : workers) {
    worker = {.c_s = figure(), .w_s = figure(), .m_blocks = random.integer(5, 60)};
    if (late) worker.latency_s = figure() / 8;
  }
  if (random.integer(0, 3) == 0) workers.assign(workers.size(), workers.front());
  return workers;
}

PortFile draw_port(Random& random, bool raw) {
  switch (random.integer(0, 5)) {
    case 0:
      return {.kind = Port::Kind::two};
    case 1: {
      PortFile port{.kind = Port::Kind::multi, .max_transfers = random.integer(0, 3)};
      if (random.integer(0, 1) == 0) return port;
      (raw ? port.c_s : port.bandwidth_bytes_per_s) = random.real(0.5, 8);
      return port;
    }
    default:
      return {};
  }
}

/// Returns a platform entry for the worker: c, w and m when `raw`, else bandwidth, speed and
/// memory.
PlatformFile::Entry entry_of(const Worker& worker, bool raw, double q) {
  if (raw) return {.worker = worker, .count = 1, .pointer = ""};
  constexpr double room = 1.000001;  // against rounding
  return {.worker = PlatformFile::Physical{.bandwidth_bytes_per_s = 8 * q * q / worker.c_s,
                                           .speed_flops = 2 * q * q * q / worker.w_s,
                                           .memory_bytes = 8 * q * q * room *
                                                           static_cast<double>(worker.m_blocks),
                                           .latency_s = worker.latency_s},
          .count = 1,
          .pointer = ""};
}

/// Removes the perturbations that engines do not support on this kind of port.
void remove_unsupported_noise(Noise& noise, Port::Kind kind) {
  if (kind != Port::Kind::one) noise.stops.clear();
  if (kind == Port::Kind::multi) noise = {};
}

/// Returns a message when the makespan is below a bound that holds for the memory layout (nullptr
/// for heuristics without one), else an empty string.
std::string find_early_end(const Figures& bounds, double makespan_s, const MemoryLayout* layout) {
  std::vector<const Figure*> valid{&kAnyScheduleBound};
  if (layout != nullptr) valid.push_back(&kCStationaryBound);
  if (layout == &kOptimizedOverlapped) valid.push_back(&kSteadyStateBound);
  for (const Figure* bound : valid) {
    const double bound_s = bounds.real(*bound);
    if (clearly_less(makespan_s, bound_s)) {
      return fmt::format("it ends at {} s, before {}, {} s", makespan_s, bound->label, bound_s);
    }
  }
  return "";
}

/// Saves a plan as a schedule, reads it and replays it. Returns the first difference, or an empty
/// string.
std::string find_fault_of_schedule(const StarModel& star, const NamedAlgorithm& algorithm,
                                   const Case& instance, const RunOptions& nominal) {
  Schedule schedule{
      .heuristic = algorithm.name, .problem = instance.problem, .platform = make_star(instance)};
  const Record planned = star.simulate(
      algorithm.name, make_planner(algorithm, schedule.platform, instance.problem), instance,
      nominal, [&](const TracedTransfer& event) { schedule.transfers.push_back(event.transfer); });
  if (planned.status != Status::ok) return "it runs under noise, and not without: " + planned.error;
  std::string text;
  write_json(schedule, [&](std::string_view piece) { text += piece; });
  const Schedule read = parse_schedule(parse_json(text, "the schedule"), "the schedule");
  if (read.transfers != schedule.transfers) return "its schedule is read as another one";
  if (const auto broken = find_violation(read.platform, read.problem, read.transfers)) {
    return fmt::format("its schedule breaks the model at transfer {}: {}", broken->transfer + 1,
                       broken->message);
  }
  const TransferList list(read.transfers);
  const Record replayed = star.simulate(
      algorithm.name, [&] { return make_list_plan(list); }, instance, nominal);
  if (replayed.status != Status::ok) return "its schedule does not run again: " + replayed.error;
  const double planned_s = planned.figures.real(kMakespan);
  const double replayed_s = replayed.figures.real(kMakespan);
  if (nearly_equal(planned_s, replayed_s)) return "";
  return fmt::format("its schedule ends at {} s, and run again at {} s", planned_s, replayed_s);
}

class StarModelTrials final : public Trials {
 public:
  explicit StarModelTrials(const StarModel& model) : model_(model) {}
  Trial draw(Random& random) const override;
  std::string find_fault(const NamedAlgorithm& algorithm, const Case& instance,
                         const RunOptions& options, const Record& record) const override;

 private:
  const StarModel& model_;
};

Trial StarModelTrials::draw(Random& random) const {
  const bool raw = random.integer(0, 2) > 0;
  auto workers = draw_workers(random);
  Trial trial;
  trial.block_size = random.integer(1, 100);
  const auto q = static_cast<double>(trial.block_size);
  trial.file.name = "star";
  trial.file.block_size = trial.block_size;
  trial.file.port = draw_port(random, raw);
  if (trial.file.port.kind == Port::Kind::multi) {
    // Without round ratios: events at the same date may reach a heuristic in either order.
    for (Worker& worker : workers) {
      worker.c_s *= random.real(1, 1.25);
      worker.w_s *= random.real(1, 1.25);
    }
  }
  if (trial.file.port.bandwidth_bytes_per_s) *trial.file.port.bandwidth_bytes_per_s *= 8 * q * q;
  for (const Worker& worker : workers) trial.file.entries.push_back(entry_of(worker, raw, q));
  if (!raw && random.integer(0, 2) == 0) {
    const double speed_flops = 2 * q * q * q / workers.front().w_s;
    PlatformFile::Entry& entry = trial.file.entries.emplace_back();
    entry.worker = PlatformFile::MemorySharing{speed_flops};
    entry.count = 1;
  }
  const auto side = [&] { return random.integer(1, 9); };
  const Problem problem{side(), side(), side(), trial.block_size};
  trial.problem = fmt::format("{}x{}x{}", problem.r * trial.block_size,
                              problem.t * trial.block_size, problem.s * trial.block_size);
  if (random.integer(0, 1) == 0) {
    const double makespan_s = 4 * static_cast<double>(problem.updates() / trial.file.size() + 5);
    trial.noise = random_noise(static_cast<std::uint64_t>(random.integer(1, 1'000'000)),
                               static_cast<std::size_t>(trial.file.size()), makespan_s);
    remove_unsupported_noise(trial.noise, trial.file.port.kind);
  }
  return trial;
}

std::string StarModelTrials::find_fault(const NamedAlgorithm& algorithm, const Case& instance,
                                        const RunOptions& options, const Record& record) const {
  const auto& heuristic = dynamic_cast<const Heuristic&>(*algorithm.algorithm);
  if (needs_elements(heuristic, instance)) {
    return find_fault(algorithm, to_elements(instance), options, record);
  }
  const double makespan_s = record.figures.real(kMakespan);
  if (options.noise.is_none()) {
    // A schedule that splits k has a bound of its own.
    Figures bounds = model_.bounds(instance, options.noise);
    if (const Value split_k_s = record.figures[kSplitKBound]; !is_none(split_k_s))
      bounds = {{&kAnyScheduleBound, split_k_s}};
    const auto early = find_early_end(bounds, makespan_s, heuristic.requirements().layout);
    if (!early.empty()) return early;
  }
  // Checked on one engine only, because the engines are compared with each other.
  if (options.engine == EngineKind::simgrid) return "";
  RunOptions nominal = options;
  nominal.noise = {};
  return find_fault_of_schedule(model_, algorithm, instance, nominal);
}

}  // namespace

std::unique_ptr<Trials> make_trials(const StarModel& model) {
  return std::make_unique<StarModelTrials>(model);
}

}  // namespace starport
