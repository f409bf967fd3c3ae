#include "sim/kernel/blas.hpp"
#include "sim/kernel/speed_measures.hpp"
#include "sim/mpi/calibration/measurements.hpp"

#include <algorithm>

namespace starport::mpi {
namespace {

/// Sends make_message(i) to each worker i, and waits until all are delivered.
template <class MakeMessage>
void send_to_all(const Communicator& communicator, WorkerMonitor& monitor, Tag tag,
                 MakeMessage&& make_message) {
  for (int i = 0; i < communicator.size() - 1; ++i) {
    const auto message = make_message(i);
    PendingMessage pending = communicator.send(i + 1, tag, message);
    monitor.wait_until(i, "accept an order", [&] { return pending.is_complete(); });
  }
}

}  // namespace

PerWorker<std::vector<SpeedSample>> measure_speeds(const Communicator& communicator,
                                                   WorkerMonitor& monitor,
                                                   const PerWorker<WorkerSettings>& settings,
                                                   const std::vector<double>& memory_bytes,
                                                   std::int64_t q, std::int64_t max_side) {
  send_to_all(communicator, monitor, Tag::setup, [&](int i) {
    return Setup{.kind = Setup::Kind::measure_speed,
                 .problem = {.r = 1, .s = 1, .t = 1, .block_size = q},
                 .threads = settings[i].threads,
                 .emulation = settings[i].emulation,
                 .memory_bytes = memory_bytes[static_cast<std::size_t>(i)]};
  });
  const auto measure = [&](std::int64_t side) {
    send_to_all(communicator, monitor, Tag::order, [&](int) { return SpeedOrder{.side = side}; });
    PerWorker<std::optional<SpeedSample>> samples;
    for (int i = 0; i < communicator.size() - 1; ++i) {
      std::optional<SpeedReply> reply;
      monitor.wait_until(i, "measure its speed", [&] {
        reply = communicator.receive<SpeedReply>(i + 1, Tag::values);
        return reply.has_value();
      });
      samples.push_back(reply->fits ? std::optional(reply->sample) : std::nullopt);
    }
    return samples;
  };
  const double max_bytes = *std::max_element(memory_bytes.begin(), memory_bytes.end());
  auto samples = measure_speed_functions(largest_side(max_bytes, q, max_side), measure);
  send_to_all(communicator, monitor, Tag::order,
              [](int) { return SpeedOrder{.kind = SpeedOrder::Kind::finish}; });
  return samples;
}

void measure_speed_of_this_rank(const Communicator& communicator, const Setup& setup) {
  set_blas_threads(setup.threads);
  SpeedMeter meter(setup.problem.block_size, setup.emulation, setup.memory_bytes);
  for (Backoff backoff;; backoff.pause()) {
    const auto order = communicator.receive<SpeedOrder>(0, Tag::order);
    if (!order) continue;
    if (order->kind == SpeedOrder::Kind::finish) return;
    const auto sample = meter.measure(order->side);
    const SpeedReply reply{.fits = sample.has_value(), .sample = sample.value_or(SpeedSample{})};
    PendingMessage pending = communicator.send(0, Tag::values, reply);
    for (backoff = Backoff(); !pending.is_complete();) backoff.pause();
    backoff = Backoff();
  }
}

}  // namespace starport::mpi
