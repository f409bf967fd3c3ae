#include "sim/platform/starpu_models.hpp"

#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

namespace starport {
namespace {

constexpr int kModelVersion = 45;
constexpr std::int64_t kUsualSide = 960;

/// The words of a file of StarPU, without its comments, one after the other.
class Words {
 public:
  explicit Words(const std::string& path) : path_(path), text_(read_file(path)) {
    std::int64_t line = 1;
    bool is_comment = false;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '#') is_comment = true;
      if (c == '\n') {
        ++line;
        is_comment = false;
      }
      if (is_comment || c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
      std::size_t end = i;
      while (end < text_.size() && text_.find_first_of(" \t\r\n#", end) != end) ++end;
      words_.push_back({std::string_view(text_).substr(i, end - i), line});
      i = end - 1;
    }
  }

  /// Returns the next word as a number, which may be NaN. Throws InputError, with `what` the number
  /// is, if there is none.
  double real(const char* what) {
    if (next_ == words_.size()) fail(what, "the end of the file");
    const std::string_view word = words_[next_].text;
    const auto number = word == "nan" || word == "-nan"
                            ? std::optional(std::numeric_limits<double>::quiet_NaN())
                            : parse_number<double>(word);
    if (!number) fail(what, fmt::format("'{}'", words_[next_].text));
    ++next_;
    return *number;
  }
  /// Returns the next word as an integer from `least` to `most`. Throws InputError otherwise.
  std::int64_t integer(const char* what, std::int64_t least, std::int64_t most) {
    if (next_ == words_.size()) fail(what, "the end of the file");
    const auto number = parse_number<std::int64_t>(words_[next_].text);
    if (!number || *number < least || *number > most) {
      fail(what, fmt::format("'{}'", words_[next_].text));
    }
    ++next_;
    return *number;
  }
  /// Skips one word of any form.
  void skip_word() {
    if (next_ == words_.size()) fail("a hash", "the end of the file");
    ++next_;
  }
  void skip(int words, const char* what) {
    for (int word = 0; word < words; ++word) real(what);
  }
  std::size_t remaining() const { return words_.size() - next_; }

  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    const std::int64_t line = words_.empty() ? 1 : words_[std::min(next_, words_.size() - 1)].line;
    throw InputError(fmt::format("line {}", line), expected, found).in_file(path_);
  }

 private:
  struct Word {
    std::string_view text;
    std::int64_t line;
  };

  std::string path_;
  std::string text_;
  std::vector<Word> words_;
  std::size_t next_ = 0;
};

/// A kind of devices in StarPU's files.
enum class DeviceType : std::uint8_t { cpu = 0, cuda = 1, opencl = 2 };

const char* name_of(DeviceType type) {
  switch (type) {
    case DeviceType::cpu:
      return "core";
    case DeviceType::cuda:
      return "CUDA device";
    case DeviceType::opencl:
      break;
  }
  return "OpenCL device";
}

struct DeviceCounts {
  std::int64_t cores;
  std::int64_t memories;  ///< of CPUs (NUMA nodes), which come first among the memory nodes
  std::int64_t cuda;
  std::int64_t opencl;
};

/// StarPU 1.3 and later write the number of NUMA nodes after that of cores.
DeviceCounts read_counts(const std::string& path) {
  Words words(path);
  constexpr std::int64_t most = 100'000;
  const bool has_memories = read_file(path).find("NUMA") != std::string::npos;
  const std::int64_t cores = words.integer("the number of cores", 1, most);
  return {.cores = cores,
          .memories = has_memories ? words.integer("the number of NUMA nodes", 1, most) : 1,
          .cuda = words.integer("the number of CUDA devices", 0, most),
          .opencl = words.integer("the number of OpenCL devices", 0, most)};
}

/// A square matrix by memory nodes: bandwidths in MB/s or latencies in us. Node 0 is main memory.
class NodeMatrix {
 public:
  NodeMatrix(const std::string& path, std::int64_t nodes, const char* what)
      : path_(path), what_(what) {
    Words words(path);
    columns_ = static_cast<std::int64_t>(std::llround(std::sqrt(double(words.remaining()))));
    if (columns_ * columns_ != static_cast<std::int64_t>(words.remaining()) || columns_ < nodes) {
      words.fail(fmt::format("a square matrix for {} memory nodes", nodes),
                 fmt::format("{} numbers", words.remaining()));
    }
    while (words.remaining() > 0) values_.push_back(words.real(what));
  }

