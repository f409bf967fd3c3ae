// Lists of ready tasks that find the cheapest task for a memory node without scanning the list.
#pragma once

#include "sim/tiles/strategy.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <tuple>
#include <vector>

namespace starport::tiles {

/// A fixed number of lists of ready tasks for a strategy, each in the order in which its tasks were
/// pushed. The cost of a task for a memory node (main memory or a GPU) is the number of its
/// operands (tiles that it uses) that are absent there (ICPP'18, section 4.2), unless the strategy
/// defines another. A strategy that calls find_cheapest() must forward its on_copy_change() to this
/// object, otherwise costs are out of date. List and node numbers are from 0; out of range they are
/// undefined behaviour. Owned by one strategy; may be moved, not copied.
class TaskLists {
 public:
  /// The rule by which TaskLists ranks ready tasks for a memory node: a function that computes a
  /// task's cost, a small integer without a unit such as the number of tiles to fetch, and the
  /// largest cost possible. Holds a pointer to the function.
  struct Cost {
    /// Returns the cost of executing `task`, which accesses the tiles `operands`, at memory node
    /// `node` (0: main memory, from 1: GPUs), from 0 to `highest`; the least is taken first. It may
    /// depend on the task and on the states of its operands at the node (absent, in flight or
    /// valid), nothing else. The pointer must not be null.
    std::int32_t (*compute)(const Copies& copies, int node, const Task& task,
                            const Operands& operands);
    /// Largest cost that `compute` may return (more is not checked: a task that is not the cheapest
    /// may be found). Tasks of this cost are found in the order of their list and take no space in
    /// the index by cost.
    std::int32_t highest;
  };

  /// Creates `lists` (0 or more) empty lists of ready tasks, numbered from 0, whose costs are the
  /// numbers of absent operands. The objects that `context` refers to (platform, task graph, copies
  /// of tiles) must outlive this object.
  TaskLists(const StrategyContext& context, int lists);
  /// Creates `lists` (0 or more) empty lists of ready tasks, numbered from 0, whose tasks cost what
  /// `cost` defines. The objects that `context` refers to (platform, task graph, copies of tiles)
  /// must outlive this object.
  TaskLists(const StrategyContext& context, int lists, const Cost& cost);
  /// Moves the lists; the other object may only be destroyed. (A copy would refer to the lists of
  /// the original.)
  TaskLists(TaskLists&&) = default;

  /// Returns true if list number `list` (from 0) has no tasks.
  bool is_empty(int list) const { return tasks(list).empty(); }
  /// Returns true if none of the lists has a task.
  bool are_empty() const;
  /// Returns the ready tasks of list number `list` (from 0) in the order in which they were pushed.
  /// The reference is valid as long as this object, and its contents change with push() and
  /// remove().
  const std::list<Task>& tasks(int list) const { return lists_[static_cast<std::size_t>(list)]; }

  /// Appends a task of the task graph, which is ready, to list number `list` (from 0). The tile
  /// that it writes (its target) must have no other task in any list; this is not checked (the
  /// other task could no longer be removed).
  void push(int list, const Task& task);
  /// Removes the task that writes the same tile (target) as `task` from the list that holds it, and
  /// returns `task`. There must be one, otherwise the behaviour is undefined; `task` may refer to
  /// the element of the list. O(1).
  Task remove(const Task& task);
  /// Removes and returns the first task (the one pushed first) of list number `list` (from 0),
  /// which must not be empty; otherwise the behaviour is undefined.
  Task remove_front(int list) { return remove(tasks(list).front()); }
  /// Removes and returns the last task (the one pushed last) of list number `list` (from 0), which
  /// must not be empty; otherwise the behaviour is undefined.
  Task remove_back(int list) { return remove(tasks(list).back()); }

