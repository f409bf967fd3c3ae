#include "heuristics/star/polaris/tiling.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace starport::polaris {
namespace {

/// Draws the number of blocks to shift: usually 1 to 3, with probability 1/3 up to an eighth of
/// `whole`.
std::int32_t draw_amount(std::int32_t whole, RandomGenerator& random) {
  const auto max = static_cast<std::size_t>(std::max(1, whole / 8));
  const std::size_t limit = random.integer_below(3) == 0 ? max : std::min<std::size_t>(max, 3);
  return static_cast<std::int32_t>(1 + random.integer_below(limit));
}

/// Rescales the sizes of the items in proportion so that they sum to `whole`. Returns false,
/// without changing them, if there are more items than that.
template <class Item>
bool rescale(std::vector<Item>& items, std::int32_t Item::*size, std::int64_t whole) {
  if (std::ssize(items) > whole) return false;
  std::vector<double> sizes;
  for (const Item& item : items) sizes.push_back(item.*size);
  const auto fitted = round_shares(sizes, whole);
  for (std::size_t i = 0; i < fitted.size(); ++i) items[i].*size = fitted[i];
  return true;
}

std::int64_t across(const Tiling& tiling, const Problem& problem) {
  return tiling.of_rows ? problem.r : problem.s;
}
std::int64_t along(const Tiling& tiling, const Problem& problem) {
  return tiling.of_rows ? problem.s : problem.r;
}

/// Applies one random change to a tiling.
class Changer {
 public:
  Changer(Tiling& tiling, std::vector<int>& idle, const Problem& problem, RandomGenerator& random)
      : tiling_(tiling),
        idle_(idle),
        problem_(problem),
        across_(across(tiling, problem)),
        along_(along(tiling, problem)),
        random_(random) {}

  ChangedStrips change() {
    const std::size_t kind = random_.integer_below(20);
    if (kind < 8) return shift_width();
    if (kind < 14) return shift_height();
    if (kind < 16) return swap_workers();
    if (kind == 16) return move_part();
    if (kind == 17) return move_to_own_strip();
    if (kind == 18) return drop_worker();
    return enroll_worker();
  }

 private:
  std::size_t draw_strip() { return random_.integer_below(tiling_.strips.size()); }
  std::size_t draw_part(const Strip& strip) { return random_.integer_below(strip.parts.size()); }

  ChangedStrips shift_width() {
    if (tiling_.strips.size() < 2) return {};
    const std::size_t from = draw_strip();
    const std::size_t to = draw_strip();
    Strip& source = tiling_.strips[from];
    const std::int32_t columns = draw_amount(source.width, random_);
    if (from == to || source.width <= columns) return {};
    source.width -= columns;
    tiling_.strips[to].width += columns;
    return {.changed = true, .first = from, .second = to};
  }

  ChangedStrips shift_height() {
    const std::size_t index = draw_strip();
    Strip& strip = tiling_.strips[index];
    const std::size_t from = draw_part(strip);
    const std::size_t to = draw_part(strip);
    const std::int32_t rows = draw_amount(strip.parts[from].height, random_);
    if (from == to || strip.parts[from].height <= rows) return {};
    strip.parts[from].height -= rows;
    strip.parts[to].height += rows;
    return {.changed = true, .first = index, .second = index};
  }

  ChangedStrips swap_workers() {
    const std::size_t first = draw_strip();
    Part& part = tiling_.strips[first].parts[draw_part(tiling_.strips[first])];
    if (!idle_.empty() && random_.integer_below(2) == 0) {
      std::swap(part.worker, idle_[random_.integer_below(idle_.size())]);
      part.prefetch.reset();
      return {.changed = true, .first = first, .second = first};
    }
    const std::size_t second = draw_strip();
    Part& other = tiling_.strips[second].parts[draw_part(tiling_.strips[second])];
    if (&part == &other) return {};
    std::swap(part.worker, other.worker);
    std::swap(part.prefetch, other.prefetch);
    return {.changed = true, .first = first, .second = second};
  }

