// The blocked outer product (SUMMA) on rectangles in columns: who sends which piece of the pivots
// to whom (HeteroPar'12, section 4).
#pragma once

#include "sim/spmd/partition.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace starport::spmd {

/// How a piece gets from its owner to the others that need it.
enum class Multicast : std::uint8_t {
  chain,  ///< from one to the next, all hops at once
  flat    ///< from its owner to each
};

/// Where A, B and C lie before the start, and C after the end.
enum class Home : std::uint8_t {
  workers,  ///< each worker has its parts (the papers)
  hub       ///< the hub sends each worker its parts first, and gets those of C at the end
};

struct ProductRules {
  Multicast multicast;
  Home home;

  ProductRules(Multicast of_pieces = Multicast::chain, Home of_data = Home::workers)
      : multicast(of_pieces), home(of_data) {}
};

/// A piece on its way: `blocks` of the pivot column of A from row `first` on, or of the pivot row
/// of B from column `first` on.
struct Hop {
  enum class Matrix : std::uint8_t { a, b };
  Matrix matrix = Matrix::a;
  std::int64_t first = 0;
  std::int64_t blocks = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

/// Iterations with the same messages: the pivots from `pivot` on.
struct Stage {
  std::int64_t pivot = 0;
  std::int64_t count = 0;
};

/// Those of one iteration. Messages of a piece follow each other, each after the one that brings
/// the piece to its sender; pieces of a matrix ascend.
struct Messages {
  std::vector<Hop> a;
  std::vector<Hop> b;
  bool same_a = false;                      ///< as in the iteration listed before
  std::optional<std::size_t> owner_of_a{};  ///< node column
};

/// Blocks of A and B on their way in all iterations, each hop counting: in one of them a node gets
/// m of A unless it owns the pivot column, and n of B unless it owns the pivot row.
std::int64_t blocks_moved(const Arrangement& arrangement);

/// Blocks that each node's link carries in an iteration.
class Loads {
 public:
  explicit Loads(std::size_t nodes) : a_(nodes), b_(nodes) {}

  /// Iterations as they are listed.
  void count(const Messages& messages);
  std::int64_t sent(std::size_t node) const { return a_[node].sent + b_[node].sent; }
  std::int64_t received(std::size_t node) const { return a_[node].received + b_[node].received; }

 private:
  struct Load {
    std::int64_t sent = 0;
    std::int64_t received = 0;
  };
  PerWorker<Load> a_;
  PerWorker<Load> b_;
};

/// N / b iterations. A's pivot column travels along the elementary row intervals, in which each
/// node column has one node; B's pivot row down each node column. The owner of a piece comes first,
/// then the others from the left, or from the top.
class OuterProduct {
 public:
  explicit OuterProduct(const Arrangement& arrangement, Multicast multicast = Multicast::chain);

  /// No more than there are nodes: the owners change where a column or a rectangle begins.
  const std::vector<Stage>& stages() const { return stages_; }
  /// The messages of one iteration. Where those listed before have the same owners of A's column,
  /// its messages stay: they are the most, and change the least.
  void list(std::int64_t pivot, Messages& messages) const;
  /// The same as one list.
  void list_hops(std::int64_t pivot, std::vector<Hop>& hops) const;

 private:
  using Nodes = std::vector<std::int64_t>;

  /// Appends how a piece gets from the node at place `owner` to the others.
  void spread(Hop piece, const Nodes& nodes, std::size_t owner, std::vector<Hop>& hops) const;

  Arrangement arrangement_;
  Multicast multicast_;
  std::vector<std::int64_t> row_cuts_;     ///< 0 ... side
  std::vector<std::int64_t> column_cuts_;  ///< likewise
  std::vector<Nodes> across_;              ///< the node of each column in an elementary interval
  std::vector<Stage> stages_;
};

}  // namespace starport::spmd
