// A heuristic in a shared library: the port serves whoever has the least work in hand.
#include "heuristics/star/external/plugin.hpp"
#include "heuristics/star/external/requests.hpp"

#include <algorithm>

namespace {

using starport::OpenRequest;

std::size_t scarcest(const starport::RequestView& view) {
  const auto first = std::ranges::min_element(view.requests, {}, &OpenRequest::works_until_s);
  return static_cast<std::size_t>(first - view.requests.begin());
}

class Scarce final : public starport::PluginHeuristic {
 public:
  starport::Plan plan(const starport::Platform& platform,
                      const starport::Problem& problem) const override {
    return starport::plan_requests(platform, problem, starport::kOptimizedOverlapped, scarcest);
  }
};

}  // namespace

STARPORT_PLUGIN(
    starport::plugin_entry<Scarce>({"Scarce",
                                    "serves whoever has the least work in hand",
                                    "heuristics/examples/scarce.cpp",
                                    {"examples"}},
                                   starport::memory_for(starport::kOptimizedOverlapped)))
