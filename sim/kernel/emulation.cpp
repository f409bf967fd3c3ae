#include "sim/kernel/emulation.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/kernel/blas.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

namespace starport {
namespace {

constexpr const char* kPlace = "--unequal";
constexpr const char* kForm = "items such as threads=1:2,slow=2:2.5,paging=3:24MiB:10";

InputError bad_item(std::string_view item, const std::string& expected,
                    const std::string& hint = {}) {
  return {kPlace, expected, fmt::format("'{}'", item), hint};
}

double parse_at_least(std::string_view text, double minimum, std::string_view item) {
  const auto number = parse_number<double>(text);
  if (!number || *number < minimum) {
    throw bad_item(item, fmt::format("a number, {:g} or more, at its end", minimum));
  }
  return *number;
}

double parse_memory(std::string_view text, std::string_view item) {
  double bytes = 0;
  try {
    bytes = parse_quantity(text, Dimension::memory);
  } catch (const InputError& error) {
    throw bad_item(item, error.expected, error.hint);
  }
  if (bytes <= 0) throw bad_item(item, "a memory of more than 0");
  return bytes;
}

void apply(std::string_view item, PerWorker<WorkerSettings>& workers) {
  constexpr std::array<const char*, 3> keys{"threads", "slow", "paging"};
  constexpr int max_threads = 1024;
  std::string_view rest = item;
  const std::string key(next_token(rest, '='));
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
    throw bad_item(item, kForm, did_you_mean(key, keys));
  }
  const auto number = parse_number<std::int64_t>(next_token(rest, ':'));
  if (!number || *number < 1 || *number > std::ssize(workers)) {
    throw bad_item(item, fmt::format("a worker from 1 to {} behind '{}='", workers.size(), key));
  }
  WorkerSettings& worker = workers[*number - 1];
  if (key == "threads") {
    const auto threads = parse_number<int>(rest);
    if (!threads || *threads < 1 || *threads > max_threads) {
      throw bad_item(item, fmt::format("threads from 1 to {} at its end", max_threads));
    }
    worker.threads = *threads;
  } else if (key == "slow") {
    worker.emulation.slowdown = parse_at_least(rest, 1, item);
  } else {
    worker.emulation.memory_bytes = parse_memory(next_token(rest, ':'), item);
    worker.emulation.paging = parse_at_least(rest, 0, item);
  }
}

}  // namespace

double Emulation::factor(double bytes) const {
  const double use = bytes / memory_bytes;
  return slowdown * (use > 1 ? 1 + paging * (use - 1) : 1);
}

PerWorker<WorkerSettings> parse_unequal_workers(std::size_t workers, int threads,
                                                std::string_view text) {
  PerWorker<WorkerSettings> settings;
  settings.assign(workers, {.threads = threads});
  while (!text.empty()) apply(next_token(text, ','), settings);
  return settings;
}

void PanelKernel::update(const double* a, const double* b, double* c, std::int64_t m,
                         std::int64_t n, const std::function<void(double date_s)>& sleep) const {
  const std::int64_t q = block_size_;
  const double begin_s = monotonic_time_s();
  multiply({a, static_cast<std::size_t>(m * q * q)}, {b, static_cast<std::size_t>(n * q * q)},
           {c, static_cast<std::size_t>(m * n * q * q)}, m * q, n * q, q);
  const double factor = emulation_.factor(held_bytes(m * n, q));
  if (factor == 1) return;
  const double end_s = begin_s + (monotonic_time_s() - begin_s) * factor;
  constexpr double late_s = 100e-6;  // latency of waking up; the rest is a busy wait
  sleep(end_s - late_s);
  while (monotonic_time_s() < end_s) continue;
}

double held_bytes(std::int64_t blocks, std::int64_t block_size) {
  const auto q = static_cast<double>(block_size);
  return 3 * 8 * static_cast<double>(blocks) * q * q;
}

}  // namespace starport
