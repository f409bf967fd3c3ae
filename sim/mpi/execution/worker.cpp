#include "sim/files/error.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/mpi/execution/update_executor.hpp"
#include "sim/mpi/matrices/block_store.hpp"
#include "sim/mpi/matrices/pieces.hpp"
#include "sim/mpi/matrices/transfers.hpp"
#include "sim/mpi/rank_commands.hpp"
#include "sim/mpi/transport/clock.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/mpi/transport/worker_events.hpp"
#include "sim/star/schedule.hpp"
#include "sim/star/validator/residency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace starport::mpi {
namespace {

template <class Visit>
void for_each_block(const Rectangle& blocks, Visit&& visit) {
  if (blocks.empty()) return;
  for (std::int64_t i = blocks.rows.begin; i < blocks.rows.end; ++i) {
    for (std::int64_t j = blocks.columns.begin; j < blocks.columns.end; ++j) visit(i, j);
  }
}

BlockKind kind_of_c(const Transfer& transfer) {
  return transfer.update.add_c ? BlockKind::late_c : BlockKind::c;
}

/// Returns true if the transfer brings any of the blocks `a` of A and `b` of B.
bool overlaps_operands(const Rectangle& a, const Rectangle& b, const Transfer& transfer) {
  return !intersection(a, transfer.a).empty() || !intersection(b, transfer.b).empty();
}

bool contains(const Rectangle& blocks, std::int64_t i, std::int64_t j) {
  return i >= blocks.rows.begin && i < blocks.rows.end && j >= blocks.columns.begin &&
         j < blocks.columns.end;
}

/// A worker of a real run on a star, in a rank other than 0. Carries out the orders of the master
/// (Master): receives blocks into its memory, computes the updates that they allow, and sends
/// blocks of C back. Everything runs in the calling thread, except the updates, which are computed
/// meanwhile (UpdateExecutor).
class StarWorker {
 public:
  /// Allocates the memory of the worker, of setup.m_blocks blocks. `setup` is that of a message of
  /// kind `run` and is copied. Sets the threads of the BLAS and the polling cores of the process.
  /// The communicator must outlive the worker. Throws InputError if the kernel library cannot be
  /// loaded, SimulationError if there is not enough memory.
  StarWorker(const Communicator& communicator, const Setup& setup);

  /// Reports to the master that the worker is ready, then blocks and carries out orders until the
  /// master ends the run. Call it once. Throws SimulationError if an order cannot be carried out,
  /// an update fails, blocks are damaged, or blocks or orders do not arrive within the timeouts of
  /// the setup.
  void run();

 private:
  /// The blocks that an update has released when it ended.
  struct ReleasedBlocks {
    double end_s;  ///< end of the update
    std::int64_t blocks;
    Rectangle a;
    Rectangle b;
  };
  /// An update that has been submitted and has not ended.
  struct PendingUpdate {
    Update update;
    Rectangle late_c;
  };

  /// Reports ended updates and signs of life. Called regularly while the worker waits.
  void progress();
  void record_update_end(const UpdateDates& dates);
  void wait_for(PendingMessage& message, const char* what);
  void receive(const Order& order, double ordered_s);
  void send_c(const Order& order, double ordered_s);
  void wait_for_memory(const Order& order, std::int64_t blocks);
  double memory_free_date_s(const Transfer& transfer, std::int64_t blocks);
  std::vector<ElementRun> runs_of(const Transfer& transfer) const;
  std::vector<StagedPiece> stage_pieces(const Transfer& transfer);
  void allocate_accumulators(const Update& update);
  std::int64_t count_missing_accumulators(const Transfer& transfer) const;
  void submit_update(const Order& order, double arrived_s);

  const Communicator& communicator_;
  Setup setup_;
  EventSender events_;
  BlockStore store_;
  KernelStore kernel_store_;
  UpdateExecutor executor_{kernel_store_};
  std::deque<PendingUpdate> updates_;
  std::vector<ReleasedBlocks> released_;                   ///< since the last transfer
  static constexpr std::size_t kInFlight = 8;              ///< pieces that are under way at a time
  std::array<std::vector<std::byte>, kInFlight> staging_;  ///< buffers of pieces under way
};

}  // namespace

