#include "sim/kernel/node_measures.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/kernel/samples.hpp"
#include "sim/process/clock.hpp"
#include "sim/process/machine.hpp"
#include "sim/star/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starport {
namespace {

constexpr std::int64_t kBlocksOfAnUpdate = 3;
constexpr std::int64_t kLargestSide = 16;

/// In a chunk of side x side blocks, one block deep.
std::int64_t blocks_of(std::int64_t side) { return side * side + 2 * side; }

/// How many blocks of that size to measure with. Throws InputError when there is no room for three.
starport_store_setup measuring_setup(const MeasuredKernel& kernel, std::int64_t q,
                                     double most_bytes) {
  const double block_bytes = static_cast<double>(bytes_of(kernel.type) * q * q);
  const double room = std::min(available_bytes() / 4, most_bytes);
  const double wanted = std::clamp(1.5 * largest_cache_bytes(), 64e6, 1e9);
  const double least = static_cast<double>(blocks_of(kLargestSide));
  const double count = std::max(std::floor(std::min(wanted, room) / block_bytes),
                                std::min(least, std::floor(room / block_bytes)));
  if (count < kBlocksOfAnUpdate) {
    throw InputError(
        "--block-sizes",
        fmt::format("three blocks within {:.3g} GiB, the memory given or a quarter of what is free",
                    room / 0x1p30),
        fmt::format("{} x {} {}, {:.3g} GiB a block", q, q, plural(kernel.type),
                    block_bytes / 0x1p30));
  }
  const auto blocks = static_cast<std::int64_t>(count);
  return {.block_size = q,
          .blocks = blocks,
          .expected_blocks = blocks,
          .element_bytes = static_cast<int>(bytes_of(kernel.type)),
          .threads = kernel.threads};
}

}  // namespace

MeasuringBlocks::MeasuringBlocks(const MeasuredKernel& kernel, std::int64_t q, double most_bytes)
    : store_(load_kernel(kernel.library), measuring_setup(kernel, q, most_bytes)) {
  sweep();
}

void MeasuringBlocks::sweep() {
  const auto sweep = [&]<class Element>(Element value) {
    const std::vector<Element> block(static_cast<std::size_t>(q() * q()), value);
    for (std::int64_t n = 0; n < size(); ++n) store_.put((*this)[n], q() * q(), block.data());
  };
  store_.setup().element_bytes == sizeof(double) ? sweep(1e-3) : sweep(1e-3F);
}

std::int64_t UpdateWalk::largest_side(std::int64_t most) const {
  std::int64_t side = most;
  while (side > 1 && blocks_of(side) > blocks_.size()) --side;
  return side;
}

BlockProduct UpdateWalk::next(std::int64_t rows, std::int64_t columns) {
  const std::int64_t q = blocks_.q();
  const auto panel = [&](std::int64_t first, std::int64_t height, std::int64_t width) {
    std::vector<BlockPlace> places;
    for (std::int64_t i = 0; i < height; ++i) {
      for (std::int64_t j = 0; j < width; ++j) {
        places.push_back(
            {.first = blocks_[first] + i * q * width * q + j * q, .stride = width * q});
      }
    }
    return places;
  };
  const std::int64_t c = rows * columns;
  const std::int64_t spare = std::max<std::int64_t>(1, blocks_.size() - c - rows - columns + 1);
  const std::int64_t a = c + next_ % spare;
  next_ += rows + columns;
  return {.c = panel(0, rows, columns),
          .a = panel(a, rows, 1),
          .b = panel(a + rows, 1, columns),
          .rows = rows,
          .columns = columns,
          .inner = 1};
}

std::int64_t largest_chunk(double blocks) {
  return std::max<std::int64_t>(1, kOptimizedOverlapped.side(static_cast<std::int64_t>(blocks)));
}

Calibration::Dgemm measure_dgemm(MeasuringBlocks& blocks, std::int64_t side, double seconds,
                                 double slow) {
  Calibration::Dgemm series{.worker = 1, .block_size = blocks.q()};
  const auto update_block = [&](std::int64_t first) {
    const auto place = [&](std::int64_t n) {
      return std::vector<BlockPlace>{{.first = blocks[n], .stride = blocks.q()}};
    };
    blocks.store().update({.c = place(first),
                           .a = place(first + 1),
                           .b = place(first + 2),
                           .rows = 1,
                           .columns = 1,
                           .inner = 1});
  };
  update_block(0);  // the library prepares itself
  series.warm_s = measure([&](int) { update_block(0); });
  blocks.sweep();
  series.cold_s = measure([&](int n) { update_block(n * kBlocksOfAnUpdate); });
  UpdateWalk walk(blocks);
  side = walk.largest_side(std::min(side, kLargestSide));
  // The chunk has been received, and is in the caches if it fits.
  blocks.store().update(walk.next(side, side));
  const Stopwatch watch;
  while (series.update_s.size() < kRepetitions || watch.elapsed_s() < seconds) {
    const BlockProduct update = walk.next(side, side);
    const Stopwatch one;
    blocks.store().update(update);
    series.update_s.push_back(one.elapsed_s() / static_cast<double>(side * side));
  }
  constexpr std::size_t most = 40;
  series.update_s = batch_means(series.update_s, most);
  for (auto* times : {&series.warm_s, &series.cold_s, &series.update_s}) {
    for (double& time : *times) time *= slow;
  }
  return series;
}

double speed_flops(const Calibration::Dgemm& series) {
  const auto q = static_cast<double>(series.block_size);
  return 2 * q * q * q / median_of(series.update_s);
}

std::size_t best_block_size(const std::vector<Calibration::Dgemm>& series) {
  constexpr double near = 0.97;
  double highest = 0;
  for (const auto& one : series) highest = std::max(highest, speed_flops(one));
  std::size_t best = series.size();
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (speed_flops(series[i]) < near * highest) continue;
    if (best == series.size() || series[i].block_size < series[best].block_size) best = i;
  }
  return best;
}

}  // namespace starport
