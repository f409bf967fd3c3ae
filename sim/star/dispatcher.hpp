// Dispatchers: the decisions of a heuristic while its schedule runs.
#pragma once

#include "sim/star/master_view.hpp"
#include "sim/star/schedule.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace starport {

class Dispatcher;
class MetricsRun;

/// Decision of a dispatcher (the object that decides the transfers of a schedule) to send nothing
/// now. The dispatcher is asked again later, at the latest when an update or a transfer ends that
/// may change the decision, or a worker stops. The run ends with SimulationError if until_s is
/// kUnknown (infinity) while no update or transfer is under way and no stop lies ahead.
struct Wait {
  /// Date in seconds since the start of the run (simulated; real in a run under MPI) before which
  /// the dispatcher's decision to wait will not change; it should be the end of an update. kUnknown
  /// (infinity): any update or transfer that ends may change it. Must be later than
  /// MasterView::now_s(), otherwise the run ends with SimulationError. The analytic engine and runs
  /// under MPI skip the ends of updates before this date; the SimGrid engine asks at every end,
  /// too.
  double until_s = kUnknown;
};
/// Decision of a dispatcher (the object that decides the transfers) that the schedule is complete:
/// it is not asked again, and the run ends when the transfers and updates under way have ended.
struct Done {};
/// Decision of a dispatcher (the object that decides the transfers of a schedule): the message,
/// i.e. the transfer, to start next, Wait, or Done. The message is never null, belongs to the
/// dispatcher and is valid until the next call of Dispatcher::next().
using Decision = std::variant<const Message*, Wait, Done>;

/// Interface of the object that decides the next message of a schedule each time the master's port,
/// or one of several, is idle. The object of a static heuristic walks a list of transfers; that of
/// a demand-driven one decides from what the MasterView tells at that date. Made by a heuristic as
/// a part of its Plan and called by an engine or by the master of a run under MPI. Runs one
/// schedule once, in one thread.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  /// Returns the decision which transfer to start next, or to wait or end, at the date
  /// master.now_s() in seconds (simulated; real in a run under MPI); called whenever a port of the
  /// master is idle. `master`, which tells the state of the run (date, free ports, ends of
  /// transfers and updates), is valid during the call. A message that it returns must stay valid
  /// until the next call. One that waits for an update holds its port until the update is complete;
  /// a message whose port is busy waits for the port, and next() is called again meanwhile. The
  /// caller throws SimulationError if the worker of the message does not exist or has stopped, or
  /// the awaited update has not been allowed. May throw, which ends the run. Must not be called
  /// after Done.
  virtual Decision next(const MasterView& master) = 0;
  /// Returns the transfer (with the indices of its blocks) for the message that next() returned
  /// last; undefined behaviour if next() has not returned a message yet. Separate from next(),
  /// since runs that need only dates never build transfers.
  virtual Transfer transfer() const = 0;
  /// Executes a complete run of this dispatcher without noise on a one-port master (not checked)
  /// and stores its metrics (makespan, blocks moved, busy times) in the sink of `run`, whose
  /// metrics must be zero before; called by the analytic engine. The dispatcher must not have been
  /// used before. Throws SimulationError on an invalid decision or if the dispatcher waits although
  /// nothing can change or until a date that is not in the future, and what next() or the sink's
  /// check of limits throws; the metrics are incomplete then. A final class that overrides this by
  /// `run.execute(*this)` saves a virtual call per message.
  virtual void measure(MetricsRun& run);
};

/// Result of planning a product on a platform: the dispatcher, i.e. the object that will decide the
/// transfers, and facts for reports. Made by Heuristic::plan(). May refer to the platform and the
/// problem, which must outlive it. Can be run once, since its dispatcher has state.
struct Plan {
  /// Object that decides the transfers of the schedule; not null in a plan to run.
  std::unique_ptr<Dispatcher> dispatcher;
  /// Names and values of choices that the heuristic made, for reports, e.g. {"selection",
  /// "ratio=global,look_ahead=yes,count_c=no"}; may be empty.
  std::vector<std::pair<std::string, std::string>> details = {};
  /// True if the decisions of the dispatcher (which decides the transfers) depend on what happens
  /// during the run. Otherwise a run under noise has the same transfers in the same order as the
  /// run without noise.
  bool adapts = false;
};

/// A complete list of the transfers of a schedule, in its order, together with their messages (the
/// transfers with numbers of blocks instead of indices). Stores a pointer to the vector of
/// transfers, which must outlive the list and not change. Made by the owner of a fixed schedule for
/// a ListDispatcher.
class TransferList {
 public:
  /// Computes the messages (numbers of blocks instead of indices) of `transfers`, a vector that
  /// must outlive the list and not change.
  explicit TransferList(const std::vector<Transfer>& transfers) : transfers_(&transfers) {
    messages_.reserve(transfers.size());
    for (const Transfer& transfer : transfers) messages_.push_back(to_message(transfer));
  }
  explicit TransferList(std::vector<Transfer>&&) = delete;

  /// Returns the vector of transfers that was given to the constructor (a reference, not a copy;
  /// valid as long as that vector).
  const std::vector<Transfer>& transfers() const { return *transfers_; }
  /// Returns the messages of the transfers (numbers of blocks instead of indices), by the same
  /// index. Valid as long as the list.
  const std::vector<Message>& messages() const { return messages_; }

 private:
  const std::vector<Transfer>* transfers_;
  std::vector<Message> messages_;
};

/// Dispatcher that emits the transfers of a TransferList in order, whatever the state of the
/// master, then Done. The list and its vector of transfers must outlive it. Does not check the
/// transfers: the caller of next() throws SimulationError for one with an invalid worker or update.
class ListDispatcher final : public Dispatcher {
 public:
  /// Makes a dispatcher (which decides the transfers) that starts at the first transfer of `list`,
  /// which must outlive it and may be empty.
  explicit ListDispatcher(const TransferList& list)
      : list_(&list), next_(list.messages().data()), end_(next_ + list.messages().size()) {}

  Decision next(const MasterView&) override {
    if (next_ == end_) return Done{};
    return next_++;
  }
  Transfer transfer() const override {
    return list_->transfers()[static_cast<std::size_t>(next_ - list_->messages().data()) - 1];
  }
  void measure(MetricsRun& run) override;

 private:
  const TransferList* list_;
  const Message* next_;
  const Message* end_;
};

/// Returns a plan with a new ListDispatcher, which emits the transfers of `list` in order;
/// Plan::details is empty, Plan::adapts false. Both `list` and the vector it refers to must outlive
/// the plan.
inline Plan make_list_plan(const TransferList& list) {
  return {.dispatcher = std::make_unique<ListDispatcher>(list)};
}

}  // namespace starport
