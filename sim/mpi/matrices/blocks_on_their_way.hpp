// The blocks of the master's transfers, in pieces: while one is on its way the next is packed, and
// the one before unpacked.
#pragma once

#include "sim/mpi/matrices/product.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/mpi/transport/news.hpp"
#include "sim/star/schedule.hpp"

#include <cstddef>
#include <vector>

namespace starport::mpi {

class BlocksOnTheirWay {
 public:
  /// `busy`: the cores may look all the time for what comes.
  BlocksOnTheirWay(const Communicator& communicator, Watch& watch, bool busy)
      : communicator_(communicator), watch_(watch), busy_(busy), buffers_(kAtOnce) {}

  // Both return the time of packing or unpacking while nothing was on its way. Throw
  // SimulationError when the worker fails or gives no sign of life.
  double send(const Product& product, const Transfer& transfer);
  double receive(Product& product, const Transfer& transfer);

 private:
  static constexpr std::size_t kAtOnce = 4;  ///< pieces

  std::vector<std::byte>& buffer(std::size_t piece, std::int64_t bytes) {
    std::vector<std::byte>& mine = buffers_[piece % kAtOnce];
    mine.resize(static_cast<std::size_t>(bytes));
    return mine;
  }

  const Communicator& communicator_;
  Watch& watch_;
  bool busy_;
  std::vector<std::vector<std::byte>> buffers_;
};

}  // namespace starport::mpi
