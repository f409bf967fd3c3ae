// What a worker computes while links are measured: what it will in a run.
#pragma once

#include "sim/kernel/node_measures.hpp"
#include "sim/mpi/computation.hpp"

#include <vector>

namespace starport::mpi {

/// Updates without end, as of a chunk with ever other blocks of A and B.
class Load {
 public:
  Load(std::int64_t q, std::int64_t side, double most_bytes)
      : blocks_(q, most_bytes), walk_(blocks_, side) {}

  UpdateJob next() { return {.product = walk_.next()}; }
  void note(const UpdateDates& dates) {
    seconds_.push_back((dates.end_s - dates.start_s) / static_cast<double>(walk_.updates()));
  }
  /// Of a block update, in their order, but for the first, which touches memory anew.
  std::vector<double> update_s() const {
    return {seconds_.begin() + !seconds_.empty(), seconds_.end()};
  }

 private:
  MeasuringBlocks blocks_;
  UpdateWalk walk_;
  std::vector<double> seconds_;
};

}  // namespace starport::mpi
