#include "sim/worst/search_space.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/units.hpp"
#include "sim/platform/generators/random_platforms.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace starport::worst {
namespace {

/// Returns `value` rounded to four significant digits, so that results do not depend on the last
/// bits of exp and log, which differ between machines.
double round_figure(double value) {
  return std::strtod(fmt::format("{:.3e}", value).c_str(), nullptr);
}

std::size_t draw_index(std::size_t size, Random& random) {
  return static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(size) - 1));
}

std::int64_t count_of(const std::vector<VariedWorker>& workers, bool shares_memory) {
  return std::ranges::count(workers, shares_memory, &VariedWorker::shares_memory);
}

VariedWorker draw_worker(const SearchSpace& space, bool shares_memory, Random& random) {
  VariedWorker worker{.shares_memory = shares_memory};
  for (std::size_t i = 0; i < kFigures; ++i)
    worker.figures[i] = space.ranges_of(worker).figures[i].draw(random);
  return worker;
}

PlatformFile::Entry to_entry(const VariedWorker& worker) {
  if (worker.shares_memory) {
    return {.worker = PlatformFile::MemorySharing{.speed_flops = worker.figures[kSpeed]},
            .count = 1,
            .pointer = ""};
  }
  return {.worker = PlatformFile::Physical{.bandwidth_bytes_per_s = worker.figures[kBandwidth],
                                           .speed_flops = worker.figures[kSpeed],
                                           .memory_bytes = worker.figures[kMemory],
                                           .latency_s = worker.figures[kLatency]},
          .count = 1,
          .pointer = ""};
}

/// Returns the sides r, s and t of the product.
std::array<std::int64_t, 3> sides_of(const Instance& instance) {
  const auto& sides = instance.sides;
  if (sides.size() == 1) return {sides[0], sides[0], sides[0]};
  return {sides[0], sides[1], sides[2]};
}

double updates_of(const Instance& instance) {
  const auto [r, s, t] = sides_of(instance);
  return static_cast<double>(r) * static_cast<double>(s) * static_cast<double>(t);
}

/// Reduces the longest sides until the product has at most space.max_updates block updates.
void limit_updates(const SearchSpace& space, Instance& instance) {
  while (updates_of(instance) > space.max_updates) {
    std::int64_t* longest = nullptr;
    std::int64_t low = 0;
    for (std::size_t i = 0; i < instance.sides.size(); ++i) {
      std::int64_t& side = instance.sides[i];
      if (side <= space.sides[i].low || (longest != nullptr && side <= *longest)) continue;
      longest = &side;
      low = space.sides[i].low;
    }
    if (longest == nullptr) return;
    *longest = std::max(low, *longest * 3 / 4);
  }
}

/// Returns a random factor: mostly near 1, sometimes far from it.
double draw_factor(Random& random) {
  const double width = std::exp(random.real(std::log(0.02), std::log(3)));
  return std::exp(random.real(-width, width));
}

void change_side(const SearchSpace& space, Instance& instance, Random& random) {
  const std::size_t which = draw_index(instance.sides.size(), random);
  std::int64_t& side = instance.sides[which];
  const IntegerRange& range = space.sides[which];
  const std::int64_t before = side;
  side = range.clamp(static_cast<double>(side) * draw_factor(random));
  if (side == before) side += random.integer(0, 1) == 0 ? -1 : 1;
  side = range.clamp(static_cast<double>(side));
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
  const WorkerRanges& ranges = space.ranges_of(one);
  const std::size_t figure = draw_figure(ranges, random);
  const Range& range = ranges.figures[figure];
  const double factor = draw_factor(random);
  const std::int64_t kind = random.integer(0, 9);
  if (kind == 1) {
    one.figures[figure] = range.draw(random);
    return;
  }
  for (VariedWorker& worker : workers) {
    if (kind == 0 ? worker.shares_memory != one.shares_memory : &worker != &one) continue;
    double& value = worker.figures[figure];
    value = range.clamp(round_figure(value * factor));
  }
}

/// Adds, copies or removes a worker, or makes a figure of one equal to that of another.
void change_workers(const SearchSpace& space, std::vector<VariedWorker>& workers, Random& random) {
  const std::size_t one = draw_index(workers.size(), random);
  const std::size_t other = draw_index(workers.size(), random);
  const std::int64_t kind = random.integer(0, 3);
  bool shares_memory = workers[one].shares_memory;
  if (kind == 0 && space.sharing.count.high > 0 && space.linked.count.high > 0)
    shares_memory = random.integer(0, 1) == 0;
  const std::int64_t count = count_of(workers, shares_memory);
  const IntegerRange& range = (shares_memory ? space.sharing : space.linked).count;
  switch (kind) {
    case 0:
    case 1:
      if (!range.contains(count + 1)) return;
      workers.push_back(kind == 0 ? draw_worker(space, shares_memory, random)
                                  : VariedWorker(workers[one]));
      return;
    case 2:
      if (range.contains(count - 1) && workers.size() > 1)
        workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(one));
      return;
    default:
      if (workers[other].shares_memory != shares_memory) return;
      const std::size_t figure = draw_figure(space.ranges_of(workers[one]), random);
      workers[one].figures[figure] = workers[other].figures[figure];
  }
}

