// What the star tells who asks which schedule to run (sim/report/recommendation.hpp).
#include "sim/platform/ties.hpp"
#include "sim/star/bounds/bounds.hpp"
#include "sim/star/star_figures.hpp"
#include "sim/star/star_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace starport {

const Figure* StarModel::work() const { return &kBlockUpdates; }

std::string StarModel::nearness(const Record& record) const {
  const double times = record.figures.real(kTimesTightest);
  if (std::isnan(times)) return "";
  return fmt::format("{:.1f}% above a date before which no schedule ends{}", 100 * (times - 1),
                     record.figures.real(kCStationary) == 1
                         ? " that keeps a rectangle of C at a time on a worker"
                         : "");
}

/// By the dual prices of the steady-state linear program; one port has them in closed form.
std::string StarModel::scarcity(const Case& instance) const {
  if (instance.file.port.kind != Port::Kind::one) return "";
  const Platform platform = star_of(instance);
  const SteadyState state = bandwidth_centric(platform);
  const double rho = state.throughput_updates_per_s;
  const std::vector<double>& speeds = state.computation_price;
  const auto first = std::ranges::max_element(speeds) - speeds.begin();
  auto last = first;
  while (last + 1 < std::ssize(speeds) && nearly_equal(speeds[last + 1], speeds[first])) ++last;
  const std::string workers =
      platform.names.of_range(static_cast<std::size_t>(first), static_cast<std::size_t>(last) + 1) +
      (last == first ? "" : ", each,");
  std::vector<std::string> worth;
  const auto add = [&](const std::string& what, double price_updates_per_s) {
    if (!(price_updates_per_s > 5e-5 * rho)) return;  // shown as nothing, or rho is 0
    worth.push_back(fmt::format("1% more {} adds {:.2f}%", what, price_updates_per_s / rho));
  };
  add("of the master's port", state.master.front().price_updates_per_s);
  add("speed of " + workers, speeds[first]);
  return worth.empty() ? "" : fmt::format("{} to the steady state", fmt::join(worth, ", "));
}

}  // namespace starport
