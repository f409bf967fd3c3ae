// Presentation of distributed products: comparison table, cluster, notes and division of C.
#include "sim/files/error.hpp"
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/models/spmd/spmd_model.hpp"
#include "sim/results/figure.hpp"
#include "sim/spmd/engine.hpp"

#include <fmt/format.h>

#include <cmath>
#include <variant>

namespace starport::spmd {
namespace {

/// Returns the devices of a node, such as "2 x core 5.1 Gflop/s, 1 x GPU 1.2 Tflop/s".
std::string describe_devices(const Node& node) {
  std::string text;
  for (std::size_t j = 0; j < node.processors.size();) {
    const Device& device = node.processors[j].device;
    std::size_t end = j;
    while (end < node.processors.size() && node.processors[end].device.name == device.name &&
           node.processors[end].device.speed_flops == device.speed_flops) {
      ++end;
    }
    text += fmt::format("{}{} x {} {}", text.empty() ? "" : ", ", end - j,
                        device.name.empty() ? "device" : device.name,
                        format_speed(device.full_speed_flops()));
    j = end;
  }
  return text;
}

class SpmdPresentation final : public Presentation {
 public:
  std::vector<Column> columns(const Case& instance) const override;
  std::string heading(const Case& instance, const Figures& bounds) const override;
  std::string caveat(const Case&) const override {
    return "A, B and C are distributed before the start, and C stays on the workers; with data=hub "
           "the hub sends them all and receives C back";
  }
  std::string bound_distance(const Record& record, const Figures& bounds) const override;
  const Figure* work_figure() const override { return &kElementsOfC; }
  Division divide(const NamedAlgorithm& algorithm, const Case& instance) const override;
};

std::vector<Column> SpmdPresentation::columns(const Case&) const {
  return {{"makespan (s)", {&kMakespan}, Form::date},
          {"rel. cost", {&kRelativeCost}, Form::ratio},
          {"speed", {&kSpeed}, Form::speed, true},
          {"of the bound", {&kOfBalancedSpeed}, Form::share, false, true},
          {"t_max/t_min-1", {&kImbalance}, Form::ratio, true, true},
          {"passes", {&kPasses}, Form::count, false, true},
          {"hub (s)", {&kHubTransfers}, Form::date, true, true},
          {"comm.", {&kCommunicationShare}, Form::share, true},
          {"comm.+waiting", {&kWaitingShare}, Form::share, true},
          {"end to end (s)", {&kEndToEndMakespan}, Form::date, false, true},
          {"decision", {&kDecision}, Form::duration}};
}

std::string SpmdPresentation::heading(const Case& instance, const Figures& bounds) const {
  const Cluster cluster = make_cluster(instance.file, instance.problem.block_size);
  std::string text = fmt::format("{}: {} behind a switch\n", cluster.name,
                                 format_count(std::ssize(cluster.nodes), "worker"));
  for (std::size_t first = 0; first < cluster.nodes.size();) {
    const Node& node = cluster.nodes[first];
    std::size_t end = first;
    while (end < cluster.nodes.size() && cluster.nodes[end].kind == node.kind) ++end;
    text += fmt::format(
        "  {:>9}  {}; {}, {}\n",
        end == first + 1 ? fmt::format("{}", end) : fmt::format("{}-{}", first + 1, end),
        describe_devices(node), format_bandwidth(cluster.to_file_bytes(node.bandwidth_bytes_per_s)),
        format_bytes(cluster.to_file_bytes(node.memory_bytes)));
    first = end;
  }
  const Problem& problem = instance.problem;
  text += fmt::format("C += A.B with r={}, s={}, t={}, b={}", problem.r, problem.s, problem.t,
                      problem.block_size);
  const Value bound = bounds[kBalancedSpeed];
  if (!is_none(bound)) {
    text += fmt::format(
        "; upper bound on the speed: {} (sum of the devices' speeds at the balanced point)",
        format_speed(real(bound) * kTera));
  } else {
    try {
      check_room(cluster, side_of(problem));
    } catch (const NotApplicable& reason) {
      text += fmt::format("; no bound: {}", reason.what());
    }
  }
  return text + "\n";
}

std::string SpmdPresentation::bound_distance(const Record& record, const Figures&) const {
  const double share = record.figures.real(kOfBalancedSpeed);
  if (std::isnan(share)) return "";
  return fmt::format("{:.1f}% of the sum of the devices' speeds", 100 * share);
}

Division SpmdPresentation::divide(const NamedAlgorithm& algorithm, const Case& instance) const {
  const Cluster cluster = make_cluster(instance.file, instance.problem.block_size);
  return std::visit([](const auto& plan) { return division_of(plan); },
                    make_plan(algorithm, cluster, instance.problem));
}

}  // namespace

const Presentation& spmd_presentation() {
  static const SpmdPresentation presentation;
  return presentation;
}

}  // namespace starport::spmd
