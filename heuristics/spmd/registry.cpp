#include "heuristics/spmd/registry.hpp"

#include "heuristics/spmd/distributions.hpp"

#include <memory>
#include <string>
#include <utility>

namespace starport::spmd {
namespace {

Entry<Distribution> hierarchical(Strategy strategy, std::string description) {
  using Given = Hierarchical::Parameters;
  return make_entry<Distribution, Given>(
      {to_string(strategy),
       std::move(description),
       "HeteroPar'12, section 4",
       {"heteropar12"},
       {},
       false},
      {choice_field(
           "multicast", &Given::multicast, {{"chain", Multicast::chain}, {"flat", Multicast::flat}},
           "how a piece of the pivots reaches the others: from one to the next, or from its owner "
           "to each"),
       choice_field("data", &Given::home, {{"workers", Home::workers}, {"hub", Home::hub}},
              "where A, B and C are: on the workers before the start, or at the hub, which sends "
              "each its parts first and gets C at the end")},
      [strategy](const Given& given) { return std::make_unique<Hierarchical>(strategy, given); });
}

Entry<Distribution> pair(Shape shape, std::string name, std::string description) {
  using Given = Pair::Parameters;
  std::vector<ParameterField<Given>> fields;
  if (shape != Shape::sequential) {
    fields = {choice_field("directions", &Given::both_directions, {{"serial", false}, {"both", true}},
                     "one message at a time on the link, or one each way"),
              choice_field("cut", &Given::best_cut, {{"area", false}, {"best", true}},
                     "shares in proportion to the speeds, or of least makespan")};
  }
  if (shape == Shape::square_corner) {
    fields.push_back(choice_field(
        "overlap", &Given::overlap,
        {{"none", Overlap::none}, {"fast", Overlap::fast}, {"both", Overlap::both}},
        "who computes what needs no message meanwhile: nobody, the faster processor, or both"));
  }
  return make_entry<Distribution, Given>(
      {std::move(name), std::move(description), "HCW'06, sections 3 and 4", {"hcw06"}, {}, false},
      std::move(fields),
      [shape](const Given& given) { return std::make_unique<Pair>(shape, given); });
}

}  // namespace

const std::vector<Entry<Distribution>>& distribution_registry() {
  static const std::vector<Entry<Distribution>> registry{
      hierarchical(Strategy::functional,
                   "functional performance models: measured speeds by size, until balanced"),
      hierarchical(Strategy::multiple_cpm, "in proportion to the last speeds, again and again"),
      hierarchical(Strategy::single_cpm, "in proportion to the speeds of even shares"),
      hierarchical(Strategy::homogeneous, "the same share for every node and every device"),
      pair(Shape::square_corner, "SquareCorner", "the slower of two has a square in the corner"),
      pair(Shape::straight_line, "StraightLine", "the slower of two has some columns"),
      pair(Shape::sequential, "Sequential", "the faster of two does everything")};
  return registry;
}

}  // namespace starport::spmd
