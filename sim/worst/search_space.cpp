#include "sim/worst/search_space.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/units.hpp"
#include "sim/platform/generators/random_platforms.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/worst/spaces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace starport::worst {
namespace {

std::size_t draw_index(std::size_t size, Random& random) {
  return static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(size) - 1));
}

VariedWorker draw_worker(const WorkerRanges& ranges, Random& random) {
  VariedWorker worker;
  for (std::size_t i = 0; i < kFigures; ++i) worker[i] = ranges.figures[i].draw(random);
  return worker;
}

Problem product_of(const Instance& instance, std::int64_t block_size) {
  const auto side = [&](std::size_t i) {
    return static_cast<std::int64_t>(instance.sides[instance.sides.size() == 1 ? 0 : i]);
  };
  return {.r = side(0), .s = side(1), .t = side(2), .block_size = block_size};
}

bool is_too_large(const SearchSpace& space, const Instance& instance) {
  return static_cast<double>(product_of(instance, 1).updates()) > space.max_updates;
}

/// Reduces the sides that are longest beyond their minima until the product has at most
/// space.max_updates block updates. Ends, since read_search_space() checks the product of the
/// minima.
void limit_updates(const SearchSpace& space, Instance& instance) {
  auto& sides = instance.sides;
  while (is_too_large(space, instance)) {
    const auto excess = [&](std::size_t i) { return sides[i] - space.sides[i].low; };
    std::size_t longest = 0;
    for (std::size_t i = 1; i < sides.size(); ++i) {
      if (excess(i) > excess(longest)) longest = i;
    }
    sides[longest] = std::max(space.sides[longest].low, std::floor(sides[longest] * 3 / 4));
  }
}

/// Returns a random factor: mostly near 1, sometimes far from it.
double draw_factor(Random& random) {
  const double width = std::exp(random.real(std::log(0.02), std::log(3)));
  return std::exp(random.real(-width, width));
}

void change_side(const SearchSpace& space, Instance& instance, Random& random) {
  const std::size_t which = draw_index(instance.sides.size(), random);
  double& side = instance.sides[which];
  const Range& range = space.sides[which];
  const double before = side;
  side = range.nearest(side * draw_factor(random));
  if (side == before) side = range.nearest(side + (random.integer(0, 1) == 0 ? -1 : 1));
  limit_updates(space, instance);
}

/// Returns a figure that the space lets vary for this worker.
std::size_t draw_figure(const WorkerRanges& ranges, Random& random) {
  std::vector<std::size_t> varied;
  for (std::size_t i = 0; i < kFigures; ++i) {
    if (ranges.figures[i].low < ranges.figures[i].high) varied.push_back(i);
  }
  return varied.empty() ? kSpeed : varied[draw_index(varied.size(), random)];
}

/// Scales a figure of one worker or of all workers of its kind, or draws it again.
void change_figure(const SearchSpace& space, std::vector<VariedWorker>& workers, Random& random) {
  VariedWorker& one = workers[draw_index(workers.size(), random)];
  const WorkerRanges& ranges = space.ranges_of(shares_memory(one));
  const std::size_t figure = draw_figure(ranges, random);
  const Range& range = ranges.figures[figure];
  const double factor = draw_factor(random);
  const std::int64_t kind = random.integer(0, 9);
  if (kind == 1) {
    one[figure] = range.draw(random);
    return;
  }
  for (VariedWorker& worker : workers) {
    if (kind == 0 ? shares_memory(worker) == shares_memory(one) : &worker == &one)
      worker[figure] = range.nearest(worker[figure] * factor);
  }
}

