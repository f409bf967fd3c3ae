#include "sim/files/error.hpp"
#include "sim/mpi/execution/update_executor.hpp"
#include "sim/mpi/transport/clock.hpp"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace starport::mpi {

struct UpdateExecutor::State {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::deque<UpdateJob> jobs;
  std::deque<UpdateDates> ended;
  std::string failure;  ///< message of the update that has failed
  std::jthread thread;  // declared last, so that it ends before the other members

  void work(const std::stop_token& stop) {
    double due_s = 0;
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
        {
          const std::scoped_lock lock(mutex);
          failure = error.what();
        }
        wakeup::notify_self();
        return;  // later updates would add to a C that is wrong
      }
      wakeup::notify_self();
    }
  }

  UpdateDates run(const UpdateJob& job, double previous_end_s) const {
    const bool emulated = job.duration_s > 0;
    double due_s = std::max(job.due_s, previous_end_s);
    if (emulated) sleep_until(due_s);
    UpdateDates dates{.start_s = monotonic_time_s()};
    run_update(job);
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

UpdateExecutor::UpdateExecutor() : state_(std::make_unique<State>()) {
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

}  // namespace starport::mpi
