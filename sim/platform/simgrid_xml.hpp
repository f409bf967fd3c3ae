// Export of a platform as a SimGrid platform file.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <string>

namespace starport {

/// Returns a star platform as SimGrid XML (DTD version 4.1, SimGrid 3.32), ending in a newline,
/// with hosts "master" and "worker-1".."worker-p", links "link-1".."link-p" with the worker's
/// latency (s) and a symmetrical route master <-> worker over each. Requires at least one worker,
/// positive c_i (seconds per block sent) and w_i (seconds per block update) and block_size >= 1
/// (not checked; SimGrid may refuse the file).
///
/// `block_size` is the side q of a block, in elements, for which c_i and w_i hold: link bandwidth =
/// 8 q^2 / c_i bytes/s (4 q^2 for `type` float32), speed = 2 q^3 / w_i flop/s; the memory in blocks
/// is the host property "m_blocks", a name given to the worker its property "name". Speeds that
/// depend on the size of an update are left out. The kind of the master's port is the property
/// "port" of the host "master", with the property "transfers" if it limits their number; a
/// bandwidth shared by all transfers is a link "shared" on every route. The network model is set to
/// a linear one, by which a message takes latency + bytes / bandwidth. The master, which does not
/// compute, gets the speed of the fastest worker, since SimGrid requires one.
std::string to_simgrid_xml(const Platform& platform, std::int64_t block_size,
                           ElementType type = ElementType::float64);

}  // namespace starport
