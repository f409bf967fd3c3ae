// StarPU's dmda: each task, when pushed, goes to the worker expected to end it first, transfers
// included (ICPP'18, section 4.2.2; StarPU 1.3).
#pragma once

#include "sim/tiles/strategy.hpp"

#include <vector>

namespace starport::tiles {

class Dmda : public Strategy {
 public:
  explicit Dmda(const Scene& scene);

  std::optional<int> push(const Task& task, double now_s) override;
  std::optional<Task> pop(int /*worker*/) override { return std::nullopt; }
  void end(int worker, const Task& task, double now_s) override;
  void stop(int worker) override;

 private:
  struct Expectation {
    double end_s = 0;     ///< E_w
    double queued_s = 0;  ///< lengths of the tasks that it has and has not ended
    std::int64_t queued = 0;
    bool stopped = false;
  };

  double expected_s(int worker, const Task& task) const;
  double penalty_s(int node, const Needs& needs) const;

  Scene scene_;
  std::vector<Expectation> expectations_;  ///< of each worker
};

}  // namespace starport::tiles
