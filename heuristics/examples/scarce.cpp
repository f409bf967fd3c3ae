// A heuristic in a shared library: the port serves the worker that will run out of work first.
#include "heuristics/external/plugin.hpp"
#include "heuristics/external/requests.hpp"

#include <algorithm>

namespace {

using starport::OpenRequest;

/// Returns the index of the request whose worker runs out of work first.
std::size_t find_scarcest(const starport::RequestView& view) {
  const auto first = std::ranges::min_element(view.requests, {}, &OpenRequest::works_until_s);
  return static_cast<std::size_t>(first - view.requests.begin());
}

class Scarce final : public starport::PluginHeuristic {
 public:
  starport::Plan plan(const starport::Platform& platform,
                      const starport::Problem& problem) const override {
    return starport::plan_requests(platform, problem, starport::kOptimizedOverlapped,
                                   find_scarcest);
  }
};

}  // namespace

STARPORT_PLUGIN(
    starport::plugin_entry<Scarce>({"Scarce",
                                    "serves the worker that will run out of work first",
                                    "heuristics/examples/scarce.cpp",
                                    {"examples"}},
                                   starport::memory_for(starport::kOptimizedOverlapped)))
