// The clock of another machine.
#pragma once

namespace starport::mpi {

/// What a worker's clock shows, and what ours does: a difference that was measured once, or twice
/// and in between changes evenly.
class WorkerClock {
 public:
  /// Its clock less ours, at a date of ours.
  struct Reading {
    double at_s = 0;
    double ahead_s = 0;
  };

  void set(const Reading& reading) { first_ = last_ = reading; }
  /// Once more, later.
  void set_again(const Reading& reading) { last_ = reading; }

  /// Our date for one of its own. (What the difference changes by meanwhile is a millionth of it.)
  double here_s(double there_s) const { return there_s - ahead_s(there_s - first_.ahead_s); }
  double there_s(double here_s) const { return here_s + ahead_s(here_s); }

 private:
  double ahead_s(double at_s) const {
    if (last_.at_s == first_.at_s) return first_.ahead_s;
    const double share = (at_s - first_.at_s) / (last_.at_s - first_.at_s);
    return first_.ahead_s + share * (last_.ahead_s - first_.ahead_s);
  }

  Reading first_;
  Reading last_;
};

}  // namespace starport::mpi
