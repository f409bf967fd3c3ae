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

/// Decision of a dispatcher to send nothing now. It is asked again later, at the latest when an
/// update or a transfer ends that may change the decision.
struct Wait {
  /// Simulated date in seconds, later than now_s(), before which the decision will not change; it
  /// should be the end of an update. kUnknown: any update or transfer that ends may change it. The
  /// analytic engine skips the ends of updates before this date and would loop forever if it were
  /// not in the future; the SimGrid engine ignores it and asks at every end.
  double until_s = kUnknown;
};
/// Decision of a dispatcher that the schedule is complete: it is not asked again.
struct Done {};
/// Decision of a dispatcher: the message to send next, Wait, or Done. The message is never null,
/// belongs to the dispatcher and is valid until the next call of Dispatcher::next().
using Decision = std::variant<const Message*, Wait, Done>;

/// Decides the next message each time the master's port, or one of several, is idle. The dispatcher
/// of a static heuristic walks a list; that of a demand-driven one decides from the state of the
/// master. A dispatcher runs one schedule once, in one thread.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  /// Returns the decision at the simulated date master.now_s(). A message that waits for an update
  /// holds its port until the update is complete; a message whose port is busy waits for the port,
  /// and next() is called again meanwhile. The caller throws SimulationError if the worker of the
  /// message does not exist or has stopped, or the awaited update has not been allowed. Must not be
  /// called after Done.
  virtual Decision next(const MasterView& master) = 0;
  /// Returns the transfer of the message that next() returned last; undefined if next() has not
  /// returned a message yet. Separate from next(), since runs that need only dates never build
  /// transfers.
  virtual Transfer transfer() const = 0;
  /// Executes a complete run of this dispatcher and adds its metrics to the sink of `run`. The
  /// dispatcher must not have been used before. Throws SimulationError on an invalid decision, and
  /// what the sink's check of limits throws. A final class that overrides this by
  /// `run.execute(*this)` saves a virtual call per message.
  virtual void measure(MetricsRun& run);
};

/// Plan of a heuristic for one instance. Can be run once, since its dispatcher has state.
struct Plan {
  /// Dispatcher that decides the transfers of the schedule; not null in a plan to run.
  std::unique_ptr<Dispatcher> dispatcher;
  /// Names and values of choices that the heuristic made, for reports, e.g. {"selection",
  /// "ratio=global,look_ahead=yes,count_c=no"}; may be empty.
  std::vector<std::pair<std::string, std::string>> details = {};
  /// True if decisions depend on what happens during the run. Otherwise a run under noise has the
  /// same transfers in the same order as the run without noise.
  bool adapts = false;
};

/// A complete list of transfers together with their messages. Stores a pointer to the vector of
/// transfers, which must outlive the list and not change.
class TransferList {
 public:
  /// Computes the messages of `transfers`, which must outlive the list.
  explicit TransferList(const std::vector<Transfer>& transfers) : transfers_(&transfers) {
    messages_.reserve(transfers.size());
    for (const Transfer& transfer : transfers) messages_.push_back(to_message(transfer));
  }
  explicit TransferList(std::vector<Transfer>&&) = delete;

  /// Returns the transfers given to the constructor.
  const std::vector<Transfer>& transfers() const { return *transfers_; }
  /// Returns the messages of the transfers, by the same index.
  const std::vector<Message>& messages() const { return messages_; }

 private:
  const std::vector<Transfer>* transfers_;
  std::vector<Message> messages_;
};

/// Dispatcher that emits the transfers of a list in order, then Done. The list must outlive it.
class ListDispatcher final : public Dispatcher {
 public:
  /// Starts at the first transfer of `list`, which must outlive the dispatcher.
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

/// Returns a plan that emits the transfers of `list` in order. Both `list` and the vector it refers
/// to must outlive the plan.
inline Plan make_list_plan(const TransferList& list) {
  return {.dispatcher = std::make_unique<ListDispatcher>(list)};
}

}  // namespace starport
