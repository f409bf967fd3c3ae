// Timelines for tests.
#pragma once

#include "sim/report/trace_files.hpp"
#include "sim/results/timeline.hpp"
#include "sim/star/star_timeline.hpp"
#include "tests/star/star_support.hpp"

#include <optional>
#include <string>

namespace starport::test {

inline Timeline timeline_of(const std::string& name, const Platform& platform, const Trace& trace) {
  return star_timeline(
      {.heuristic = name, .platform = platform, .trace = trace, .held = {}, .bound_s = {}});
}

/// A timeline that belongs to no model: a CPU and a GPU, which gets a tile of A from the CPU and
/// then sends it to a second GPU. Copies 0-2 and 3-5, computations 0-4 and 2-3.5.
inline Timeline two_gpus() {
  const std::vector<SliceArgument> tile{{"A", {"row", "k"}}};
  Timeline timeline{
      .name = "a \"made up\", one",
      .port = "one-port",
      .kinds = {{"copy", "copy", SliceRole::send_operands, TransferDirection::to_group, tile},
                {"task",
                 "task",
                 SliceRole::compute,
                 TransferDirection::none,
                 {{"C", {"row", "column"}}}},
                {"stolen", "task", SliceRole::steal, TransferDirection::none, {{"priority", {}}}}},
      .groups = {{"bus", std::nullopt, std::nullopt, "bus waits"},
                 {"CPU", 1, std::nullopt, ""},
                 {"GPU 1", 2, 10, ""},
                 {"GPU 2", 3, 10, ""}},
      .lanes =
          {{"bus", 0}, {"computation", 1}, {"in", 2}, {"computation", 2}, {"in", 3}, {"out", 2}},
      .labels = {"A(1,2)", "gemm"},
      .slices = {},
      .values = {},
      .makespan_s = 5,
      .bound_s = 4.5};
  const auto add = [&](Slice slice, const std::vector<std::int64_t>& values) {
    slice.first_value = timeline.values.size();
    timeline.values.insert(timeline.values.end(), values.begin(), values.end());
    timeline.slices.push_back(slice);
  };
  const MemoryLevel one{MemoryLevel::From::start, 1};
  add({.lane = 2, .other_lane = 0, .kind = 0, .label = 0, .start_s = 0, .end_s = 2, .held = one},
      {0, 1, 1, 2});
  add({.lane = 1, .other_lane = {}, .kind = 1, .label = 1, .start_s = 0, .end_s = 4, .held = {}},
      {0, 1, 2, 4});
  add({.lane = 3, .other_lane = {}, .kind = 2, .label = 1, .start_s = 2, .end_s = 3.5, .held = {}},
      {7});
  add({.lane = 4, .other_lane = 5, .kind = 0, .label = 0, .start_s = 3, .end_s = 5, .held = one},
      {0, 1, 1, 2});
  return timeline;
}

inline Timeline read_back(const std::string& csv,
                          const std::optional<std::string>& heuristic = {}) {
  return read_trace(TemporaryFile(csv, ".csv").path(), heuristic);
}

/// One worker, c=1 w=5 m=5, t=3 (heuristics_test): C 0-1, AB 1-3 3-5 8-10, R 18-19; updates 3-8
/// 8-13 13-18.
inline Timeline one_chunk() {
  const Platform platform = star({{1, 5, 5, 0}});
  const Problem problem{1, 1, 3, 1};
  return read_back(trace_csv("HomI", platform, problem, by_recurrence("HomI", platform, problem)));
}

}  // namespace starport::test
