#include "sim/star/validator/date_rules.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace starport {
namespace {

/// Simulates flows from event to event, an event being the start or the end of a flow.
class MaxMinSimulation {
 public:
  MaxMinSimulation(const std::vector<Flow>& flows, double shared_c_s)
      : flows_(flows), bandwidth_(1 / shared_c_s), ends_(flows.size()), by_start_(flows.size()) {
    std::iota(by_start_.begin(), by_start_.end(), std::size_t{0});
    std::stable_sort(by_start_.begin(), by_start_.end(), [&](std::size_t x, std::size_t y) {
      return flows[x].start_s < flows[y].start_s;
    });
  }

  std::vector<double> run() && {
    std::size_t next = 0;
    double now_s = 0;
    while (next < by_start_.size() || !active_.empty()) {
      if (active_.empty()) now_s = flows_[by_start_[next]].start_s;
      for (; next < by_start_.size() && flows_[by_start_[next]].start_s <= now_s; ++next) {
        add(by_start_[next]);
      }
      share();
      double until_s = next < by_start_.size() ? flows_[by_start_[next]].start_s : kNever;
      for (const Active& flow : active_) until_s = std::min(until_s, now_s + flow.left_s());
      flow_until(now_s, until_s);
      now_s = until_s;
    }
    return std::move(ends_);
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct Active {
    std::size_t number;
    double blocks_left;
    double rate = 0;  ///< blocks/s
    double left_s() const { return blocks_left / rate; }
  };

  double link_rate(const Active& flow) const { return 1 / flows_[flow.number].c_s; }

  /// Adds a flow to active_, which is sorted by link rate: slow links are saturated first.
  void add(std::size_t number) {
    const Active flow{.number = number, .blocks_left = flows_[number].blocks};
    const auto at =
        std::upper_bound(active_.begin(), active_.end(), flow,
                         [&](const auto& x, const auto& y) { return link_rate(x) < link_rate(y); });
    active_.insert(at, flow);
  }

  void share() {
    double left = bandwidth_;
    auto flows_left = static_cast<double>(active_.size());
    for (Active& flow : active_) {
      flow.rate = std::min(link_rate(flow), left / flows_left);
      left -= flow.rate;
      --flows_left;
    }
  }

  /// Advances all active flows and removes those that end, up to a rounding error.
  void flow_until(double now_s, double until_s) {
    constexpr double rounding = 1e-12;
    for (Active& flow : active_) {
      flow.blocks_left -= (until_s - now_s) * flow.rate;
      const bool over = flow.blocks_left <= rounding * flows_[flow.number].blocks ||
                        until_s + flow.left_s() <= until_s;
      if (over) ends_[flow.number] = until_s;
      if (over) flow.blocks_left = 0;
    }
    std::erase_if(active_, [](const Active& flow) { return flow.blocks_left == 0; });
  }

  const std::vector<Flow>& flows_;
  double bandwidth_;
  std::vector<double> ends_;
  std::vector<std::size_t> by_start_;
  std::vector<Active> active_;  ///< sorted by the rate of their links
};

}  // namespace

std::vector<double> max_min_end_dates(const std::vector<Flow>& flows, double shared_c_s) {
  return MaxMinSimulation(flows, shared_c_s).run();
}

}  // namespace starport
