// The tiles of a real product as data of StarPU, whose transfers are recorded.
#pragma once

#include "sim/tiles/link_directions.hpp"
#include "sim/tiles/task_graph.hpp"

#include <starpu.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport::starpu {

/// A transfer of a tile between main memory and a device by StarPU, as TileData records it: the
/// tile, the memory nodes, and the dates. Dates are in microseconds of StarPU's clock
/// (starpu_timing_now()).
struct RecordedTransfer {
  /// The tile, by its number in TileData::handle(), and StarPU's numbers (not those of the tile
  /// model) of the memory nodes from and to which it was copied.
  tiles::Transfer transfer{};
  /// Date, in microseconds of StarPU's clock (starpu_timing_now()), at which StarPU passed the
  /// transfer to the queue of the device.
  double submitted_us = 0;
  /// Date, in microseconds of StarPU's clock (starpu_timing_now()), at which the transfer ended, as
  /// the device has reported; 0 before.
  double end_us = 0;
};

/// The registration with StarPU of the tiles (q x q doubles) of a product, so that tasks can access
/// them by handles; records their transfers to and from devices. There are no transfers from device
/// to device. At most one object at a time, between starpu_init() and starpu_shutdown() only;
/// neither copyable nor movable. Does not own the elements.
class TileData {
 public:
  /// Registers `count` tiles of q x q doubles (q at least 1, not checked) that lie at `elements`
  /// one after the other, each by rows, in main memory; they must outlive this object. StarPU must
  /// run.
  TileData(double* elements, tiles::Tile count, std::int64_t q);
  TileData(const TileData&) = delete;
  TileData& operator=(const TileData&) = delete;
  /// Unregisters the tiles as unregister() does: blocks until their tasks have ended and tiles of C
  /// that were written are back in main memory.
  ~TileData() { unregister(); }

  /// Returns StarPU's handle, valid until unregister(), of a tile, given by its number from 0 in
  /// the order of the constructor's `elements`. A number out of range, or a call after
  /// unregister(), is undefined behaviour.
  starpu_data_handle_t handle(tiles::Tile tile) const {
    return handles_[static_cast<std::size_t>(tile)];
  }
  /// Blocks until the tasks on the tiles have ended, those that were written have returned to main
  /// memory, and devices have reported all transfers, and unregisters all tiles. Throws nothing: a
  /// transfer that fails on a device is reported by report_fault() only. Does nothing when called
  /// again.
  void unregister();
  /// Returns the transfers, in the order in which they were submitted. Call it after unregister(),
  /// before which ends may be missing, and before the next TileData is made, whose transfers it
  /// would return (neither is checked).
  std::vector<RecordedTransfer> transfers() const;

 private:
  std::vector<starpu_data_handle_t> handles_;
};

}  // namespace starport::starpu
