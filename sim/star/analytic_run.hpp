// Runs dispatchers under the recurrence of the model, without a simulator.
#pragma once

#include "sim/star/many_port_clock.hpp"
#include "sim/star/port_clock.hpp"
#include "sim/star/trace.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace starport {

/// Returns true if the recurrence of the star model, which computes each date from those of earlier
/// transfers, covers this kind of port of the master: one-port and two-port; false for multi-port,
/// where later transfers may share the bandwidth with earlier ones.
inline bool has_recurrence(const Port& port) { return port.kind != Port::Kind::multi; }

/// Throws a SimulationError which says that the dates of a multi-port master cannot be computed one
/// transfer after the other, as runs under noise need them (has_recurrence() is false).
[[noreturn]] void throw_unsupported_port();

/// Makes a clock, i.e. an object that computes the dates of transfers, for the kind of port of the
/// master's platform, calls use(clock) and returns its result by value; the type must be the same
/// for both clocks. `recurrence`, which is moved into the clock, computes the durations:
/// NominalRecurrence, NoisyRecurrence for a run with noise (on two-port without stops of workers,
/// not checked), or a class with the same advance(), observe_stops() and next_stop_s(). The clock
/// is an lvalue of type OnePortClock or TwoPortClock (port_clock.hpp), valid during the call, and
/// updates `master`, which records the run's dates. Throws SimulationError if the port is a
/// multi-port; exceptions of `use` pass.
template <class Recurrence, class Use>
auto with_clock(MasterView& master, Recurrence recurrence, Use&& use) {
  const Port& port = master.platform().port;
  if (!has_recurrence(port)) throw_unsupported_port();
  if (port.kind == Port::Kind::two) {
    TwoPortClock<Recurrence> clock(master, std::move(recurrence));
    return use(clock);
  }
  OnePortClock<Recurrence> clock(master, std::move(recurrence));
  return use(clock);
}

/// Runs `dispatcher`, the object that decides the transfers of a schedule, which must not have been
/// used before, to its end. Computes the dates by `recurrence` (NominalRecurrence, NoisyRecurrence
/// for a run with noise, on two ports without stops of workers, not checked, or a class with the
/// same advance(), observe_stops() and next_stop_s()) or, on multi-port masters, by ManyPortClock,
/// and calls on_message(message, dates) for each of its messages in the order of the schedule, with
/// dates in simulated seconds; both are valid during the call. On multi-port masters later messages
/// may have been decided by then, so that dispatcher.transfer() is not that of the message: use
/// TransferRecorder. `master`, which records the run's dates and updates, must be newly created.
/// Returns the date in simulated seconds at which the last transfer ends, or, on one port, until
/// which the dispatcher waited after it; 0 without transfers and waits. Throws SimulationError for
/// any recurrence but NominalRecurrence on multi-port platforms, on invalid decisions
/// (check_decision()), and if the dispatcher waits although nothing can change or until a date that
/// is not in the future; other exceptions pass. Endless if the dispatcher never ends. Does not
/// check that the schedule is complete.
template <class AnyDispatcher, class OnMessage, class Recurrence = NominalRecurrence>
double run_recurrence(AnyDispatcher& dispatcher, MasterView& master, OnMessage&& on_message,
                      Recurrence recurrence = {}) {
  if constexpr (std::is_same_v<Recurrence, NominalRecurrence>) {
    if (!has_recurrence(master.platform().port)) {
      ManyPortClock clock(master, on_message);
      run_dispatcher(dispatcher, clock, master,
                     [&](const Message& message) { clock.carry_out(message); });
      clock.finish();
      return clock.last_end_s();
    }
  }
  return with_clock(master, std::move(recurrence), [&](auto& clock) {
    run_dispatcher(dispatcher, clock, master,
                   [&](const Message& message) { on_message(message, clock.advance(message)); });
    return clock.last_end_s();
  });
}

/// Dispatcher that repeats the decisions of another one, which must outlive it, and stores the
/// transfers until take(), to be called when the dates of the oldest are known: on multi-port
/// masters after later ones have been decided. Do not call transfer() once the latest has been
/// taken (not checked: undefined behaviour).
class TransferRecorder final : public Dispatcher {
 public:
  /// Records the decisions of `dispatcher`, which must outlive this object.
  explicit TransferRecorder(Dispatcher& dispatcher) : dispatcher_(dispatcher) {}

  Decision next(const MasterView& master) override {
    const Decision decision = dispatcher_.next(master);
    if (std::holds_alternative<const Message*>(decision))
      transfers_.push_back(dispatcher_.transfer());
    return decision;
  }
  Transfer transfer() const override { return transfers_.back(); }
  /// Removes the oldest of the stored transfers and returns it; there must be one (not checked:
  /// undefined behaviour).
  Transfer take() {
    Transfer oldest = transfers_.front();
    transfers_.pop_front();
    return oldest;
  }

 private:
  Dispatcher& dispatcher_;
  std::deque<Transfer> transfers_;
};

/// Runs `dispatcher`, the object that decides the transfers of a schedule, which must not have been
/// used before, to its end without noise or simulator and returns its trace: its transfers in the
/// order of the schedule, with dates in simulated seconds. Does not check that the schedule is
/// complete. Throws SimulationError on invalid decisions (check_decision()), and if the dispatcher
/// waits although nothing can change or until a date that is not in the future; its exceptions
/// pass. Endless if the dispatcher never ends.
Trace run_to_trace(Dispatcher& dispatcher, const Platform& platform, const Problem& problem);

/// Returns a dispatcher that decides these transfers in their order and then ends the schedule; it
/// owns them and is never null. A run throws SimulationError when a worker stops (noise) whose last
/// transfer is lost or yet to come, and for a transfer whose worker does not exist or that waits
/// for an update that no earlier one has allowed (check_decision()).
std::unique_ptr<Dispatcher> make_fixed_order_dispatcher(std::vector<Transfer> transfers);

/// Prepares a new plan, whose dispatcher decides the transfers of a schedule, for a run under
/// noise. Does nothing if plan.adapts is true. Otherwise runs the dispatcher to the end without
/// noise and replaces it by one that decides the same transfers in the same order
/// (make_fixed_order_dispatcher()). Calls check_limits(n), which must not be null, at the n-th
/// transfer, n from 1; it may throw to stop a dispatcher that never ends. Throws SimulationError if
/// the platform is multi-port, a decision is invalid (check_decision()) or the dispatcher waits
/// although nothing can change or until a date that is not in the future; exceptions of
/// check_limits and of the dispatcher pass. The plan must not be run after an exception.
void fix_order(Plan& plan, const Platform& platform, const Problem& problem,
               const std::function<void(std::size_t transfers)>& check_limits);
/// Runs `dispatcher` to its end without noise and returns its transfers in order. Calls
/// check_limits(n), which must not be null, at the n-th transfer. Throws SimulationError on a
/// multi-port master, on an invalid decision, or if the dispatcher waits although nothing can
/// change; exceptions of check_limits and of the dispatcher pass.
std::vector<Transfer> nominal_transfers(
    Dispatcher& dispatcher, const Platform& platform, const Problem& problem,
    const std::function<void(std::size_t transfers)>& check_limits);

}  // namespace starport
