// The blocked outer product (SUMMA) on rectangles in columns: messages of every iteration
// (HeteroPar'12, section 4).
#pragma once

#include "sim/spmd/partition.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace starport::spmd {

/// How a piece of a pivot travels from its owner to the other nodes that need it.
enum class Multicast : std::uint8_t {
  chain,  ///< from each node to the next one, all hops at once
  flat    ///< from its owner to every other node
};

/// Where A, B and C are stored before the first iteration, and C after the last.
enum class Home : std::uint8_t {
  workers,  ///< each worker has its parts (the papers)
  hub       ///< a hub sends each worker its parts first, and receives those of C at the end
};

/// Options of a distributed product.
struct ProductRules {
  Multicast multicast;
  Home home;

  ProductRules(Multicast of_pieces = Multicast::chain, Home of_data = Home::workers)
      : multicast(of_pieces), home(of_data) {}
};

/// A message that carries a piece of a pivot from node `from` to node `to`: `blocks` blocks of the
/// pivot column of A from row `first` on, or of the pivot row of B from column `first` on.
struct Hop {
  enum class Matrix : std::uint8_t { a, b };
  Matrix matrix = Matrix::a;
  std::int64_t first = 0;
  std::int64_t blocks = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

/// `count` successive iterations with the same messages, the first of them iteration `pivot` (from
/// 0).
struct Stage {
  std::int64_t pivot = 0;
  std::int64_t count = 0;
};

/// The messages of one iteration, by matrix. Pieces are in ascending order; the messages of a piece
/// are contiguous, each after the one that brings the piece to its sender.
struct Messages {
  std::vector<Hop> a;
  std::vector<Hop> b;
  bool same_a = false;                      ///< `a` is unchanged since the iteration listed before
  std::optional<std::size_t> owner_of_a{};  ///< node column that owns the pivot column
};

/// Returns the number of blocks of A and B sent in all iterations, counted once per hop: in an
/// iteration a node receives m blocks of A unless it owns the pivot column, and n of B unless it
/// owns the pivot row.
std::int64_t blocks_moved(const Arrangement& arrangement);

/// Number of blocks that the link of each node carries in an iteration.
class Loads {
 public:
  explicit Loads(std::size_t nodes) : a_(nodes), b_(nodes) {}

  /// Counts the messages of an iteration. Must be called for every iteration in the order in which
  /// OuterProduct::list() lists them.
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

/// Lists the messages of the N / b iterations of an outer product. Pieces of A's pivot column
/// travel along elementary row intervals, in which each node column has one node; pieces of B's
/// pivot row travel along node columns. A piece starts at its owner and visits the other nodes from
/// the left or the top.
class OuterProduct {
 public:
  explicit OuterProduct(const Arrangement& arrangement, Multicast multicast = Multicast::chain);

  /// Returns the stages: maximal runs of iterations with the same owners of pivots.
  const std::vector<Stage>& stages() const { return stages_; }
  /// Lists the messages of iteration `pivot`. If `messages` has those of an iteration with the same
  /// owner of A's pivot column, its messages of A are left unchanged to save time.
  void list(std::int64_t pivot, Messages& messages) const;
  /// Lists the messages of iteration `pivot` of both matrices in one list.
  void list_hops(std::int64_t pivot, std::vector<Hop>& hops) const;

 private:
  using Nodes = std::vector<std::int64_t>;

  /// Appends the hops of a piece from nodes[owner] to the other nodes.
  void spread(Hop piece, const Nodes& nodes, std::size_t owner, std::vector<Hop>& hops) const;

  Arrangement arrangement_;
  Multicast multicast_;
  std::vector<std::int64_t> row_cuts_;     ///< 0 ... side
  std::vector<std::int64_t> column_cuts_;  ///< likewise
  std::vector<Nodes> across_;              ///< by elementary row interval: the node of each column
  std::vector<Stage> stages_;
};

}  // namespace starport::spmd
