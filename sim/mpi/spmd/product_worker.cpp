#include "sim/files/error.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/kernel/emulation.hpp"
#include "sim/mpi/rank_commands.hpp"
#include "sim/mpi/transport/messages.hpp"
#include "sim/mpi/transport/worker_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace starport::mpi {
namespace {

int rank_of_worker(std::int64_t worker) { return static_cast<int>(worker) + 1; }

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
  /// blocks until rank 0 has received C. Throws SimulationError if blocks of another worker take
  /// longer than twice setup.timeout_s, or rank 0 or the end of an iteration longer than
  /// setup.master_timeout_s seconds (0: never), or blocks are damaged.
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

  /// Waits for the rest of the run at most: rank 0 ends it before if a worker is silent.
  template <class Condition>
  void wait_for(Condition&& condition, Polling polling = Polling::relaxed);
  template <class Condition>
  void wait_for_parts(Condition&& condition);

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
  std::vector<PendingMessage> outgoing_;  ///< of the current iteration
  std::vector<std::pair<const ForwardedPart*, PendingMessage>> incoming_;
  double due_s_ = 0;  ///< emulated: when the model starts the current activity
  WorkerTimes times_;
};

}  // namespace

ProductWorker::ProductWorker(const Communicator& communicator, const Setup& setup)
    : communicator_(communicator),
      setup_(setup),
      events_(communicator, setup.timeout_s),
      kernel_(setup.problem.block_size, setup.emulation) {
  set_blas_threads(setup.threads);
}

void ProductWorker::run() {
  receive_part();
  receive_matrices();
  events_.send({.kind = WorkerEvent::Kind::ready});
  wait_for([&] { return communicator_.receive<char>(kMasterRank, Tag::order); });
  barrier();
  const double start_s = monotonic_time_s();
  due_s_ = start_s;
  times_ = {};
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    const auto parts = forwarded_parts(static_cast<std::int64_t>(k));
    const spmd::Stage& stage = stages_[k].stage;
    for (std::int64_t i = 0; i < stage.count; ++i)
      run_iteration(stages_[k], parts, stage.pivot + i);
  }
  times_.makespan_s = monotonic_time_s() - start_s;
  const std::vector<WorkerTimes> times{times_};
  PendingMessage times_message = communicator_.send_values(kMasterRank, times);
  PendingMessage c_message = communicator_.send_blocks(kMasterRank, BlockBuffer(c_));
  wait_for([&] { return times_message.is_complete() && c_message.is_complete(); });
  events_.flush();
}

template <class Condition>
void ProductWorker::wait_for(Condition&& condition, Polling polling) {
  for (Backoff backoff(polling); !condition(); backoff.pause()) {
    events_.progress();
    check_master_alive(backoff, setup_.master_timeout_s);
  }
}

template <class Condition>
void ProductWorker::wait_for_parts(Condition&& condition) {
  // Rank 0 gives up a silent worker after the timeout, and names it. This rank must not be faster.
  const double patience_s = 2 * setup_.timeout_s;
  for (Backoff backoff(Polling::eager); !condition(); backoff.pause()) {
    events_.progress();
    if (backoff.elapsed_s() > patience_s) {
      throw SimulationError(
          fmt::format("waited {:g} s for parts of the pivots from other workers and gave up. Raise "
                      "--time-out if the network is slow",
                      patience_s));
    }
  }
}

void ProductWorker::receive_part() {
  const auto receive = [&]<class Value>(std::vector<Value>& values) {
    std::optional<std::vector<Value>> received;
    wait_for([&] {
      received = communicator_.receive_values<Value>(kMasterRank);
      return received.has_value();
    });
    values = std::move(*received);
  };
  std::vector<WorkerPart> part;
  receive(part);
  part_ = part.front();
  receive(stages_);
  receive(hops_);
}

void ProductWorker::receive_matrices() {
  const std::int64_t q = setup_.problem.block_size;
  for (auto* matrix : {&a_, &b_, &c_}) {
    matrix->assign(static_cast<std::size_t>(part_.own.blocks() * q * q), 0.0);
    PendingMessage receiving = communicator_.receive_blocks(kMasterRank, BlockBuffer(*matrix));
    wait_for([&] { return receiving.is_complete(); });
  }
  a_buffer_.assign(static_cast<std::size_t>(part_.own.m * q * q), 0.0);
  b_buffer_.assign(static_cast<std::size_t>(part_.own.n * q * q), 0.0);
}

/// Returns the parts of a pivot that this worker sends or receives in a stage.
std::vector<ProductWorker::ForwardedPart> ProductWorker::forwarded_parts(std::int64_t stage) const {
  const int me = communicator_.rank();
  std::vector<ForwardedPart> parts;
  for (const WorkerHop& message : hops_) {
    if (message.stage != stage) continue;
    const spmd::Hop& hop = message.hop;
    const bool of_a = hop.matrix == spmd::Hop::Matrix::a;
    const std::int64_t offset = hop.first - (of_a ? part_.own.row : part_.own.column);
    const auto found = std::find_if(parts.begin(), parts.end(), [&](const ForwardedPart& part) {
      return part.matrix == hop.matrix && part.offset_blocks == offset;
    });
    ForwardedPart& part = found != parts.end()
                              ? *found
                              : parts.emplace_back(ForwardedPart{.matrix = hop.matrix,
                                                                 .offset_blocks = offset,
                                                                 .blocks = hop.blocks,
                                                                 .from = {},
                                                                 .to = {}});
    if (rank_of_worker(hop.to) == me) {
      part.from = Endpoint{.rank = rank_of_worker(hop.from), .number = message.number};
    } else {
      part.to.push_back({.rank = rank_of_worker(hop.to), .number = message.number});
    }
  }
  return parts;
}

