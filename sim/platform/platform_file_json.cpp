// Reading and writing of platform files.
#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/units.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/platform/problem.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace starport {
namespace {

/// Reads the devices of a physical worker, which then determine its speed; none without the key.
std::vector<Device> read_devices(const JsonNode& node) {
  const auto list = node.find("devices");
  if (!list) return {};
  for (const char* key : {"speed", "speed_function"}) {
    if (const auto own = node.find(key)) {
      throw InputError(own->pointer(), "the speeds of the devices only",
                       "another one for the whole worker");
    }
  }
  std::vector<Device> devices;
  std::int64_t total = 0;
  for (const JsonNode& device : list->elements()) {
    devices.push_back(read_device(device));
    total += devices.back().count;
  }
  if (devices.empty()) throw list->fault("at least one device");
  if (total > kMaxDevices) {
    throw InputError(list->pointer(), fmt::format("at most {} devices", kMaxDevices),
                     fmt::format("{}", total));
  }
  return devices;
}

PlatformFile::Physical read_physical(const JsonNode& node, const std::vector<Device>& devices) {
  return {
      .bandwidth_bytes_per_s = read_quantity(node.at("bandwidth"), Dimension::bandwidth),
      .speed_flops = devices.empty() ? read_quantity(node.at("speed"), Dimension::speed)
                                     : total_speed_flops(devices),
      .memory_bytes = read_quantity(node.at("memory"), Dimension::memory),
      .latency_s = find_quantity(node, "latency", Dimension::time).value_or(0),
      .return_bandwidth_bytes_per_s = find_quantity(node, "return_bandwidth", Dimension::bandwidth),
      .memory_bandwidth_bytes_per_s =
          find_quantity(node, "memory_bandwidth", Dimension::bandwidth)};
}

/// Reads a worker that shares the master's memory and has no link.
PlatformFile::MemorySharing read_sharing(const JsonNode& node) {
  node.allow_only_keys(
      {"name", "shares_memory", "count", "speed", "memory_bandwidth", "comment", "speed_function"});
  return {.speed_flops = read_quantity(node.at("speed"), Dimension::speed),
          .memory_bandwidth_bytes_per_s =
              find_quantity(node, "memory_bandwidth", Dimension::bandwidth)};
}

PlatformFile::Entry read_worker(const JsonNode& node) {
  node.allow_only_keys({"name", "count", "c_s", "w_s", "m_blocks", "latency_s", "bandwidth",
                        "speed", "memory", "latency", "comment", "speed_function", "shares_memory",
                        "return_bandwidth", "memory_bandwidth", "devices", "paging", "bus"});
  if (const auto comment = node.find("comment")) comment->require_string();
  const auto count = node.find("count");
  PlatformFile::Entry entry{
      .worker = {}, .count = count ? count->integer(1, kMaxWorkers) : 1, .pointer = node.pointer()};
  if (const auto samples = node.find("speed_function")) {
    entry.speed_function = read_speed_function(*samples);
  }
  if (const auto shares = node.find("shares_memory")) {
    if (!shares->boolean()) throw shares->fault("true, or no such key");
    entry.worker = read_sharing(node);
    return entry;
  }
  if (const auto bus = node.find("bus")) entry.bus = bus->text();
  const auto any = [&](std::initializer_list<const char*> keys) {
    return std::any_of(keys.begin(), keys.end(), [&](const char* key) { return node.has(key); });
  };
  const bool raw = any({"c_s", "w_s", "m_blocks", "latency_s"});
  const bool physical = any({"bandwidth", "speed", "memory", "latency", "return_bandwidth",
                             "memory_bandwidth", "devices", "paging"});
  if (raw == physical) {
    throw InputError(node.pointer(), "either c_s, w_s and m_blocks, or bandwidth, speed and memory",
                     raw ? "both kinds mixed in one worker" : "neither");
  }
  if (raw) {
    entry.worker = read_raw_worker(node, 1);
  } else {
    entry.devices = read_devices(node);
    if (const auto paging = node.find("paging")) entry.paging = paging->non_negative_number();
    entry.worker = read_physical(node, entry.devices);
  }
  return entry;
}

/// Appends the names of `count` identical workers: the name of the entry, with a number from 1 if
/// there are several ("gpu-1", "gpu-2").
void add_names(const JsonNode& node, std::int64_t count, std::vector<std::string>& names) {
  const std::string name = read_worker_name(node);
  for (std::int64_t i = 1; i <= count; ++i) {
    names.push_back(name.empty() || count == 1 ? name : fmt::format("{}-{}", name, i));
  }
}

std::vector<std::string> read_hosts(const JsonNode& node, std::int64_t workers) {
  std::vector<std::string> hosts;
  for (const JsonNode& host : node.elements()) hosts.push_back(host.text());
  if (std::ssize(hosts) == workers) return hosts;
  throw InputError(node.pointer(), fmt::format("a name for each of the {} workers", workers),
                   fmt::format("{}", hosts.size()));
}

/// Reads the buses of the file, and checks those that workers name.
void read_file_buses(const JsonNode& root, PlatformFile& file) {
  const auto buses = root.find("buses");
  std::vector<std::string> names;
  if (buses) {
    for (const JsonNode& bus : buses->elements()) names.push_back(bus.at("name").text());
  }
  std::vector<std::string> used;
  for (const PlatformFile::Entry& entry : file.entries) {
    if (entry.bus.empty()) continue;
    used.push_back(entry.bus);
    if (std::ranges::find(names, entry.bus) != names.end()) continue;
    throw InputError(entry.pointer + "/bus", "the name of one of the buses",
                     fmt::format("'{}'", entry.bus), did_you_mean(entry.bus, names));
  }
  if (buses) file.buses = read_buses(*buses, used);
}

/// Reads the links between workers.
void read_file_peer_links(const JsonNode& node, PlatformFile& file) {
  std::vector<bool> has_link;
  for (const PlatformFile::Entry& entry : file.entries) {
    has_link.insert(has_link.end(), static_cast<std::size_t>(entry.count),
                    !std::holds_alternative<PlatformFile::MemorySharing>(entry.worker));
  }
  file.peer_links = read_peer_links(node, file.names, has_link);
}

/// Reads the provenance: a text, a list of texts, or an object with a text and calibration samples.
void read_provenance(const JsonNode& node, PlatformFile& file) {
  if (!node.is_object()) {
    file.provenance = node.joined_text();
    return;
  }
  node.allow_only_keys({"text", "samples"});
  file.provenance = node.at("text").joined_text();
  if (const auto samples = node.find("samples")) file.samples = read_calibration(*samples);
}

}  // namespace

