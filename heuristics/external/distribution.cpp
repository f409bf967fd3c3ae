#include "heuristics/external/distribution.hpp"

#include "heuristics/external/conversation.hpp"
#include "sim/process/isolation.hpp"
#include "sim/spmd/validator.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace starport::spmd {
namespace {

using nlohmann::ordered_json;

/// Calls `divide` in a child process.
PerWorker<NodeRectangle> divide_in_child(const DivideProduct& divide, const Cluster& cluster,
                                         std::int64_t side, double time_limit_s) {
  std::vector<NodeRectangle> rectangles;
  run_in_child(
      [&](FrameWriter& out) {
        for (const NodeRectangle& rectangle : divide(cluster, side)) {
          out.write(std::as_bytes(std::span(&rectangle, 1)));
        }
      },
      [&](std::span<const std::byte> frame) {
        rectangles.push_back(object_in<NodeRectangle>(frame));
      },
      time_limit_s);
  PerWorker<NodeRectangle> by_worker;
  for (const NodeRectangle& rectangle : rectangles) by_worker.push_back(rectangle);
  return by_worker;
}

/// Returns an arrangement with its columns, which its rectangles must fill from top to bottom.
Arrangement with_columns(Arrangement arrangement) {
  std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> columns;  // workers by place
  for (std::size_t i = 0; i < arrangement.rectangles.size(); ++i) {
    const NodeRectangle& rectangle = arrangement.rectangles[i];
    columns[rectangle.column][rectangle.row] = static_cast<std::int64_t>(i);
  }
  for (const auto& [left, column] : columns) {
    std::vector<std::int64_t>& workers = arrangement.columns.emplace_back();
    std::int64_t row = 0;
    for (const auto& [top, worker] : column) {
      const NodeRectangle& rectangle = arrangement.rectangles[worker];
      const NodeRectangle& first = arrangement.rectangles[column.begin()->second];
      if (rectangle.row != row || rectangle.n != first.n) {
        throw SimulationError(fmt::format(
            "worker {}'s rectangle does not stand below another one of its width, or at "
            "the top of C",
            worker + 1));
      }
      row += rectangle.m;
      workers.push_back(worker);
    }
  }
  return arrangement;
}

/// Divides the rectangle of each worker among its devices.
ProductPlan make_plan(const Cluster& cluster, Arrangement arrangement, const ProductRules& rules) {
  ProductPlan plan{.partitioning = {}, .rules = rules};
  Partitioning& found = plan.partitioning;
  found.partition.arrangement = std::move(arrangement);
  found.ending = Ending::balanced;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const NodeRectangle& rectangle = found.partition.arrangement.rectangles[i];
    const BalanceResult devices =
        idpa(cluster.block_size * rectangle.n, cluster.nodes[i].processors.size(),
             BalancingStrategy::functional, [&](std::size_t j, std::int64_t d) {
               return cluster.update_s(cluster.nodes[i], j, rectangle.m, d, rectangle.blocks());
             });
    found.partition.slices.push_back(devices.shares);
    found.w.push_back(rectangle.blocks());
    found.times_s.push_back(devices.slowest_s());
  }
  const auto [fastest, slowest] = std::ranges::minmax_element(found.times_s);
  found.imbalance = *slowest / *fastest - 1;
  return plan;
}

/// Reads a range of blocks, [from, to).
std::pair<std::int64_t, std::int64_t> read_range(const JsonNode& node, std::int64_t side) {
  const std::vector<JsonNode> ends = node.elements();
  if (ends.size() != 2) throw node.fault("[from, to], a range of blocks");
  const std::int64_t from = ends[0].integer(0, side - 1);
  return {from, ends[1].integer(from + 1, side)};
}

}  // namespace

