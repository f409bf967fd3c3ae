#include "sim/model/star.hpp"

namespace starport {

double Star::next_update_end_s() const {
  double next = kUnknown;
  for (const WorkerDates& worker : workers_) {
    next = std::min(next, worker.updates.first_after(now_s_));
  }
  return next;
}

}  // namespace starport
