// How distributed products are presented: table, cluster, notes and the division of C.
#include "sim/files/error.hpp"
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/models/spmd/spmd_division.hpp"
#include "sim/models/spmd/spmd_figures.hpp"
#include "sim/models/spmd/spmd_model.hpp"
#include "sim/results/common_figures.hpp"
#include "sim/spmd/bound.hpp"

#include <fmt/format.h>

#include <cmath>
#include <variant>

namespace starport::spmd {
namespace {

std::string described(const Node& node) {
  std::string text;
  for (std::size_t j = 0; j < node.processors.size();) {
    const Device& device = node.processors[j].device;
    std::size_t end = j;
    while (end < node.processors.size() && node.processors[end].device.name == device.name &&
           node.processors[end].device.speed_flops == device.speed_flops) {
      ++end;
    }
    text +=
        fmt::format("{}{} x {} {:.4g} Gflop/s", text.empty() ? "" : ", ", end - j,
                    device.name.empty() ? "device" : device.name, device.full_speed_flops() / 1e9);
    j = end;
  }
  return text;
}

class SpmdPresentation final : public Presentation {
 public:
  std::vector<Column> columns(const Case& instance) const override;
  std::string heading(const Case& instance, const Figures& bounds) const override;
  std::string caveat(const Case&) const override {
    return "A, B and C are on the workers before the start, and C stays there; with data=hub all "
           "of them come from the hub, and C goes back";
  }
  std::string bound_distance(const Record& record, const Figures& bounds) const override;
  const Figure* work_figure() const override { return &kElementsOfC; }
  Division divide(const NamedAlgorithm& algorithm, const Case& instance) const override;
};

std::vector<Column> SpmdPresentation::columns(const Case&) const {
  return {{"makespan (s)", {&kMakespan}, Form::date},
          {"rel. cost", {&kRelativeCost}, Form::ratio},
          {"Tflop/s", {&kSpeed}, Form::per_update, true},
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
        "  {:>9}  {}; {:.4g} GB/s, {:.4g} GB\n",
        end == first + 1 ? fmt::format("{}", end) : fmt::format("{}-{}", first + 1, end),
        described(node), node.bandwidth_bytes_per_s / 1e9, node.memory_bytes / 1e9);
    first = end;
  }
  const Problem& problem = instance.problem;
  text += fmt::format("C += A.B with r={}, s={}, t={}, b={}", problem.r, problem.s, problem.t,
                      problem.block_size);
  const Value bound = bounds[kBalancedSpeed];
  if (!is_none(bound)) {
    text += fmt::format("; sum of speeds at the balanced point {:.4g} Tflop/s", real(bound));
  } else {
    try {
      balanced_speed_flops(cluster, side_of(problem));
    } catch (const NotApplicable& reason) {
      text += fmt::format("; no bound: {}", reason.what());
    }
  }
  return text + "\n";
}

std::string SpmdPresentation::bound_distance(const Record& record, const Figures&) const {
  const double share = record.figures.real(kOfBalancedSpeed);
  if (std::isnan(share)) return "";
  return fmt::format("at {:.1f}% of the sum of the devices' speeds", 100 * share);
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
