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

/// One list of the trace, from the child to the parent, in pieces.
template <class Entry>
void write(FrameWriter& out, std::byte list, const std::vector<Entry>& entries) {
  constexpr std::size_t piece = 4096;
  std::vector<std::byte> frame;
  for (std::size_t first = 0; first < entries.size(); first += piece) {
    const auto part =
        std::as_bytes(std::span(entries).subspan(first, std::min(piece, entries.size() - first)));
    frame.assign(1, list);
    frame.insert(frame.end(), part.begin(), part.end());
    out.write(frame);
  }
}

template <class Entry>
void append(std::vector<Entry>& entries, std::span<const std::byte> bytes) {
  const std::size_t before = entries.size();
  entries.resize(before + bytes.size() / sizeof(Entry));
  std::memcpy(entries.data() + before, bytes.data(), bytes.size());
}

}  // namespace

Trace run_isolated(const std::function<void(const TakeTrace&)>& simulate, const Work& work,
                   double time_limit_s) {
  const auto send = [&](FrameWriter& out) {
    simulate([&](const Trace& trace) {
      write(out, std::byte{0}, trace.tasks);
      write(out, std::byte{1}, trace.transfers);
      write(out, std::byte{2}, trace.departures);
      out.flush();
    });
  };
  Trace trace;
  const auto receive = [&](std::span<const std::byte> frame) {
    const auto entries = frame.subspan(1);
    if (frame[0] == std::byte{0}) append(trace.tasks, entries);
    if (frame[0] == std::byte{1}) append(trace.transfers, entries);
    if (frame[0] == std::byte{2}) append(trace.departures, entries);
  };
  run_in_child(send, receive, time_limit_s);
  if (static_cast<std::int64_t>(trace.tasks.size()) != work.tasks()) {
    throw SimulationError("the simulation ended before its last task");
  }
  return trace;
}

}  // namespace starport::tiles
