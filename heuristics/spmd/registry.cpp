#include "heuristics/spmd/registry.hpp"

#include "heuristics/spmd/distributions.hpp"

#include <memory>
#include <string>
#include <utility>

namespace starport::spmd {
namespace {

Entry<Distribution> make_hierarchical_entry(BalancingStrategy strategy, std::string description) {
  using Parameters = HierarchicalDistribution::Parameters;
  return make_entry<Distribution, Parameters>(
      {to_string(strategy),
       std::move(description),
       "HeteroPar'12, section 4",
       {"heteropar12"},
       {},
       false},
      {choice_field(
           "multicast", &Parameters::multicast,
           {{"chain", Multicast::chain}, {"flat", Multicast::flat}},
           "how the pivot blocks reach the other workers: from one to the next (chain), or from "
           "their owner to each (flat)"),
       choice_field(
           "data", &Parameters::home, {{"workers", Home::workers}, {"hub", Home::hub}},
           "where A, B and C are initially: on the workers, or at the hub, which sends each worker "
           "its parts first and receives C at the end")},
      [strategy](const Parameters& parameters) {
        return std::make_unique<HierarchicalDistribution>(strategy, parameters);
      });
}

Entry<Distribution> make_pair_entry(Shape shape, std::string name, std::string description) {
  using Parameters = TwoProcessorDistribution::Parameters;
  std::vector<ParameterField<Parameters>> fields;
  if (shape != Shape::sequential) {
    fields = {
        choice_field(
            "directions", &Parameters::both_directions, {{"serial", false}, {"both", true}},
            "the link carries one message at a time (serial), or one in each direction (both)"),
        choice_field("cut", &Parameters::best_cut, {{"area", false}, {"best", true}},
                     "shares in proportion to the speeds (area), or of least makespan (best)")};
  }
  if (shape == Shape::square_corner) {
    fields.push_back(choice_field(
        "overlap", &Parameters::overlap,
        {{"none", Overlap::none}, {"fast", Overlap::fast}, {"both", Overlap::both}},
        "which processors compute during the communication: none, the faster one, or both"));
  }
  return make_entry<Distribution, Parameters>(
      {std::move(name), std::move(description), "HCW'06, sections 3 and 4", {"hcw06"}, {}, false},
      std::move(fields), [shape](const Parameters& parameters) {
        return std::make_unique<TwoProcessorDistribution>(shape, parameters);
      });
}

}  // namespace

const std::vector<Entry<Distribution>>& distribution_registry() {
  static const std::vector<Entry<Distribution>> registry{
      make_hierarchical_entry(
          BalancingStrategy::functional,
          "divides C by functional performance models, speeds measured by size, until balanced"),
      make_hierarchical_entry(BalancingStrategy::multiple_cpm,
                              "divides C in proportion to the last measured speeds, repeatedly"),
      make_hierarchical_entry(BalancingStrategy::single_cpm,
                              "divides C in proportion to the speeds measured for even shares"),
      make_hierarchical_entry(BalancingStrategy::homogeneous,
                              "gives the same share to every node and device"),
      make_pair_entry(Shape::square_corner, "SquareCorner",
                      "for two processors: the slower one gets a square in the corner"),
      make_pair_entry(Shape::straight_line, "StraightLine",
                      "for two processors: the slower one gets some columns"),
      make_pair_entry(Shape::sequential, "Sequential",
                      "for two processors: the faster one computes everything")};
  return registry;
}

}  // namespace starport::spmd