double* ProductWorker::a_panel(std::int64_t pivot) {
  const spmd::NodeRectangle& own = part_.own;
  const std::int64_t column = pivot - own.column;
  const std::int64_t q = setup_.problem.block_size;
  return 0 <= column && column < own.n ? &a_[column * own.m * q * q] : a_buffer_.data();
}

double* ProductWorker::b_panel(std::int64_t pivot) {
  const spmd::NodeRectangle& own = part_.own;
  const std::int64_t row = pivot - own.row;
  const std::int64_t q = setup_.problem.block_size;
  return 0 <= row && row < own.m ? &b_[row * own.n * q * q] : b_buffer_.data();
}

void ProductWorker::exchange(const std::vector<ForwardedPart>& parts, std::int64_t pivot) {
  const std::int64_t q = setup_.problem.block_size;
  outgoing_.clear();
  incoming_.clear();
  const auto blocks = [&](const ForwardedPart& part) {
    double* const panel = part.matrix == spmd::Hop::Matrix::a ? a_panel(pivot) : b_panel(pivot);
    return BlockBuffer(std::span(panel + part.offset_blocks * q * q,
                                 static_cast<std::size_t>(part.blocks * q * q)));
  };
  const auto forward = [&](const ForwardedPart& part) {
    for (const Endpoint& to : part.to) {
      outgoing_.push_back(communicator_.send_blocks(to.rank, blocks(part), to.number));
    }
  };
  for (const ForwardedPart& part : parts) {
    if (!part.from) continue;
    const auto [rank, number] = *part.from;
    incoming_.emplace_back(&part, communicator_.receive_blocks(rank, blocks(part), number));
  }
  for (const ForwardedPart& part : parts) {
    if (!part.from) forward(part);
  }
  std::vector<bool> has_arrived(incoming_.size());
  wait_for_parts([&] {
    for (std::size_t i = 0; i < incoming_.size(); ++i) {
      if (has_arrived[i] || !incoming_[i].second.is_complete()) continue;
      has_arrived[i] = true;
      forward(*incoming_[i].first);
    }
    return std::find(has_arrived.begin(), has_arrived.end(), false) == has_arrived.end() &&
           std::all_of(outgoing_.begin(), outgoing_.end(),
                       [](PendingMessage& message) { return message.is_complete(); });
  });
}

// A late wake-up shortens the next activity; a computation that takes longer than the model does
// not.
void ProductWorker::pace(double model_s) {
  if (!setup_.emulated) return;
  due_s_ = std::max(due_s_ + model_s, monotonic_time_s());
  events_.sleep_until(due_s_);
}

void ProductWorker::run_iteration(const WorkerStage& stage, const std::vector<ForwardedPart>& parts,
                                  std::int64_t pivot) {
  const double start_s = monotonic_time_s();
  exchange(parts, pivot);
  pace(stage.communication_s);
  const double exchanged_s = monotonic_time_s();
  kernel_.update(a_panel(pivot), b_panel(pivot), c_.data(), part_.own.m, part_.own.n,
                 [this](double date_s) { events_.sleep_until(date_s); });
  pace(part_.update_s);
  const double updated_s = monotonic_time_s();
  barrier();
  due_s_ += part_.slowest_update_s - part_.update_s;
  times_.communication_s += exchanged_s - start_s;
  times_.update_s += updated_s - exchanged_s;
  times_.waiting_s += monotonic_time_s() - updated_s;
}

/// Waits for all workers, by the dissemination barrier (Hensgen, Finkel and Manber, 1988): after
/// messages from the workers 1, 2, 4, ... before it, each worker knows that all have arrived.
void ProductWorker::barrier() {
  const int workers = communicator_.size() - 1;
  const int me = communicator_.rank() - 1;
  for (int distance = 1; distance < workers; distance *= 2) {
    const int before = (me + workers - distance) % workers;
    const char token{};
    PendingMessage message =
        communicator_.send(rank_of_worker((me + distance) % workers), Tag::barrier, token);
    wait_for([&] { return communicator_.receive<char>(rank_of_worker(before), Tag::barrier); },
             Polling::eager);
    wait_for([&] { return message.is_complete(); }, Polling::eager);
  }
}

void run_product_worker(const Communicator& communicator, const Setup& setup) {
  ProductWorker worker(communicator, setup);
  try {
    worker.run();
  } catch (const std::exception& error) {
    // Not later: MPI uses the matrices and messages of the worker until the program ends.
    end_all_ranks(communicator, error.what(), setup.timeout_s);
  }
}

}  // namespace starport::mpi