/// Adds, copies or removes a worker, or makes a figure of one equal to that of another. The result
/// may have more or fewer workers than the space allows.
void change_workers(const SearchSpace& space, std::vector<VariedWorker>& workers, Random& random) {
  const std::size_t one = draw_index(workers.size(), random);
  const std::size_t other = draw_index(workers.size(), random);
  const std::int64_t kind = random.integer(0, 3);
  const bool has_both = space.sharing.count.high > 0 && space.linked.count.high > 0;
  const bool sharing =
      kind == 0 && has_both ? random.integer(0, 1) == 0 : shares_memory(workers[one]);
  if (kind == 0) {
    workers.push_back(draw_worker(space.ranges_of(sharing), random));
  } else if (kind == 1) {
    workers.push_back(VariedWorker(workers[one]));
  } else if (kind == 2) {
    workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(one));
  } else if (shares_memory(workers[other]) == sharing) {
    const std::size_t figure = draw_figure(space.ranges_of(sharing), random);
    workers[one][figure] = workers[other][figure];
  }
}

Range read_figure(const JsonNode& node, Dimension dimension) {
  const auto range = Distribution::read(node, dimension).range();
  if (!range) throw node.fault("a value, or an object with uniform or log_uniform");
  if (range->first == 0 && range->second > 0) throw node.fault("a range above 0, or 0");
  return {range->first, range->second};
}

/// Reads a range of integers: a number, or [low, high].
Range read_integers(const JsonNode& node, std::int64_t least, std::int64_t largest) {
  const auto ends = node.is_array() ? node.elements() : std::vector{node, node};
  if (ends.size() != 2) throw node.fault("[low, high]");
  const std::int64_t low = ends[0].integer(least, largest);
  const std::int64_t high = ends[1].integer(low, largest);
  return {static_cast<double>(low), static_cast<double>(high), true};
}

/// Reads a space; files that it names are in `directory`.
SearchSpace read_search_space(const nlohmann::json& document, const std::string& name,
                              const std::string& directory) {
  constexpr std::int64_t max_workers = 1000;
  constexpr std::int64_t max_side = 100000;
  const JsonNode node(document);
  node.check_version(1);
  node.allow_only_keys({"$schema", "schema_version", "comment", "workers", "bandwidth", "speed",
                        "memory", "latency", "shares_memory", "port", "noise", "block_size", "r",
                        "s", "t", "n", "max_updates"});
  SearchSpace space{.name = name, .document = document};
  space.linked = {read_integers(node.at("workers"), 0, max_workers),
                  {read_figure(node.at("bandwidth"), Dimension::bandwidth),
                   read_figure(node.at("speed"), Dimension::speed),
                   read_figure(node.at("memory"), Dimension::memory)}};
  if (const auto latency = node.find("latency"))
    space.linked.figures[kLatency] = read_figure(*latency, Dimension::time);
  if (const auto sharing = node.find("shares_memory")) {
    sharing->allow_only_keys({"workers", "speed"});
    space.sharing.count = read_integers(sharing->at("workers"), 0, max_workers);
    space.sharing.figures[kSpeed] = read_figure(sharing->at("speed"), Dimension::speed);
  }
  if (space.linked.count.high + space.sharing.count.high == 0)
    throw node.at("workers").fault("at least one worker");
  const auto n = node.find("n");
  if (n) space.sides = {read_integers(*n, 1, max_side)};
  for (const char* side : {"r", "s", "t"}) {
    if (!n) space.sides.push_back(read_integers(node.at(side), 1, max_side));
    if (n && node.find(side)) throw n->fault("n alone, or r, s and t");
  }
  if (const auto port = node.find("port")) space.port = read_port(*port);
  if (const auto noise = node.find("noise")) {
    space.noise = read_noise(*noise, 0, directory);
    // Noise may name only workers that every instance has.
    const double fewest = space.linked.count.low + space.sharing.count.low;
    check_workers(space.noise, std::llround(fewest), name, noise->pointer());
  }
  if (const auto size = node.find("block_size")) space.block_size = size->integer(1, kMaxBlockSize);
  if (const auto most = node.find("max_updates")) space.max_updates = most->positive_number();
  Instance smallest;
  for (const Range& side : space.sides) smallest.sides.push_back(side.low);
  if (is_too_large(space, smallest)) {
    throw node.fault("a product of at most max_updates block updates",
                     "lower the smallest sides, or raise max_updates");
  }
  return space;
}

}  // namespace

