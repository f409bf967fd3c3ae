// The decisions of a heuristic while its schedule runs.
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

/// A dispatcher and the run that is its own.
struct MeasuredRun {
  Dispatcher* dispatcher;
  MetricsRun* run;
};

/// Nothing now: ask again when an update or transfer has ended. Unless dates change, that is of no
/// use before until_s, when it is known.
struct Wait {
  double until_s = kUnknown;
};
struct Done {};  ///< the schedule is over
/// A message stays the dispatcher's, and valid until the dispatcher is asked again.
using Decision = std::variant<const Message*, Wait, Done>;

/// Asked for the next message each time the master's port, or one of several, has nothing to do. A
/// static heuristic's dispatcher walks its list; a demand-driven one decides on the spot.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  /// `master` tells what is known at that date. A message whose update is not complete yet
  /// holds its port until it is; one whose port is busy waits for it, and this is called again.
  virtual Decision next(const MasterView& master) = 0;
  /// The transfer of the last message, before the dispatcher is asked again: a run that wants
  /// nothing but dates makes none.
  virtual Transfer transfer() const = 0;
  /// A whole run in which next() is asked as this very class's: `run.execute(*this)` in a class
  /// that is final spares the virtual call for each message.
  virtual void measure(MetricsRun& run);
  /// Several whole runs, of dispatchers that are mostly of this class, sooner at once than one by
  /// one. How long the link and the computations of each worker took may be left out.
  virtual void measure_batch(std::span<const MeasuredRun> runs);
};

struct Plan {
  std::unique_ptr<Dispatcher> dispatcher;
  /// What the heuristic decided, for the report: {"selection", "global/look-ahead/C ignored"}.
  std::vector<std::pair<std::string, std::string>> details = {};
  /// Whether the dispatcher decides by what happens during the run; else the run under noise has
  /// the transfers of that without.
  bool adapts = false;
};

/// A ready-made list of transfers, and their messages. The transfers must outlive it.
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

/// Replays a list. The list must outlive it.
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

inline Plan make_list_plan(const TransferList& list) {
  return {.dispatcher = std::make_unique<ListDispatcher>(list)};
}

}  // namespace starport
