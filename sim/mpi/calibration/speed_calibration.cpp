#include "sim/mpi/calibration/speed_calibration.hpp"

#include "sim/kernel/blas.hpp"
#include "sim/kernel/speed_measures.hpp"

#include <algorithm>

namespace starport::mpi {
namespace {

/// Sends each worker a message, and waits until all have got theirs.
template <class MessageOf>
void send_to_all(const Communicator& communicator, Watch& watch, Tag tag, MessageOf&& message_of) {
  for (int i = 0; i < communicator.size() - 1; ++i) {
    const auto message = message_of(i);
    Sending sending = communicator.send(i + 1, tag, message);
    watch.wait_until(i, "taking its orders", [&] { return sending.complete(); });
  }
}

}  // namespace

PerWorker<std::vector<SpeedSample>> measure_speeds(const Communicator& communicator, Watch& watch,
                                                   const PerWorker<WorkerSettings>& settings,
                                                   const std::vector<double>& memory_bytes,
                                                   std::int64_t q, std::int64_t most_side) {
  send_to_all(communicator, watch, Tag::setup, [&](int i) {
    return Setup{.kind = Setup::Kind::measure_speed,
                 .problem = {.r = 1, .s = 1, .t = 1, .block_size = q},
                 .threads = settings[i].threads,
                 .emulation = settings[i].emulation,
                 .memory_bytes = memory_bytes[static_cast<std::size_t>(i)]};
  });
  const auto measure = [&](std::int64_t side) {
    send_to_all(communicator, watch, Tag::order, [&](int) { return SpeedOrder{.side = side}; });
    PerWorker<std::optional<SpeedSample>> samples;
    for (int i = 0; i < communicator.size() - 1; ++i) {
      std::optional<SpeedAnswer> answer;
      watch.wait_until(i, "speed", [&] {
        answer = communicator.receive<SpeedAnswer>(i + 1, Tag::values);
        return answer.has_value();
      });
      samples.push_back(answer->room ? std::optional(answer->sample) : std::nullopt);
    }
    return samples;
  };
  const double most_bytes = *std::max_element(memory_bytes.begin(), memory_bytes.end());
  auto samples = measure_speed_functions(largest_side(most_bytes, q, most_side), measure);
  send_to_all(communicator, watch, Tag::order,
              [](int) { return SpeedOrder{.kind = SpeedOrder::Kind::finish}; });
  return samples;
}

void measure_speed_of_this_rank(const Communicator& communicator, const Setup& setup) {
  set_blas_threads(setup.threads);
  SpeedMeter meter(setup.problem.block_size, setup.emulation, setup.memory_bytes);
  for (Patience patience;; patience.pause()) {
    const auto order = communicator.receive<SpeedOrder>(0, Tag::order);
    if (!order) continue;
    if (order->kind == SpeedOrder::Kind::finish) return;
    const auto sample = meter.measure(order->side);
    const SpeedAnswer answer{.room = sample.has_value(), .sample = sample.value_or(SpeedSample{})};
    Sending telling = communicator.send(0, Tag::values, answer);
    for (patience = Patience(); !telling.complete();) patience.pause();
    patience = Patience();
  }
}

}  // namespace starport::mpi
