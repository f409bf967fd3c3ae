#include "sim/files/error.hpp"
#include "sim/process/isolation.hpp"
#include "sim/spmd/engine.hpp"
#include "sim/spmd/simgrid/simgrid_runs.hpp"
#include "sim/spmd/simgrid/switched_network.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace starport::spmd {
namespace {

// Units of SimGrid's clock per block on the fastest link.
constexpr double kUnitsPerBlock = 1e4;

/// Message from the simulation to the parent process: the duration of one link, device, iteration
/// or transfer of the hub. One iteration per stage is reported, its links and devices first.
struct Frame {
  enum class Kind : std::int64_t {
    link,
    device,
    iteration,
    spread,
    collect
  } kind = Kind::iteration;
  std::int64_t node = 0;
  std::int64_t device = 0;
  double communication_s = 0;
  double update_s = 0;
};

/// The durations in seconds of a block on the fastest and on the slowest link.
std::pair<double, double> fastest_and_slowest_block_s(const Cluster& cluster) {
  const auto [slowest, fastest] =
      std::ranges::minmax_element(cluster.nodes, {}, &Node::bandwidth_bytes_per_s);
  return {cluster.block_bytes() / fastest->bandwidth_bytes_per_s,
          cluster.block_bytes() / slowest->bandwidth_bytes_per_s};
}

/// The actors of a distributed product: one per node and one for the hub.
class ProductActors {
 public:
  ProductActors(const Cluster& cluster, const Partition& partition, ProductRules rules,
                Network network, const ProductDurations& durations, FrameWriter& out)
      : clock_(fastest_and_slowest_block_s(cluster).first / kUnitsPerBlock),
        network_(cluster, network, clock_, durations),
        product_(partition.arrangement, rules.multicast),
        arrangement_(partition.arrangement),
        home_(rules.home),
        stages_(stages_of(product_, durations)),
        durations_(durations),
        update_s_(update_times(cluster, partition)),
        sent_(cluster.nodes.size()),
        received_(cluster.nodes.size()),
        barrier_(sg::Barrier::create(static_cast<unsigned int>(cluster.nodes.size()))),
        slowest_block_s_(fastest_and_slowest_block_s(cluster).second),
        out_(out) {}

  void run() {
    for (std::size_t i = 0; i < update_s_.size(); ++i) {
      const auto node = static_cast<std::int64_t>(i);
      make_actor("node", network_.node(node), [this, node] { run_node(node); });
    }
    if (home_ == Home::hub) make_actor("hub", network_.hub(), [this] { run_hub(); });
    clock_.run();
    out_.flush();
  }

 private:
  /// Body of the hub's actor: sends the parts before the iterations and receives those of C after
  /// them.
  void run_hub() {
    const auto transfer = [&](HubPhase phase, Frame::Kind kind) {
      for (std::size_t i = 0; i < update_s_.size(); ++i) {
        const auto node = static_cast<std::int64_t>(i);
        const std::int64_t blocks = hub_blocks(arrangement_.rectangles[node], phase);
        const double start_s = clock_.now_s();
        clock_.widen_precision_until(start_s + static_cast<double>(blocks) * slowest_block_s_);
        network_.prepare_links(node, hub_transfer_number(arrangement_.side, phase));
        const sg::CommPtr comm = network_.transfer(node, blocks, phase);
        network_.apply_pace(node);
        comm->wait();
        send_frame({.kind = kind, .node = node, .communication_s = clock_.now_s() - start_s});
      }
    };
    transfer(HubPhase::spread, Frame::Kind::spread);
    for (std::size_t i = 0; i < update_s_.size(); ++i) all_there_->release();
    for (std::size_t i = 0; i < update_s_.size(); ++i) all_done_->acquire();
    transfer(HubPhase::collect, Frame::Kind::collect);
  }

  /// Body of a node's actor.
  void run_node(std::int64_t node) {
    const bool first = node == 0;  // reports for all nodes
    if (home_ == Home::hub) all_there_->acquire();
    for (const Stage& stage : stages_) {
      if (first) prepare(stage);
      barrier_->wait();
      const double start_s = clock_.now_s();
      communicate(node, stage);
      send_frame(
          {.kind = Frame::Kind::link, .node = node, .communication_s = clock_.now_s() - start_s});
      barrier_->wait();
      const double updates_s = clock_.now_s();
      update(node, stage);
      barrier_->wait();
      if (!first) continue;
      send_frame({.communication_s = updates_s - start_s, .update_s = clock_.now_s() - updates_s});
    }
    if (home_ == Home::hub) all_done_->release();
  }

  void send_frame(const Frame& frame) { out_.write(std::as_bytes(std::span(&frame, 1))); }

