// Who computes which tiles of C, for drawings.
#pragma once

#include "sim/platform/worker_names.hpp"
#include "sim/results/division.hpp"
#include "sim/tiles/allocation.hpp"
#include "sim/tiles/platform.hpp"

namespace starport::tiles {

/// Of an allocation of C: runs of tiles in a row, with those alike right below them. A node is
/// known by its first worker.
Division division_of(const Platform& platform, const Allocation& allocation,
                     const WorkerNames& names = {});

}  // namespace starport::tiles
