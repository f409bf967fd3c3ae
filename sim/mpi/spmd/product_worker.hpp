// A worker of a distributed product.
#pragma once

#include "sim/kernel/panel_kernel.hpp"
#include "sim/mpi/spmd/product_messages.hpp"
#include "sim/mpi/transport/worker_events.hpp"

#include <optional>
#include <vector>

namespace starport::mpi {

/// A worker of a distributed product, in a rank other than 0. Receives its part of A, B and C, then
/// iterates over the pivots, the block columns of A and block rows of B (HeteroPar'12, section 4):
/// the parts of the pivot column and row are forwarded from worker to worker, the worker updates
/// its C by one dgemm, and all workers wait for each other. At the end, it sends C to rank 0.
class ProductWorker {
 public:
  /// Stores a copy of `setup`, the message of kind `distributed`, and sets the threads of the BLAS
  /// of the process; receives nothing yet. The communicator must outlive the worker.
  ProductWorker(const Communicator& communicator, const Setup& setup);

  /// Runs one product together with the other workers and ProductMaster::run() on rank 0, and
  /// blocks until rank 0 has received C. Throws SimulationError if another worker does not respond
  /// within setup.timeout_s or rank 0 within setup.master_timeout_s seconds, or blocks are damaged.
  void run();

 private:
  /// The other rank of a message between workers, and the number of the message.
  struct Endpoint {
    int rank;
    int number;
  };
  /// A part of a pivot that this worker forwards: where it comes from, unless it is its own, and
  /// where it goes.
  struct ForwardedPart {
    spmd::Hop::Matrix matrix;
    std::int64_t offset_blocks;  ///< offset in the panel of this worker
    std::int64_t blocks;
    std::optional<Endpoint> from;
    std::vector<Endpoint> to;
  };

  void receive_part();
  void receive_matrices();
  std::vector<ForwardedPart> forwarded_parts(std::int64_t stage) const;
  void run_iteration(const WorkerStage& stage, const std::vector<ForwardedPart>& parts,
                     std::int64_t pivot);
  void exchange(const std::vector<ForwardedPart>& parts, std::int64_t pivot);
  /// Emulated: sleeps until the current activity has lasted `model_s` seconds.
  void pace(double model_s);
  void barrier();
  /// Returns the pivot column of A on the rows of this worker.
  double* a_panel(std::int64_t pivot);
  /// Returns the pivot row of B on the columns of this worker.
  double* b_panel(std::int64_t pivot);

  template <class Condition>
  void wait_for_master(Condition&& condition);
  template <class Condition>
  void wait_for_workers(const char* what, Condition&& condition);

  const Communicator& communicator_;
  Setup setup_;
  EventSender events_;
  PanelKernel kernel_;
  WorkerPart part_;
  std::vector<WorkerStage> stages_;
  std::vector<WorkerHop> hops_;
  std::vector<double> a_;         ///< part of A by block columns, so that each is contiguous
  std::vector<double> b_;         ///< part of B by rows, so that each block row is contiguous
  std::vector<double> c_;         ///< part of C by rows
  std::vector<double> a_buffer_;  ///< pivot columns of other workers
  std::vector<double> b_buffer_;  ///< pivot rows of other workers
  double due_s_ = 0;              ///< emulated: when the model starts the current activity
  WorkerTimes times_;
};

}  // namespace starport::mpi
