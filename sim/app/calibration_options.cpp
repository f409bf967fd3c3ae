#include "sim/app/calibration_options.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/output.hpp"
#include "sim/files/units.hpp"
#include "sim/models/star/star_model.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {
namespace {

constexpr int kMostThreads = 1024;

std::vector<std::int64_t> parse_block_sizes(const std::string& text) {
  const auto good = [](std::int64_t q) { return q >= 1 && q <= kMaxBlockSize; };
  const auto sizes = parse_numbers<std::int64_t>(text, ',');
  if (sizes && std::ranges::all_of(*sizes, good)) return *sizes;
  throw InputError("--block-sizes",
                   fmt::format("integers from 1 to {}, separated by commas", kMaxBlockSize),
                   "'" + text + "'");
}

double parse_reserve(const std::string& text) {
  const double share = parse_share(text).value_or(-1);
  if (!(share >= 0) || !(share < 1)) {
    throw InputError("--reserve",
                     "a share of the free memory, less than all of it, such as 0, 25% or 0.25",
                     "'" + text + "'");
  }
  return share;
}

}  // namespace

void add_calibration_options(CommandLine& line) {
  line.add("output,o", "FILE", "the platform file to write")
      .add("block-sizes", "Q,...",
           "block sizes to try; the smallest one within 3% of the best speed is stored in the file",
           "80")
      .add("threads", "N", "number of threads of the dgemm", "1")
      .add("element-type", "float64|float32", "type of the matrix elements", "float64")
      .add("kernel", "LIB.so",
           "measure this kernel (sim/kernel/starport_kernel.h) instead of the CPU's")
      .add("memory", "SIZE",
           "memory of the machine for blocks, divided by its workers, such as 512MiB (default: the "
           "free memory less the reserve); a run may use an eighth more")
      .add("reserve", "SHARE", "share of the free memory left to the system", "25%")
      .add_flag("speed-function",
                "also measure speed as a function of size, for distributed products")
      .add("speed-side", "N",
           "with --speed-function: size of the largest update, N x N blocks (default: 64)")
      .add("seconds", "SECONDS",
           "minimum time to measure each figure (default: 1; with ranks 5 s more for all workers "
           "together)")
      .add("name", "TEXT", "name of the platform");
}

void add_unequal(CommandLine& line) {
  line.add("unequal", "ITEMS",
           "slow down workers: threads=1:2 (2 threads on worker 1), slow=2:2.5 (worker 2 takes 2.5 "
           "times as long), paging=3:24MiB:10 (worker 3 takes 1 + 10 (f - 1) times as long if its "
           "data takes f > 1 times 24 MiB)");
}

std::optional<double> quantity(const CommandLine& line, const char* option, Dimension dimension) {
  const auto text = line.find(option);
  if (!text) return std::nullopt;
  const std::string place = std::string("--") + option;
  double value = 0;
  try {
    value = parse_quantity(*text, dimension);
  } catch (InputError& error) {
    throw InputError(place, error.expected, error.found, error.hint);
  }
  const bool zero_allowed = dimension == Dimension::time;
  if (value < 0 || (value == 0 && !zero_allowed)) {
    throw InputError(place, zero_allowed ? "0 or more" : "more than 0", "'" + *text + "'");
  }
  return value;
}

NodeSettings node_settings(const CommandLine& line) {
  NodeSettings settings;
  settings.block_sizes = parse_block_sizes(line.text("block-sizes"));
  settings.threads = static_cast<int>(*line.integer("threads", 1, kMostThreads));
  settings.type = parse_element_type(line.text("element-type"), "--element-type");
  settings.kernel = line.find("kernel").value_or("");
  settings.memory_bytes = quantity(line, "memory", Dimension::memory);
  settings.seconds =
      line.number("seconds", "a number, more than 0", 1e-3).value_or(settings.seconds);
  settings.reserve = parse_reserve(line.text("reserve"));
  if (line.has("speed-function")) {
    constexpr std::int64_t otherwise = 64;
    settings.speed_side = line.integer("speed-side", 2, kMaxBlockSize).value_or(otherwise);
    if (settings.type != ElementType::float64 || line.has("kernel")) {
      throw InputError("--speed-function",
                       "products of doubles on the CPU, as distributed ones are",
                       line.has("kernel") ? "--kernel" : "--element-type float32");
    }
  } else if (line.has("speed-side")) {
    throw InputError("--speed-side", "--speed-function with it", "none");
  }
  return settings;
}

std::string calibration_output(const CommandLine& line) {
  return line.required("output", "the platform file to write");
}

std::string settings_text(const NodeSettings& settings) {
  return settings.memory_bytes ? std::string("memory as given")
                               : fmt::format("memory: what was free, less a reserve of {:g}%",
                                             100 * settings.reserve);
}

std::string calibrated_text(const PlatformFile& file, const std::string& path) {
  const std::int64_t q = *file.block_size;
  return platform_table(file.at_block_size(q), {.r = 1, .s = 1, .t = 1, .block_size = q}) +
         fmt::format(
             "written to {}{}\n", path,
             element_type_of(file) == ElementType::float64 ? "" : ", for products of floats");
}

}  // namespace starport
