#include "heuristics/star/others/requests.hpp"

#include "heuristics/star/chunks.hpp"
#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace starport {
namespace {

std::int64_t columns_left(ColumnCounter columns) {
  std::int64_t count = 0;
  while (columns.any_left()) count += columns.take(INT32_MAX).columns.size();
  return count;
}

class RequestDispatcher final : public ChunkDispatcher {
 public:
  RequestDispatcher(PerWorker<ChunkWorker> workers, const Problem& problem, ChooseRequest choose)
      : workers_(std::move(workers)), columns_(problem), choose_(std::move(choose)) {}

  Decision next(const MasterView& master) override {
    take_back(master);
    if (over(master)) return Done{};
    const RequestView view = view_of(master);
    if (view.requests.empty()) return Wait{};
    const auto chosen = choose_(view);
    if (!chosen) return Wait{};
    ChunkWorker& worker = workers_[view.requests.at(*chosen).worker];
    if (!worker.holds_chunk()) worker.start_chunk(columns_);
    return serve(worker);
  }

 private:
  void take_back(const MasterView& master) {
    const auto stops = master.stops();
    for (; stops_seen_ < stops.size(); ++stops_seen_) {
      const int i = stops[stops_seen_].worker;
      if (const auto panel = workers_[i].leave(master.has_lost_last_transfer(i))) {
        columns_.give_back(*panel);
      }
    }
  }

  /// Nothing is left to do. Throws SimulationError when nobody is left to do it.
  bool over(const MasterView& master) const {
    bool somebody = false;
    for (const ChunkWorker& worker : workers_) {
      if (!worker.over(columns_)) return false;
      somebody = somebody || worker.usable();
    }
    if (columns_.any_left() && !somebody) {
      throw SimulationError(master.stops().empty()
                                ? std::string("no worker has the memory for a chunk")
                                : fmt::format("the last worker stopped at {:g} s with columns left",
                                              master.stops().back().at_s));
    }
    return true;
  }

  RequestView view_of(const MasterView& master) const {
    RequestView view{.now_s = master.now_s(), .columns_left = columns_left(columns_)};
    for (const ChunkWorker& worker : workers_) {
      const int i = worker.worker();
      // In a transfer, a worker posts its next request when that is over.
      if (worker.over(columns_) || master.last_transfer_end_s(i) == kUnknown) continue;
      const OpenRequest request = request_of(worker, master);
      const auto direction =
          request.kind == RequestKind::result ? Direction::to_master : Direction::to_worker;
      if (master.is_port_free(direction)) view.requests.push_back(request);
    }
    return view;
  }

  OpenRequest request_of(ChunkWorker worker, const MasterView& master) const {
    const int i = worker.worker();
    OpenRequest request{.worker = i};
    if (!worker.holds_chunk()) {
      ColumnCounter columns = columns_;
      worker.start_chunk(columns);
    } else {
      request.kind = worker.ready_to_return() ? RequestKind::result : RequestKind::step;
    }
    Message message;
    worker.next(message);
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
              chunk_workers(platform, problem, layout), problem, std::move(choose)),
          .adapts = true};
}

}  // namespace starport
