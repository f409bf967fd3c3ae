#include "sim/kernel/panel_kernel.hpp"

#include "sim/kernel/blas.hpp"
#include "sim/process/clock.hpp"

namespace starport {

void PanelKernel::update(const double* a, const double* b, double* c, std::int64_t m,
                         std::int64_t n) const {
  const std::int64_t q = block_size_;
  const double begin_s = monotonic_time_s();
  multiply({a, static_cast<std::size_t>(m * q * q)}, {b, static_cast<std::size_t>(n * q * q)},
           {c, static_cast<std::size_t>(m * n * q * q)}, m * q, n * q, q);
  const double factor = emulation_.factor(held_bytes(m * n, q));
  if (factor == 1) return;
  const double end_s = begin_s + (monotonic_time_s() - begin_s) * factor;
  constexpr double late_s = 100e-6;  // latency of waking up; the rest is a busy wait
  sleep_until(end_s - late_s);
  while (monotonic_time_s() < end_s) continue;
}

double held_bytes(std::int64_t blocks, std::int64_t block_size) {
  const auto q = static_cast<double>(block_size);
  return 3 * 8 * static_cast<double>(blocks) * q * q;
}

}  // namespace starport
