#include "sim/kernel/node_measures.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/kernel/block_kernel.hpp"
#include "sim/kernel/samples.hpp"
#include "sim/process/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starport {
namespace {

constexpr std::size_t kBlocksOfAnUpdate = 3;
constexpr std::size_t kLargestSide = 8;

/// The blocks of an h x v x d update from block `first` on; A and B lie `shift` further on.
BlockProduct product(MeasuringBlocks& blocks, std::size_t h, std::size_t v, std::size_t d,
                     std::size_t shift) {
  BlockProduct product{.rows = h, .columns = v, .inner = d};
  std::size_t next = 0;
  for (std::size_t i = 0; i < h * v; ++i) product.c.push_back(blocks[next++]);
  next += shift;
  for (std::size_t i = 0; i < h * d; ++i) product.a.push_back(blocks[next++]);
  for (std::size_t i = 0; i < d * v; ++i) product.b.push_back(blocks[next++]);
  return product;
}

std::size_t blocks_of(std::size_t h, std::size_t v, std::size_t d) { return h * v + h * d + d * v; }

/// An update with ever other blocks of A and of B, as they arrive one after the other.
std::vector<double> measure_update(MeasuringBlocks& blocks, std::size_t h, std::size_t v,
                                   std::size_t d) {
  const std::size_t spare = blocks.size() - blocks_of(h, v, d) + 1;
  const std::size_t step = (h + v) * d;
  BlockProduct next;
  const auto choose = [&](int n) { next = product(blocks, h, v, d, (n + 1) * step % spare); };
  choose(-1);
  compute(next, blocks.q());  // the chunk has been received, and is in the caches if it fits
  return measure([&](int) { compute(next, blocks.q()); }, choose);
}

}  // namespace

MeasuringBlocks::MeasuringBlocks(std::int64_t q, double most_bytes) : q_(q) {
  const double block_bytes = 8.0 * q * q;
  const double room = std::min(available_bytes() / 4, most_bytes);
  const double wanted = std::clamp(1.5 * largest_cache_bytes(), 64e6, 1e9);
  const double least = blocks_of(kLargestSide, kLargestSide, 1);
  const double count = std::max(std::floor(std::min(wanted, room) / block_bytes),
                                std::min(least, std::floor(room / block_bytes)));
  if (count < kBlocksOfAnUpdate) {
    throw InputError(
        "--block-sizes",
        fmt::format("three blocks within {:.3g} GiB, the memory given or a quarter of what is free",
                    room / 0x1p30),
        fmt::format("{} x {} doubles, {:.3g} GiB a block", q, q, block_bytes / 0x1p30));
  }
  values_.assign(count * block(), 1e-3);
}

void MeasuringBlocks::sweep() {
  for (double& value : values_) value = 1e-3;
}

Calibration::Dgemm measure_dgemm(MeasuringBlocks& blocks, double slow) {
  Calibration::Dgemm series{.worker = 1, .block_size = blocks.q()};
  update_block(blocks[0], blocks[1], blocks[2], blocks.q());  // the library prepares itself
  series.warm_s = measure([&](int) { update_block(blocks[0], blocks[1], blocks[2], blocks.q()); });
  blocks.sweep();
  series.cold_s = measure([&](int n) {
    const std::size_t first = n * kBlocksOfAnUpdate;
    update_block(blocks[first], blocks[first + 1], blocks[first + 2], blocks.q());
  });
  std::size_t side = kLargestSide;
  while (side > 1 && blocks_of(side, side, 1) > blocks.size()) --side;
  series.update_s = measure_update(blocks, side, side, 1);
  for (double& seconds : series.update_s) seconds /= side * side;
  for (auto* times : {&series.warm_s, &series.cold_s, &series.update_s}) {
    for (double& seconds : *times) seconds *= slow;
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
