#include "sim/platform/starpu_models.hpp"

#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
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
  std::int64_t cuda;
  std::int64_t opencl;
};

DeviceCounts read_counts(const std::string& path) {
  Words words(path);
  constexpr std::int64_t most = 100'000;
  return {.cores = words.integer("the number of cores", 1, most),
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
std::optional<SpeedSample> make_sample(double bytes, double flops, double mean_us) {
  for (std::int64_t x = 1; x <= 1000; ++x) {
    const auto ratio = static_cast<double>(x);
    const double side = std::round(std::sqrt(bytes / (8 * (2 * ratio + 1))));
    const bool fits = side >= 1 && side <= 1e6 && 8 * (2 * ratio + 1) * side * side == bytes &&
                      std::abs(2 * ratio * side * side * side - flops) <= 1e-5 * flops;
    if (!fits) continue;
    return SpeedSample{
        .inner = x, .block_size = static_cast<std::int64_t>(side), .seconds = mean_us * 1e-6};
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
        words.skip(4, "a statistic");
        const bool is_measured = bytes > 0 && flops > 0 && mean_us > 0 && std::isfinite(mean_us);
        const auto sample = is_measured ? make_sample(bytes, flops, mean_us) : std::nullopt;
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

/// Returns the memory in bytes of a host of SimGrid's platform that StarPU writes, such as "CUDA0".
double read_memory(const std::string& path, const std::string& host) {
  const std::string text = read_file(path);
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

std::string find_starpu_models(const std::string& host) {
  std::vector<std::string> directories;
  const auto add = [&](const char* variable, const char* below) {
    if (const char* value = std::getenv(variable))
      directories.push_back(std::string(value) + below);
  };
  add("STARPU_PERF_MODEL_DIR", "");
  add("STARPU_HOME", "/.starpu/sampling");
  add("HOME", "/.starpu/sampling");
  directories.push_back("/usr/share/starpu/perfmodels/sampling");
  std::string searched;
  for (const std::string& directory : directories) {
    std::error_code error;  // such as a name that is too long: there is no such file
    if (std::filesystem::exists(fmt::format("{}/bus/{}.config", directory, host), error)) {
      return directory;
    }
    searched += (searched.empty() ? "" : ", ") + directory;
  }
  throw InputError("PLATFORM", "a machine that StarPU has measured", fmt::format("'{}'", host),
                   "searched in " + searched + "; --models names another directory");
}

PlatformFile read_starpu_models(const std::string& directory, const std::string& host,
                                std::optional<std::int64_t> block_size) {
  const auto bus = [&](const char* ending) {
    return fmt::format("{}/bus/{}.{}", directory, host, ending);
  };
  const DeviceCounts counts = read_counts(bus("config"));
  const DeviceType type = counts.cuda > 0 ? DeviceType::cuda : DeviceType::opencl;
  const std::int64_t devices = counts.cuda > 0 ? counts.cuda : counts.opencl;
  const NodeMatrix bandwidths(bus("bandwidth"), 1 + devices, "a bandwidth in MB/s");
  const NodeMatrix latencies(bus("latency"), 1 + devices, "a latency in us");
  const std::string model =
      fmt::format("{}/codelets/{}/starpu_dgemm_gemm.{}", directory, kModelVersion, host);
  auto durations = read_durations(model);
  std::erase_if(durations, [&](const auto& device) {
    return device.first.first != type && device.first.first != DeviceType::cpu;
  });
  const auto samples_of = [&](DeviceType kind, std::int64_t number) -> const auto& {
    const auto found = durations.find({kind, number});
    if (found != durations.end()) return found->second;
    throw InputError(fmt::format("{} {}", name_of(kind), number), "measured durations of dgemm",
                     "none", "calibrate StarPU's example mult/dgemm on this machine")
        .in_file(model);
  };
  // StarPU reserves a core for each accelerator.
  const std::int64_t cores = std::max<std::int64_t>(0, counts.cores - devices);
  if (cores > 0) samples_of(DeviceType::cpu, 0);
  for (std::int64_t device = 0; device < devices; ++device) samples_of(type, device);
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
  if (cores > 0) {
    const auto& samples = samples_of(DeviceType::cpu, 0);
    file.entries.push_back({.worker = PlatformFile::MemorySharing{.speed_flops = speed(samples)},
                            .count = cores,
                            .pointer = "",
                            .speed_function = samples});
  }
  for (std::int64_t device = 0; device < devices; ++device) {
    const auto& samples = samples_of(type, device);
    const std::string name =
        fmt::format("{}{}", type == DeviceType::cuda ? "CUDA" : "OpenCL", device);
    constexpr double megabyte = 1e6;
    file.entries.push_back(
        {.worker =
             PlatformFile::Physical{
                 .bandwidth_bytes_per_s = megabyte * bandwidths.at(0, 1 + device, false),
                 .speed_flops = speed(samples),
                 .memory_bytes = read_memory(bus("platform.xml"), name),
                 .latency_s = 1e-6 * latencies.at(0, 1 + device, true),
                 .return_bandwidth_bytes_per_s = megabyte * bandwidths.at(1 + device, 0, false)},
         .count = 1,
         .pointer = "",
         .speed_function = samples});
  }
  return file;
}

}  // namespace starport
