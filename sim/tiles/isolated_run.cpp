#include "sim/tiles/isolated_run.hpp"

#include "sim/files/error.hpp"
#include "sim/process/isolation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace starport::tiles {
namespace {

/// Sends one list of the trace to the parent in frames of at most 4096 entries. The first byte of
/// each frame is the number of the list.
template <class Entry>
void write_list(FrameWriter& out, std::byte list, const std::vector<Entry>& entries) {
  constexpr std::size_t frame_entries = 4096;
  std::vector<std::byte> frame;
  for (std::size_t first = 0; first < entries.size(); first += frame_entries) {
    const auto part = std::as_bytes(
        std::span(entries).subspan(first, std::min(frame_entries, entries.size() - first)));
    frame.assign(1, list);
    frame.insert(frame.end(), part.begin(), part.end());
    out.write(frame);
  }
}

/// Appends the entries in `bytes` to a list of the trace.
template <class Entry>
void append_entries(std::vector<Entry>& entries, std::span<const std::byte> bytes) {
  const std::size_t before = entries.size();
  entries.resize(before + bytes.size() / sizeof(Entry));
  std::memcpy(entries.data() + before, bytes.data(), bytes.size());
}

}  // namespace

Trace run_isolated(const std::function<void(const TraceCallback&)>& simulate,
                   const TaskGraph& graph, double time_limit_s) {
  const auto send = [&](FrameWriter& out) {
    simulate([&](const Trace& trace) {
      write_list(out, std::byte{0}, trace.tasks);
      write_list(out, std::byte{1}, trace.transfers);
      write_list(out, std::byte{2}, trace.evictions);
      out.flush();
    });
  };
  Trace trace;
  const auto receive = [&](std::span<const std::byte> frame) {
    const auto entries = frame.subspan(1);
    if (frame[0] == std::byte{0}) append_entries(trace.tasks, entries);
    if (frame[0] == std::byte{1}) append_entries(trace.transfers, entries);
    if (frame[0] == std::byte{2}) append_entries(trace.evictions, entries);
  };
  run_in_child(send, receive, time_limit_s);
  if (static_cast<std::int64_t>(trace.tasks.size()) != graph.tasks()) {
    throw SimulationError("the simulation ended before its last task");
  }
  return trace;
}

}  // namespace starport::tiles
