#include "sim/mpi/execution/worker.hpp"

#include "sim/files/error.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/mpi/transport/clock.hpp"
#include "sim/mpi/transport/pieces.hpp"
#include "sim/star/message.hpp"
#include "sim/star/validator/piece_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace starport::mpi {
namespace {

constexpr int kMaster = 0;

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

bool lets_go_of(const Rectangle& a, const Rectangle& b, const Transfer& transfer) {
  return !intersection(a, transfer.a).empty() || !intersection(b, transfer.b).empty();
}

bool contains(const Rectangle& blocks, std::int64_t i, std::int64_t j) {
  return i >= blocks.rows.begin && i < blocks.rows.end && j >= blocks.columns.begin &&
         j < blocks.columns.end;
}

}  // namespace

WorkerRank::WorkerRank(const Communicator& communicator, const Setup& setup)
    : communicator_(communicator),
      setup_(setup),
      teller_(communicator, setup.time_out_s),
      store_(setup.m_blocks, setup.problem.block_size, setup.expected_blocks),
      memory_(load_kernel(setup.kernel.data()),
              {.block_size = setup.problem.block_size,
               .blocks = BlockStore::places(setup.m_blocks),
               .expected_blocks = store_.expected_places(),
               .element_bytes = static_cast<int>(bytes_of(setup.type)),
               .threads = setup.threads}) {
  set_blas_threads(setup.threads);
  look_from(setup.cores);
}

void WorkerRank::run() {
  // Libraries have made their threads, which need not be where this one is.
  const KeptToCores kept(setup_.cores.communicating);
  computation_.keep_to(setup_.cores.computing);
  teller_.tell({.kind = News::Kind::ready});
  Patience patience;
  while (true) {
    attend();
    const auto order = communicator_.receive<Order>(kMaster, Tag::order);
    if (!order) {
      check_leader(patience, setup_);
      patience.pause();
      continue;
    }
    if (order->kind == Order::Kind::finish) break;
    if (order->kind == Order::Kind::tell_time) {
      const double now_s = clock_s();
      Sending telling = communicator_.send(kMaster, Tag::clock, now_s);
      wait_for(telling, "the time to be heard");
    } else {
      const double ordered_s = clock_s();
      order->transfer.direction == Direction::to_worker ? receive(*order, ordered_s)
                                                        : send_home(*order, ordered_s);
    }
    patience = Patience();
  }
  teller_.tell({.kind = News::Kind::over, .blocks = store_.most_held()});
  teller_.finish();
}

void WorkerRank::attend() {
  while (const auto dates = computation_.poll()) end_update(*dates);
  teller_.attend();
}

void WorkerRank::end_update(const UpdateDates& dates) {
  const auto& [update, late_c] = updates_.front();
  releases_.push_back({.end_s = dates.end_s,
                       .blocks = update.release_a.size() + update.release_b.size() + late_c.size(),
                       .a = update.release_a,
                       .b = update.release_b});
  for_each_block(update.release_a, [&](auto i, auto k) { store_.release(BlockKind::a, i, k); });
  for_each_block(update.release_b, [&](auto k, auto j) { store_.release(BlockKind::b, k, j); });
  for_each_block(late_c, [&](auto i, auto j) { store_.release(BlockKind::late_c, i, j); });
  updates_.pop_front();
  teller_.tell({.kind = News::Kind::update_ended,
                .start_s = dates.start_s,
                .end_s = dates.end_s,
                .due_end_s = dates.due_end_s});
}

void WorkerRank::wait_for(Sending& sending, const char* what) {
  for (Patience patience(!setup_.paced); !sending.complete(); patience.pause()) {
    attend();
    if (patience.waited_s() > setup_.time_out_s) {
      throw SimulationError(fmt::format("waited {:g} s in vain for {}", setup_.time_out_s, what));
    }
  }
}

void WorkerRank::receive(const Order& order, double ordered_s) {
  const Transfer& transfer = order.transfer;
  const std::int64_t needed = transfer.blocks() + missing_accumulators(transfer);
  wait_for_room(order, needed);
  const double room_s = room_date(transfer, needed);
  store_.take(BlockKind::a, transfer.a);
  store_.take(BlockKind::b, transfer.b);
  store_.take(kind_of_c(transfer), transfer.c, order.chunk);
  std::vector<StorePiece> pieces = pieces_of(transfer);
  std::deque<Sending> receiving;
  const auto expect = [&](std::size_t n) {
    if (n >= pieces.size()) return;
    receiving.push_back(
        communicator_.receive_blocks(kMaster, pieces[n].message(copies_[n % kCopies])));
  };
  for (std::size_t n = 0; n < kCopies; ++n) expect(n);
  take_accumulators(transfer.update);
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    wait_for(receiving.front(), "the blocks of a transfer");
    receiving.pop_front();
    pieces[n].deliver();
    expect(n + kCopies);
  }
  const double arrived_s = clock_s();
  teller_.tell(
      {.kind = News::Kind::arrived, .start_s = room_s, .end_s = arrived_s, .ordered_s = ordered_s});
  if (!transfer.update.empty()) submit(order, arrived_s);
}