  /// Removes a part. Returns true if its strip was removed, too.
  bool remove_part(std::size_t strip, std::size_t part) {
    const std::size_t strips = tiling_.strips.size();
    polaris::remove_part(tiling_, problem_, strip, part);
    return tiling_.strips.size() < strips;
  }

  /// Inserts a part for `worker` at a random place of a strip.
  ChangedStrips insert_part(int worker, std::size_t index) {
    Strip& strip = tiling_.strips[index];
    const auto height = static_cast<std::int32_t>(
        std::max<std::int64_t>(1, along_ / static_cast<std::int64_t>(strip.parts.size() + 1)));
    const std::size_t place = random_.integer_below(strip.parts.size() + 1);
    strip.parts.insert(strip.parts.begin() + static_cast<std::ptrdiff_t>(place), {worker, height});
    if (!rescale(strip.parts, &Part::height, along_)) {
      strip.parts.erase(strip.parts.begin() + static_cast<std::ptrdiff_t>(place));
      return {};
    }
    return {.changed = true, .all = true};
  }

  /// Inserts a strip for `worker` alone at a random place.
  ChangedStrips insert_strip(int worker, std::int32_t width) {
    if (tiling_.strips.size() >= static_cast<std::size_t>(across_)) return {};
    const std::size_t place = random_.integer_below(tiling_.strips.size() + 1);
    tiling_.strips.insert(tiling_.strips.begin() + static_cast<std::ptrdiff_t>(place),
                          Strip{std::max(1, width), {{worker, static_cast<std::int32_t>(along_)}}});
    rescale(tiling_.strips, &Strip::width, across_);
    return {.changed = true, .all = true};
  }

  ChangedStrips move_part() {
    if (tiling_.strips.size() < 2) return {};
    const std::size_t from = draw_strip();
    std::size_t to = draw_strip();
    if (from == to || tiling_.strips[to].parts.size() >= static_cast<std::size_t>(along_)) {
      return {};
    }
    const std::size_t part = draw_part(tiling_.strips[from]);
    const int worker = tiling_.strips[from].parts[part].worker;
    if (remove_part(from, part) && to > from) --to;
    return {.changed = insert_part(worker, to).changed, .all = true};
  }

  ChangedStrips move_to_own_strip() {
    const std::size_t from = draw_strip();
    if (tiling_.strips[from].parts.size() < 2 ||
        tiling_.strips.size() >= static_cast<std::size_t>(across_)) {
      return {};
    }
    const std::size_t index = draw_part(tiling_.strips[from]);
    const Part part = tiling_.strips[from].parts[index];
    const auto width =
        static_cast<std::int32_t>(std::int64_t{tiling_.strips[from].width} * part.height / along_);
    remove_part(from, index);
    tiling_.strips[from].width = std::max(1, tiling_.strips[from].width - width);
    return insert_strip(part.worker, width);
  }

  ChangedStrips drop_worker() {
    const std::size_t from = draw_strip();
    const std::size_t part = draw_part(tiling_.strips[from]);
    if (tiling_.strips.size() == 1 && tiling_.strips[from].parts.size() == 1) return {};
    idle_.push_back(tiling_.strips[from].parts[part].worker);
    remove_part(from, part);
    return {.changed = true, .all = true};
  }

  ChangedStrips enroll_worker() {
    if (idle_.empty()) return {};
    const std::size_t chosen = random_.integer_below(idle_.size());
    const int worker = idle_[chosen];
    const ChangedStrips touched =
        random_.integer_below(2) == 0
            ? insert_part(worker, draw_strip())
            : insert_strip(worker,
                           static_cast<std::int32_t>(
                               across_ / static_cast<std::int64_t>(2 * tiling_.enrolled())));
    if (touched.changed) idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(chosen));
    return touched;
  }

  Tiling& tiling_;
  std::vector<int>& idle_;
  const Problem& problem_;
  std::int64_t across_;
  std::int64_t along_;
  RandomGenerator& random_;
};

}  // namespace

ChangedStrips change_randomly(Tiling& tiling, std::vector<int>& idle, const Problem& problem,
                              RandomGenerator& random) {
  return Changer(tiling, idle, problem, random).change();
}

