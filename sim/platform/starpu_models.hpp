// Import of a machine that the StarPU runtime has measured.
#pragma once

#include "sim/platform/platform_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport {

/// Returns the directories that StarPU takes for its own files, in its order of preference: .starpu
/// in $XDG_CACHE_HOME, $STARPU_HOME and $HOME; variables that are not set are skipped. The
/// directories need not exist.
std::vector<std::string> starpu_directories();

/// Returns the directory with StarPU's models of the machine `host`: the first of
/// $STARPU_PERF_MODEL_DIR, .starpu/sampling in $XDG_CACHE_HOME, $STARPU_HOME or ~, and
/// /usr/share/starpu/perfmodels/sampling that contains bus/HOST.config; variables that are not set
/// are skipped. Throws InputError without a file name, at PLATFORM (an argument of the command),
/// with the directories searched, if there is none.
std::string find_starpu_models(const std::string& host);

/// Reads StarPU's models of the machine `host` from `directory` (files bus/HOST.config,
/// bus/HOST.bandwidth, bus/HOST.latency, bus/HOST.platform.xml and
/// codelets/45/starpu_dgemm_gemm.HOST, as StarPU 1.2 to 1.4 write them) as a platform file: one
/// worker in main memory for each core that drives no accelerator, and one worker with a link and a
/// memory of its own for each CUDA device, or OpenCL device if there is no CUDA device. The mean
/// durations of dgemm and their deviations become the workers' speed functions, from which the
/// model of tile tasks takes the durations of tasks. Bandwidths and latencies are the measured ones
/// between main memory and each device, and between devices (peer links). Devices behind one PCI
/// bridge of the topology in HOST.platform.xml share a bus. If the file has no bridges, devices
/// next to the same cores (bus/HOST.affinity; all devices if there is no such file) share one, in
/// both directions together, that is as fast as the fastest of them. The link "Host" of StarPU,
/// which limits all transfers together, is left out: the port is a multi-port without limits.
///
/// `block_size` is the side of a tile, in elements, for which the speeds hold; nullopt: 960 if it
/// was measured on all devices, otherwise the largest side that was. `cpu_workers` is the number of
/// workers in main memory, at least 0 (not checked), even if above the number of cores; nullopt:
/// all cores that drive no device. Throws InputError, naming the file, when a file cannot be read,
/// has another version or content, or lacks a device; naming the machine, when the result is no
/// valid platform file, as with a figure out of range; and without a file name, at --block-size,
/// when `block_size` was not measured on all devices.
PlatformFile read_starpu_models(const std::string& directory, const std::string& host,
                                std::optional<std::int64_t> block_size,
                                std::optional<std::int64_t> cpu_workers = std::nullopt);

}  // namespace starport