  /// Lists the messages of each node for a stage. Called by one node's actor before the barrier.
  void prepare(const Stage& stage) {
    product_.list_hops(stage.pivot, hops_);
    for (auto& of_node : sent_) of_node.clear();
    for (auto& of_node : received_) of_node.clear();
    double blocks = 0;
    for (const Hop& hop : hops_) {
      sent_[hop.from].push_back(&hop);
      received_[hop.to].push_back(&hop);
      blocks += static_cast<double>(hop.blocks);
    }
    double longest_s = blocks * slowest_block_s_;
    for (const auto& devices : update_s_) {
      longest_s = std::max(longest_s, *std::max_element(devices.begin(), devices.end()));
    }
    clock_.widen_precision_until(clock_.now_s() + longest_s);
  }

  void communicate(std::int64_t node, const Stage& stage) {
    std::vector<sg::CommPtr> comms;
    network_.prepare_links(node, stage.pivot + 1);
    for (const Hop* hop : sent_[node]) comms.push_back(network_.send(*hop));
    for (const Hop* hop : received_[node]) comms.push_back(network_.receive(*hop));
    network_.apply_pace(node);
    sg::Comm::wait_all(comms);
  }

  void update(std::int64_t node, const Stage& stage) {
    const double start_s = clock_.now_s();
    const std::size_t devices = update_s_[node].size();
    std::vector<sg::ExecPtr> updates;
    for (std::size_t j = 0; j < devices; ++j) {
      const double factor = durations_.has_noise() ? durations_.noise()->factor(
                                                         Activity::update, static_cast<int>(node),
                                                         update_number(stage.pivot, j, devices))
                                                   : 1;
      updates.push_back(sg::this_actor::exec_async(update_s_[node][j] * factor / clock_.unit_s()));
    }
    for (std::size_t j = 0; j < devices; ++j) {
      updates[j]->wait();
      const double end_s = updates[j]->get_finish_time() * clock_.unit_s();
      send_frame({.kind = Frame::Kind::device,
                  .node = node,
                  .device = static_cast<std::int64_t>(j),
                  .update_s = update_s_[node][j] > 0 ? end_s - start_s : 0});
    }
  }

  SimgridTime clock_;
  SwitchedNetwork network_;
  OuterProduct product_;
  const Arrangement& arrangement_;
  Home home_;
  std::vector<Stage> stages_;
  ProductDurations durations_;
  PerWorker<std::vector<double>> update_s_;
  std::vector<Hop> hops_;
  PerWorker<std::vector<const Hop*>> sent_;
  PerWorker<std::vector<const Hop*>> received_;
  sg::BarrierPtr barrier_;
  sg::SemaphorePtr all_there_ = sg::Semaphore::create(0);
  sg::SemaphorePtr all_done_ = sg::Semaphore::create(0);
  double slowest_block_s_;
  FrameWriter& out_;
};

}  // namespace

ProductRun simulate_product(const Cluster& cluster, const Partition& partition, ProductRules rules,
                            Network network, double time_limit_s, const StageSink& sink,
                            const ProductDurations& durations) {
  const OuterProduct product(partition.arrangement, rules.multicast);
  const std::vector<Stage> stages = stages_of(product, durations);
  IterationTimes times{.link_s = PerWorker<double>(cluster.nodes.size()), .update_s = {}};
  for (const auto& slices : partition.slices) times.update_s.emplace_back(slices.size());
  ProductRun run;
  Messages messages;
  const auto end_stage = [&](const Frame& frame) {
    const StageRun one{.stage = stages[run.stages.size()],
                       .start_s = run.makespan_s,
                       .communication_s = frame.communication_s,
                       .update_s = frame.update_s};
    run.add(one, times);
    if (!sink) return;
    product.list(one.stage.pivot, messages);
    sink(one, messages, times);
  };
  run_in_child(
      [&](FrameWriter& out) {
        ProductActors(cluster, partition, rules, network, durations, out).run();
        _exit(0);  // SimGrid does not survive its own shutdown
      },
      [&](std::span<const std::byte> bytes) {
        const auto frame = object_in<Frame>(bytes);
        if (frame.kind == Frame::Kind::iteration) {
          end_stage(frame);
        } else if (frame.kind == Frame::Kind::spread || frame.kind == Frame::Kind::collect) {
          (frame.kind == Frame::Kind::spread ? run.spread_s : run.collect_s)
              .push_back(frame.communication_s);
          run.makespan_s += frame.communication_s;
        } else if (frame.kind == Frame::Kind::link) {
          times.link_s[frame.node] = frame.communication_s;
        } else {
          times.update_s[frame.node][static_cast<std::size_t>(frame.device)] = frame.update_s;
        }
      },
      time_limit_s);
  if (run.stages.size() != stages.size()) {
    throw SimulationError(fmt::format("incomplete: {} of {} iterations that differ",
                                      run.stages.size(), stages.size()));
  }
  return run;
}

}  // namespace starport::spmd
