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

using Physical = PlatformFile::Physical;
using Entry = PlatformFile::Entry;

/// Returns `value` rounded to four significant digits, so that results do not depend on the last
/// bits of exp and log, which differ between machines.
double round_figure(double value) {
  return std::strtod(fmt::format("{:.3e}", value).c_str(), nullptr);
}

std::int64_t integer(double value) { return std::llround(value); }

Physical& figures_of(Entry& entry) { return std::get<Physical>(entry.worker); }

/// The figures of a worker that a search changes.
constexpr double Physical::*kFigures[] = {&Physical::bandwidth_bytes_per_s, &Physical::speed_flops,
                                          &Physical::memory_bytes, &Physical::latency_s};

const Range& range_of(const SearchSpace& space, double Physical::*figure) {
  if (figure == &Physical::bandwidth_bytes_per_s) return space.bandwidth;
  if (figure == &Physical::speed_flops) return space.speed;
  return figure == &Physical::memory_bytes ? space.memory : space.latency;
}

Entry draw_worker(const SearchSpace& space, Random& random) {
  Physical worker{};
  for (double Physical::*figure : kFigures) worker.*figure = range_of(space, figure).draw(random);
  return {.worker = worker, .count = 1, .pointer = ""};
}

/// Reduces the longest sides until the product has at most space.max_updates block updates.
void limit_updates(const SearchSpace& space, Problem& problem) {
  while (static_cast<double>(problem.updates()) > space.max_updates) {
    std::int64_t* sides[] = {&problem.r, &problem.s, &problem.t};
    const Range* ranges[] = {&space.r, &space.s, &space.t};
    std::size_t longest = 3;
    for (std::size_t i = 0; i < 3; ++i) {
      if (*sides[i] <= integer(ranges[i]->low)) continue;
      if (longest == 3 || *sides[i] > *sides[longest]) longest = i;
    }
    if (longest == 3) return;
    *sides[longest] = std::max(integer(ranges[longest]->low), *sides[longest] * 3 / 4);
  }
}

/// Returns a random factor: mostly near 1, sometimes far from it.
double draw_factor(Random& random) {
  const double width = std::exp(random.real(std::log(0.02), std::log(3)));
  return std::exp(random.real(-width, width));
}

void change_side(const SearchSpace& space, Problem& problem, Random& random) {
  const std::int64_t which = random.integer(0, 2);
  std::int64_t& side = which == 0 ? problem.r : which == 1 ? problem.s : problem.t;
  const Range& range = which == 0 ? space.r : which == 1 ? space.s : space.t;
  const std::int64_t before = side;
  side = integer(range.clamp(static_cast<double>(side) * draw_factor(random)));
  if (side == before) side += random.integer(0, 1) == 0 ? -1 : 1;
  side = integer(range.clamp(static_cast<double>(side)));
  limit_updates(space, problem);
}

/// Scales a figure of one worker or of all workers, or draws it again.
void change_figure(const SearchSpace& space, std::vector<Entry>& workers, Random& random) {
  const auto count = static_cast<std::int64_t>(workers.size());
  double Physical::*figure = kFigures[random.integer(0, space.latency.high > 0 ? 3 : 2)];
  const Range& range = range_of(space, figure);
  const double factor = draw_factor(random);
  const std::int64_t kind = random.integer(0, 9);
  if (kind == 0) {
    for (Entry& worker : workers) {
      double& value = figures_of(worker).*figure;
      value = range.clamp(round_figure(value * factor));
    }
    return;
  }
  double& value = figures_of(workers[random.integer(0, count - 1)]).*figure;
  value = kind == 1 ? range.draw(random) : range.clamp(round_figure(value * factor));
}

/// Adds, copies or removes a worker, or makes a figure of one equal to that of another.
void change_workers(const SearchSpace& space, std::vector<Entry>& workers, Random& random) {
  const auto count = static_cast<std::int64_t>(workers.size());
  const auto any = [&] { return random.integer(0, count - 1); };
  switch (random.integer(0, 3)) {
    case 0:
      if (space.workers.contains(static_cast<double>(count + 1)))
        workers.push_back(draw_worker(space, random));
      break;
    case 1:
      if (space.workers.contains(static_cast<double>(count + 1))) {
        const Entry copy = workers[any()];
        workers.push_back(copy);
      }
      break;
    case 2:
      if (space.workers.contains(static_cast<double>(count - 1)))
        workers.erase(workers.begin() + any());
      break;
    default:
      double Physical::*figure = kFigures[random.integer(0, 2)];
      const double value = figures_of(workers[any()]).*figure;
      figures_of(workers[any()]).*figure = value;
  }
}

SearchSpace typical() {
  return {.name = "typical",
          .workers = {2, 20},
          .bandwidth = {2.5e6, 1e7},
          .speed = {3.4125e8, 1.365e9},
          .memory = {0x1p28, 0x1p30},
          .r = {10, 100},
          .s = {10, 1000},
          .t = {10, 100},
          .max_updates = 1e7};
}

