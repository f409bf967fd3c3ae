#include "sim/mpi/spmd/product_node.hpp"

#include "sim/files/error.hpp"
#include "sim/kernel/blas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace starport::mpi {
namespace {

constexpr int kRankOfLeader = 0;

int rank_of_node(std::int64_t node) { return static_cast<int>(node) + 1; }

}  // namespace

ProductNode::ProductNode(const Communicator& communicator, const Setup& setup)
    : communicator_(communicator),
      setup_(setup),
      teller_(communicator, setup.time_out_s),
      kernel_(setup.problem.block_size, setup.emulation) {
  set_blas_threads(setup.threads);
}

void ProductNode::run() {
  receive_part();
  receive_matrices();
  teller_.tell({.kind = News::Kind::ready});
  wait_for_leader([&] { return communicator_.receive<char>(kRankOfLeader, Tag::order); });
  barrier();
  const double start_s = clock_s();
  due_s_ = start_s;
  times_ = {};
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    const auto pieces = pieces_of(static_cast<std::int64_t>(k));
    const spmd::Stage& stage = stages_[k].stage;
    for (std::int64_t i = 0; i < stage.count; ++i) iterate(stages_[k], pieces, stage.pivot + i);
  }
  times_.makespan_s = clock_s() - start_s;
  const std::vector<NodeTimes> told{times_};
  Sending telling = communicator_.send_values(kRankOfLeader, told);
  Sending home = communicator_.send_blocks(kRankOfLeader, MessageBlocks(c_));
  wait_for_leader([&] { return telling.complete() && home.complete(); });
  teller_.finish();
}

template <class Condition>
void ProductNode::wait_for_leader(Condition&& condition) {
  for (Patience patience; !condition(); patience.pause()) {
    teller_.attend();
    check_leader(patience, setup_);
  }
}

template <class Condition>
void ProductNode::wait_for_workers(const char* what, Condition&& condition) {
  for (Patience patience(true); !condition(); patience.pause()) {
    teller_.attend();
    if (patience.waited_s() > setup_.time_out_s) {
      throw SimulationError(fmt::format("waited {:g} s in vain for {}", setup_.time_out_s, what));
    }
  }
}

void ProductNode::receive_part() {
  const auto receive = [&]<class Value>(std::vector<Value>& values) {
    std::optional<std::vector<Value>> received;
    wait_for_leader([&] {
      received = communicator_.receive_values<Value>(kRankOfLeader);
      return received.has_value();
    });
    values = std::move(*received);
  };
  std::vector<NodePart> part;
  receive(part);
  part_ = part.front();
  receive(stages_);
  receive(hops_);
}

void ProductNode::receive_matrices() {
  const std::int64_t q = setup_.problem.block_size;
  for (auto* matrix : {&a_, &b_, &c_}) {
    matrix->assign(static_cast<std::size_t>(part_.mine.blocks() * q * q), 0.0);
    Sending receiving = communicator_.receive_blocks(kRankOfLeader, MessageBlocks(*matrix));
    wait_for_leader([&] { return receiving.complete(); });
  }
  a_pieces_.assign(static_cast<std::size_t>(part_.mine.m * q * q), 0.0);
  b_pieces_.assign(static_cast<std::size_t>(part_.mine.n * q * q), 0.0);
}

/// A piece's messages follow each other: first the one that brings it.
std::vector<ProductNode::Piece> ProductNode::pieces_of(std::int64_t stage) const {
  const int me = communicator_.rank();
  std::vector<Piece> pieces;
  for (const NodeHop& mine : hops_) {
    if (mine.stage != stage) continue;
    const spmd::Hop& hop = mine.hop;
    const bool of_a = hop.matrix == spmd::Hop::Matrix::a;
    const std::int64_t offset = hop.first - (of_a ? part_.mine.row : part_.mine.column);
    const auto known = std::find_if(pieces.begin(), pieces.end(), [&](const Piece& piece) {
      return piece.matrix == hop.matrix && piece.offset_blocks == offset;
    });
    Piece& piece = known != pieces.end() ? *known
                                         : pieces.emplace_back(Piece{.matrix = hop.matrix,
                                                                     .offset_blocks = offset,
                                                                     .blocks = hop.blocks,
                                                                     .from = {},
                                                                     .to = {}});
    if (rank_of_node(hop.to) == me) {
      piece.from = End{.rank = rank_of_node(hop.from), .number = mine.number};
    } else {
      piece.to.push_back({.rank = rank_of_node(hop.to), .number = mine.number});
    }
  }
  return pieces;
}