void remove_part(Tiling& tiling, const Problem& problem, std::size_t index, std::size_t part) {
  Strip& strip = tiling.strips[index];
  strip.parts.erase(strip.parts.begin() + static_cast<std::ptrdiff_t>(part));
  if (!strip.parts.empty()) {
    rescale(strip.parts, &Part::height, along(tiling, problem));
    return;
  }
  tiling.strips.erase(tiling.strips.begin() + static_cast<std::ptrdiff_t>(index));
  rescale(tiling.strips, &Strip::width, across(tiling, problem));
}

std::vector<int> idle_workers(const Tiling& tiling, const Platform& platform,
                              const Problem& problem, const ModeOptions& modes) {
  PerWorker<char> enrolled(platform.workers.size(), 0);
  for (const Strip& strip : tiling.strips) {
    for (const Part& part : strip.parts) enrolled[part.worker] = 1;
  }
  std::vector<int> idle;
  for (int i = 0; i < static_cast<int>(enrolled.size()); ++i) {
    if (enrolled[i] == 0 &&
        find_cheapest_mode(platform.workers[i], problem, 1, 1, modes).kind != Mode::Kind::none) {
      idle.push_back(i);
    }
  }
  return idle;
}

std::vector<int> enrolled_workers(const Tiling& tiling) {
  std::vector<std::pair<std::int64_t, int>> areas;
  for (const Strip& strip : tiling.strips) {
    for (const Part& part : strip.parts)
      areas.emplace_back(std::int64_t{strip.width} * part.height, part.worker);
  }
  std::ranges::sort(areas);
  std::vector<int> workers;
  for (const auto& [area, worker] : areas) workers.push_back(worker);
  return workers;
}

std::vector<int> usable_workers(const Platform& platform) {
  constexpr std::int64_t least_memory = 3;  // blocks
  std::vector<int> usable;
  for (int i = 0; i < static_cast<int>(platform.workers.size()); ++i) {
    if (platform.workers[i].m_blocks >= least_memory) usable.push_back(i);
  }
  return usable;
}

std::vector<std::vector<int>> sets_of(const std::vector<int>& workers) {
  std::vector<std::vector<int>> sets;
  for (unsigned set = (1U << workers.size()) - 1; set > 0; --set) {
    std::vector<int>& members = sets.emplace_back();
    for (std::size_t i = 0; i < workers.size(); ++i) {
      if ((set >> i & 1U) != 0) members.push_back(workers[i]);
    }
  }
  return sets;
}

Platform select_workers(const Platform& platform, const std::vector<int>& workers) {
  Platform selected = platform;
  selected.workers = {};
  selected.names = {};
  for (const int worker : workers) selected.workers.push_back(platform.workers[worker]);
  return selected;
}

std::vector<std::vector<int>> change_one_worker(const std::vector<int>& workers,
                                                const Platform& platform, std::size_t limit) {
  std::vector<int> idle = usable_workers(platform);
  std::erase_if(idle, [&](int i) { return std::ranges::find(workers, i) != workers.end(); });
  // By the time of an update on the worker and on its link, in squares of C.
  std::ranges::stable_sort(idle, {}, [&](int i) {
    const Worker& worker = platform.workers[i];
    return worker.w_s + 2 * worker.c_s / std::sqrt(static_cast<double>(worker.m_blocks));
  });
  std::vector<std::vector<int>> sets;
  const auto add = [&](const std::vector<int>& from, std::optional<int> left_out,
                       std::optional<int> enrolled) {
    if (sets.size() >= limit) return;
    std::vector<int> set = from;
    if (left_out) std::erase(set, *left_out);
    if (enrolled) set.insert(set.begin(), *enrolled);
    if (!set.empty()) sets.push_back(std::move(set));
  };
  for (const int worker : idle) add(workers, std::nullopt, worker);
  for (const int worker : workers) add(workers, worker, std::nullopt);
  if (workers.size() + idle.size() <= 8) {
    std::vector<int> usable = workers;
    usable.insert(usable.end(), idle.begin(), idle.end());
    for (const int worker : usable) add(usable, worker, std::nullopt);
  }
  for (const int left_out : workers) {
    for (const int worker : idle) add(workers, left_out, worker);
  }
  return sets;
}

}  // namespace starport::polaris