  /// Returns the value from one node to another. Throws InputError unless it is positive, or 0
  /// where that is allowed.
  double at(std::int64_t from, std::int64_t to, bool may_be_zero) const {
    const double value = values_[static_cast<std::size_t>(from * columns_ + to)];
    if (std::isfinite(value) && (value > 0 || (may_be_zero && value == 0))) return value;
    throw InputError(fmt::format("row {}, column {}", from + 1, to + 1), what_,
                     fmt::format("{}", value))
        .in_file(path_);
  }

 private:
  std::string path_;
  const char* what_;
  std::int64_t columns_ = 0;
  std::vector<double> values_;
};

using DeviceKey = std::pair<DeviceType, std::int64_t>;

/// Returns the sample of a StarPU task C (q x q) += A (q x k) . B (k x q) of doubles, with k = x q,
/// of which only the bytes of its operands, 8 (2 x + 1) q^2, and its flops, 2 x q^3, are known;
/// nullopt if no whole q and x up to 1000 fit them.
std::optional<SpeedSample> make_sample(double bytes, double flops, double mean_us,
                                       double deviation_us) {
  for (std::int64_t x = 1; x <= 1000; ++x) {
    const auto ratio = static_cast<double>(x);
    const double side = std::round(std::sqrt(bytes / (8 * (2 * ratio + 1))));
    const bool fits = side >= 1 && side <= 1e6 && 8 * (2 * ratio + 1) * side * side == bytes &&
                      std::abs(2 * ratio * side * side * side - flops) <= 1e-5 * flops;
    if (!fits) continue;
    SpeedSample sample{
        .inner = x, .block_size = static_cast<std::int64_t>(side), .seconds = mean_us * 1e-6};
    if (deviation_us >= 0) sample.deviation_s = deviation_us * 1e-6;
    return sample;
  }
  return std::nullopt;
}