double round_to_digits(double value, int digits) {
  return std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr);
}

double Range::nearest(double value) const {
  return std::clamp(integral ? std::round(value) : round_to_digits(value, 4), low, high);
}

double Range::draw(Random& random) const {
  if (low == high) return low;
  const double shift = integral ? 1 : 0;  // 0 has no logarithm
  const double growth = std::log((high + shift) / (low + shift));
  const double drawn = (low + shift) * std::exp(random.real(0, 1) * growth);
  return nearest(round_to_digits(drawn, 4) - shift);
}

bool SearchSpace::contains(const Instance& instance) const {
  const auto is_in = [](double value, const Range& range) { return range.contains(value); };
  const auto fits = [&](const VariedWorker& worker) {
    return std::ranges::equal(worker, ranges_of(shares_memory(worker)).figures, is_in);
  };
  const auto has_count = [&](bool sharing_memory) {
    const auto count = std::ranges::count(instance.workers, sharing_memory, shares_memory);
    return ranges_of(sharing_memory).count.contains(static_cast<double>(count));
  };
  return !instance.workers.empty() && has_count(false) && has_count(true) &&
         std::ranges::all_of(instance.workers, fits) &&
         std::ranges::equal(instance.sides, sides, is_in) && !is_too_large(*this, instance);
}

Instance SearchSpace::draw(Random& random) const {
  Instance instance;
  double shared = sharing.count.draw(random);
  double behind_links = linked.count.draw(random);
  if (shared + behind_links == 0) ++(linked.count.high > 0 ? behind_links : shared);
  for (; shared > 0; --shared) instance.workers.push_back(draw_worker(sharing, random));
  for (; behind_links > 0; --behind_links) instance.workers.push_back(draw_worker(linked, random));
  for (const Range& side : sides) instance.sides.push_back(side.draw(random));
  limit_updates(*this, instance);
  return instance;
}

Instance SearchSpace::change(const Instance& instance, Random& random) const {
  Instance changed = instance;
  const std::int64_t kind = random.integer(0, 9);
  if (kind < 5) {
    change_figure(*this, changed.workers, random);
  } else if (kind < 8) {
    change_workers(*this, changed.workers, random);
  } else {
    change_side(*this, changed, random);
  }
  return contains(changed) ? changed : instance;
}

Case SearchSpace::to_case(const Instance& instance) const {
  Case result{.file = {}, .problem = product_of(instance, block_size)};
  result.file.path = result.file.name = "worst case";
  result.file.block_size = block_size;
  result.file.port = port;
  for (const auto& [bandwidth, speed, memory, latency] : instance.workers) {
    PlatformFile::Entry& entry = result.file.entries.emplace_back();
    entry.count = 1;
    if (bandwidth == 0) {
      entry.worker = PlatformFile::MemorySharing{.speed_flops = speed};
    } else {
      entry.worker = PlatformFile::Physical{.bandwidth_bytes_per_s = bandwidth,
                                            .speed_flops = speed,
                                            .memory_bytes = memory,
                                            .latency_s = latency};
    }
  }
  return result;
}

SearchSpace find_search_space(const std::string& name, std::string_view model) {
  const auto built_in =
      nlohmann::json::parse(embedded::sim_worst_spaces_json).at(std::string(model));
  if (built_in.contains(name)) return read_search_space(built_in[name], name, "");
  std::error_code failed;
  if (name.find('.') == std::string::npos && !std::filesystem::exists(name, failed)) {
    throw InputError::with_unknown_name("--within", name, "a search space", {"typical", "anything"},
                                        "typical, anything, or a JSON file");
  }
  const std::filesystem::path folder = std::filesystem::path(name).parent_path();
  return with_file_in_errors(name, [&] {
    return read_search_space(load_json(name), name, folder.empty() ? "." : folder.string());
  });
}

}  // namespace starport::worst
