// A worker of a distributed product, for real.
#pragma once

#include "sim/kernel/panel_kernel.hpp"
#include "sim/mpi/spmd/product_messages.hpp"
#include "sim/mpi/transport/news.hpp"

#include <optional>
#include <vector>

namespace starport::mpi {

/// Receives its part of A, B and C, then iterates: pieces of the pivots travel from one worker to
/// the next, the worker updates its C by one dgemm, and all wait for each other (HeteroPar'12,
/// section 4). In the end C goes home.
class ProductNode {
 public:
  ProductNode(const Communicator& communicator, const Setup& setup);

  /// Throws SimulationError when another worker lets it wait too long.
  void run();

 private:
  /// One end of a message between workers.
  struct End {
    int rank;
    int number;
  };
  /// A part of a pivot: where it comes from, unless it is this worker's own, and where it goes.
  struct Piece {
    spmd::Hop::Matrix matrix;
    std::int64_t offset_blocks;  ///< in the panel
    std::int64_t blocks;
    std::optional<End> from;
    std::vector<End> to;
  };

  void receive_part();
  void receive_matrices();
  std::vector<Piece> pieces_of(std::int64_t stage) const;
  void iterate(const NodeStage& stage, const std::vector<Piece>& pieces, std::int64_t pivot);
  void exchange(const std::vector<Piece>& pieces, std::int64_t pivot);
  /// Paced: what has just been done lasts what the model says.
  void last(double model_s);
  void barrier();
  /// Of the pivot column of A on this worker's rows, of the pivot row of B on its columns.
  double* a_panel(std::int64_t pivot);
  double* b_panel(std::int64_t pivot);

  template <class Condition>
  void wait_for_leader(Condition&& condition);
  template <class Condition>
  void wait_for_workers(const char* what, Condition&& condition);

  const Communicator& communicator_;
  Setup setup_;
  Teller teller_;
  PanelKernel kernel_;
  NodePart part_;
  std::vector<NodeStage> stages_;
  std::vector<NodeHop> hops_;
  std::vector<double> a_;         ///< its block columns one after the other
  std::vector<double> b_;         ///< by rows, so that its block rows are one after the other too
  std::vector<double> c_;         ///< by rows
  std::vector<double> a_pieces_;  ///< of others
  std::vector<double> b_pieces_;
  double due_s_ = 0;  ///< paced: when the model begins what this worker is at
  NodeTimes times_;
};

}  // namespace starport::mpi
