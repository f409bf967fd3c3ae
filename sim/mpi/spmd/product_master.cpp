#include "sim/mpi/spmd/product_master.hpp"

#include "sim/spmd/outer_product.hpp"

#include <algorithm>

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

}  // namespace

ProductMaster::ProductMaster(const Communicator& communicator, const ExecutionOptions& options,
                             const PerWorker<WorkerSettings>& settings)
    : communicator_(communicator),
      options_(options),
      settings_(settings),
      monitor_(communicator, options.timeout_s, options.time_limit_s,
               [this](int, const WorkerEvent&) { ++ready_; }) {}

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
void ProductMaster::send_matrices(const spmd::Rectangle& part, int worker, const Product& product) {
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
    const spmd::Rectangle& part = rectangles[i];
    buffer_.resize(static_cast<std::size_t>(part.blocks() * q * q));
    wait_for(communicator_.receive_blocks(i + 1, BlockBuffer(buffer_)), "send its C");
    product.c().write(
        {.row = part.row * q, .column = part.column * q, .height = part.m * q, .width = part.n * q},
        buffer_.data());
  }
  return times;
}

}  // namespace starport::mpi
