#include "sim/mpi/matrices/blocks_on_their_way.hpp"

#include "sim/mpi/transport/clock.hpp"
#include "sim/mpi/transport/pieces.hpp"

#include <deque>

namespace starport::mpi {
namespace {

int rank_with(const Transfer& transfer) { return transfer.worker + 1; }

}  // namespace

double BlocksOnTheirWay::send(const Product& product, const Transfer& transfer) {
  const double begin_s = clock_s();
  double packing_s = 0;
  std::deque<Sending> on_their_way;
  const auto wait_for_first = [&] {
    watch_.wait_until(
        transfer.worker, "receiving of blocks", [&] { return on_their_way.front().complete(); },
        busy_);
    on_their_way.pop_front();
  };
  const std::int64_t element_bytes = bytes_of(product.type());
  const std::vector<Piece> pieces = pieces_of(product.elements(transfer), element_bytes);
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    if (on_their_way.size() == kAtOnce) wait_for_first();
    std::vector<std::byte>& packed = buffer(n, pieces[n].size() * element_bytes);
    product.pack(transfer, pieces[n].begin, pieces[n].end, packed.data());
    if (n == 0) packing_s = clock_s() - begin_s;
    on_their_way.push_back(communicator_.send_blocks(rank_with(transfer), MessageBlocks(packed)));
  }
  while (!on_their_way.empty()) wait_for_first();
  return packing_s;
}

double BlocksOnTheirWay::receive(Product& product, const Transfer& transfer) {
  const std::int64_t element_bytes = bytes_of(product.type());
  const std::vector<Piece> pieces = pieces_of(product.elements(transfer), element_bytes);
  std::deque<Sending> on_their_way;
  std::size_t next = 0;
  const auto expect_next = [&] {
    if (next == pieces.size()) return;
    on_their_way.push_back(communicator_.receive_blocks(
        rank_with(transfer), MessageBlocks(buffer(next, pieces[next].size() * element_bytes))));
    ++next;
  };
  for (std::size_t n = 0; n < kAtOnce; ++n) expect_next();
  double here_s = clock_s();
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    watch_.wait_until(
        transfer.worker, "blocks of C", [&] { return on_their_way.front().complete(); }, busy_);
    on_their_way.pop_front();
    here_s = clock_s();
    product.unpack(transfer, pieces[n].begin, pieces[n].end, buffers_[n % kAtOnce].data());
    expect_next();
  }
  return clock_s() - here_s;
}

}  // namespace starport::mpi