double* ProductNode::a_panel(std::int64_t pivot) {
  const spmd::Rectangle& mine = part_.mine;
  const std::int64_t column = pivot - mine.column;
  const std::int64_t q = setup_.problem.block_size;
  return 0 <= column && column < mine.n ? &a_[column * mine.m * q * q] : a_pieces_.data();
}

double* ProductNode::b_panel(std::int64_t pivot) {
  const spmd::Rectangle& mine = part_.mine;
  const std::int64_t row = pivot - mine.row;
  const std::int64_t q = setup_.problem.block_size;
  return 0 <= row && row < mine.m ? &b_[row * mine.n * q * q] : b_pieces_.data();
}

void ProductNode::exchange(const std::vector<Piece>& pieces, std::int64_t pivot) {
  const std::int64_t q = setup_.problem.block_size;
  std::vector<Sending> leaving;
  std::vector<std::pair<const Piece*, Sending>> arriving;
  const auto blocks = [&](const Piece& piece) {
    double* const panel = piece.matrix == spmd::Hop::Matrix::a ? a_panel(pivot) : b_panel(pivot);
    return MessageBlocks(std::span(panel + piece.offset_blocks * q * q,
                                   static_cast<std::size_t>(piece.blocks * q * q)));
  };
  const auto send_on = [&](const Piece& piece) {
    for (const End& to : piece.to) {
      leaving.push_back(communicator_.send_blocks(to.rank, blocks(piece), to.number));
    }
  };
  for (const Piece& piece : pieces) {
    if (!piece.from) continue;
    const auto [rank, number] = *piece.from;
    arriving.emplace_back(&piece, communicator_.receive_blocks(rank, blocks(piece), number));
  }
  for (const Piece& piece : pieces) {
    if (!piece.from) send_on(piece);
  }
  std::vector<bool> here(arriving.size());
  wait_for_workers("pieces of other workers", [&] {
    for (std::size_t i = 0; i < arriving.size(); ++i) {
      if (here[i] || !arriving[i].second.complete()) continue;
      here[i] = true;
      send_on(*arriving[i].first);
    }
    return std::find(here.begin(), here.end(), false) == here.end() &&
           std::all_of(leaving.begin(), leaving.end(), [](Sending& one) { return one.complete(); });
  });
}

/// Late wake-ups are made up for; what takes longer than the model says is not.
void ProductNode::last(double model_s) {
  if (!setup_.paced) return;
  due_s_ = std::max(due_s_ + model_s, clock_s());
  sleep_until(due_s_);
}

void ProductNode::iterate(const NodeStage& stage, const std::vector<Piece>& pieces,
                          std::int64_t pivot) {
  const double start_s = clock_s();
  exchange(pieces, pivot);
  last(stage.communication_s);
  const double exchanged_s = clock_s();
  kernel_.update(a_panel(pivot), b_panel(pivot), c_.data(), part_.mine.m, part_.mine.n);
  last(part_.update_s);
  const double updated_s = clock_s();
  barrier();
  due_s_ += part_.slowest_update_s - part_.update_s;
  times_.communication_s += exchanged_s - start_s;
  times_.update_s += updated_s - exchanged_s;
  times_.waiting_s += clock_s() - updated_s;
}

/// Dissemination: after a word from workers 1, 2, 4, ... before it, each knows that all are there
/// (Hensgen, Finkel and Manber 1988).
void ProductNode::barrier() {
  const int workers = communicator_.size() - 1;
  const int me = communicator_.rank() - 1;
  for (int distance = 1; distance < workers; distance *= 2) {
    const int before = (me + workers - distance) % workers;
    const char word{};
    Sending sending = communicator_.send(rank_of_node((me + distance) % workers), Tag::turn, word);
    wait_for_workers("other workers to end an iteration", [&] {
      return communicator_.receive<char>(rank_of_node(before), Tag::turn).has_value();
    });
    wait_for_workers("other workers to end an iteration", [&] { return sending.complete(); });
  }
}

}  // namespace starport::mpi
