// The platform for people.
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/star/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {

std::string platform_table(const Platform& platform, const Problem& problem) {
  constexpr std::size_t most_rows = 16;
  std::string text = fmt::format("{}: {} worker{}, {}blocks of {} x {}\n", platform.name,
                                 platform.workers.size(), platform.workers.size() > 1 ? "s" : "",
                                 platform.port == Port{} ? "" : describe(platform.port) + ", ",
                                 problem.block_size, problem.block_size);
  const bool latency = std::any_of(platform.workers.begin(), platform.workers.end(),
                                   [](const Worker& worker) { return worker.latency_s > 0; });
  std::vector<std::vector<std::string>> rows{{"worker", "c_i", "w_i", "m_i", "mu_i"}};
  if (latency) rows.front().push_back("latency");
  std::size_t shown = 0;
  for (std::size_t i = 0; i < platform.workers.size() && rows.size() <= most_rows;) {
    const Worker& worker = platform.workers[i];
    const Worker seen = at_chunk_size(worker, kOptimizedOverlapped);
    std::size_t end = i + 1;
    while (end < platform.workers.size() && platform.workers[end] == worker) ++end;
    rows.push_back({platform.names.of_range(i, end), format_seconds(worker.c_s),
                    format_seconds(seen.w_s), fmt::format("{}", worker.m_blocks),
                    fmt::format("{}", kOptimizedOverlapped.side(seen.m_blocks))});
    if (latency) rows.back().push_back(format_seconds(worker.latency_s));
    shown = i = end;
  }
  text += align(rows, 2);
  if (shown < platform.workers.size()) {
    text += fmt::format("  ... and {} more\n", platform.workers.size() - shown);
  }
  return text;
}

}  // namespace starport
