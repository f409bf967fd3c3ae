// Dispatchers: the decisions of a heuristic while its schedule runs.
#pragma once

#include "sim/star/master_view.hpp"
#include "sim/star/message.hpp"
#include "sim/star/schedule.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace starport {

class Dispatcher;
class MetricsRun;

/// One run of a batch: a dispatcher and the run it executes. Both belong to the caller.
struct MeasuredRun {
  Dispatcher* dispatcher;
  MetricsRun* run;
};

/// Decision to send nothing now. The dispatcher is asked again when an update or a transfer ends.
struct Wait {
  /// Earliest date at which the decision can change unless dates change; kUnknown: any update or
  /// transfer that ends may change it.
  double until_s = kUnknown;
};
/// Decision that the schedule is complete.
struct Done {};
/// Decision of a dispatcher. A message belongs to the dispatcher and is valid until its next call
/// of Dispatcher::next().
using Decision = std::variant<const Message*, Wait, Done>;

/// Decides the next message each time the master's port, or one of several, is idle. The dispatcher
/// of a static heuristic walks a list; that of a demand-driven one decides from the master's view.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  /// Returns the decision at the date master.now_s(). A message that waits for an update holds its
  /// port until the update is complete; a message whose port is busy waits for the port, and next()
  /// is called again meanwhile.
  virtual Decision next(const MasterView& master) = 0;
  /// Returns the transfer of the message that next() returned last. Separate from next(), since
  /// runs that need only dates never build transfers.
  virtual Transfer transfer() const = 0;
  /// Executes a complete run for its metrics. A final class that overrides this by
  /// `run.execute(*this)` saves a virtual call per message.
  virtual void measure(MetricsRun& run);
  /// Executes several runs, most of them of dispatchers of this class, which may be faster than one
  /// by one. WorkerMetrics::link_busy_s and compute_busy_s may be left at 0.
  virtual void measure_batch(std::span<const MeasuredRun> runs);
};

/// Plan of a heuristic for one instance.
struct Plan {
  std::unique_ptr<Dispatcher> dispatcher;
  /// Names and values of choices that the heuristic made, for reports, e.g. {"selection",
  /// "global/look-ahead/C ignored"}.
  std::vector<std::pair<std::string, std::string>> details = {};
  /// True if decisions depend on what happens during the run. Otherwise a run under noise has the
  /// same transfers in the same order as the run without noise.
  bool adapts = false;
};

/// A complete list of transfers together with their messages. Keeps a reference to the transfers.
class TransferList {
 public:
  explicit TransferList(const std::vector<Transfer>& transfers) : transfers_(&transfers) {
    messages_.reserve(transfers.size());
    for (const Transfer& transfer : transfers) messages_.push_back(to_message(transfer));
  }
  explicit TransferList(std::vector<Transfer>&&) = delete;

  const std::vector<Transfer>& transfers() const { return *transfers_; }
  const std::vector<Message>& messages() const { return messages_; }

 private:
  const std::vector<Transfer>* transfers_;
  std::vector<Message> messages_;
};

/// Dispatcher that emits the transfers of a list in order. The list must outlive it.
class ListDispatcher final : public Dispatcher {
 public:
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

/// Returns a plan that emits the transfers of `list`, which must outlive the plan.
inline Plan make_list_plan(const TransferList& list) {
  return {.dispatcher = std::make_unique<ListDispatcher>(list)};
}

}  // namespace starport
