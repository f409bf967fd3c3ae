#include "sim/star/recurrence.hpp"

#include "sim/star/plain_run.hpp"

#include <fmt/format.h>

namespace starport {

void refuse(const MasterView& master, const Message& message) {
  const auto workers = std::ssize(master.platform().workers);
  if (message.worker < 0 || message.worker >= workers) {
    throw SimulationError(
        fmt::format("a transfer for worker {} of {}", message.worker + 1, workers));
  }
  if (master.has_stopped(message.worker)) {
    throw SimulationError(
        fmt::format("a transfer for worker {}, which has stopped", message.worker + 1));
  }
  throw SimulationError(fmt::format("a transfer of worker {} waits for its update {}, of {} sent",
                                    message.worker + 1, message.after_update,
                                    master.updates_allowed(message.worker)));
}

void refuse_port() {
  throw SimulationError(
      "the recurrence gives the dates of one-port and two-port platforms; those of a multi-port "
      "one come from SimGrid (--engine simgrid)");
}

void Dispatcher::drive(PlainRun& run) { run.by(*this); }

void ListDispatcher::drive(PlainRun& run) { run.by(*this); }

Trace replay(const Platform& platform, const Problem& problem,
             const std::vector<Transfer>& transfers) {
  MasterView master(platform, problem);
  Trace trace;
  trace.reserve(transfers.size());
  with_clock(master, NominalRecurrence{}, [&](auto& clock) {
    for (const Transfer& transfer : transfers) {
      trace.push_back({transfer, clock.advance(message_of(transfer))});
    }
  });
  return trace;
}

Trace trace_by_recurrence(Dispatcher& dispatcher, const Platform& platform,
                          const Problem& problem) {
  MasterView master(platform, problem);
  Trace trace;
  run_recurrence(dispatcher, master, [&](const Message&, const Dates& dates) {
    trace.push_back({dispatcher.transfer(), dates});
  });
  return trace;
}

namespace {

/// Replays a list of its own under noise. Throws SimulationError when a worker stops that the rest
/// of the list needs.
class OrderKeeper final : public Dispatcher {
 public:
  explicit OrderKeeper(std::vector<Transfer> transfers)
      : transfers_(std::move(transfers)), list_(transfers_) {}

  Decision next(const MasterView& master) override {
    const auto stops = master.stops();
    for (; stops_seen_ < stops.size(); ++stops_seen_) check_stop(stops[stops_seen_], master);
    if (next_ == transfers_.size()) return Done{};
    return &list_.messages()[next_++];
  }
  Transfer transfer() const override { return transfers_[next_ - 1]; }

 private:
  void check_stop(const Stop& stop, const MasterView& master) const {
    std::size_t left = master.last_transfer_lost(stop.worker) ? 1 : 0;
    for (std::size_t i = next_; i < transfers_.size(); ++i) {
      left += transfers_[i].worker == stop.worker ? 1 : 0;
    }
    if (left == 0) return;
    throw SimulationError(fmt::format("worker {} stopped at {:g} s with {} of its transfers left",
                                      stop.worker + 1, stop.at_s, left));
  }

  std::vector<Transfer> transfers_;
  TransferList list_;
  std::size_t next_ = 0;
  std::size_t stops_seen_ = 0;
};

}  // namespace

bool keep_to_order(Plan& plan, const Platform& platform, const Problem& problem, std::size_t most) {
  if (plan.adapts) return true;
  std::vector<Transfer> transfers;
  MasterView nominal(platform, problem);
  bool fits = true;
  run_recurrence(*plan.dispatcher, nominal, [&](const Message&, const Dates&) {
    fits = transfers.size() < most;
    if (fits) transfers.push_back(plan.dispatcher->transfer());
  });
  plan.dispatcher = std::make_unique<OrderKeeper>(std::move(transfers));
  return fits;
}

}  // namespace starport
