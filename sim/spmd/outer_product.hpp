// The blocked outer product (SUMMA) on rectangles in columns: messages of every iteration
// (HeteroPar'12, section 4).
#pragma once

#include "sim/spmd/partition.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace starport::spmd {

/// Route on which a piece (range of blocks) of the block column of A or the block row of B of one
/// iteration travels from its owner to the other nodes that need it: from each node to the next
/// (`chain`), or from the owner to each (`flat`).
enum class Multicast : std::uint8_t {
  chain,  ///< from each node to the next one, all hops at once
  flat    ///< from its owner to every other node
};

/// Place where A, B and C are stored before the first iteration of a distributed product, and C
/// after the last: at the workers, each with its parts, or at a hub, a host at the switch.
enum class Home : std::uint8_t {
  workers,  ///< each worker has its parts (the papers)
  hub       ///< a hub (host at the switch) sends each worker its parts first, and receives those of
            ///< C at the end
};

/// Options of a distributed product: on which route the pieces of A and B travel, and where the
/// matrices are stored before and after the run. Converts implicitly from a Multicast. A plain
/// value.
struct ProductRules {
  /// Route on which the parts of A and B that an iteration needs travel from their owners to the
  /// other nodes: from each node to the next (`chain`), or from the owner to each (`flat`).
  Multicast multicast;
  /// Place where the matrices are stored before and after the iterations: at the workers, each with
  /// its parts, or at a hub, a host at the switch that sends A, B and C to the workers first and
  /// receives C at the end.
  Home home;

  /// Sets both options; by default parts of A and B travel in a chain from node to node, and the
  /// workers hold the matrices.
  ProductRules(Multicast of_pieces = Multicast::chain, Home of_data = Home::workers)
      : multicast(of_pieces), home(of_data) {}
};

/// A message that carries a piece of a pivot from one node to another: a range of blocks of the
/// pivot column of A (the block column used in the iteration) or of the pivot row of B (the block
/// row used in the iteration).
struct Hop {
  /// Matrix that the sent blocks belong to: `a` for the pivot column of A (the block column used in
  /// the iteration), `b` for the pivot row of B.
  enum class Matrix : std::uint8_t { a, b };
  /// Matrix that the blocks in the message belong to.
  Matrix matrix = Matrix::a;
  /// Index, from 0, of the first block in the message: its block row for A, its block column for B.
  std::int64_t first = 0;
  /// Number of consecutive blocks in the message, from `first` on: down the pivot column of A
  /// (block rows), or along the pivot row of B (block columns).
  std::int64_t blocks = 0;
  /// Node that sends the message, from 0.
  std::int64_t from = 0;
  /// Node that receives the message, from 0.
  std::int64_t to = 0;
};

/// A range of successive iterations of an outer product (one block column of A times one block row
/// of B each) that send messages of the same sizes between the same nodes.
struct Stage {
  /// Number, from 0, of the first iteration of the range; iteration k uses block column k of A and
  /// block row k of B.
  std::int64_t pivot = 0;
  /// Number of iterations in the range, at least 1.
  std::int64_t count = 0;
};

/// The messages of one iteration of an outer product, by matrix. Pieces (ranges of blocks that
/// travel together) are in ascending order of their first block; the messages of a piece are
/// contiguous, each after the one that brings the piece to its sender. OuterProduct::list() fills
/// it; use one object with one OuterProduct only.
struct Messages {
  /// Messages with blocks of the pivot column of A (the block column used in the iteration), by
  /// ascending first block; each follows the one that brings its blocks to its sender.
  std::vector<Hop> a;
  /// Messages with blocks of the pivot row of B (the block row used in the iteration), by ascending
  /// first block; each follows the one that brings its blocks to its sender.
  std::vector<Hop> b;
  /// True if the last call of OuterProduct::list() did not change `a`, the messages with blocks of
  /// A, so that readers can skip it.
  bool same_a = false;
  /// Index, from 0, in Arrangement::columns of the column of nodes that owns the pivot column of A
  /// (the block column used in the iteration); nullopt before the first call of
  /// OuterProduct::list().
  std::optional<std::size_t> owner_of_a{};
};

/// Returns the number of blocks of A and B in all messages of an outer product: in each iteration,
/// a node with m x n blocks of C receives m blocks of A (of the block column used) unless it owns
/// them, and n blocks of B (of the block row used) unless it owns them.
std::int64_t blocks_moved(const Arrangement& arrangement);

/// The numbers of matrix blocks that each node sends and receives in one iteration of an outer
/// product, counted by count() from the messages of that iteration. Nodes are numbered from 0.
class Loads {
 public:
  /// Makes counts of the matrix blocks that each of `nodes` nodes sends and receives in one
  /// iteration; all are 0 until count() is called.
  explicit Loads(std::size_t nodes) : a_(nodes), b_(nodes) {}

  /// Replaces the counts of sent and received blocks by those of an iteration with these messages,
  /// whose nodes must be less than the number of nodes (undefined behaviour otherwise). Must be
  /// called after each call of OuterProduct::list() that filled `messages`, none left out, since
  /// messages of A that have not changed are not counted again.
  void count(const Messages& messages);
  /// Returns the number of matrix blocks that `node` (from 0) sends in the iteration counted last;
  /// 0 before count(). The node must exist (undefined behaviour otherwise).
  std::int64_t sent(std::size_t node) const { return a_[node].sent + b_[node].sent; }
  /// Returns the number of matrix blocks that `node` (from 0) receives in the iteration counted
  /// last; 0 before count(). The node must exist (undefined behaviour otherwise).
  std::int64_t received(std::size_t node) const { return a_[node].received + b_[node].received; }

 private:
  struct Load {
    std::int64_t sent = 0;
    std::int64_t received = 0;
  };
  PerWorker<Load> a_;
  PerWorker<Load> b_;
};

/// Generator of the messages in each iteration of an outer product (C += block column of A times
/// block row of B) on an Arrangement. The block column of A is cut at each row where a rectangle
/// begins; each piece goes from its owner to the other nodes whose rectangles have its rows, one in
/// each column of nodes. The block row of B is cut between the columns of nodes; each piece goes
/// from its owner to the other nodes of its column. With Multicast::flat the owner sends to each of
/// them; with Multicast::chain it sends to the first one, from the left or from the top, and each
/// passes the piece to the next one. Owns all its data.
class OuterProduct {
 public:
  /// Copies the arrangement (the division of C among nodes). Its rectangles must cover C without
  /// overlaps (see find_fault()), and its `columns` must match them, without an empty column
  /// (undefined behaviour otherwise). `multicast`: blocks go from each node to the next (`chain`),
  /// or from their owner to each (`flat`).
  explicit OuterProduct(const Arrangement& arrangement, Multicast multicast = Multicast::chain);

  /// Returns the stages in order: ranges of successive iterations in which the same nodes own the
  /// block column of A and the block row of B that are used. The reference is valid as long as this
  /// object.
  const std::vector<Stage>& stages() const { return stages_; }
  /// Replaces `messages` by those of iteration `pivot` (from 0), with 0 <= pivot < side of the
  /// arrangement (not checked). Does not change messages.a, and sets messages.same_a, if the same
  /// nodes own the block column of A as in the last call with this `messages`, which must be new or
  /// last filled by this object (not checked).
  void list(std::int64_t pivot, Messages& messages) const;
  /// Replaces `hops` by the messages of iteration `pivot` (from 0), with 0 <= pivot < side of the
  /// arrangement (not checked): those of A, then those of B.
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