Worker read_raw_worker(const JsonNode& node, std::int64_t min_blocks) {
  const auto latency = node.find("latency_s");
  return {.c_s = node.at("c_s").positive_number(),
          .w_s = node.at("w_s").positive_number(),
          .m_blocks = node.at("m_blocks").integer(min_blocks, kMaxBlocks),
          .latency_s = latency ? latency->non_negative_number() : 0};
}

std::string read_worker_name(const JsonNode& node) {
  constexpr std::size_t longest = 64;
  const auto given = node.find("name");
  if (!given) return "";
  std::string name = given->text();
  if (!name.empty() && name.size() <= longest) return name;
  throw given->fault(fmt::format("a name of 1 to {} bytes", longest));
}

PlatformFile load_platform(const std::string& path) {
  const std::string text = read_file(path);
  with_file_in_errors(path, [&] { reject_csv(text, "a platform"); });
  return parse_platform(parse_json(text, path), path);
}

PlatformFile parse_platform(const nlohmann::json& document, const std::string& path) {
  return with_file_in_errors(path, [&] {
    const JsonNode root(document);
    const bool schedule = document_kind(document) == "a schedule";
    require_document_kind(document, "a platform",
                          schedule ? "starport replay PLATFORM SCHEDULE runs it" : "");
    root.allow_only_keys({"$schema", "schema_version", "name", "provenance", "block_size", "port",
                          "workers", "start_up", "element_type", "hosts", "buses", "peer_links",
                          "task_overhead"});
    root.check_version(1);
    if (const auto schema = root.find("$schema")) schema->text();

    PlatformFile file;
    file.path = path;
    file.name = root.at("name").text();
    if (const auto provenance = root.find("provenance")) read_provenance(*provenance, file);
    if (const auto q = root.find("block_size")) file.block_size = q->integer(1, kMaxBlockSize);
    if (const auto port = root.find("port")) file.port = read_port(*port);
    file.start_up_s = find_quantity(root, "start_up", Dimension::time).value_or(0);
    file.task_overhead_s = find_quantity(root, "task_overhead", Dimension::time).value_or(0);
    if (file.port.c_s && !file.block_size) {
      throw InputError("/", "the key 'block_size', for which the port's c_s holds", "none");
    }

    const JsonNode workers = root.at("workers");
    std::int64_t total = 0;
    std::vector<std::string> names;
    for (const JsonNode& node : workers.elements()) {
      file.entries.push_back(read_worker(node));
      total += file.entries.back().count;
      if (total > kMaxWorkers) {
        throw InputError(node.pointer(), fmt::format("at most {} workers in all", kMaxWorkers),
                         fmt::format("{}", total));
      }
      if (std::holds_alternative<PlatformFile::Raw>(file.entries.back().worker) &&
          !file.block_size) {
        throw InputError("/", "the key 'block_size', for which the raw workers' figures hold",
                         "none");
      }
      add_names(node, file.entries.back().count, names);
    }
    file.names = WorkerNames(std::move(names));
    if (file.entries.empty()) throw workers.fault("at least one worker");
    read_file_buses(root, file);
    if (const auto links = root.find("peer_links")) read_file_peer_links(*links, file);
    if (const auto hosts = root.find("hosts")) file.hosts = read_hosts(*hosts, total);
    if (const auto type = root.find("element_type")) {
      file.element_type = parse_element_type(type->text(), type->pointer());
    }
    return file;
  });
}

