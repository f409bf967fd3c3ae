// Platforms drawn at random.
#pragma once

#include "sim/platform/distribution.hpp"
#include "sim/platform/platform.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace starport {

/// Workers whose link, speed, memory and latency are independent draws.
struct PlatformGenerator {
  std::string name;
  Distribution bandwidth;
  Distribution speed;
  Distribution memory;
  std::optional<Distribution> latency;
  PortFile port = {};

  /// The same seed gives the same platform. Per worker: bandwidth, speed, memory, then latency.
  PlatformFile draw(std::int64_t workers, std::uint64_t seed) const {
    Random random(seed);
    PlatformFile file;
    file.path = name;
    file.name = name;
    file.provenance = "drawn with seed " + std::to_string(seed);
    file.port = port;
    for (std::int64_t i = 0; i < workers; ++i) {
      PlatformFile::Physical worker{};
      worker.bandwidth_bytes_per_s = bandwidth.draw(random);
      worker.speed_flops = speed.draw(random);
      worker.memory_bytes = memory.draw(random);
      worker.latency_s = latency ? latency->draw(random) : 0;
      file.entries.push_back({.worker = worker, .count = 1, .pointer = ""});
    }
    return file;
  }
};

}  // namespace starport