constexpr double kGiga = 1e9;

/// PPoPP'08, Figure 7, for stars; the nodes of ICPP'18; clusters as in HeteroPar'12.
SearchSpace typical(std::string_view model) {
  if (model == "tiles") {
    return {.name = "typical",
            .linked = {{1, 8},
                       {{{4 * kGiga, 16 * kGiga},
                         {500 * kGiga, 2000 * kGiga},
                         {4 * kGiga, 16 * kGiga},
                         {20e-6, 20e-6}}}},
            .sharing = {{0, 4}, {{{}, {75 * kGiga, 300 * kGiga}}}},
            .sides = {{4, 24}},
            .max_updates = 14000,
            .block_size = 960};
  }
  if (model == "spmd") {
    return {
        .name = "typical",
        .linked =
            {{2, 20},
             {{{0.25 * kGiga, kGiga}, {50 * kGiga, 200 * kGiga}, {16 * kGiga, 64 * kGiga}, {}}}},
        .sides = {{20, 200}},
        .max_updates = 1e7,
        .block_size = 128};
  }
  return {.name = "typical",
          .linked = {{2, 20}, {{{2.5e6, 1e7}, {3.4125e8, 1.365e9}, {0x1p28, 0x1p30}, {}}}},
          .sides = {{10, 100}, {10, 1000}, {10, 100}},
          .max_updates = 1e7};
}

SearchSpace anything(std::string_view model) {
  constexpr double block = 8 * 80 * 80;
  SearchSpace space{.name = "anything",
                    .linked = {{1, 20}, {{{1e5, 1e10}, {1e7, 1e13}, {5 * block, 1e5 * block}, {}}}},
                    .sides = {{1, 100}, {1, 100}, {1, 100}},
                    .max_updates = 1e5};
  if (model == "star") return space;
  space.sides = {{1, 40}};
  if (model == "tiles") {
    space.linked.count.low = 0;
    space.linked.figures[kLatency] = {1e-6, 1e-2};
    space.sharing = {{0, 10}, {{{}, {1e7, 1e13}}}};
    space.max_updates = 8000;
  }
  return space;
}

Range read_figure(const JsonNode& node, Dimension dimension) {
  const auto range = Distribution::read(node, dimension).range();
  if (!range) throw node.fault("a value, or an object with uniform or log_uniform");
  if (range->first == 0 && range->second > 0) throw node.fault("a range above 0, or 0");
  return {range->first, range->second};
}

/// Reads a range of integers: a number, or [low, high].
IntegerRange read_integers(const JsonNode& node, std::int64_t least, std::int64_t largest) {
  if (!node.is_array()) {
    const std::int64_t value = node.integer(least, largest);
    return {value, value};
  }
  const auto ends = node.elements();
  if (ends.size() != 2) throw node.fault("[low, high]");
  const std::int64_t low = ends[0].integer(least, largest);
  return {low, ends[1].integer(low, largest)};
}

SearchSpace read_search_space(const JsonNode& node, const std::string& path) {
  node.check_version(1);
  node.allow_only_keys({"$schema", "schema_version", "workers", "bandwidth", "speed", "memory",
                        "latency", "shares_memory", "port", "block_size", "r", "s", "t", "n",
                        "max_updates"});
  constexpr std::int64_t max_workers = 1000;
  constexpr std::int64_t max_side = 100000;
  SearchSpace space{.name = path};
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
  if (const auto n = node.find("n")) {
    for (const char* side : {"r", "s", "t"}) {
      if (node.find(side)) throw n->fault("n alone, or r, s and t");
    }
    space.sides = {read_integers(*n, 1, max_side)};
  } else {
    for (const char* side : {"r", "s", "t"})
      space.sides.push_back(read_integers(node.at(side), 1, max_side));
  }
  if (const auto port = node.find("port")) space.port = read_port(*port);
  if (const auto size = node.find("block_size")) space.block_size = size->integer(1, kMaxBlockSize);
  if (const auto most = node.find("max_updates")) space.max_updates = most->positive_number();
  Instance smallest;
  for (const IntegerRange& side : space.sides) smallest.sides.push_back(side.low);
  if (updates_of(smallest) > space.max_updates) {
    throw node.fault("a product of at most max_updates block updates",
                     "lower the smallest sides, or raise max_updates");
  }
  return space;
}

}  // namespace