StarWorker::StarWorker(const Communicator& communicator, const Setup& setup)
    : communicator_(communicator),
      setup_(setup),
      events_(communicator, setup.timeout_s),
      store_(setup.m_blocks, setup.problem.block_size, setup.expected_blocks),
      kernel_store_(load_kernel(setup.kernel.data()),
                    {.block_size = setup.problem.block_size,
                     // One at least, also for a worker that has no memory and gets nothing.
                     .blocks = std::max<std::int64_t>(1, BlockStore::places(setup.m_blocks)),
                     .expected_blocks = store_.expected_places(),
                     .element_bytes = static_cast<int>(bytes_of(setup.type)),
                     .threads = setup.threads}) {
  set_blas_threads(setup.threads);
  set_polling_cores(setup.cores);
}

void StarWorker::run() {
  // Only now: threads that libraries have started keep the affinity of the process.
  const ScopedAffinity affinity(setup_.cores.communicating);
  executor_.pin_to(setup_.cores.computing);
  events_.send({.kind = WorkerEvent::Kind::ready});
  Backoff backoff;
  while (true) {
    progress();
    const auto order = communicator_.receive<Order>(kMasterRank, Tag::order);
    if (!order) {
      check_master_alive(backoff, setup_.master_timeout_s);
      backoff.pause();
      continue;
    }
    if (order->kind == Order::Kind::finish) break;
    if (order->kind == Order::Kind::report_time) {
      const double now_s = monotonic_time_s();
      PendingMessage message = communicator_.send(kMasterRank, Tag::clock, now_s);
      wait_for(message, "the master to receive the time");
    } else {
      const double ordered_s = monotonic_time_s();
      order->transfer.direction == Direction::to_worker ? receive(*order, ordered_s)
                                                        : send_c(*order, ordered_s);
    }
    backoff = Backoff();
  }
  events_.send({.kind = WorkerEvent::Kind::finished, .blocks = store_.peak_blocks()});
  events_.flush();
}

void StarWorker::progress() {
  while (const auto dates = executor_.poll()) record_update_end(*dates);
  events_.progress();
}

void StarWorker::record_update_end(const UpdateDates& dates) {
  const auto& [update, late_c] = updates_.front();
  released_.push_back({.end_s = dates.end_s,
                       .blocks = update.release_a.size() + update.release_b.size() + late_c.size(),
                       .a = update.release_a,
                       .b = update.release_b});
  for_each_block(update.release_a, [&](auto i, auto k) { store_.release(BlockKind::a, i, k); });
  for_each_block(update.release_b, [&](auto k, auto j) { store_.release(BlockKind::b, k, j); });
  for_each_block(late_c, [&](auto i, auto j) { store_.release(BlockKind::late_c, i, j); });
  updates_.pop_front();
  events_.send({.kind = WorkerEvent::Kind::update_ended,
                .start_s = dates.start_s,
                .end_s = dates.end_s,
                .due_end_s = dates.due_end_s});
}

void StarWorker::wait_for(PendingMessage& message, const char* what) {
  for (Backoff backoff(setup_.emulated ? Polling::relaxed : Polling::eager); !message.is_complete();
       backoff.pause()) {
    progress();
    if (backoff.elapsed_s() > setup_.timeout_s) {
      throw SimulationError(
          fmt::format("waited {:g} s for {} and gave up{}", setup_.timeout_s, what,
                      setup_.advises_options ? ". Raise --time-out if the network is slow" : ""));
    }
  }
}

void StarWorker::receive(const Order& order, double ordered_s) {
  const Transfer& transfer = order.transfer;
  const std::int64_t needed = transfer.blocks() + count_missing_accumulators(transfer);
  wait_for_memory(order, needed);
  const double memory_free_s = memory_free_date_s(transfer, needed);
  store_.allocate(BlockKind::a, transfer.a);
  store_.allocate(BlockKind::b, transfer.b);
  store_.allocate(kind_of_c(transfer), transfer.c, order.chunk);
  std::vector<StagedPiece> pieces = stage_pieces(transfer);
  std::deque<PendingMessage> incoming;
  const auto expect = [&](std::size_t n) {
    if (n >= pieces.size()) return;
    incoming.push_back(
        communicator_.receive_blocks(kMasterRank, pieces[n].make_buffer(staging_[n % kInFlight])));
  };
  for (std::size_t n = 0; n < kInFlight; ++n) expect(n);
  allocate_accumulators(transfer.update);
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    wait_for(incoming.front(), "the blocks of a transfer");
    incoming.pop_front();
    pieces[n].copy_to_store();
    expect(n + kInFlight);
  }
  const double arrived_s = monotonic_time_s();
  events_.send({.kind = WorkerEvent::Kind::arrived,
                .start_s = memory_free_s,
                .end_s = arrived_s,
                .ordered_s = ordered_s});
  if (!transfer.update.empty()) submit_update(order, arrived_s);
}

