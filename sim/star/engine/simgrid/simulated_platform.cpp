#include "sim/star/engine/simgrid/simulated_platform.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace starport {
namespace {

// SimGrid's dates carry an absolute error of some nanoseconds a message, and its message sizes are
// integers. So its clock counts in units in which the fastest link takes kUnitsPerBlock a block,
// whatever the platform's own scale, and a block is kBytesPerBlock.
constexpr double kUnitsPerBlock = 1e4;
// SimGrid takes two dates within an absolute precision for one. It must exceed the rounding of the
// clock, which grows with it: events that round one unit in the last place apart would otherwise
// wait for each other for ever.
constexpr double kSmallestPrecision = 1e-9;
constexpr double kPrecisionOfClock = 0x1p-49;  // eight units in the last place
constexpr std::int64_t kBytesPerBlock = 1'000'000;

/// The unit must suit the fastest link at its fastest.
double fastest_block_s(const Platform& platform, const DrawnNoise* noise) {
  double fastest_c_s = kUnknown;
  for (const Worker& worker : platform.workers) fastest_c_s = std::min(fastest_c_s, worker.c_s);
  if (noise == nullptr) return fastest_c_s;
  double least_factor = 1;
  for (const SlowDown& change : noise->slow_downs()) {
    least_factor = std::min(least_factor, change.factor);
  }
  return fastest_c_s * least_factor;
}

}  // namespace

std::uint64_t simulated_bytes(const Message& message) {
  return static_cast<std::uint64_t>(message.blocks * kBytesPerBlock);
}

SimulatedPlatform::SimulatedPlatform(const Platform& platform, const DrawnNoise* noise)
    : platform_(platform),
      noise_(noise),
      unit_s_(fastest_block_s(platform, noise) / kUnitsPerBlock) {
  configure();
  build();
}

/// The network takes latency + size / bandwidth, nothing else: no cross-traffic, no TCP window.
void SimulatedPlatform::configure() {
  sg::Engine::set_config("network/model:CM02");
  sg::Engine::set_config("network/crosstraffic:0");
  sg::Engine::set_config("network/TCP-gamma:0");
  sg::Engine::set_config("maxmin/precision:1e-12");  // of shares, in bytes a unit of time
}

//                                 link 1: 1/c_1        worker 1: 1/w_1
//   master -[shared link: 1/c]----link 2: 1/c_2------- worker 2: 1/w_2
//                                 link p: 1/c_p        worker p: 1/w_p
//
// The shared link is there when a multi-port has a bandwidth. SimGrid would weigh its shares by the
// latencies of the links, which are the workers' own business then.
void SimulatedPlatform::build() {
  sg::NetZone* star = sg::create_star_zone("star");
  master_ = star->create_host("master", 1.0);
  std::vector<sg::LinkInRoute> shared;
  if (platform_.port.c_s > 0) {
    shared.emplace_back(star->create_link(
        "shared", static_cast<double>(kBytesPerBlock) * unit_s_ / platform_.port.c_s));
  }
  star->add_route(master_->get_netpoint(), nullptr, nullptr, nullptr, shared, true);
  for (const starport::Worker& figures : platform_.workers) {
    const auto i = static_cast<int>(workers_.size());
    const std::string number = std::to_string(i + 1);
    Worker& worker = workers_.emplace_back();
    worker.host = star->create_host("worker-" + number, speeds(i));
    worker.link = star->create_link("link-" + number, bandwidth(i));
    if (shared.empty()) worker.link->set_latency(figures.latency_s / unit_s_);
    star->add_route(worker.host->get_netpoint(), nullptr, nullptr, nullptr,
                    {sg::LinkInRoute(worker.link)}, true);
    worker.mailbox = sg::Mailbox::by_name("mailbox-" + number);
  }
  star->seal();
}

/// The nominal one, then those that its slow-downs change it to.
std::vector<double> SimulatedPlatform::speeds(int worker) const {
  const double w_s = platform_.workers[worker].w_s;
  std::vector<double> speeds{kFlopsPerUpdate * unit_s_ / w_s};
  if (noise_ == nullptr) return speeds;
  for (const auto& [from_s, factor] : noise_->pace(Activity::update, worker)) {
    speeds.push_back(speeds.front() / factor);
  }
  return speeds;
}

double SimulatedPlatform::bandwidth(int worker) const {
  return static_cast<double>(kBytesPerBlock) * unit_s_ / platform_.workers[worker].c_s;
}

void SimulatedPlatform::set_bandwidth(int i, double pace) {
  const Worker& of = worker(i);
  of.link->set_bandwidth(bandwidth(i) / (of.transfer_factor * pace));
}

void SimulatedPlatform::set_factor(int i, double factor) {
  Worker& of = worker(i);
  of.transfer_factor = factor;
  of.link->set_latency(platform_.workers[i].latency_s * factor / unit_s_);
  double best = of.pace;
  for (const auto& [from_s, later] : noise_->pace(Activity::transfer, i)) {
    if (from_s > now_s()) best = std::min(best, later);
  }
  set_bandwidth(i, best);
}

void SimulatedPlatform::change_pace(const SlowDown& change) {
  Worker& of = worker(change.worker);
  if (change.activity == Activity::update) {
    of.host->set_pstate(++of.changes_of_speed);
    return;
  }
  of.pace = change.factor;
  set_bandwidth(change.worker, change.factor);
}

void SimulatedPlatform::sleep_until(double date_s) const {
  const double date = date_s / unit_s_;
  if (!std::isfinite(date)) sg::this_actor::suspend();
  sg::this_actor::sleep_until(date);
}

void SimulatedPlatform::sleep_an_instant() const {
  constexpr double instant = 1e-11;
  sg::this_actor::sleep_for(std::max(instant * sg::Engine::get_clock(), kSmallestPrecision));
}

void SimulatedPlatform::keep_precision(double until_s) {
  const double horizon = until_s / unit_s_;
  if (horizon <= precise_until_) return;
  precise_until_ = 2 * horizon;
  sg::Engine::set_config("surf/precision",
                         std::max(kSmallestPrecision, kPrecisionOfClock * precise_until_));
}

}  // namespace starport
