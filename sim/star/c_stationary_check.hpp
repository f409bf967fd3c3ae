// Whether the C-stationary bound holds for a schedule.
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/trace.hpp"

#include <cstddef>

namespace starport {

/// What has happened to the rectangle that a worker keeps.
class KeptRectangle {
 public:
  /// False when it is not kept as it should be.
  bool receive(const Transfer& transfer, const Problem& problem);
  bool at_home() const { return home_ == blocks_.size(); }

 private:
  bool send_home(const Transfer& transfer, const Problem& problem);

  Rectangle blocks_;
  std::int64_t home_ = 0;  ///< so many of them
  std::int64_t a_ = 0;     ///< blocks that came
  std::int64_t b_ = 0;
  std::int64_t updates_ = 0;
};

/// Those of all workers, transfer by transfer.
class CStationaryCheck {
 public:
  CStationaryCheck(std::size_t workers, const Problem& problem)
      : problem_(problem), kept_(workers) {}
  void add(const Transfer& transfer) {
    so_far_ = so_far_ && kept_[transfer.worker].receive(transfer, problem_);
  }
  /// After the last one.
  bool one_at_a_time() const;

 private:
  Problem problem_;
  PerWorker<KeptRectangle> kept_;
  bool so_far_ = true;
};

/// Whether each worker keeps one rectangle of C at a time: it comes, all its updates are made there
/// with blocks of A and B that come after it, and it goes home before the next one comes. That is
/// what the bound is proved for (bounds/makespan_bounds.md).
bool is_c_stationary(const Trace& trace, const Problem& problem);

}  // namespace starport
