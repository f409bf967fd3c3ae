#include "sim/mpi/matrices/transfers.hpp"

#include "sim/mpi/matrices/pieces.hpp"
#include "sim/mpi/transport/clock.hpp"

#include <deque>

namespace starport::mpi {
namespace {

int rank_of_worker(const Transfer& transfer) { return transfer.worker + 1; }

}  // namespace

double TransferPipeline::send(const Product& product, const Transfer& transfer) {
  const double start_s = monotonic_time_s();
  double packing_s = 0;
  std::deque<PendingMessage> in_flight;
  const auto wait_for_first = [&] {
    monitor_.wait_until(
        transfer.worker, "receive blocks", [&] { return in_flight.front().is_complete(); },
        polling_);
    in_flight.pop_front();
  };
  const std::int64_t element_bytes = bytes_of(product.type());
  const std::vector<PieceRange> pieces =
      split_into_pieces(product.elements(transfer), element_bytes);
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    if (in_flight.size() == kInFlight) wait_for_first();
    std::vector<std::byte>& packed = buffer(n, pieces[n].size() * element_bytes);
    product.pack(transfer, pieces[n].begin, pieces[n].end, packed.data());
    if (n == 0) packing_s = monotonic_time_s() - start_s;
    in_flight.push_back(communicator_.send_blocks(rank_of_worker(transfer), BlockBuffer(packed)));
  }
  while (!in_flight.empty()) wait_for_first();
  return packing_s;
}

double TransferPipeline::receive(Product& product, const Transfer& transfer) {
  const std::int64_t element_bytes = bytes_of(product.type());
  const std::vector<PieceRange> pieces =
      split_into_pieces(product.elements(transfer), element_bytes);
  std::deque<PendingMessage> in_flight;
  std::size_t next = 0;
  const auto expect_next = [&] {
    if (next == pieces.size()) return;
    in_flight.push_back(communicator_.receive_blocks(
        rank_of_worker(transfer), BlockBuffer(buffer(next, pieces[next].size() * element_bytes))));
    ++next;
  };
  for (std::size_t n = 0; n < kInFlight; ++n) expect_next();
  double arrived_s = monotonic_time_s();
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    monitor_.wait_until(
        transfer.worker, "send blocks of C", [&] { return in_flight.front().is_complete(); },
        polling_);
    in_flight.pop_front();
    arrived_s = monotonic_time_s();
    product.unpack(transfer, pieces[n].begin, pieces[n].end, buffers_[n % kInFlight].data());
    expect_next();
  }
  return monotonic_time_s() - arrived_s;
}

}  // namespace starport::mpi