/// Reads the measured durations of dgemm on each device.
std::map<DeviceKey, std::vector<SpeedSample>> read_durations(const std::string& path) {
  Words words(path);
  if (words.integer("a performance model of StarPU", 0, 1'000'000) != kModelVersion) {
    throw InputError("line 3", fmt::format("version {}, of StarPU 1.2 to 1.4", kModelVersion),
                     "another version", "calibrate again with one of these")
        .in_file(path);
  }
  std::map<DeviceKey, std::vector<SpeedSample>> durations;
  const std::int64_t combinations = words.integer("the number of combinations", 0, 10'000);
  for (std::int64_t combination = 0; combination < combinations; ++combination) {
    const std::int64_t types = words.integer("the number of types of devices", 1, 100);
    DeviceKey device;
    for (std::int64_t type = 0; type < types; ++type) {
      device.first = static_cast<DeviceType>(words.integer("a type of device", 0, 100));
      device.second = words.integer("the number of a device", 0, 1'000'000);
      if (words.integer("a number of cores", 0, 1'000'000) != 1) device.second = -1;
    }
    const std::int64_t versions = words.integer("the number of implementations", 0, 100);
    for (std::int64_t version = 0; version < versions; ++version) {
      const std::int64_t entries = words.integer("the number of entries", 0, 10'000);
      words.skip(12, "a coefficient of a regression");
      if (words.integer("0, without multiple regression", 0, 1) != 0) {
        words.fail("measured durations", "a multiple regression");
      }
      for (std::int64_t entry = 0; entry < entries; ++entry) {
        words.skip_word();
        const double bytes = words.real("a size in bytes");
        const double flops = words.real("a number of operations");
        const double mean_us = words.real("a mean duration");
        const double deviation_us = words.real("a standard deviation");
        words.skip(3, "a statistic");
        const bool is_measured = bytes > 0 && flops > 0 && mean_us > 0 && std::isfinite(mean_us);
        const auto sample =
            is_measured ? make_sample(bytes, flops, mean_us, deviation_us) : std::nullopt;
        // A combination of several devices is a parallel task, which the tile model does not have.
        if (!sample || types > 1 || device.second < 0) continue;
        auto& samples = durations[device];
        const bool is_new = std::none_of(samples.begin(), samples.end(), [&](const auto& other) {
          return other.block_size == sample->block_size;
        });
        if (is_new) samples.push_back(*sample);
      }
    }
  }
  for (auto& [device, samples] : durations) {
    std::sort(samples.begin(), samples.end(),
              [](const auto& a, const auto& b) { return a.block_size < b.block_size; });
  }
  return durations;
}

/// Returns the memory in bytes of a host such as "CUDA0" in `text`, SimGrid's platform that StarPU
/// writes.
double read_memory(const std::string& path, const std::string& text, const std::string& host) {
  const std::size_t begin = text.find(fmt::format("<host id=\"{}\"", host));
  const std::size_t end = begin == std::string::npos ? begin : text.find("</host>", begin);
  constexpr std::string_view key = "<prop id=\"memsize\" value=\"";
  std::size_t value = begin == std::string::npos ? begin : text.find(key, begin);
  if (end == std::string::npos || value == std::string::npos || value > end) {
    throw InputError(host, "a host with the property memsize", "none").in_file(path);
  }
  value += key.size();
  const auto bytes =
      parse_number<double>(std::string_view(text).substr(value, text.find('"', value) - value));
  if (!bytes || !(*bytes > 0) || !std::isfinite(*bytes)) {
    throw InputError(host, "a memory in bytes", "something else").in_file(path);
  }
  return *bytes;
}

/// Returns the value of an attribute of the XML element that begins at `element`; "" if it has
/// none.
std::string_view attribute(std::string_view text, std::size_t element, std::string_view name) {
  const std::string_view tag = text.substr(element, text.find('>', element) - element);
  const std::string key = fmt::format(" {}=\"", name);
  const std::size_t begin = tag.find(key);
  if (begin == std::string_view::npos) return {};
  return tag.substr(begin + key.size(), tag.find('"', begin + key.size()) - begin - key.size());
}

/// The PCI topology in SimGrid's platform that StarPU writes. A link "PCI:... up" or "down" is one
/// direction of a PCI bridge, and "PCI:... through" all that goes through it. StarPU takes for each
/// the largest bandwidth measured to a device behind it.
class PciTopology {
 public:
  PciTopology(const std::string& path, std::string_view text) : path_(path), text_(text) {
    for (std::size_t at = text.find("<link "); at != std::string_view::npos;
         at = text.find("<link ", at + 1)) {
      bandwidths_[std::string(attribute(text, at, "id"))] = attribute(text, at, "bandwidth");
    }
  }

  /// Reads the bridges between a device and main memory. Throws InputError if there is no route, or
  /// a bridge is in a place that contradicts the routes before.
  void add_device(const std::string& device) {
    std::vector<std::string> bridges;
    for (const std::string& link : route(device, "RAM")) {
      if (!link.starts_with("PCI:") || !link.ends_with(kUp)) continue;
      const std::string bridge = link.substr(0, link.size() - kUp.size());
      if (has_control_characters(bridge))
        throw fault(device, "names of bridges without control characters", "another");
      if (std::ranges::find(bridges, bridge) != bridges.end())
        throw fault(device, "bridges that lead to main memory", "a cycle through " + bridge);
      bridges.push_back(bridge);
    }
    for (std::size_t i = 0; i < bridges.size(); ++i) {
      const std::string parent = i + 1 < bridges.size() ? bridges[i + 1] : "";
      const auto known = std::ranges::find(buses_, bridges[i], &Bus::name);
      if (known == buses_.end()) {
        buses_.push_back({.name = bridges[i],
                          .parent = parent,
                          .bandwidth_bytes_per_s = bandwidth(bridges[i] + " down"),
                          .return_bandwidth_bytes_per_s = bandwidth(bridges[i] + std::string(kUp)),
                          .total_bandwidth_bytes_per_s = bandwidth(bridges[i] + " through")});
      } else if (known->parent != parent) {
        throw fault(device, fmt::format("{} behind '{}'", bridges[i], known->parent),
                    fmt::format("behind '{}'", parent));
      }
      ++devices_[bridges[i]];
    }
    paths_[device] = std::move(bridges);
  }

  /// Returns true if a device is behind a PCI bridge.
  bool is_known() const { return !buses_.empty(); }
  /// Returns the bridges with several devices behind them. The others share nothing.
  std::vector<Bus> shared_buses() const {
    std::vector<Bus> shared;
    for (const Bus& bus : buses_) {
      if (devices_.at(bus.name) > 1) shared.push_back(bus);
    }
    return shared;
  }
  /// Returns the first bridge on the way from a device to main memory that others use, too; "" if
  /// there is none.
  std::string bus_of(const std::string& device) const {
    for (const std::string& bridge : paths_.at(device)) {
      if (devices_.at(bridge) > 1) return bridge;
    }
    return "";
  }

 private:
  static constexpr std::string_view kUp = " up";

  InputError fault(const std::string& place, const std::string& expected,
                   const std::string& found) const {
    return InputError(place, expected, found).in_file(path_);
  }

  std::vector<std::string> route(const std::string& from, const std::string& to) const {
    const std::size_t begin = text_.find(fmt::format("<route src=\"{}\" dst=\"{}\"", from, to));
    const std::size_t end = begin == std::string_view::npos ? begin : text_.find("</route>", begin);
    if (end == std::string_view::npos) throw fault(from, "a route to " + to, "none");
    std::vector<std::string> links;
    for (std::size_t at = text_.find("<link_ctn ", begin); at < end;
         at = text_.find("<link_ctn ", at + 1)) {
      links.emplace_back(attribute(text_, at, "id"));
    }
    return links;
  }

  std::optional<double> bandwidth(const std::string& link) const {
    const auto found = bandwidths_.find(link);
    if (found == bandwidths_.end()) return std::nullopt;
    const auto value = parse_number<double>(found->second);
    if (value && *value > 0 && std::isfinite(*value)) return value;
    throw fault(link, "a bandwidth in bytes/s", fmt::format("'{}'", found->second));
  }

  std::string path_;
  std::string_view text_;
  std::map<std::string, std::string_view> bandwidths_;
  std::vector<Bus> buses_;
  std::map<std::string, int> devices_;  ///< by bridge: devices behind it
  std::map<std::string, std::vector<std::string>> paths_;
};

/// Returns the numbers of the groups of devices that are next to the same cores, by device, from
/// the first `devices` lines of StarPU's file of affinities; all are 0 if there is no such file.
std::vector<std::int64_t> read_affinity_groups(const std::string& path, std::int64_t devices) {
  std::vector<std::int64_t> groups(static_cast<std::size_t>(devices));
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return groups;
  std::vector<std::string> cores;
  std::istringstream lines(read_file(path));
  std::size_t device = 0;
  for (std::string line; device < groups.size() && std::getline(lines, line);) {
    const std::size_t end_of_number = line.find_first_of(" \t");
    if (line.starts_with('#') || end_of_number == std::string::npos) continue;
    line.erase(0, end_of_number);
    const auto found = std::ranges::find(cores, line);
    groups[device++] = found - cores.begin();
    if (found == cores.end()) cores.push_back(line);
  }
  return groups;
}

/// Gives devices that are next to the same cores a bus of their own. As in the link "Host" that
/// StarPU has for all devices together, both directions share what its fastest device reaches.
void add_buses_by_affinity(const std::vector<std::int64_t>& groups, PlatformFile& file) {
  for (std::size_t device = 0; device < groups.size(); ++device) {
    PlatformFile::Entry& entry = file.entries[file.entries.size() - groups.size() + device];
    const auto& link = std::get<PlatformFile::Physical>(entry.worker);
    if (std::ranges::count(groups, groups[device]) < 2) continue;
    entry.bus = fmt::format("PCI-{}", groups[device]);
    auto bus = std::ranges::find(file.buses, entry.bus, &Bus::name);
    if (bus == file.buses.end()) {
      bus = file.buses.insert(bus, {.name = entry.bus, .total_bandwidth_bytes_per_s = 0});
    }
    bus->total_bandwidth_bytes_per_s =
        std::max({*bus->total_bandwidth_bytes_per_s, link.bandwidth_bytes_per_s,
                  *link.return_bandwidth_bytes_per_s});
  }
}

/// Returns the side of tiles that was measured on all devices: `wanted`, or the usual one, or the
/// largest.
std::int64_t choose_side(const std::map<DeviceKey, std::vector<SpeedSample>>& durations,
                         std::optional<std::int64_t> wanted, const std::string& path) {
  std::optional<std::set<std::int64_t>> common;
  for (const auto& [device, samples] : durations) {
    std::set<std::int64_t> sides;
    for (const SpeedSample& sample : samples) {
      if (!common || common->contains(sample.block_size)) sides.insert(sample.block_size);
    }
    common = std::move(sides);
  }
  if (!common || common->empty()) {
    throw InputError("", "a size of tiles that was measured on all devices", "none").in_file(path);
  }
  if (!wanted) return common->contains(kUsualSide) ? kUsualSide : *common->rbegin();
  if (common->contains(*wanted)) return *wanted;
  std::string sides;
  for (const std::int64_t side : *common)
    sides += fmt::format("{}{}", sides.empty() ? "" : ", ", side);
  throw InputError("--block-size", "a size that was measured on all devices: " + sides,
                   fmt::format("{}", *wanted));
}

}  // namespace

std::vector<std::string> starpu_directories() {
  std::vector<std::string> directories;
  for (const char* variable : {"XDG_CACHE_HOME", "STARPU_HOME", "HOME"}) {
    if (const char* value = std::getenv(variable)) {
      directories.push_back(std::string(value) + "/.starpu");
    }
  }
  return directories;
}

std::string find_starpu_models(const std::string& host) {
  std::vector<std::string> directories;
  if (const char* chosen = std::getenv("STARPU_PERF_MODEL_DIR")) directories.emplace_back(chosen);
  for (const std::string& own : starpu_directories()) directories.push_back(own + "/sampling");
  const std::string examples = "/usr/share/starpu/perfmodels/sampling";
  directories.push_back(examples);
  std::string searched;
  for (const std::string& directory : directories) {
    std::error_code error;  // such as a name that is too long: there is no such file
    if (std::filesystem::exists(fmt::format("{}/bus/{}.config", directory, host), error)) {
      return directory;
    }
    searched += (searched.empty() ? "" : ", ") + directory;
  }
  std::error_code missing;
  throw InputError("PLATFORM", "a machine that StarPU has measured", fmt::format("'{}'", host),
                   fmt::format("searched in {}; --models names another directory{}", searched,
                               std::filesystem::exists(examples, missing)
                                   ? ""
                                   : "; StarPU's own machines, such as sirocco, need 'sudo apt "
                                     "install starpu-examples'"));
}

PlatformFile read_starpu_models(const std::string& directory, const std::string& host,
                                std::optional<std::int64_t> block_size,
                                std::optional<std::int64_t> cpu_workers) {
  const auto bus = [&](const char* ending) {
    return fmt::format("{}/bus/{}.{}", directory, host, ending);
  };
  const DeviceCounts counts = read_counts(bus("config"));
  const DeviceType type = counts.cuda > 0 ? DeviceType::cuda : DeviceType::opencl;
  const std::int64_t devices = counts.cuda > 0 ? counts.cuda : counts.opencl;
  const NodeMatrix bandwidths(bus("bandwidth"), counts.memories + devices, "a bandwidth in MB/s");
  const NodeMatrix latencies(bus("latency"), counts.memories + devices, "a latency in us");
  const std::string model =
      fmt::format("{}/codelets/{}/starpu_dgemm_gemm.{}", directory, kModelVersion, host);
  const auto error = [&](const std::string& place, const std::string& found) {
    return InputError(place, "measured durations of dgemm", found,
                      "calibrate StarPU's example mult/dgemm on this machine")
        .in_file(model);
  };
  std::error_code fault;  // of a file that may not be looked at, which reading it reports
  if (std::filesystem::status(model, fault).type() == std::filesystem::file_type::not_found)
    throw error("", "no such file");
  auto durations = read_durations(model);
  std::erase_if(durations, [&](const auto& device) {
    return device.first.first != type && device.first.first != DeviceType::cpu;
  });
  const auto samples_of = [&](DeviceType kind, std::int64_t number) -> const auto& {
    const auto found = durations.find({kind, number});
    if (found != durations.end()) return found->second;
    throw error(fmt::format("{} {}", name_of(kind), number), "none");
  };
  // StarPU reserves a core for each accelerator.
  const std::int64_t cores =
      cpu_workers.value_or(std::max<std::int64_t>(0, counts.cores - devices));
  if (cores > 0) samples_of(DeviceType::cpu, 0);
  for (std::int64_t device = 0; device < devices; ++device) samples_of(type, device);
  std::erase_if(durations, [&](const auto& device) {
    const auto& [kind, number] = device.first;
    return number >= (kind == type ? devices : std::min<std::int64_t>(cores, 1));
  });
  const std::int64_t q = choose_side(durations, block_size, model);
  const auto speed = [&](const std::vector<SpeedSample>& samples) {
    const auto sample = std::find_if(samples.begin(), samples.end(),
                                     [&](const auto& other) { return other.block_size == q; });
    const auto side = static_cast<double>(q);
    return 2 * side * side * side * static_cast<double>(sample->inner) / sample->seconds;
  };

  PlatformFile file{
      .path = bus("config"),
      .name = host + ", measured by StarPU",
      .provenance = fmt::format("converted from StarPU's performance models of {} (bus/{}.*, "
                                "codelets/{}/starpu_dgemm_gemm.{}), mean durations",
                                host, host, kModelVersion, host),
      .samples = std::nullopt,
      .block_size = q,
      .entries = {}};
  file.port.kind = Port::Kind::multi;
  std::vector<std::string> names;
  if (cores > 0) {
    const auto& samples = samples_of(DeviceType::cpu, 0);
    file.entries.push_back({.worker = PlatformFile::MemorySharing{.speed_flops = speed(samples)},
                            .count = cores,
                            .pointer = "",
                            .speed_function = samples});
    names.resize(static_cast<std::size_t>(cores));
  }
  constexpr double megabyte = 1e6;
  constexpr double microsecond = 1e-6;
  const std::string path = bus("platform.xml");
  const std::string xml = read_file(path);
  PciTopology topology(path, xml);
  for (std::int64_t device = 0; device < devices; ++device) {
    const auto& samples = samples_of(type, device);
    names.push_back(fmt::format("{}{}", type == DeviceType::cuda ? "CUDA" : "OpenCL", device));
    topology.add_device(names.back());
    file.entries.push_back(
        {.worker =
             PlatformFile::Physical{
                 .bandwidth_bytes_per_s =
                     megabyte * bandwidths.at(0, counts.memories + device, false),
                 .speed_flops = speed(samples),
                 .memory_bytes = read_memory(path, xml, names.back()),
                 .latency_s = microsecond * latencies.at(0, counts.memories + device, true),
                 .return_bandwidth_bytes_per_s =
                     megabyte * bandwidths.at(counts.memories + device, 0, false)},
         .count = 1,
         .pointer = "",
         .speed_function = samples});
    for (std::int64_t other = 0; other < devices; ++other) {
      if (other == device) continue;
      file.peer_links.push_back(
          {.from = cores + device,
           .to = cores + other,
           .bandwidth_bytes_per_s =
               megabyte * bandwidths.at(counts.memories + device, counts.memories + other, false),
           .latency_s = microsecond *
                        latencies.at(counts.memories + device, counts.memories + other, true)});
    }
  }
  file.names = WorkerNames(names);
  file.buses = topology.shared_buses();
  for (std::int64_t device = 0; device < devices; ++device) {
    auto& entry = file.entries[file.entries.size() - static_cast<std::size_t>(devices - device)];
    entry.bus = topology.bus_of(names[static_cast<std::size_t>(cores + device)]);
  }
  if (!topology.is_known())
    add_buses_by_affinity(read_affinity_groups(bus("affinity"), devices), file);
  // The reader of platform files refuses figures and names that none may have.
  const std::string what = fmt::format("StarPU's models of {}, as a platform file", host);
  PlatformFile checked = parse_platform(parse_json(to_json(file), what), what);
  checked.path = file.path;
  return checked;
}

}  // namespace starport
