#include "sim/kernel/node_calibration.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/json_text.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/kernel/node_measures.hpp"
#include "sim/kernel/sample_statistics.hpp"
#include "sim/process/machine.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace starport {
namespace {

double blocks_memory(const NodeSettings& settings) {
  return settings.memory_bytes.value_or((1 - settings.reserve) * available_memory_bytes());
}

std::string cell(const std::vector<double>& seconds) {
  return fmt::format("{} +-{:.1f}%", format_seconds(median_of(seconds)),
                     100 * relative_dispersion(seconds));
}

}  // namespace

std::string NodeReport::description() const {
  return fmt::format("{} ({}), {}, {} thread{}{}", host, processor, blas, threads,
                     threads == 1 ? "" : "s",
                     type == ElementType::float64 ? "" : std::string(", ") + to_string(type));
}

std::string NodeReport::table() const {
  std::vector<std::vector<std::string>> rows{
      {"block size", "blocks that fit", "update, warm", "cold", "in a chunk", "Gflop/s"}};
  const std::size_t best = best_block_size_index(dgemm);
  for (std::size_t i = 0; i < dgemm.size(); ++i) {
    const auto q = static_cast<double>(dgemm[i].block_size);
    rows.push_back({fmt::format("{}{}", dgemm[i].block_size, i == best ? " *" : ""),
                    fmt::format("{:.0f}", memory_bytes / (bytes_of(type) * q * q)),
                    cell(dgemm[i].warm_s), cell(dgemm[i].cold_s), cell(dgemm[i].update_s),
                    fmt::format("{:.4g}", speed_flops(dgemm[i]) / 1e9)});
  }
  return align(rows, 2);
}

NodeReport measure_node(const NodeSettings& settings) {
  set_blas_threads(settings.threads);
  NodeReport report{.host = host_name(),
                    .processor = processor_name(),
                    .blas = settings.kernel.empty() ? blas_name() : "kernel " + settings.kernel,
                    .threads = settings.threads,
                    .type = settings.type,
                    .memory_bytes = blocks_memory(settings)};
  for (const std::int64_t q : settings.block_sizes) {
    BenchmarkBlocks blocks(
        {.library = settings.kernel, .type = settings.type, .threads = settings.threads}, q,
        report.memory_bytes);
    // A short measurement for choosing a size; the chosen one is measured again for longer.
    const double share = 0.2 / static_cast<double>(settings.block_sizes.size());
    const auto side = static_cast<double>(q);
    report.dgemm.push_back(measure_dgemm(
        blocks, largest_chunk_side(report.memory_bytes / (bytes_of(settings.type) * side * side)),
        share * settings.seconds, settings.slowdown));
  }
  return report;
}

std::string to_text(const NodeReport& report) {
  const nlohmann::ordered_json json{{"host", report.host},
                                    {"processor", report.processor},
                                    {"blas", report.blas},
                                    {"threads", report.threads},
                                    {"type", to_string(report.type)},
                                    {"memory", report.memory_bytes},
                                    {"samples", calibration_json({report.dgemm, {}})}};
  return to_json_line(json);
}

NodeReport parse_node_report(const std::string& text) {
  const nlohmann::json json = parse_json(text, "a worker's report");
  const JsonNode root(json);
  return {.host = root.at("host").text(),
          .processor = root.at("processor").text(),
          .blas = root.at("blas").text(),
          .threads = static_cast<int>(root.at("threads").integer(1, INT32_MAX)),
          .type = parse_element_type(root.at("type").text(), "/type"),
          .memory_bytes = root.at("memory").number(),
          .dgemm = read_calibration(root.at("samples")).dgemm};
}

}  // namespace starport