std::string to_json(const PlatformFile& file) {
  using nlohmann::ordered_json;
  const auto add_memory_bandwidth = [](ordered_json& worker, const std::optional<double>& figure) {
    if (figure) worker["memory_bandwidth"] = fmt::format("{}Bps", *figure);
  };
  ordered_json workers = ordered_json::array();
  std::size_t first = 0;
  for (const PlatformFile::Entry& entry : file.entries) {
    ordered_json worker{{"count", entry.count}};
    if (std::string name = file.names.name_in_file(first); !name.empty()) {
      if (entry.count > 1) name.resize(name.rfind('-'));  // "gpu" of "gpu-1", "gpu-2", ...
      worker["name"] = std::move(name);
    }
    first += static_cast<std::size_t>(entry.count);
    if (const auto* raw = std::get_if<PlatformFile::Raw>(&entry.worker)) {
      worker["c_s"] = raw->c_s;
      worker["w_s"] = raw->w_s;
      worker["m_blocks"] = raw->m_blocks;
      worker["latency_s"] = raw->latency_s;
    } else if (const auto* physical = std::get_if<PlatformFile::Physical>(&entry.worker)) {
      worker["bandwidth"] = fmt::format("{}Bps", physical->bandwidth_bytes_per_s);
      if (const auto back = physical->return_bandwidth_bytes_per_s) {
        worker["return_bandwidth"] = fmt::format("{}Bps", *back);
      }
      if (entry.devices.empty()) worker["speed"] = fmt::format("{}f", physical->speed_flops);
      worker["memory"] = fmt::format("{}B", physical->memory_bytes);
      worker["latency"] = fmt::format("{}s", physical->latency_s);
      add_memory_bandwidth(worker, physical->memory_bandwidth_bytes_per_s);
    } else {
      const auto& sharing = std::get<PlatformFile::MemorySharing>(entry.worker);
      worker["shares_memory"] = true;
      worker["speed"] = fmt::format("{}f", sharing.speed_flops);
      add_memory_bandwidth(worker, sharing.memory_bandwidth_bytes_per_s);
    }
    if (!entry.bus.empty()) worker["bus"] = entry.bus;
    if (entry.paging) worker["paging"] = *entry.paging;
    for (const Device& device : entry.scaled_devices())
      worker["devices"].push_back(to_json(device));
    if (!entry.speed_function.empty()) {
      worker["speed_function"] = speed_function_json(entry.speed_function);
    }
    workers.push_back(std::move(worker));
  }
  ordered_json json{{"schema_version", 1}, {"name", file.name}};
  if (file.samples) {
    json["provenance"] = {{"text", file.provenance}, {"samples", calibration_json(*file.samples)}};
  } else if (!file.provenance.empty()) {
    json["provenance"] = file.provenance;
  }
  if (file.block_size) json["block_size"] = *file.block_size;
  if (file.port != PortFile{}) json["port"] = to_json(file.port);
  if (file.start_up_s > 0) json["start_up"] = fmt::format("{}s", file.start_up_s);
  if (file.task_overhead_s > 0) json["task_overhead"] = fmt::format("{}s", file.task_overhead_s);
  if (file.element_type) json["element_type"] = to_string(*file.element_type);
  json["workers"] = std::move(workers);
  if (!file.buses.empty()) json["buses"] = to_json(file.buses);
  if (!file.peer_links.empty()) json["peer_links"] = to_json(file.peer_links, file.names);
  if (!file.hosts.empty()) json["hosts"] = file.hosts;
  return to_indented_json(json);
}

}  // namespace starport
