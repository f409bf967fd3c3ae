// `starport partition`: divides a product among processors of given speeds.
#include "sim/cli/commands.hpp"
#include "sim/cli/partition_result.hpp"
#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/report/plots/partition_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starport {
namespace {

using namespace partition;

constexpr std::size_t kMostProcessors = 1'000'000;

std::vector<double> parse_speeds(const std::string& text) {
  std::vector<double> speeds;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const auto speed = parse_number<double>(item);
    if (!speed || *speed <= 0) {
      throw InputError("--speeds", "numbers above 0, separated by commas, such as 1,1,4,9",
                       fmt::format("'{}' as number {}", item, speeds.size() + 1));
    }
    speeds.push_back(*speed);
    begin = end + 1;
  }
  if (speeds.size() > kMostProcessors) {
    throw InputError("--speeds", fmt::format("at most {} numbers", kMostProcessors),
                     fmt::format("{}", speeds.size()));
  }
  return speeds;
}

/// Returns the speeds of a platform's workers in block updates per second. Workers that share the
/// master's memory count as one processor, the first.
std::vector<double> speeds_of(const std::string& path, const CommandLine& line) {
  PlatformFile file = load_platform(path);
  file.buses.clear();  // only the speeds count
  for (PlatformFile::Entry& entry : file.entries) {
    if (auto* physical = std::get_if<PlatformFile::Physical>(&entry.worker))
      physical->return_bandwidth_bytes_per_s.reset();
  }
  const Platform platform = file.at_block_size(line.block_size(file));
  std::vector<double> speeds;
  double of_master = 0;
  auto worker = platform.workers.begin();
  for (const PlatformFile::Entry& entry : file.entries) {
    const bool shares = std::holds_alternative<PlatformFile::MemorySharing>(entry.worker);
    for (std::int64_t copy = 0; copy < entry.count; ++copy, ++worker) {
      if (shares) {
        of_master += 1 / worker->w_s;
      } else {
        speeds.push_back(1 / worker->w_s);
      }
    }
  }
  if (of_master > 0) speeds.insert(speeds.begin(), of_master);
  return speeds;
}

std::vector<double> read_speeds(const CommandLine& line) {
  const auto given = line.find("speeds");
  const auto platform = line.find("speeds-of");
  if (given && platform) {
    throw InputError::with_problem("--speeds-of", "it excludes --speeds", "Give only one of them");
  }
  if (!platform && line.has("block-size")) {
    throw InputError::with_problem("--block-size", "it applies to the platform of --speeds-of only",
                                   "Give --speeds-of PLATFORM, or leave it out");
  }
  if (given) return parse_speeds(*given);
  if (platform) return speeds_of(*platform, line);
  throw InputError::with_problem(
      "--speeds", "the option is missing",
      "Give the processors' speeds, such as 1,1,4,9, or --speeds-of PLATFORM");
}

Rounding read_rounding(const CommandLine& line) {
  const auto name = line.find("rounding");
  if (!name) return Rounding::rounded;
  if (!line.has("tiles")) {
    throw InputError::with_problem("--rounding", "it applies to whole tiles only",
                                   "Give --tiles too");
  }
  for (const Rounding rounding : {Rounding::rounded, Rounding::precise}) {
    if (*name == to_string(rounding)) return rounding;
  }
  const std::vector<std::string> known{to_string(Rounding::rounded), to_string(Rounding::precise)};
  throw InputError("--rounding", "ROUNDED or PRECISE", "'" + *name + "'",
                   did_you_mean(*name, known));
}

void check_tiles(const Request& request) {
  if (!request.n) return;
  const auto tiles = std::pow(*request.n, static_cast<double>(request.method->dimensions()));
  if (static_cast<double>(request.speeds.size()) > tiles) {
    throw InputError("--tiles",
                     fmt::format("a tile for each of {} processors", request.speeds.size()),
                     format_count(static_cast<std::int64_t>(tiles), "tile"));
  }
}

