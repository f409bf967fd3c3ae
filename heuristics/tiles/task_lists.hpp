// Lists of ready tasks in the order in which they were pushed; any task can be taken out, and the
// cheapest for a node is found without a look at them all.
#pragma once

#include "sim/tiles/strategy.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

namespace starport::tiles {

class TaskLists {
 public:
  TaskLists(const Scene& scene, int lists);

  bool empty(int list) const { return tasks(list).empty(); }
  bool all_empty() const;
  const std::list<Task>& tasks(int list) const { return lists_[static_cast<std::size_t>(list)]; }

  void push(int list, const Task& task);
  /// Whichever list it is in.
  Task take(const Task& task);
  Task take_front(int list) { return take(tasks(list).front()); }
  Task take_back(int list) { return take(tasks(list).back()); }

  struct Cheapest {
    Task task{};
    int cost = 3;  ///< tiles absent: nothing is gained
  };
  /// The first of least cost for the node (ICPP'18, section 4.2). The list is not empty. Once it
  /// has been asked about, the tasks of this list are kept in the order of this node's costs.
  Cheapest cheapest(int node, int list);
  /// The same among the first so many only.
  Cheapest cheapest_of_first(int node, int list, std::size_t tasks) const;
  /// Whether the tile is absent at the node has changed.
  void copy(int node, Tile tile);

 private:
  static constexpr std::int64_t kNone = -1;

  /// A target has one ready task at most.
  struct Item {
    std::int64_t number = kNone;  ///< in the order of pushes; none unless it is in a list
    std::int32_t list = 0;
    Needs needs{};
    std::list<Task>::iterator place{};
  };

  struct Entry {
    std::int64_t number;
    std::int32_t target;

    bool operator>(const Entry& other) const { return number > other.number; }
  };
  /// Tasks of one list by their cost for one node: heaps, the first pushed on top. What has been
  /// taken or costs something else now is left in them until it comes to the top.
  struct Order {
    std::array<std::vector<Entry>, 3> heaps{};
    std::vector<std::uint8_t> costs{};  ///< of each target
  };

  /// None where nobody has asked.
  Order* order(int node, int list) const {
    const auto& of_list = orders_[static_cast<std::size_t>(list)];
    return of_list.empty() ? nullptr : of_list[static_cast<std::size_t>(node)].get();
  }
  Order& begin_order(int node, int list);
  void put(Order& order, int node, std::int32_t target);
  bool stands(const Order& order, int list, const Entry& entry, std::size_t cost) const;
  void update(int node, Tile tile, std::int32_t target);

  Scene scene_;
  std::vector<std::list<Task>> lists_;
  std::vector<Item> items_;                                  ///< of each target
  std::vector<std::vector<std::unique_ptr<Order>>> orders_;  ///< of each list, for each node
  std::vector<std::vector<std::int32_t>> rows_;     ///< targets whose tasks read a row of A
  std::vector<std::vector<std::int32_t>> columns_;  ///< or a column of B
  std::int64_t pushes_ = 0;
};

}  // namespace starport::tiles
