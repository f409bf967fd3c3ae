// Rank 0 of a distributed product, which has the matrices before and after.
#pragma once

#include "sim/spmd/distribution.hpp"
#include "sim/kernel/unequal.hpp"
#include "sim/mpi/execution/master.hpp"
#include "sim/mpi/matrices/product.hpp"
#include "sim/mpi/spmd/product_messages.hpp"
#include "sim/spmd/product_run.hpp"

namespace starport::mpi {

/// Spreads A, B and C over the workers by the plan, lets them multiply, and brings C home. The
/// product's time begins when all have their parts. Throws SimulationError when a worker fails or
/// gives no sign of life.
class ProductLeader {
 public:
  ProductLeader(const Communicator& communicator, const ExecutionOptions& options,
                const PerWorker<WorkerSettings>& settings);

  PerWorker<NodeTimes> run(const spmd::ProductPlan& plan, const spmd::ProductRun& predicted,
                           Product& product);

 private:
  void set_up(const Problem& problem);
  void send_parts(const spmd::ProductPlan& plan, const spmd::ProductRun& predicted);
  void send_matrices(const spmd::Rectangle& mine, int worker, const Product& product);
  template <class Value>
  void send_values(int worker, const std::vector<Value>& values);
  void wait_for(Sending sending, const char* what);

  const Communicator& communicator_;
  ExecutionOptions options_;
  PerWorker<WorkerSettings> settings_;
  std::size_t ready_ = 0;  ///< workers that have their parts
  Watch watch_;
  std::vector<double> buffer_;
};

}  // namespace starport::mpi
