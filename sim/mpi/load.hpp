// What a worker computes while links are measured: what it will in a run.
#pragma once

#include "sim/kernel/node_measures.hpp"
#include "sim/mpi/computation.hpp"

#include <algorithm>
#include <deque>
#include <vector>

namespace starport::mpi {

/// What an update of a chunk of that size took, by block update.
struct LoadSample {
  std::int64_t rows;
  std::int64_t columns;
  double seconds;

  std::int64_t blocks() const { return rows * columns; }
};

/// Updates without end, with ever other blocks of A and B: of columns of a few blocks, which
/// Polaris makes, and of squares up to the largest chunk, in turn.
class Load {
 public:
  Load(const MeasuredKernel& kernel, std::int64_t q, std::int64_t largest, double most_bytes)
      : blocks_(kernel, q, most_bytes), walk_(blocks_) {
    const std::int64_t side = walk_.largest_side(largest);
    struct Shape {
      std::int64_t rows;
      std::int64_t columns;
      int times;
    };
    for (const Shape& shape : {Shape{1, 1, 16}, {4, 1, 16}, {16, 1, 8}, {8, 8, 2}, {16, 16, 1}}) {
      if (std::max(shape.rows, shape.columns) >= side) continue;
      shapes_.insert(shapes_.end(), static_cast<std::size_t>(shape.times),
                     {shape.rows, shape.columns, 0});
    }
    shapes_.push_back({side, side, 0});
  }

  UpdateJob next() {
    const LoadSample& shape = shapes_[next_++ % shapes_.size()];
    under_way_.push_back(shape);
    return {.store = &blocks_.store(), .product = walk_.next(shape.rows, shape.columns)};
  }
  void note(const UpdateDates& dates) {
    LoadSample sample = under_way_.front();
    under_way_.pop_front();
    sample.seconds = (dates.end_s - dates.start_s) / static_cast<double>(sample.blocks());
    samples_.push_back(sample);
  }
  /// In their order, but for the first of each, which touch memory anew.
  std::vector<LoadSample> samples() const {
    const auto first = static_cast<std::ptrdiff_t>(std::min(shapes_.size(), samples_.size()));
    return {samples_.begin() + first, samples_.end()};
  }

 private:
  MeasuringBlocks blocks_;
  UpdateWalk walk_;
  std::vector<LoadSample> shapes_;
  std::size_t next_ = 0;
  std::deque<LoadSample> under_way_;
  std::vector<LoadSample> samples_;
};

}  // namespace starport::mpi