nlohmann::json to_json(const Instance& instance) {
  nlohmann::json workers = nlohmann::json::array();
  for (const VariedWorker& worker : instance.workers) {
    if (worker.shares_memory) {
      workers.push_back({worker.figures[kSpeed]});
    } else {
      workers.push_back(worker.figures);
    }
  }
  return {{"workers", workers}, {"sides", instance.sides}};
}

Instance instance_from_json(const nlohmann::json& json) {
  Instance instance;
  for (const nlohmann::json& figures : json.at("workers")) {
    VariedWorker worker{.shares_memory = figures.size() == 1};
    if (worker.shares_memory) {
      worker.figures[kSpeed] = figures.at(0);
    } else {
      worker.figures = figures;
    }
    instance.workers.push_back(worker);
  }
  for (const nlohmann::json& side : json.at("sides")) instance.sides.push_back(side);
  return instance;
}

double Range::clamp(double value) const { return std::clamp(value, low, high); }

double Range::draw(Random& random) const {
  if (low == high) return low;
  return clamp(round_figure(low * std::exp(random.real(0, 1) * std::log(high / low))));
}

std::int64_t IntegerRange::clamp(double value) const {
  const double clamped = std::clamp(value, static_cast<double>(low), static_cast<double>(high));
  return std::llround(clamped);
}

std::int64_t IntegerRange::draw(Random& random) const {
  const Range shifted{static_cast<double>(low) + 1, static_cast<double>(high) + 1};
  return clamp(shifted.draw(random) - 1);
}

bool SearchSpace::contains(const Instance& instance) const {
  const auto fits = [&](const VariedWorker& worker) {
    for (std::size_t i = 0; i < kFigures; ++i) {
      if (!ranges_of(worker).figures[i].contains(worker.figures[i])) return false;
    }
    return true;
  };
  if (instance.workers.empty() || instance.sides.size() != sides.size()) return false;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (!sides[i].contains(instance.sides[i])) return false;
  }
  return linked.count.contains(count_of(instance.workers, false)) &&
         sharing.count.contains(count_of(instance.workers, true)) &&
         std::ranges::all_of(instance.workers, fits) && updates_of(instance) <= max_updates;
}

Instance SearchSpace::draw(Random& random) const {
  Instance instance;
  std::int64_t shared = sharing.count.draw(random);
  std::int64_t behind_links = linked.count.draw(random);
  if (shared + behind_links == 0) ++(linked.count.high > 0 ? behind_links : shared);
  for (; shared > 0; --shared) instance.workers.push_back(draw_worker(*this, true, random));
  for (; behind_links > 0; --behind_links)
    instance.workers.push_back(draw_worker(*this, false, random));
  for (const IntegerRange& side : sides) instance.sides.push_back(side.draw(random));
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
  return changed;
}

Case SearchSpace::to_case(const Instance& instance) const {
  Case result;
  result.file.path = result.file.name = "worst case";
  result.file.block_size = block_size;
  result.file.port = port;
  for (const VariedWorker& worker : instance.workers)
    result.file.entries.push_back(to_entry(worker));
  const auto [r, s, t] = sides_of(instance);
  result.problem = {.r = r, .s = s, .t = t, .block_size = block_size};
  return result;
}

nlohmann::json SearchSpace::to_json() const {
  const auto kind = [](const WorkerRanges& ranges) {
    nlohmann::json json{{ranges.count.low, ranges.count.high}};
    for (const Range& range : ranges.figures) json.push_back({range.low, range.high});
    return json;
  };
  nlohmann::json product = nlohmann::json::array();
  for (const IntegerRange& side : sides) product.push_back({side.low, side.high});
  return {{"linked", kind(linked)},     {"sharing", kind(sharing)}, {"sides", product},
          {"max_updates", max_updates}, {"block_size", block_size}, {"port", port.text()}};
}

SearchSpace find_search_space(const std::string& name, std::string_view model) {
  if (name == "typical") return typical(model);
  if (name == "anything") return anything(model);
  if (name.find('.') == std::string::npos && !std::filesystem::exists(name)) {
    throw InputError::with_unknown_name("--within", name, "a search space", {"typical", "anything"},
                                        "typical, anything, or a JSON file");
  }
  return with_file_in_errors(name, [&] {
    const nlohmann::json document = load_json(name);
    return read_search_space(JsonNode(document), name);
  });
}

}  // namespace starport::worst
