// Under SMPI, an update is computed at once, then its duration is simulated by an actor on the host
// of the rank.
#include "sim/mpi/execution/update_executor.hpp"
#include "sim/mpi/transport/clock.hpp"

#include <simgrid/s4u.hpp>

#include <deque>

namespace starport::mpi {

namespace s4u = simgrid::s4u;

/// The queues that the rank shares with the actor that computes.
struct UpdateExecutor::State {
  s4u::MutexPtr mutex = s4u::Mutex::create();
  s4u::ConditionVariablePtr changed = s4u::ConditionVariable::create();
  std::deque<double> flops;
  std::deque<UpdateDates> ended;
  s4u::ActorPtr actor;

  void work() {
    while (true) {
      double next = 0;
      {
        std::unique_lock lock(*mutex);
        while (flops.empty()) changed->wait(lock);
        next = flops.front();
        flops.pop_front();
      }
      UpdateDates dates{.start_s = monotonic_time_s()};
      s4u::this_actor::execute(next);
      dates.end_s = dates.due_end_s = monotonic_time_s();
      const std::scoped_lock lock(*mutex);
      ended.push_back(dates);
    }
  }
};

UpdateExecutor::UpdateExecutor() : state_(std::make_unique<State>()) {
  state_->actor = s4u::Actor::create("computation", s4u::this_actor::get_host(),
                                     [state = state_.get()] { state->work(); });
}

UpdateExecutor::~UpdateExecutor() { state_->actor->kill(); }

void UpdateExecutor::pin_to(const cpu_set_t& /*cores*/) {}

void UpdateExecutor::submit(UpdateJob job) {
  run_update(job);
  const auto side = static_cast<double>(job.store->setup().block_size);
  const double updates = static_cast<double>(std::ssize(job.product.c) * job.product.inner) +
                         static_cast<double>(job.additions.size()) / side;
  const std::scoped_lock lock(*state_->mutex);
  state_->flops.push_back(2 * side * side * side * updates);
  state_->changed->notify_one();
}

std::optional<UpdateDates> UpdateExecutor::poll() {
  const std::scoped_lock lock(*state_->mutex);
  if (state_->ended.empty()) return std::nullopt;
  const UpdateDates dates = state_->ended.front();
  state_->ended.pop_front();
  return dates;
}

}  // namespace starport::mpi
