// The blocked outer product (SUMMA) on rectangles in columns: messages of every iteration
// (HeteroPar'12, section 4).
#pragma once

#include "sim/spmd/partition.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace starport::spmd {

/// Route on which a piece of a pivot (the block column of A and the block row of B of one
/// iteration) travels from its owner to the other nodes that need it.
enum class Multicast : std::uint8_t {
  chain,  ///< from each node to the next one, all hops at once
  flat    ///< from its owner to every other node
};

/// Place where A, B and C are stored before the first iteration, and C after the last.
enum class Home : std::uint8_t {
  workers,  ///< each worker has its parts (the papers)
  hub       ///< a hub sends each worker its parts first, and receives those of C at the end
};

/// Options of a distributed product: the route of messages and the place of the matrices. Converts
/// implicitly from a Multicast.
struct ProductRules {
  /// Route of the pieces of A and B from their owners to the other nodes.
  Multicast multicast;
  /// Place of the matrices before and after the iterations.
  Home home;

  /// Sets both options; by default pieces travel in a chain and the workers hold the matrices.
  ProductRules(Multicast of_pieces = Multicast::chain, Home of_data = Home::workers)
      : multicast(of_pieces), home(of_data) {}
};

/// A message that carries a piece of a pivot from one node to another: a range of blocks of the
/// pivot column of A (the block column used in the iteration) or of the pivot row of B (the block
/// row used in the iteration).
struct Hop {
  /// Matrix that the piece belongs to: `a` for the pivot column of A, `b` for the pivot row of B.
  enum class Matrix : std::uint8_t { a, b };
  /// Matrix that the piece belongs to.
  Matrix matrix = Matrix::a;
  /// First block of the piece, from 0: a row of blocks for A, a column of blocks for B.
  std::int64_t first = 0;
  /// Number of blocks of the piece.
  std::int64_t blocks = 0;
  /// Node that sends the piece, from 0.
  std::int64_t from = 0;
  /// Node that receives the piece, from 0.
  std::int64_t to = 0;
};

/// A range of successive iterations of an outer product that send the same messages.
struct Stage {
  /// Number of the first iteration, from 0.
  std::int64_t pivot = 0;
  /// Number of iterations, at least 1.
  std::int64_t count = 0;
};

/// The messages of one iteration, by matrix. Pieces are in ascending order of their first block;
/// the messages of a piece are contiguous, each after the one that brings the piece to its sender.
/// OuterProduct::list() fills it; use one object with one OuterProduct only.
struct Messages {
  /// Messages with pieces of the pivot column of A.
  std::vector<Hop> a;
  /// Messages with pieces of the pivot row of B.
  std::vector<Hop> b;
  /// True if `a` is unchanged since the previous call of OuterProduct::list() with this object.
  bool same_a = false;
  /// Column of the arrangement, from 0, whose nodes own the pivot column of A; empty before the
  /// first call of OuterProduct::list().
  std::optional<std::size_t> owner_of_a{};
};

/// Returns the number of blocks of A and B sent in all iterations, counted once per message: in an
/// iteration a node with m x n blocks of C receives m blocks of A unless it owns the pivot column,
/// and n of B unless it owns the pivot row.
std::int64_t blocks_moved(const Arrangement& arrangement);

/// Counts the blocks that the link of each node sends and receives in one iteration.
class Loads {
 public:
  /// Starts with no blocks for `nodes` nodes.
  explicit Loads(std::size_t nodes) : a_(nodes), b_(nodes) {}

  /// Replaces the counts by those of an iteration with these messages, whose nodes must be less
  /// than the number of nodes (undefined behaviour otherwise). Must be called once after each call
  /// of OuterProduct::list() that filled `messages`, since messages of A that have not changed are
  /// not counted again.
  void count(const Messages& messages);
  /// Returns the number of blocks that `node` (from 0) sends in the iteration counted last.
  std::int64_t sent(std::size_t node) const { return a_[node].sent + b_[node].sent; }
  /// Returns the number of blocks that `node` (from 0) receives in the iteration counted last.
  std::int64_t received(std::size_t node) const { return a_[node].received + b_[node].received; }

 private:
  struct Load {
    std::int64_t sent = 0;
    std::int64_t received = 0;
  };
  PerWorker<Load> a_;
  PerWorker<Load> b_;
};

/// Lists the messages in the N / b iterations of an outer product (C += column of A times row of B,
/// for N x N elements in blocks of b). Pieces of A's pivot column travel along elementary row
/// intervals, in which each node column has one node; pieces of B's pivot row travel along node
/// columns. A piece starts at its owner and visits the other nodes from the left or the top.
class OuterProduct {
 public:
  /// Copies the arrangement, which must cover C without overlaps (see find_fault()) and have no
  /// empty column; otherwise the behaviour is undefined.
  explicit OuterProduct(const Arrangement& arrangement, Multicast multicast = Multicast::chain);

  /// Returns the stages in order: maximal ranges of iterations with the same owners of pivots. The
  /// reference is valid as long as this object.
  const std::vector<Stage>& stages() const { return stages_; }
  /// Replaces `messages` by those of iteration `pivot`, with 0 <= pivot < side of the arrangement
  /// (unchecked). If `messages`, last filled by this object, has those of an iteration with the
  /// same owner of A's pivot column, its messages of A are left unchanged to save time.
  void list(std::int64_t pivot, Messages& messages) const;
  /// Replaces `hops` by the messages of iteration `pivot`, with 0 <= pivot < side of the
  /// arrangement (unchecked): those of A, then those of B.
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
