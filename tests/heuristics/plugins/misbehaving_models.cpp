// Strategies for tile tasks that do what they should not.
#include "heuristics/external/plugin.hpp"
#include "heuristics/tiles/static_strategies.hpp"

#include <unistd.h>

namespace {

using namespace starport::tiles;

struct Hidden : Strategy {
  explicit Hidden(const StrategyContext&) {}
  std::optional<int> push(const Task&, double) override { return std::nullopt; }
  std::optional<Task> pop(int) override { return std::nullopt; }
};
struct Twice final : Hidden {
  using Hidden::Hidden;
  std::optional<Task> pop(int) override { return Task{.target = 0, .k = 0}; }
};
struct Nobody final : Hidden {
  using Hidden::Hidden;
  std::optional<int> push(const Task&, double) override { return 99; }
};
struct Invalid final : Hidden {
  using Hidden::Hidden;
  std::optional<Task> pop(int) override { return Task{.target = -7, .k = 5}; }
};
struct Exits final : Hidden {
  using Hidden::Hidden;
  std::optional<Task> pop(int) override { ::_exit(7); }
};
struct Nowhere final : StaticAllocation {
  using StaticAllocation::StaticAllocation;
  static Allocation allocate(const Platform&, const ProductSize& size) {
    return {.size = size,
            .nodes = std::vector<std::int32_t>(static_cast<std::size_t>(size.cells()), 77)};
  }
};
/// As many nodes as there are tiles of C, as of a row of them.
struct Resized final : StaticAllocation {
  using StaticAllocation::StaticAllocation;
  static Allocation allocate(const Platform&, const ProductSize& size) {
    return {.size = {1, size.cells(), size.t},
            .nodes = std::vector<std::int32_t>(static_cast<std::size_t>(size.cells()), 1)};
  }
};

}  // namespace

STARPORT_PLUGIN(starport::plugin_entry<Twice>({"Twice", "a task twice", "a test", {}}),
                starport::plugin_entry<Nobody>({"Nobody", "an unknown worker", "a test", {}}),
                starport::plugin_entry<Invalid>({"Invalid", "an unknown task", "a test", {}}),
                starport::plugin_entry<Exits>({"Exits", "exits", "a test", {}}),
                starport::plugin_entry<Nowhere>({"Nowhere", "an unknown node", "a test", {}}),
                starport::plugin_entry<Resized>({"Resized", "another product", "a test", {}}),
                starport::plugin_entry<Hidden>({"Hidden", "keeps all tasks", "a test", {}}))
