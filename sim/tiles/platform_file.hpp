// A platform file as a node with GPUs.
#pragma once

#include "sim/platform/platform_file.hpp"
#include "sim/tiles/platform.hpp"

#include <cstdint>

namespace starport::tiles {

/// For tiles of q x q. Workers that share the master's memory come first. Throws InputError when
/// raw figures were given for another q.
Platform platform_of(const PlatformFile& file, std::int64_t q);

}  // namespace starport::tiles
