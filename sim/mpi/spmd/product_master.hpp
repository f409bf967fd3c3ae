// Rank 0 of a distributed product, which holds the matrices before and after the run.
#pragma once

#include "sim/kernel/emulation.hpp"
#include "sim/mpi/execution/master.hpp"
#include "sim/mpi/matrices/product.hpp"
#include "sim/mpi/spmd/product_messages.hpp"
#include "sim/spmd/distribution.hpp"
#include "sim/spmd/product_run.hpp"

namespace starport::mpi {

/// Rank 0 of distributed products: distributes A, B and C over the workers, lets them multiply, and
/// collects C. The time of the product starts when all workers have their parts, and ends before C
/// is collected. Worker i, from 0, is rank i + 1.
class ProductMaster {
 public:
  /// Stores copies of the options and of the settings, which have one element per worker; starts
  /// nothing. Of `options`, only emulation and the time limits are used. The communicator must
  /// outlive the master.
  ProductMaster(const Communicator& communicator, const ExecutionOptions& options,
                const PerWorker<WorkerSettings>& settings);

  /// Runs one product by a plan, which must have one rectangle per worker, and blocks until it is
  /// done. Returns the times of the workers, by index from 0; C is then in `product`, whose
  /// elements must be doubles. `predicted` gives the durations to which emulated runs are
  /// prolonged. Call it after Ranks::start(); may be called again unless it has thrown. Throws
  /// SimulationError if a worker fails or does not respond, blocks are damaged, or the time limit
  /// has passed.
  PerWorker<WorkerTimes> run(const spmd::ProductPlan& plan, const spmd::ProductRun& predicted,
                             Product& product);

 private:
  void set_up(const Problem& problem);
  void send_parts(const spmd::ProductPlan& plan, const spmd::ProductRun& predicted);
  void send_matrices(const spmd::Rectangle& part, int worker, const Product& product);
  template <class Value>
  void send_values(int worker, const std::vector<Value>& values);
  void wait_for(PendingMessage message, const char* what);

  const Communicator& communicator_;
  ExecutionOptions options_;
  PerWorker<WorkerSettings> settings_;
  std::size_t ready_ = 0;  ///< number of workers that have received their parts
  WorkerMonitor monitor_;
  std::vector<double> buffer_;
};

}  // namespace starport::mpi
