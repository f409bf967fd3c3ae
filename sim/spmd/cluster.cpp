#include "sim/spmd/cluster.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport::spmd {
namespace {

double cube(double x) { return x * x * x; }

double measured_update_s(const Processor& processor, std::size_t worker, double blocks) {
  const double last = processor.measured.points().back().size;
  if (blocks > last) {
    const std::string& name = processor.device.name;
    throw NotApplicable(
        fmt::format("{} of worker {} would update {:g} blocks, and its speed function ends at {:g}",
                    name.empty() ? "a device" : name, worker, blocks, last));
  }
  return processor.measured.time_s(blocks);
}

void add_processors(const Device& device, std::int64_t block_size, const std::string& pointer,
                    std::vector<Processor>& processors) {
  Processor processor{.device = device, .measured = {}};
  if (!device.speed_function.empty()) {
    processor.measured = measured_speeds(device.speed_function, block_size, pointer);
  }
  processors.insert(processors.end(), static_cast<std::size_t>(device.count), processor);
}

/// Returns the only device of a worker for which the file lists no devices.
Device only_device(const PlatformFile::Entry& entry, double w_s, double block_size) {
  Device device;
  device.speed_flops = 2 * cube(block_size) / w_s;
  device.speed_function = entry.speed_function;
  return device;
}

Node make_node(const PlatformFile::Entry& entry, const Worker& worker, std::int64_t block_size) {
  if (std::holds_alternative<PlatformFile::MemorySharing>(entry.worker)) {
    throw InputError(entry.pointer, "a worker with a link of its own, behind the switch",
                     "one that shares the master's memory");
  }
  const double block_bytes =
      kElementBytes * static_cast<double>(block_size) * static_cast<double>(block_size);
  Node node{.processors = {},
            .memory_bytes = static_cast<double>(worker.m_blocks) * block_bytes,
            .paging = entry.paging,
            .bandwidth_bytes_per_s = block_bytes / worker.c_s,
            .latency_s = worker.latency_s,
            .kind = 0};
  if (const auto* physical = std::get_if<PlatformFile::Physical>(&entry.worker)) {
    node.memory_bytes = physical->memory_bytes;
    node.bandwidth_bytes_per_s = physical->bandwidth_bytes_per_s;
  }
  if (entry.devices.empty()) {
    add_processors(only_device(entry, worker.w_s, static_cast<double>(block_size)), block_size,
                   entry.pointer + "/speed_function", node.processors);
    return node;
  }
  std::size_t number = 0;
  for (const Device& device : entry.scaled_devices()) {
    add_processors(device, block_size,
                   fmt::format("{}/devices/{}/speed_function", entry.pointer, number++),
                   node.processors);
  }
  return node;
}

}  // namespace

double Cluster::block_bytes() const {
  return kElementBytes * static_cast<double>(block_size) * static_cast<double>(block_size);
}

double Cluster::paging_factor(const Node& node, std::int64_t blocks) const {
  const double footprint = 3 * static_cast<double>(blocks) * block_bytes();
  const double use = footprint / node.memory_bytes;
  if (use <= 1) return 1;
  if (!node.paging) {
    throw NotApplicable(
        fmt::format("a worker would hold {:.4g} GB of A, B and C, but has {:.4g} GB of memory",
                    to_file_bytes(footprint) / 1e9, to_file_bytes(node.memory_bytes) / 1e9));
  }
  return 1 + *node.paging * (use - 1);
}

double Cluster::update_s(const Node& node, std::size_t device, std::int64_t rows,
                         std::int64_t columns, std::int64_t node_blocks) const {
  if (columns == 0) return 0;
  const auto b = static_cast<double>(block_size);
  const auto m = static_cast<double>(rows);
  const auto d = static_cast<double>(columns);
  const double a = m * d / b;
  const Processor& processor = node.processors[device];
  const Device& on = processor.device;
  double time_s = 0;
  if (!processor.measured.empty()) {
    const auto number = static_cast<std::size_t>(&node - nodes.data()) + 1;
    time_s = measured_update_s(processor, number, a);
  } else {
    const double use = on.memory_bytes ? a * block_bytes() / *on.memory_bytes : 0;
    time_s = on.start_up_s + 2 * a * cube(b) / (*on.speed_flops * on.factor(use));
  }
  if (on.bus_bytes_per_s) time_s += kElementBytes * b * (b * m + d) / *on.bus_bytes_per_s;
  return time_s * paging_factor(node, node_blocks);
}

Cluster make_cluster(const PlatformFile& file, std::int64_t block_size) {
  if (const ElementType type = element_type_of(file); type != ElementType::float64) {
    Cluster cluster = make_cluster(convert_to_doubles(file), block_size);
    cluster.file_element_bytes = static_cast<double>(bytes_of(type));
    return cluster;
  }
  const Platform platform = with_constant_speeds(file).at_block_size(block_size);
  Cluster cluster{.name = file.name, .block_size = block_size, .nodes = {}};
  cluster.one_at_a_time = platform.port.kind != Port::Kind::multi;
  std::int64_t next = 0;
  std::size_t kind = 0;
  try {
    for (const PlatformFile::Entry& entry : file.entries) {
      Node node = make_node(entry, platform.workers[next], block_size);
      node.kind = kind++;
      cluster.nodes.insert(cluster.nodes.end(), static_cast<std::size_t>(entry.count), node);
      next += entry.count;
    }
  } catch (const InputError& error) {
    throw error.in_file(file.path);
  }
  return cluster;
}

}  // namespace starport::spmd
