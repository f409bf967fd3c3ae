// Lists of ready tasks that find the cheapest task for a memory node without scanning the list.
#pragma once

#include "sim/tiles/strategy.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

namespace starport::tiles {

/// A fixed number of lists of ready tasks, each in the order in which its tasks were pushed. The
/// cost of a task for a memory node is the number of its operands that are absent there (ICPP'18,
/// section 4.2). The owning strategy must forward its on_copy_change() if it calls find_cheapest().
class TaskLists {
 public:
  /// Creates `lists` empty lists, numbered from 0.
  TaskLists(const StrategyContext& context, int lists);

  bool is_empty(int list) const { return tasks(list).empty(); }
  /// True if all lists are empty.
  bool are_empty() const;
  const std::list<Task>& tasks(int list) const { return lists_[static_cast<std::size_t>(list)]; }

  /// Appends a task to a list. Its target must have no other task in any list.
  void push(int list, const Task& task);
  /// Removes `task` from the list that holds it and returns it. O(1).
  Task remove(const Task& task);
  /// Removes and returns the first task of a list that is not empty.
  Task remove_front(int list) { return remove(tasks(list).front()); }
  /// Removes and returns the last task of a list that is not empty.
  Task remove_back(int list) { return remove(tasks(list).back()); }

  /// The task of least cost for a memory node, with that cost.
  struct Cheapest {
    Task task{};
    int cost = 3;  ///< absent operands, from 0 to 3
  };
  /// Returns the first task of least cost for `node` in a list that is not empty. From the first
  /// call on, an index of the list by cost is maintained for this node.
  Cheapest find_cheapest(int node, int list);
  /// Returns the first task of least cost for `node` among the first `tasks` tasks of a list that
  /// is not empty. O(tasks).
  Cheapest find_cheapest_of_first(int node, int list, std::size_t tasks) const;
  /// Updates the indexes after the copy of `tile` at `node` became absent, or is no longer absent.
  void on_copy_change(int node, Tile tile);

 private:
  static constexpr std::int64_t kNone = -1;

  /// The ready task of a target, of which there is at most one.
  struct Item {
    std::int64_t number = kNone;  ///< in the order of pushes; kNone if the task is in no list
    std::int32_t list = 0;
    Operands operands{};
    std::list<Task>::iterator position{};
  };

  /// An element of a heap. It is obsolete if the target's task has another number or cost by now.
  struct Entry {
    std::int64_t number;
    std::int32_t target;

    bool operator>(const Entry& other) const { return number > other.number; }
  };
  /// The tasks of one list by their cost for one node. Obsolete entries stay in the heaps until
  /// they come to the top.
  struct CostIndex {
    std::array<std::vector<Entry>, 3> heaps{};  ///< by cost, 0 to 2; the task pushed first on top
    std::vector<std::uint8_t> costs{};          ///< by target
  };

  /// Returns the index of a list for a node; nullptr if find_cheapest() has not been called for
  /// them.
  CostIndex* find_index(int node, int list) const {
    const auto& node_indexes = indexes_[static_cast<std::size_t>(list)];
    return node_indexes.empty() ? nullptr : node_indexes[static_cast<std::size_t>(node)].get();
  }
  CostIndex& create_index(int node, int list);
  void insert(CostIndex& index, int node, std::int32_t target);
  bool is_current(const CostIndex& index, int list, const Entry& entry, std::size_t cost) const;
  void update_cost(int node, Tile tile, std::int32_t target);

  StrategyContext context_;
  std::vector<std::list<Task>> lists_;
  std::vector<Item> items_;                                       ///< by target
  std::vector<std::vector<std::unique_ptr<CostIndex>>> indexes_;  ///< by list and node
  std::vector<std::vector<std::int32_t>> rows_;     ///< by row of A: targets whose tasks read it
  std::vector<std::vector<std::int32_t>> columns_;  ///< by column of B: likewise
  std::int64_t pushes_ = 0;
};

}  // namespace starport::tiles