std::variant<ProductPlan, PairPlan> ExternalDistribution::plan(const Cluster& cluster,
                                                               std::int64_t side,
                                                               double time_limit_s) const {
  check_home(cluster, parameters_.home);
  Partition whole{.arrangement = {.side = side, .rectangles = {}, .columns = {}}, .slices = {}};
  whole.arrangement.rectangles = divide_in_child(divide_, cluster, side, time_limit_s);
  for (std::size_t i = 0; i < whole.arrangement.rectangles.size(); ++i) {
    // For the check, all columns on the first device.
    whole.slices.emplace_back(i < cluster.nodes.size() ? cluster.nodes[i].processors.size() : 1);
    const std::int64_t columns =
        std::clamp<std::int64_t>(whole.arrangement.rectangles[i].n, 0, side);
    whole.slices.back().front() = cluster.block_size * columns;
  }
  if (const std::string fault = find_fault(cluster, whole); !fault.empty()) {
    throw SimulationError(fault);
  }
  return make_plan(cluster, with_columns(std::move(whole.arrangement)),
                   {parameters_.multicast, parameters_.home});
}

Entry<Distribution> make_external_entry(
    AlgorithmEntry about, std::function<DivideProduct(const ParameterTexts&)> make_divide) {
  const auto fields = product_fields();
  for (const auto& field : fields) about.parameters.push_back(field.parameter);
  return {std::move(about), [fields, make_divide](ParameterTexts texts) {
            HierarchicalParameters parameters;
            for (const auto& field : fields) {
              if (const auto text = texts.extract(field.parameter.key)) {
                field.set(parameters, text.mapped());
              }
            }
            return std::make_unique<ExternalDistribution>(make_divide(texts), parameters);
          }};
}

Entry<Distribution> make_program_entry() {
  return make_external_entry(
      describe_program("exec-spmd", "a program of yours for distributed products"),
      [](const ParameterTexts& texts) -> DivideProduct {
        return [program = read_program(texts)](const Cluster& cluster, std::int64_t side) {
          return Conversation(program).ask(
              make_question(cluster, side, program.parameters),
              [&](const nlohmann::json& answer) { return read_answer(answer, cluster, side); });
        };
      });
}

ordered_json make_question(const Cluster& cluster, std::int64_t side,
                           const ParameterTexts& parameters) {
  ordered_json workers = ordered_json::array();
  for (const Node& node : cluster.nodes) {
    ordered_json devices = ordered_json::array();
    for (const Processor& processor : node.processors) {
      devices.push_back({{"speed_flops", processor.device.full_speed_flops()}});
      for (const SpeedFunction::Point& point : processor.measured.points()) {
        devices.back()["speeds"].push_back({point.size, point.speed});
      }
    }
    workers.push_back({{"devices", std::move(devices)},
                       {"memory_bytes", node.memory_bytes},
                       {"bandwidth_bytes_per_s", node.bandwidth_bytes_per_s},
                       {"latency_s", node.latency_s}});
  }
  return {{"protocol", kProtocolVersion},
          {"model", "spmd"},
          {"platform", {{"name", cluster.name}, {"workers", std::move(workers)}}},
          {"problem", {{"side", side}, {"block_size", cluster.block_size}}},
          {"parameters", ordered_json(parameters)}};
}

PerWorker<NodeRectangle> read_answer(const nlohmann::json& answer, const Cluster& cluster,
                                     std::int64_t side) {
  const JsonNode root(answer);
  root.allow_only_keys({"protocol", "not_applicable", "rectangles"});
  check_first_answer(root);
  const JsonNode list = root.at("rectangles");
  const std::vector<JsonNode> entries = list.elements();
  if (entries.size() != cluster.nodes.size()) {
    throw list.fault(fmt::format("{} rectangles, one for each worker", cluster.nodes.size()),
                     fmt::format("it has {}", entries.size()));
  }
  PerWorker<NodeRectangle> rectangles;
  for (const JsonNode& entry : entries) {
    entry.allow_only_keys({"rows", "columns"});
    const auto [top, bottom] = read_range(entry.at("rows"), side);
    const auto [left, right] = read_range(entry.at("columns"), side);
    rectangles.push_back({.row = top, .column = left, .m = bottom - top, .n = right - left});
  }
  return rectangles;
}

}  // namespace starport::spmd