Request read_request(const CommandLine& line) {
  Request request{.method = &find_method(line.text("method")),
                  .speeds = read_speeds(line),
                  .rounding = read_rounding(line)};
  const bool square = request.method->dimensions() == 2;
  request.n = line.integer("tiles", 1, square ? 8192 : 406);  // at most kMaxTiles in all
  const std::size_t wanted = request.method->processors;
  if (wanted > 0 && request.speeds.size() != wanted) {
    throw InputError("--method", fmt::format("a method for {} processors", request.speeds.size()),
                     fmt::format("{}, which is for {}", request.method->name, wanted));
  }
  check_tiles(request);
  return request;
}

template <std::size_t D>
Solution<D> solve(const Request& request, Divide<D> divide) {
  Solution<D> solution{.partition = divide(request.speeds, {}),
                       .bound = cost_bound(request.speeds, D)};
  if (request.n) {
    TileCounts<D> counts;
    counts.fill(*request.n);
    solution.tiling = to_tiles(solution.partition, request.speeds, counts, request.rounding);
    solution.projections = count_projections(*solution.tiling);
  }
  return solution;
}

template <std::size_t D>
Drawing draw(const Request& request, const Solution<D>& solution) {
  const std::string ratio =
      fmt::format("{:.4f} x bound", solution.tiling ? solution.tile_cost() / solution.tile_bound()
                                                    : solution.partition.cost / solution.bound);
  if (!solution.tiling) {
    return draw_partition(solution.partition, fmt::format("{}: {}", request.method->name, ratio));
  }
  return draw_tiles(*solution.tiling,
                    fmt::format("{}, {} tiles a side, {}: {}", request.method->name, *request.n,
                                to_string(request.rounding), ratio));
}

/// Throws InputError if the partition cannot be drawn in that file, before anything is computed.
void check_drawing(const std::string& path, const Request& request) {
  plot_format(path);
  if (request.n.value_or(0) > kMaxDrawnTiles) {
    throw InputError("--output", fmt::format("at most {} tiles a side to draw", kMaxDrawnTiles),
                     fmt::format("{}", *request.n));
  }
}

template <std::size_t D>
void answer(const CommandLine& line, const Request& request, Divide<D> divide) {
  const auto path = line.find("output");
  std::optional<OutputFile> output;
  if (path) {
    check_drawing(*path, request);
    output.emplace(*path, "--output");
  }
  const Solution<D> solution = solve(request, divide);
  if (output) {
    output->write(render(draw(request, solution), plot_format(*path)));
    output->commit();
  }
  print(line.has("json") ? as_json(request, solution) : as_text(request, solution));
}

std::string purpose() {
  std::string text =
      "Divides the square of a matrix product among processors in proportion to their speeds, or "
      "the cube\nof its products, so that they need little of each other's data. The bound is what "
      "no partition with\nthese shares beats (those rounded to tiles have others):\n2 times the "
      "sum of the areas' roots (squares), 3 times that of the volumes' powers of 2/3 (cubes)."
      "\n\nMethods:\n";
  for (const Method& one : methods()) {
    text += fmt::format("  {:<13} {}\n", one.name, one.summary);
  }
  return text;
}

}  // namespace

int partition_command(const std::vector<std::string>& arguments) {
  CommandLine line(
      "partition", {}, purpose(),
      "starport partition --speeds 1,1,4,9 --tiles 32 --method NRRP -o partition.svg\n"
      "  starport partition --speeds-of platforms/ppopp08-computation.json --method NRRP3D");
  line.add("speeds", "LIST", "speeds of the processors, in any unit")
      .add("speeds-of", "PLATFORM",
           "take the speeds of the workers of this platform file; those that share the master's "
           "memory count as one")
      .add("method", "METHOD", "method of partitioning; `starport partition --help` lists them",
           "NRRP")
      .add("tiles", "N", "assign whole tiles: N x N (or N x N x N tasks)")
      .add("rounding", "HOW",
           "ROUNDED: every edge to the nearest tile (default); PRECISE: the exact number of tiles "
           "for each processor")
      .add("output,o", "FILE", "draw the partition: .svg, .pdf, .png, .csv with the data, or .py")
      .add_flag("json", "print one JSON object");
  line.add_block_size();
  if (!line.parse(arguments)) return kSuccess;

  const Request request = read_request(line);
  if (const auto* square = std::get_if<Divide<2>>(&request.method->divide)) {
    answer(line, request, *square);
  } else {
    answer(line, request, std::get<Divide<3>>(request.method->divide));
  }
  return kSuccess;
}

}  // namespace starport
