// How the workers tell rank 0 what has happened, and how it gives up on one that is silent.
#pragma once

#include "sim/mpi/transport/clock.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/mpi/transport/messages.hpp"

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace starport::mpi {

/// On rank 0. Worker i is rank i + 1.
class Watch {
 public:
  /// Gets all news but signs of life and failures, which end the run.
  using Hear = std::function<void(int worker, const News& news)>;
  Watch(const Communicator& communicator, double time_out_s, double time_limit_s, Hear hear);

  /// The time limit counts from now on. 0: there is none.
  void restart();
  /// Takes in all that the workers have told; true when there was something. Throws SimulationError
  /// when one of them fails.
  bool listen();
  /// Listens until the condition holds; `worker` is waited for, and may not be silent too long, or
  /// SimulationError is thrown.
  template <class Condition>
  void wait_until(int worker, const char* what, Condition&& condition, bool busy = false) {
    wait(condition, busy, [&](double since_s) { check_alive(worker, what, since_s); });
  }
  /// The same where every worker is waited for.
  template <class Condition>
  void wait_for_all(const char* what, Condition&& condition) {
    wait(condition, false, [&](double since_s) {
      for (std::size_t i = 0; i < last_news_s_.size(); ++i) {
        check_alive(static_cast<int>(i), what, since_s);
      }
    });
  }

 private:
  template <class Condition, class Check>
  void wait(Condition& condition, bool busy, Check&& check) {
    const double since_s = clock_s();
    Patience patience(busy);
    while (true) {
      if (listen()) patience = Patience(busy);
      if (condition()) return;
      check(since_s);
      patience.pause();
    }
  }
  void check_alive(int worker, const char* what, double waiting_since_s) const;

  const Communicator& communicator_;
  double time_out_s_;
  double time_limit_s_;
  Hear hear_;
  double origin_s_ = 0;
  std::vector<double> last_news_s_;  ///< of each worker
};

/// On a worker that waits for rank 0. Throws SimulationError when that has taken too long.
void check_leader(const Patience& patience, const Setup& setup);

/// On a worker.
class Teller {
 public:
  /// A sign of life is due four times in the time after which rank 0 gives up.
  Teller(const Communicator& communicator, double time_out_s)
      : communicator_(communicator), time_out_s_(time_out_s) {}

  void tell(const News& news);
  /// Lets go of what has been heard; tells that the worker is alive when it was silent long.
  void attend();
  /// Waits until all has been heard. Throws SimulationError when that takes too long.
  void finish();

  /// Why a worker gives up.
  static void tell_failure(const Communicator& communicator, const std::string& why);

 private:
  struct Told {
    Told(const Communicator& communicator, const News& told);
    News news;
    Sending sending;
  };

  const Communicator& communicator_;
  double time_out_s_;
  std::deque<Told> told_;  ///< messages that may still be on their way
  double last_told_s_ = 0;
};

}  // namespace starport::mpi