SearchSpace anything() {
  constexpr double block = 8 * 80 * 80;
  return {.name = "anything",
          .workers = {1, 20},
          .bandwidth = {1e5, 1e10},
          .speed = {1e7, 1e13},
          .memory = {5 * block, 1e5 * block},
          .r = {1, 100},
          .s = {1, 100},
          .t = {1, 100},
          .max_updates = 1e5};
}

Range read_figure(const JsonNode& node, Dimension dimension) {
  const auto range = Distribution::read(node, dimension).range();
  if (!range) throw node.fault("a value, or an object with uniform or log_uniform");
  return {range->first, range->second};
}

/// Reads a range of integers: a number, or [low, high].
Range read_integers(const JsonNode& node, std::int64_t largest) {
  if (!node.is_array()) {
    const auto value = static_cast<double>(node.integer(1, largest));
    return {value, value};
  }
  const auto ends = node.elements();
  if (ends.size() != 2) throw node.fault("[low, high]");
  const std::int64_t low = ends[0].integer(1, largest);
  const std::int64_t high = ends[1].integer(low, largest);
  return {static_cast<double>(low), static_cast<double>(high)};
}

SearchSpace read_search_space(const JsonNode& node, const std::string& path) {
  node.check_version(1);
  node.allow_only_keys({"$schema", "schema_version", "name", "workers", "bandwidth", "speed",
                        "memory", "latency", "port", "block_size", "r", "s", "t", "max_updates"});
  constexpr std::int64_t max_side = 100000;
  SearchSpace space{.name = path,
                    .workers = read_integers(node.at("workers"), 1000),
                    .bandwidth = read_figure(node.at("bandwidth"), Dimension::bandwidth),
                    .speed = read_figure(node.at("speed"), Dimension::speed),
                    .memory = read_figure(node.at("memory"), Dimension::memory),
                    .r = read_integers(node.at("r"), max_side),
                    .s = read_integers(node.at("s"), max_side),
                    .t = read_integers(node.at("t"), max_side)};
  if (const auto latency = node.find("latency"))
    space.latency = read_figure(*latency, Dimension::time);
  if (space.latency.low == 0 && space.latency.high > 0)
    throw node.at("latency").fault("a range above 0, or 0");
  if (const auto port = node.find("port")) space.port = read_port(*port);
  if (const auto size = node.find("block_size")) space.block_size = size->integer(1, kMaxBlockSize);
  if (const auto most = node.find("max_updates")) space.max_updates = most->positive_number();
  if (space.r.low * space.s.low * space.t.low > space.max_updates)
    throw node.fault("a product of at most max_updates block updates",
                     "widen r, s, t or max_updates");
  return space;
}

}  // namespace

double Range::clamp(double value) const { return std::clamp(value, low, high); }

double Range::draw(Random& random) const {
  if (low == high) return low;
  return clamp(round_figure(low * std::exp(random.real(0, 1) * std::log(high / low))));
}

bool SearchSpace::contains(const Case& instance) const {
  const Problem& problem = instance.problem;
  const auto all = [&](const Entry& entry) {
    const auto* worker = std::get_if<Physical>(&entry.worker);
    return worker != nullptr && std::ranges::all_of(kFigures, [&](double Physical::*figure) {
             return range_of(*this, figure).contains(worker->*figure);
           });
  };
  return workers.contains(static_cast<double>(instance.file.size())) &&
         std::ranges::all_of(instance.file.entries, all) &&
         r.contains(static_cast<double>(problem.r)) && s.contains(static_cast<double>(problem.s)) &&
         t.contains(static_cast<double>(problem.t)) &&
         static_cast<double>(problem.updates()) <= max_updates;
}

Case SearchSpace::draw(Random& random) const {
  Case instance;
  instance.file.path = instance.file.name = "worst case";
  instance.file.block_size = block_size;
  instance.file.port = port;
  const std::int64_t count = integer(workers.draw(random));
  for (std::int64_t i = 0; i < count; ++i)
    instance.file.entries.push_back(draw_worker(*this, random));
  instance.problem = {.r = integer(r.draw(random)),
                      .s = integer(s.draw(random)),
                      .t = integer(t.draw(random)),
                      .block_size = block_size};
  limit_updates(*this, instance.problem);
  return instance;
}

Case SearchSpace::change(const Case& instance, Random& random) const {
  Case changed = instance;
  const std::int64_t kind = random.integer(0, 9);
  if (kind < 5) {
    change_figure(*this, changed.file.entries, random);
  } else if (kind < 8) {
    change_workers(*this, changed.file.entries, random);
  } else {
    change_side(*this, changed.problem, random);
  }
  return changed;
}

SearchSpace find_search_space(const std::string& name) {
  if (name == "typical") return typical();
  if (name == "anything") return anything();
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
