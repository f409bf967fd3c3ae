#include "heuristics/external/requests.hpp"

#include "heuristics/star/chunks.hpp"
#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace starport {
namespace {

std::int64_t count_columns_left(ColumnCounter columns) {
  std::int64_t count = 0;
  while (columns.has_columns_left()) count += columns.extract_panel(INT32_MAX).columns.size();
  return count;
}

/// Asks an external function which of the requests of the workers is served next.
class RequestDispatcher final : public ChunkDispatcher {
 public:
  RequestDispatcher(PerWorker<ChunkWorker> workers, const Problem& problem, ChooseRequest choose)
      : workers_(std::move(workers)), columns_(problem), choose_(std::move(choose)) {}

  Decision next(const MasterView& master) override {
    reclaim_panels(master);
    if (is_finished(master)) return Done{};
    const RequestView view = make_view(master);
    if (view.requests.empty()) return Wait{};
    const auto chosen = choose_(view);
    if (!chosen) return Wait{};
    ChunkWorker& worker = workers_[view.requests.at(*chosen).worker];
    if (!worker.has_chunk()) worker.start_chunk(columns_);
    return serve(worker);
  }

 private:
  /// Returns the panels of workers that have stopped since the last decision to the columns left.
  void reclaim_panels(const MasterView& master) {
    const auto stops = master.stops();
    for (; stops_seen_ < stops.size(); ++stops_seen_) {
      const int i = stops[stops_seen_].worker;
      if (const auto panel = workers_[i].stop(master.has_lost_last_transfer(i))) {
        columns_.return_panel(*panel);
      }
    }
  }

  /// Returns true if all work is done. Throws SimulationError if columns are left and no worker is.
  bool is_finished(const MasterView& master) const {
    bool has_usable_worker = false;
    for (const ChunkWorker& worker : workers_) {
      if (!worker.is_finished(columns_)) return false;
      has_usable_worker = has_usable_worker || worker.is_usable();
    }
    if (columns_.has_columns_left() && !has_usable_worker) {
      throw SimulationError(
          master.stops().empty()
              ? std::string("no worker has the memory for a chunk")
              : fmt::format(
                    "the last worker with memory for a chunk stopped at {:g} s with columns left",
                    master.stops().back().at_s));
    }
    return true;
  }

  RequestView make_view(const MasterView& master) const {
    RequestView view{.now_s = master.now_s(), .columns_left = count_columns_left(columns_)};
    for (const ChunkWorker& worker : workers_) {
      const int i = worker.worker();
      // A worker in a transfer posts its next request when the transfer ends.
      if (worker.is_finished(columns_) || master.last_transfer_end_s(i) == kUnknown) continue;
      const OpenRequest request = make_request(worker, master);
      const auto direction =
          request.kind == RequestKind::result ? Direction::to_master : Direction::to_worker;
      if (master.is_port_free(direction)) view.requests.push_back(request);
    }
    return view;
  }

  /// Returns the request of a worker that is not finished; works on copies.
  OpenRequest make_request(ChunkWorker worker, const MasterView& master) const {
    const int i = worker.worker();
    OpenRequest request{.worker = i};
    if (!worker.has_chunk()) {
      ColumnCounter columns = columns_;
      worker.start_chunk(columns);
    } else {
      request.kind = worker.is_ready_to_return() ? RequestKind::result : RequestKind::step;
    }
    Message message;
    worker.send_next(message);
    request.date_s = master.request_date_s(i, message.after_update);
    request.works_until_s = master.update_end_s(i, master.updates_allowed(i));
    request.blocks = message.blocks;
    request.updates = message.block_updates;
    return request;
  }

  PerWorker<ChunkWorker> workers_;
  ColumnCounter columns_;
  ChooseRequest choose_;
  std::size_t stops_seen_ = 0;
};

}  // namespace

Plan plan_requests(const Platform& platform, const Problem& problem, const MemoryLayout& layout,
                   ChooseRequest choose) {
  return {.dispatcher = std::make_unique<RequestDispatcher>(
              make_chunk_workers(platform, problem, layout), problem, std::move(choose)),
          .adapts = true};
}

}  // namespace starport
