#include "sim/mpi/execution/update_executor.hpp"

#include "sim/files/error.hpp"
#include "sim/mpi/transport/clock.hpp"
#include "sim/mpi/transport/cores.hpp"

#include <algorithm>
#include <deque>
#include <string>

#ifdef STARPORT_SMPI
#include <simgrid/s4u.hpp>
#else
#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#endif

namespace starport::mpi {
namespace {

/// Computes an update: the additions, then the product. Throws SimulationError if the kernel fails.
void compute(const UpdateJob& job, KernelStore& store) {
  for (const auto& [c, late] : job.additions) store.add(c, late);
  if (job.product.rows > 0) store.update(job.product);
}

}  // namespace

#ifdef STARPORT_SMPI

// An update is computed at once, then its duration is simulated by an actor on the host of the
// rank.

namespace s4u = simgrid::s4u;

/// The queues that the rank shares with the actor that computes.
struct UpdateExecutor::State {
  explicit State(KernelStore& blocks) : store(blocks) {}

  KernelStore& store;
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

UpdateExecutor::UpdateExecutor(KernelStore& store) : state_(std::make_unique<State>(store)) {
  state_->actor = s4u::Actor::create("computation", s4u::this_actor::get_host(),
                                     [state = state_.get()] { state->work(); });
}

UpdateExecutor::~UpdateExecutor() { state_->actor->kill(); }

void UpdateExecutor::pin_to(const cpu_set_t& /*cores*/) {}

void UpdateExecutor::submit(UpdateJob job) {
  compute(job, state_->store);
  const auto side = static_cast<double>(state_->store.setup().block_size);
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

#else

struct UpdateExecutor::State {
  explicit State(KernelStore& blocks) : store(blocks) {}

  KernelStore& store;
  std::mutex mutex;
  std::condition_variable_any changed;
  std::deque<UpdateJob> jobs;
  std::deque<UpdateDates> ended;
  std::string failure;     ///< message of the update that has failed
  double update_s = 0;     ///< least duration of a block update, in seconds
  double paced_end_s = 0;  ///< end of the previous update at that speed, on the worker's clock
  bool follows = false;    ///< the next update was in the queue when the previous one ended
  std::jthread thread;     // declared last, so that it ends before the other members

  void work(const std::stop_token& stop) {
    double due_s = 0;
    try {
      join_computing_group();
      update_s = least_update_s();
    } catch (const std::exception& error) {
      return fail(error.what());
    }
    while (true) {
      UpdateJob job;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, stop, [&] { return !jobs.empty(); });
        if (stop.stop_requested()) return;  // whatever is in the queue
        job = std::move(jobs.front());
        jobs.pop_front();
      }
      try {
        const UpdateDates dates = run(job, due_s);
        due_s = dates.due_end_s;
        const std::scoped_lock lock(mutex);
        ended.push_back(dates);
      } catch (const std::exception& error) {
        return fail(error.what());  // later updates would add to a C that is wrong
      }
      wakeup::notify_self();
    }
  }

  void fail(const char* reason) {
    {
      const std::scoped_lock lock(mutex);
      failure = reason;
    }
    wakeup::notify_self();
  }

  UpdateDates run(const UpdateJob& job, double previous_end_s) {
    const bool emulated = job.duration_s > 0;
    double due_s = std::max(job.due_s, previous_end_s);
    if (emulated) sleep_until(due_s);
    UpdateDates dates{.start_s = monotonic_time_s()};
    compute(job, store);
    if (update_s > 0) {
      // A late wake-up shortens the next update by as much, and no time passes between the two.
      if (follows) dates.start_s = previous_end_s;
      const auto updates = static_cast<double>(std::ssize(job.product.c) * job.product.inner);
      paced_end_s = std::max(monotonic_time_s(),
                             (follows ? paced_end_s : dates.start_s) + updates * update_s);
      sleep_until(paced_end_s);
      const std::scoped_lock lock(mutex);
      follows = !emulated && !jobs.empty();
    }
    dates.end_s = monotonic_time_s();
    dates.due_end_s = dates.end_s;
    if (emulated && due_s + job.duration_s > dates.end_s) {
      dates.due_end_s = due_s + job.duration_s;
      sleep_until(dates.due_end_s);
      dates.end_s = monotonic_time_s();
    }
    return dates;
  }
};

UpdateExecutor::UpdateExecutor(KernelStore& store) : state_(std::make_unique<State>(store)) {
  state_->thread =
      std::jthread([state = state_.get()](const std::stop_token& stop) { state->work(stop); });
}

UpdateExecutor::~UpdateExecutor() = default;

void UpdateExecutor::pin_to(const cpu_set_t& cores) {
  if (CPU_COUNT(&cores) == 0) return;
  ::pthread_setaffinity_np(state_->thread.native_handle(), sizeof cores, &cores);
}

void UpdateExecutor::submit(UpdateJob job) {
  const std::scoped_lock lock(state_->mutex);
  state_->jobs.push_back(std::move(job));
  state_->changed.notify_one();
}

std::optional<UpdateDates> UpdateExecutor::poll() {
  const std::scoped_lock lock(state_->mutex);
  if (!state_->failure.empty()) throw SimulationError(state_->failure);
  if (state_->ended.empty()) return std::nullopt;
  const UpdateDates dates = state_->ended.front();
  state_->ended.pop_front();
  return dates;
}

#endif

}  // namespace starport::mpi