std::vector<Run> WorkerRank::runs_of(const Transfer& transfer) const {
  std::vector<Run> runs;
  store_.add_runs(BlockKind::a, transfer.a, runs);
  store_.add_runs(BlockKind::b, transfer.b, runs);
  store_.add_runs(kind_of_c(transfer), transfer.c, runs);
  return runs;
}

std::vector<StorePiece> WorkerRank::pieces_of(const Transfer& transfer) {
  const std::vector<Run> runs = runs_of(transfer);
  const std::int64_t q = setup_.problem.block_size;
  std::vector<StorePiece> pieces;
  for (const Piece& piece :
       mpi::pieces_of(transfer.blocks() * q * q, memory_.setup().element_bytes)) {
    pieces.emplace_back(memory_, cut(runs, piece));
  }
  return pieces;
}

std::int64_t WorkerRank::missing_accumulators(const Transfer& transfer) const {
  if (transfer.update.block_updates() == 0) return 0;
  std::int64_t missing = 0;
  const bool brings_c = !transfer.c.empty() && !transfer.update.add_c;
  for_each_block({transfer.update.rows, transfer.update.columns}, [&](auto i, auto j) {
    const bool brought = brings_c && contains(transfer.c, i, j);
    missing += !brought && !store_.holds(BlockKind::c, i, j);
  });
  return missing;
}

/// Schedules may rely on an update that ends in time, without naming it: what it lets go of makes
/// the room, or may be sent again, and until then the transfer waits. So it does where that lies in
/// the places of a part of a chunk: put elsewhere, it would make several calls of the BLAS of each
/// update of the chunk, which took 30% longer.
void WorkerRank::wait_for_room(const Order& order, std::int64_t blocks) {
  const Transfer& transfer = order.transfer;
  const auto any_pending = [&](auto&& of_update) {
    return std::any_of(updates_.begin(), updates_.end(),
                       [&](const PendingUpdate& pending) { return of_update(pending.update); });
  };
  const auto still_held = [&] {
    return any_pending([&](const Update& update) {
      return lets_go_of(update.release_a, update.release_b, transfer);
    });
  };
  const auto in_the_way = [&] {
    return std::ranges::any_of(
        store_.in_the_way(transfer.c, order.chunk), [&](const HeldBlock& block) {
          return any_pending([&](const Update& update) {
            const Rectangle& released =
                block.kind == BlockKind::a ? update.release_a : update.release_b;
            return block.kind <= BlockKind::b && contains(released, block.i, block.j);
          });
        });
  };
  for (Patience patience; store_.free() < blocks || still_held() || in_the_way();
       patience.pause()) {
    attend();
    if (store_.free() < blocks && updates_.empty()) {
      throw SimulationError(fmt::format("would hold {} blocks, its memory is {}",
                                        store_.held() + blocks, setup_.m_blocks));
    }
  }
}

/// The end of the last update since the last transfer that this one needed, for room or for blocks
/// that come again; 0 when it needed none.
double WorkerRank::room_date(const Transfer& transfer, std::int64_t blocks) {
  std::int64_t free = store_.free();
  for (const Release& release : releases_) free -= release.blocks;
  double date_s = 0;
  for (const Release& release : std::exchange(releases_, {})) {
    if (free < blocks || lets_go_of(release.a, release.b, transfer)) date_s = release.end_s;
    free += release.blocks;
  }
  return date_s;
}

/// Those that are missing from the update, which are most often a rectangle.
void WorkerRank::take_accumulators(const Update& update) {
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
  std::vector<Run> runs;
  const auto take = [&](const Rectangle& blocks) {
    store_.take(BlockKind::c, blocks);
    store_.add_runs(BlockKind::c, blocks, runs);
  };
  if (std::ssize(missing) == around.size()) {
    take(around);
  } else {
    for (const auto& [i, j] : missing) take({{i, i + 1}, {j, j + 1}});
  }
  for (const Run& run : runs) memory_.clear(run.first, run.count);
}

void WorkerRank::submit(const Order& order, double arrived_s) {
  const Update& update = order.transfer.update;
  UpdateJob job{.store = &memory_};
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
  if (setup_.paced) {
    job.due_s = std::max(order.due_end_s, arrived_s);
    job.duration_s = order.update_s;
  }
  updates_.push_back({update, update.add_c ? order.transfer.c : Rectangle{}});
  computation_.submit(std::move(job));
}

void WorkerRank::send_home(const Order& order, double ordered_s) {
  teller_.tell({.kind = News::Kind::leaving, .ordered_s = ordered_s});
  const Transfer& transfer = order.transfer;
  std::vector<StorePiece> pieces = pieces_of(transfer);
  std::deque<Sending> leaving;
  const auto wait_for_first = [&] {
    wait_for(leaving.front(), "blocks of C to go home");
    leaving.pop_front();
  };
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    if (n >= kCopies) wait_for_first();
    MessageBlocks message = pieces[n].message(copies_[n % kCopies]);
    pieces[n].fetch();
    leaving.push_back(communicator_.send_blocks(kMaster, std::move(message)));
  }
  while (!leaving.empty()) wait_for_first();
  for_each_block(transfer.c, [&](auto i, auto j) { store_.release(BlockKind::c, i, j); });
}

}  // namespace starport::mpi
