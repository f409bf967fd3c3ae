// The blocked outer product (SUMMA) on rectangles in columns: who sends which piece of the pivots
// to whom (HeteroPar'12, section 4).
#pragma once

#include "sim/spmd/partition.hpp"

#include <cstdint>
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

/// N / b iterations. A's pivot column travels along the elementary row intervals, in which each
/// node column has one node; B's pivot row down each node column. The owner of a piece comes first,
/// then the others from the left, or from the top.
class OuterProduct {
 public:
  explicit OuterProduct(const Arrangement& arrangement, Multicast multicast = Multicast::chain);

  /// No more than there are nodes: the owners change where a column or a rectangle begins.
  const std::vector<Stage>& stages() const { return stages_; }
  /// The messages of one iteration. Those of a piece follow each other, each after the one that
  /// brings the piece to its sender; pieces of a matrix ascend.
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