std::vector<ElementRun> StarWorker::runs_of(const Transfer& transfer) const {
  std::vector<ElementRun> runs;
  store_.add_runs(BlockKind::a, transfer.a, runs);
  store_.add_runs(BlockKind::b, transfer.b, runs);
  store_.add_runs(kind_of_c(transfer), transfer.c, runs);
  return runs;
}

std::vector<StagedPiece> StarWorker::stage_pieces(const Transfer& transfer) {
  const std::vector<ElementRun> runs = runs_of(transfer);
  const std::int64_t q = setup_.problem.block_size;
  std::vector<StagedPiece> pieces;
  for (const PieceRange& piece :
       split_into_pieces(transfer.blocks() * q * q, kernel_store_.setup().element_bytes)) {
    pieces.emplace_back(kernel_store_, clip_runs(runs, piece));
  }
  return pieces;
}

std::int64_t StarWorker::count_missing_accumulators(const Transfer& transfer) const {
  if (transfer.update.block_updates() == 0) return 0;
  std::int64_t missing = 0;
  const bool brings_c = !transfer.c.empty() && !transfer.update.add_c;
  for_each_block({transfer.update.rows, transfer.update.columns}, [&](auto i, auto j) {
    const bool brought = brings_c && contains(transfer.c, i, j);
    missing += !brought && !store_.holds(BlockKind::c, i, j);
  });
  return missing;
}

/// Waits until there is memory for the blocks of a transfer. A schedule may rely on an update that
/// ends in time without naming it: the update releases the memory, or blocks that are sent again.
/// The worker also waits if the update releases blocks that occupy the place of a part within its
/// chunk. Placing the part elsewhere would split each update of the chunk into several calls of the
/// BLAS, which takes 30 % longer.
void StarWorker::wait_for_memory(const Order& order, std::int64_t blocks) {
  const Transfer& transfer = order.transfer;
  const auto any_pending_update = [&](auto&& predicate) {
    return std::any_of(updates_.begin(), updates_.end(),
                       [&](const PendingUpdate& pending) { return predicate(pending.update); });
  };
  const auto are_operands_held = [&] {
    return any_pending_update([&](const Update& update) {
      return overlaps_operands(update.release_a, update.release_b, transfer);
    });
  };
  const auto is_place_blocked = [&] {
    return std::ranges::any_of(
        store_.find_obstacles(transfer.c, order.chunk), [&](const HeldBlock& block) {
          return any_pending_update([&](const Update& update) {
            const Rectangle& released =
                block.kind == BlockKind::a ? update.release_a : update.release_b;
            return block.kind <= BlockKind::b && contains(released, block.i, block.j);
          });
        });
  };
  for (Backoff backoff; store_.free() < blocks || are_operands_held() || is_place_blocked();
       backoff.pause()) {
    progress();
    if (store_.free() < blocks && updates_.empty()) {
      throw SimulationError(
          fmt::format("the schedule needs memory for {} blocks, but the worker has memory for {}",
                      store_.held() + blocks, setup_.m_blocks));
    }
    if (setup_.master_timeout_s > 0 && backoff.elapsed_s() > setup_.master_timeout_s) {
      throw SimulationError(fmt::format(
          "no memory for the next blocks: an update has not ended for {:g} s, longer than "
          "the whole run may take. Check the kernel{}",
          setup_.master_timeout_s, setup_.advises_options ? ", or raise --time-limit" : ""));
    }
  }
}

