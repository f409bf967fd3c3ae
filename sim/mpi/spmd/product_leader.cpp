#include "sim/mpi/spmd/product_leader.hpp"

#include "sim/spmd/outer_product.hpp"

#include <algorithm>

namespace starport::mpi {
namespace {

std::vector<NodeStage> node_stages(const spmd::ProductRun& predicted) {
  std::vector<NodeStage> stages;
  for (const spmd::StageRun& one : predicted.stages) {
    stages.push_back({.stage = one.stage, .communication_s = one.communication_s});
  }
  return stages;
}

/// Of every worker, the messages of all stages that are its own.
PerWorker<std::vector<NodeHop>> node_hops(const spmd::ProductPlan& plan) {
  const spmd::Arrangement& arrangement = plan.partitioning.partition.arrangement;
  const spmd::OuterProduct product(arrangement, plan.rules.multicast);
  PerWorker<std::vector<NodeHop>> hops(arrangement.rectangles.size());
  std::vector<spmd::Hop> of_stage;
  for (std::size_t k = 0; k < product.stages().size(); ++k) {
    product.list_hops(product.stages()[k].pivot, of_stage);
    for (std::size_t number = 0; number < of_stage.size(); ++number) {
      const NodeHop hop{.stage = static_cast<std::int64_t>(k),
                        .number = static_cast<int>(number),
                        .hop = of_stage[number]};
      hops[hop.hop.from].push_back(hop);
      hops[hop.hop.to].push_back(hop);
    }
  }
  return hops;
}

}  // namespace

ProductLeader::ProductLeader(const Communicator& communicator, const ExecutionOptions& options,
                             const PerWorker<WorkerSettings>& settings)
    : communicator_(communicator),
      options_(options),
      settings_(settings),
      watch_(communicator, options.time_out_s, options.time_limit_s,
             [this](int, const News&) { ++ready_; }) {}

void ProductLeader::wait_for(Sending sending, const char* what) {
  watch_.wait_for_all(what, [&] { return sending.complete(); });
}

template <class Value>
void ProductLeader::send_values(int worker, const std::vector<Value>& values) {
  wait_for(communicator_.send_values(worker + 1, values), "taking its part");
}

void ProductLeader::set_up(const Problem& problem) {
  for (std::int64_t i = 0; i < std::ssize(settings_); ++i) {
    const Setup setup{.kind = Setup::Kind::distributed,
                      .problem = problem,
                      .paced = options_.paced,
                      .threads = settings_[i].threads,
                      .emulation = settings_[i].emulation,
                      .time_out_s = options_.time_out_s,
                      .patience_s = options_.patience_s()};
    wait_for(communicator_.send(static_cast<int>(i) + 1, Tag::setup, setup), "taking its part");
  }
}

void ProductLeader::send_parts(const spmd::ProductPlan& plan, const spmd::ProductRun& predicted) {
  const auto hops = node_hops(plan);
  const spmd::Arrangement& arrangement = plan.partitioning.partition.arrangement;
  const auto side = static_cast<double>(arrangement.side);
  const double slowest_s = std::ranges::max(predicted.computing_s) / side;
  for (int i = 0; i < std::ssize(settings_); ++i) {
    send_values(i, std::vector<NodePart>{{.mine = arrangement.rectangles[i],
                                          .update_s = predicted.computing_s[i] / side,
                                          .slowest_update_s = slowest_s}});
    send_values(i, node_stages(predicted));
    send_values(i, hops[i]);
  }
}

/// A by block columns, B and C by rows.
void ProductLeader::send_matrices(const spmd::Rectangle& mine, int worker, const Product& product) {
  const std::int64_t q = product.problem().block_size;
  buffer_.resize(static_cast<std::size_t>(mine.blocks() * q * q));
  const auto send = [&] {
    wait_for(communicator_.send_blocks(worker + 1, MessageBlocks(buffer_)), "taking its matrices");
  };
  for (std::int64_t j = 0; j < mine.n; ++j) {
    product.a().read(
        {.row = mine.row * q, .column = (mine.column + j) * q, .height = mine.m * q, .width = q},
        &buffer_[static_cast<std::size_t>(j * mine.m * q * q)]);
  }
  send();
  const Area area{
      .row = mine.row * q, .column = mine.column * q, .height = mine.m * q, .width = mine.n * q};
  product.b().read(area, buffer_.data());
  send();
  product.c().read(area, buffer_.data());
  send();
}

PerWorker<NodeTimes> ProductLeader::run(const spmd::ProductPlan& plan,
                                        const spmd::ProductRun& predicted, Product& product) {
  const auto& rectangles = plan.partitioning.partition.arrangement.rectangles;
  const std::int64_t q = product.problem().block_size;
  const int workers = static_cast<int>(rectangles.size());
  watch_.restart();
  ready_ = 0;
  set_up(product.problem());
  send_parts(plan, predicted);
  for (int i = 0; i < workers; ++i) send_matrices(rectangles[i], i, product);
  watch_.wait_for_all("having its part", [&] { return ready_ == rectangles.size(); });
  for (int i = 0; i < workers; ++i) {
    const char word{};
    wait_for(communicator_.send(i + 1, Tag::order, word), "start");
  }
  PerWorker<NodeTimes> times;
  for (int i = 0; i < workers; ++i) {
    watch_.wait_for_all("end", [&] {
      const auto told = communicator_.receive_values<NodeTimes>(i + 1);
      if (told) times.push_back(told->front());
      return told.has_value();
    });
    const spmd::Rectangle& mine = rectangles[i];
    buffer_.resize(static_cast<std::size_t>(mine.blocks() * q * q));
    wait_for(communicator_.receive_blocks(i + 1, MessageBlocks(buffer_)), "blocks of C");
    product.c().write(
        {.row = mine.row * q, .column = mine.column * q, .height = mine.m * q, .width = mine.n * q},
        buffer_.data());
  }
  return times;
}

}  // namespace starport::mpi
