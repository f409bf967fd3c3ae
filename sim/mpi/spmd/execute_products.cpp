#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/kernel/emulation.hpp"
#include "sim/models/spmd/spmd_model.hpp"
#include "sim/mpi/calibration/calibrated_file.hpp"
#include "sim/mpi/execution/execution_request.hpp"
#include "sim/mpi/execution/master.hpp"
#include "sim/mpi/matrices/product.hpp"
#include "sim/mpi/matrices/product_check.hpp"
#include "sim/mpi/rank_commands.hpp"
#include "sim/mpi/spmd/product_report.hpp"
#include "sim/mpi/transport/messages.hpp"
#include "sim/mpi/transport/ranks.hpp"
#include "sim/process/machine.hpp"
#include "sim/spmd/distribution.hpp"
#include "sim/spmd/engine.hpp"
#include "sim/spmd/outer_product.hpp"
#include "sim/spmd/product_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <variant>

namespace starport::mpi {
namespace {

std::vector<WorkerStage> worker_stages(const spmd::ProductRun& predicted) {
  std::vector<WorkerStage> stages;
  for (const spmd::StageRun& run : predicted.stages) {
    stages.push_back({.stage = run.stage, .communication_s = run.communication_s});
  }
  return stages;
}

/// Returns, for each worker, the messages that it sends or receives in each stage.
PerWorker<std::vector<WorkerHop>> worker_hops(const spmd::ProductPlan& plan) {
  const spmd::Arrangement& arrangement = plan.partitioning.partition.arrangement;
  const spmd::OuterProduct product(arrangement, plan.rules.multicast);
  PerWorker<std::vector<WorkerHop>> hops(arrangement.rectangles.size());
  std::vector<spmd::Hop> of_stage;
  for (std::size_t k = 0; k < product.stages().size(); ++k) {
    product.list_hops(product.stages()[k].pivot, of_stage);
    for (std::size_t number = 0; number < of_stage.size(); ++number) {
      const WorkerHop hop{.stage = static_cast<std::int64_t>(k),
                          .number = static_cast<int>(number),
                          .hop = of_stage[number]};
      hops[hop.hop.from].push_back(hop);
      hops[hop.hop.to].push_back(hop);
    }
  }
  return hops;
}

/// Multiplies the dates and durations of a run that are read here by `factor`.
spmd::ProductRun scaled_run(spmd::ProductRun run, double factor) {
  for (spmd::StageRun& stage_run : run.stages) {
    stage_run.start_s *= factor;
    stage_run.communication_s *= factor;
    stage_run.update_s *= factor;
  }
  for (double& computing_s : run.computing_s) computing_s *= factor;
  run.makespan_s *= factor;
  return run;
}

/// Throws NotApplicable if the algorithm cannot be run on these workers.
ProductExecution predict_product(const NamedAlgorithm& named, const spmd::Cluster& cluster,
                                 const ExecutionRequest& request) {
  const auto plan =
      dynamic_cast<const spmd::Distribution&>(*named.algorithm)
          .plan(cluster, spmd::side_of(request.context.problem), request.options.time_limit_s);
  const auto* product = std::get_if<spmd::ProductPlan>(&plan);
  if (product == nullptr) throw NotApplicable("it is for the model of two processors only");
  if (product->rules.home == spmd::Home::hub) {
    throw NotApplicable("a real run starts with the matrices on the workers, not on a hub");
  }
  return {.algorithm = named.name,
          .plan = *product,
          .predicted = scaled_run(
              spmd::run_product(cluster, product->partitioning.partition, product->rules),
              request.context.time_scale),
          .real = {},
          .check = {}};
}

/// Predicts the algorithms that apply, and prints a warning for the others. Throws SimulationError
/// if none applies.
std::vector<ProductExecution> predict_products(const ExecutionRequest& request) {
  const spmd::Cluster cluster =
      spmd::make_cluster(request.distributed->file, request.context.problem.block_size);
  std::vector<ProductExecution> executions;
  for (const NamedAlgorithm& named : request.heuristics) {
    try {
      executions.push_back(predict_product(named, cluster, request));
    } catch (const NotApplicable& reason) {
      report_skipped(named.name, reason);
    }
  }
  if (executions.empty())
    throw SimulationError("nothing was run, since no heuristic applies to this platform");
  return executions;
}

/// Returns the bytes that each worker needs for the largest of the runs.
std::vector<double> peak_bytes(const std::vector<ProductExecution>& executions,
                               std::int64_t block_size) {
  std::vector<double> bytes;
  for (const ProductExecution& execution : executions) {
    const auto& rectangles = execution.plan.partitioning.partition.arrangement.rectangles;
    bytes.resize(rectangles.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = std::max(
          bytes[i], held_bytes(rectangles[static_cast<std::int64_t>(i)].blocks(), block_size));
    }
  }
  return bytes;
}

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
  void send_matrices(const spmd::NodeRectangle& part, int worker, const Product& product);
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

}  // namespace

ProductMaster::ProductMaster(const Communicator& communicator, const ExecutionOptions& options,
                             const PerWorker<WorkerSettings>& settings)
    : communicator_(communicator),
      options_(options),
      settings_(settings),
      monitor_(
          communicator, options.timeout_s, options.time_limit_s,
          [this](int, const WorkerEvent&) { ++ready_; }, options.advises_options) {}

void ProductMaster::wait_for(PendingMessage message, const char* what) {
  monitor_.wait_for_all(what, [&] { return message.is_complete(); });
}

template <class Value>
void ProductMaster::send_values(int worker, const std::vector<Value>& values) {
  wait_for(communicator_.send_values(worker + 1, values), "receive its part");
}

void ProductMaster::set_up(const Problem& problem) {
  for (std::int64_t i = 0; i < std::ssize(settings_); ++i) {
    const Setup setup{.kind = Setup::Kind::distributed,
                      .problem = problem,
                      .emulated = options_.emulated,
                      .threads = settings_[i].threads,
                      .emulation = settings_[i].emulation,
                      .timeout_s = options_.timeout_s,
                      .master_timeout_s = options_.master_timeout_s()};
    wait_for(communicator_.send(static_cast<int>(i) + 1, Tag::setup, setup), "receive its part");
  }
}

void ProductMaster::send_parts(const spmd::ProductPlan& plan, const spmd::ProductRun& predicted) {
  const auto hops = worker_hops(plan);
  const spmd::Arrangement& arrangement = plan.partitioning.partition.arrangement;
  const auto side = static_cast<double>(arrangement.side);
  const double slowest_s = std::ranges::max(predicted.computing_s) / side;
  for (int i = 0; i < std::ssize(settings_); ++i) {
    send_values(i, std::vector<WorkerPart>{{.own = arrangement.rectangles[i],
                                            .update_s = predicted.computing_s[i] / side,
                                            .slowest_update_s = slowest_s}});
    send_values(i, worker_stages(predicted));
    send_values(i, hops[i]);
  }
}

/// Sends the blocks of a worker: A by block columns, B and C by rows.
void ProductMaster::send_matrices(const spmd::NodeRectangle& part, int worker,
                                  const Product& product) {
  const std::int64_t q = product.problem().block_size;
  buffer_.resize(static_cast<std::size_t>(part.blocks() * q * q));
  const auto send = [&] {
    wait_for(communicator_.send_blocks(worker + 1, BlockBuffer(buffer_)), "receive its matrices");
  };
  for (std::int64_t j = 0; j < part.n; ++j) {
    product.a().read(
        {.row = part.row * q, .column = (part.column + j) * q, .height = part.m * q, .width = q},
        &buffer_[static_cast<std::size_t>(j * part.m * q * q)]);
  }
  send();
  const MatrixArea area{
      .row = part.row * q, .column = part.column * q, .height = part.m * q, .width = part.n * q};
  product.b().read(area, buffer_.data());
  send();
  product.c().read(area, buffer_.data());
  send();
}

PerWorker<WorkerTimes> ProductMaster::run(const spmd::ProductPlan& plan,
                                          const spmd::ProductRun& predicted, Product& product) {
  const auto& rectangles = plan.partitioning.partition.arrangement.rectangles;
  const std::int64_t q = product.problem().block_size;
  const int workers = static_cast<int>(rectangles.size());
  monitor_.restart();
  ready_ = 0;
  set_up(product.problem());
  send_parts(plan, predicted);
  for (int i = 0; i < workers; ++i) send_matrices(rectangles[i], i, product);
  monitor_.wait_for_all("receive its part", [&] { return ready_ == rectangles.size(); });
  for (int i = 0; i < workers; ++i) {
    const char token{};
    wait_for(communicator_.send(i + 1, Tag::order, token), "start");
  }
  PerWorker<WorkerTimes> times;
  for (int i = 0; i < workers; ++i) {
    monitor_.wait_for_all("finish", [&] {
      const auto received = communicator_.receive_values<WorkerTimes>(i + 1);
      if (received) times.push_back(received->front());
      return received.has_value();
    });
  }
  for (int i = 0; i < workers; ++i) {
    const spmd::NodeRectangle& part = rectangles[i];
    buffer_.resize(static_cast<std::size_t>(part.blocks() * q * q));
    PendingMessage message = communicator_.receive_blocks(i + 1, BlockBuffer(buffer_));
    // Workers whose C has arrived send no signs of life.
    monitor_.wait_until(i, "send its C", [&] { return message.is_complete(); });
    product.c().write(
        {.row = part.row * q, .column = part.column * q, .height = part.m * q, .width = part.n * q},
        buffer_.data());
  }
  return times;
}

int execute_products(const Communicator& communicator, const ExecutionRequest& request) {
  Ranks ranks(communicator, request.options.timeout_s, request.options.master_timeout_s());
  ranks.check_rank_count(request.file.size(), request.context.platform_file);
  std::vector<ProductExecution> executions = predict_products(request);
  check_memory(request.size, request.sources, request.context.problem.block_size);
  set_blas_threads(1);
  ExecutionContext context = request.context;
  if (!context.emulated) context.peak_flops = measured_peak_flops(request.file);
  const Stopwatch preparing;
  Product product(context.problem, request.size, request.sources);
  const ProductCheck check(product, request.sources.seed);
  context.preparation_s = preparing.elapsed_s();
  ranks.start();
  ranks.check_memory(peak_bytes(executions, request.context.problem.block_size));
  if (!request.context.emulated) {
    print_problems(ranks.plan_cores(request.workers, Overlap::alternating).problems);
  }
  ProductMaster master(communicator, request.options, request.workers);
  const auto run = [&](std::size_t i) {
    ProductExecution& execution = executions[i];
    if (i > 0) product.restore_c();
    const Stopwatch wall;
    execution.real = master.run(execution.plan, execution.predicted, product);
    product.check_unchanged();
    CheckOutcome checked = check.check(product.c());
    if (!checked.error.empty()) throw SimulationError(execution.algorithm + ": " + checked.error);
    product.commit_c();
    execution.wall_s = wall.elapsed_s();
    execution.check = std::move(checked.method);
  };
  const Case& instance = *request.distributed;
  run_and_report(executions, run, [&] {
    print(request.json ? product_json(context, instance, executions)
                       : product_text(context, instance, executions));
  });
  ranks.shut_down();
  return kSuccess;
}

}  // namespace starport::mpi