/// Returns the end of the last update, since the previous transfer, whose released blocks this
/// transfer needed: as memory, or because they are sent again. Returns 0 if it needed none.
double StarWorker::memory_free_date_s(const Transfer& transfer, std::int64_t blocks) {
  std::int64_t free = store_.free();
  for (const ReleasedBlocks& release : released_) free -= release.blocks;
  double date_s = 0;
  for (const ReleasedBlocks& release : std::exchange(released_, {})) {
    if (free < blocks || overlaps_operands(release.a, release.b, transfer)) date_s = release.end_s;
    free += release.blocks;
  }
  return date_s;
}

/// Allocates and clears the blocks of C that an update accumulates before they arrive. Usually they
/// are a rectangle, which is allocated as one matrix.
void StarWorker::allocate_accumulators(const Update& update) {
  if (update.block_updates() == 0) return;
  std::vector<std::pair<std::int32_t, std::int32_t>> missing;
  Rectangle around;
  for_each_block({update.rows, update.columns}, [&](auto i, auto j) {
    if (store_.holds(BlockKind::c, i, j)) return;
    const auto [row, column] =
        std::pair(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j));
    if (missing.empty()) around = {{row, row + 1}, {column, column + 1}};
    around.rows = {std::min(around.rows.begin, row), std::max(around.rows.end, row + 1)};
    around.columns = {std::min(around.columns.begin, column),
                      std::max(around.columns.end, column + 1)};
    missing.emplace_back(row, column);
  });
  std::vector<ElementRun> runs;
  const auto allocate = [&](const Rectangle& blocks) {
    store_.allocate(BlockKind::c, blocks);
    store_.add_runs(BlockKind::c, blocks, runs);
  };
  if (std::ssize(missing) == around.size()) {
    allocate(around);
  } else {
    for (const auto& [i, j] : missing) allocate({{i, i + 1}, {j, j + 1}});
  }
  for (const ElementRun& run : runs) kernel_store_.clear(run.first, run.count);
}

void StarWorker::submit_update(const Order& order, double arrived_s) {
  const Update& update = order.transfer.update;
  UpdateJob job;
  if (update.block_updates() > 0) {
    BlockProduct& product = job.product;
    product.rows = update.rows.size();
    product.columns = update.columns.size();
    product.inner = update.inner.size();
    for_each_block({update.rows, update.columns},
                   [&](auto i, auto j) { product.c.push_back(store_.at(BlockKind::c, i, j)); });
    for_each_block({update.rows, update.inner},
                   [&](auto i, auto k) { product.a.push_back(store_.at(BlockKind::a, i, k)); });
    for_each_block({update.inner, update.columns},
                   [&](auto k, auto j) { product.b.push_back(store_.at(BlockKind::b, k, j)); });
  }
  if (update.add_c) {
    for_each_block(order.transfer.c, [&](auto i, auto j) {
      job.additions.emplace_back(store_.at(BlockKind::c, i, j), store_.at(BlockKind::late_c, i, j));
    });
  }
  if (setup_.emulated) {
    job.due_s = std::max(order.due_end_s, arrived_s);
    job.duration_s = order.update_s;
  }
  updates_.push_back({update, update.add_c ? order.transfer.c : Rectangle{}});
  executor_.submit(std::move(job));
}

void StarWorker::send_c(const Order& order, double ordered_s) {
  events_.send({.kind = WorkerEvent::Kind::sending_c, .ordered_s = ordered_s});
  const Transfer& transfer = order.transfer;
  std::vector<StagedPiece> pieces = stage_pieces(transfer);
  std::deque<PendingMessage> outgoing;
  const auto wait_for_first = [&] {
    wait_for(outgoing.front(), "the master to receive blocks of C");
    outgoing.pop_front();
  };
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    if (n >= kInFlight) wait_for_first();
    BlockBuffer message = pieces[n].make_buffer(staging_[n % kInFlight]);
    pieces[n].copy_from_store();
    outgoing.push_back(communicator_.send_blocks(kMasterRank, std::move(message)));
  }
  while (!outgoing.empty()) wait_for_first();
  for_each_block(transfer.c, [&](auto i, auto j) { store_.release(BlockKind::c, i, j); });
}

void run_star_worker(const Communicator& communicator, const Setup& setup) {
  StarWorker worker(communicator, setup);
  try {
    worker.run();
  } catch (const std::exception& error) {
    // Not later: the destructor waits for the update under way, which may never end.
    end_all_ranks(communicator, error.what(), setup.timeout_s);
  }
}

}  // namespace starport::mpi