  /// A ready task of least cost for a memory node, with its cost (by default the number of its
  /// tiles that are absent there): result of find_cheapest() and find_cheapest_of_first(). A copy:
  /// it stays valid when the lists change.
  struct Cheapest {
    /// Task of least cost (see `cost`) for the memory node; it is still in its list. There always
    /// is one, since the list must not be empty.
    Task task{};
    /// Cost of the task; by default the number of its operands (tiles that it uses) that are absent
    /// at the memory node, from 0 to 3.
    int cost = 3;
  };
  /// Returns the task of least cost for memory node `node` (0: main memory, from 1: GPUs) in list
  /// number `list` (from 0), the one pushed first on ties. The list must not be empty, otherwise
  /// the behaviour is undefined. The first call for a node and list builds an index by cost, which
  /// push() and on_copy_change() then maintain; later calls take amortized logarithmic time.
  Cheapest find_cheapest(int node, int list);
  /// Returns the task of least cost, i.e. with the fewest operands absent at memory node `node` (0:
  /// main memory, from 1: GPUs), among the first `tasks` tasks (at least 1; 0 gives the first with
  /// cost 3) of list number `list` (from 0), the one pushed first on ties. The list must not be
  /// empty, otherwise the behaviour is undefined. O(tasks); needs no on_copy_change(). Counts
  /// absent operands even if the constructor got another Cost.
  Cheapest find_cheapest_of_first(int node, int list, std::size_t tasks) const;
  /// Updates the costs of tasks that find_cheapest() uses after the copy of `tile` at memory node
  /// `node` (0: main memory, from 1: GPUs) became absent, or is no longer absent. To be called from
  /// Strategy::on_copy_change(), for each call of it and, if costs depend on whether copies are
  /// valid, from Strategy::on_copy_arrival(), too. For r x s tiles of C, takes O(r + s) time, and
  /// logarithmic time for each ready task that uses the tile.
  void on_copy_change(int node, Tile tile);

 private:
  static constexpr std::int32_t kNone = -1;

  /// The ready task of a target, of which there is at most one.
  struct Item {
    std::int64_t number = kNone;  ///< in the order of pushes; kNone if the task is in no list
    std::int32_t list = 0;
    std::int32_t row_place = 0;     ///< of the target in rows_
    std::int32_t column_place = 0;  ///< of the target in columns_
    Operands operands{};
    std::list<Task>::iterator position{};
  };
  /// A target whose tasks read a row of A or a column of B.
  struct Reader {
    std::int32_t target;
    std::int32_t k = kNone;  ///< of the tile of A or B that its ready task reads; kNone: none
  };
  /// An element of a heap. Its cost is at most the task's current one. It is obsolete if the
  /// target's task has another number by now, or a later element.
  struct Entry {
    std::int32_t cost;
    std::int32_t target;
    std::int64_t number;

    bool operator>(const Entry& other) const {
      return std::tie(cost, number) > std::tie(other.cost, other.number);
    }
  };
  /// The tasks of one list that cost less than the most, for one node: a heap with the cheapest on
  /// top. Obsolete entries stay until they come to the top. Empty: not in use.
  using CostIndex = std::optional<std::vector<Entry>>;

  Item& item(std::int32_t target) { return items_[static_cast<std::size_t>(target)]; }
  const Item& item(std::int32_t target) const { return items_[static_cast<std::size_t>(target)]; }
  CostIndex& index(int node, int list) {
    return indexes_[static_cast<std::size_t>(list)][static_cast<std::size_t>(node)];
  }
  std::int32_t& last_cost(int node, std::int32_t target) {
    return costs_[static_cast<std::size_t>(node)][static_cast<std::size_t>(target)];
  }
  void set_reads(std::int32_t target, std::int32_t k);
  std::int32_t compute_cost(int node, const Item& own) const {
    return definition_.compute(context_.copies, node, *own.position, own.operands);
  }
  void insert(int node, std::int32_t target, std::int32_t cost);
  bool is_current(int node, const Entry& entry);
  void update_cost(int node, std::int32_t target);

  StrategyContext context_;
  Cost definition_;
  std::vector<std::list<Task>> lists_;
  std::vector<Item> items_;                      ///< by target
  std::vector<std::vector<CostIndex>> indexes_;  ///< by list and node
  std::vector<std::vector<std::int32_t>>
      costs_;  ///< cost of a target at its latest insertion, by node and target
  std::vector<std::vector<Reader>> rows_;     ///< by row of A
  std::vector<std::vector<Reader>> columns_;  ///< by column of B
  std::int64_t pushes_ = 0;
};

}  // namespace starport::tiles
