#include "heuristics/star/polaris/tiling.hpp"

#include <algorithm>

namespace starport::polaris {
namespace {

/// Mostly 1 or a few, sometimes up to an eighth of what there is.
std::int32_t amount(std::int32_t whole, Draws& draws) {
  const auto most = static_cast<std::size_t>(std::max(1, whole / 8));
  const std::size_t limit = draws.below(3) == 0 ? most : std::min<std::size_t>(most, 3);
  return static_cast<std::int32_t>(1 + draws.below(limit));
}

/// Sizes in proportion again, over the whole.
template <class Item>
bool fit(std::vector<Item>& items, std::int32_t Item::*size, std::int64_t whole) {
  if (std::ssize(items) > whole) return false;
  std::vector<double> sizes;
  for (const Item& item : items) sizes.push_back(item.*size);
  const auto fitted = rounded(sizes, whole);
  for (std::size_t i = 0; i < fitted.size(); ++i) items[i].*size = fitted[i];
  return true;
}

std::int64_t across(const Tiling& tiling, const Problem& problem) {
  return tiling.of_rows ? problem.r : problem.s;
}
std::int64_t along(const Tiling& tiling, const Problem& problem) {
  return tiling.of_rows ? problem.s : problem.r;
}

class Changer {
 public:
  Changer(Tiling& tiling, std::vector<int>& idle, const Problem& problem, Draws& draws)
      : tiling_(tiling),
        idle_(idle),
        problem_(problem),
        across_(across(tiling, problem)),
        along_(along(tiling, problem)),
        draws_(draws) {}

  Touched change() {
    const std::size_t kind = draws_.below(20);
    if (kind < 8) return shift_width();
    if (kind < 14) return shift_height();
    if (kind < 16) return swap();
    if (kind == 16) return move_part();
    if (kind == 17) return own_strip();
    if (kind == 18) return let_go();
    return enrol();
  }

 private:
  std::size_t any_strip() { return draws_.below(tiling_.strips.size()); }
  std::size_t any_part(const Strip& strip) { return draws_.below(strip.parts.size()); }

  Touched shift_width() {
    if (tiling_.strips.size() < 2) return {};
    const std::size_t from = any_strip();
    const std::size_t to = any_strip();
    Strip& giver = tiling_.strips[from];
    const std::int32_t columns = amount(giver.width, draws_);
    if (from == to || giver.width <= columns) return {};
    giver.width -= columns;
    tiling_.strips[to].width += columns;
    return {.changed = true, .first = from, .second = to};
  }

  Touched shift_height() {
    const std::size_t at = any_strip();
    Strip& strip = tiling_.strips[at];
    const std::size_t from = any_part(strip);
    const std::size_t to = any_part(strip);
    const std::int32_t rows = amount(strip.parts[from].height, draws_);
    if (from == to || strip.parts[from].height <= rows) return {};
    strip.parts[from].height -= rows;
    strip.parts[to].height += rows;
    return {.changed = true, .first = at, .second = at};
  }

  Touched swap() {
    const std::size_t one = any_strip();
    Part& part = tiling_.strips[one].parts[any_part(tiling_.strips[one])];
    if (!idle_.empty() && draws_.below(2) == 0) {
      std::swap(part.worker, idle_[draws_.below(idle_.size())]);
      return {.changed = true, .first = one, .second = one};
    }
    const std::size_t two = any_strip();
    Part& other = tiling_.strips[two].parts[any_part(tiling_.strips[two])];
    if (&part == &other) return {};
    std::swap(part.worker, other.worker);
    return {.changed = true, .first = one, .second = two};
  }

  /// True when a strip went.
  bool take_out(std::size_t at, std::size_t part) {
    const std::size_t strips = tiling_.strips.size();
    polaris::take_out(tiling_, problem_, at, part);
    return tiling_.strips.size() < strips;
  }

  Touched put_in(int worker, std::size_t at) {
    Strip& strip = tiling_.strips[at];
    const auto height = static_cast<std::int32_t>(
        std::max<std::int64_t>(1, along_ / static_cast<std::int64_t>(strip.parts.size() + 1)));
    const std::size_t place = draws_.below(strip.parts.size() + 1);
    strip.parts.insert(strip.parts.begin() + static_cast<std::ptrdiff_t>(place), {worker, height});
    if (!fit(strip.parts, &Part::height, along_)) {
      strip.parts.erase(strip.parts.begin() + static_cast<std::ptrdiff_t>(place));
      return {};
    }
    return {.changed = true, .all = true};
  }

  Touched put_alone(int worker, std::int32_t width) {
    if (tiling_.strips.size() >= static_cast<std::size_t>(across_)) return {};
    const std::size_t place = draws_.below(tiling_.strips.size() + 1);
    tiling_.strips.insert(tiling_.strips.begin() + static_cast<std::ptrdiff_t>(place),
                          Strip{std::max(1, width), {{worker, static_cast<std::int32_t>(along_)}}});
    fit(tiling_.strips, &Strip::width, across_);
    return {.changed = true, .all = true};
  }

  Touched move_part() {
    if (tiling_.strips.size() < 2) return {};
    const std::size_t from = any_strip();
    std::size_t to = any_strip();
    if (from == to || tiling_.strips[to].parts.size() >= static_cast<std::size_t>(along_)) {
      return {};
    }
    const std::size_t part = any_part(tiling_.strips[from]);
    const int worker = tiling_.strips[from].parts[part].worker;
    if (take_out(from, part) && to > from) --to;
    return {.changed = put_in(worker, to).changed, .all = true};
  }

  Touched own_strip() {
    const std::size_t from = any_strip();
    if (tiling_.strips[from].parts.size() < 2 ||
        tiling_.strips.size() >= static_cast<std::size_t>(across_)) {
      return {};
    }
    const std::size_t index = any_part(tiling_.strips[from]);
    const Part part = tiling_.strips[from].parts[index];
    const auto width =
        static_cast<std::int32_t>(std::int64_t{tiling_.strips[from].width} * part.height / along_);
    take_out(from, index);
    tiling_.strips[from].width = std::max(1, tiling_.strips[from].width - width);
    return put_alone(part.worker, width);
  }

  Touched let_go() {
    const std::size_t from = any_strip();
    const std::size_t part = any_part(tiling_.strips[from]);
    if (tiling_.strips.size() == 1 && tiling_.strips[from].parts.size() == 1) return {};
    idle_.push_back(tiling_.strips[from].parts[part].worker);
    take_out(from, part);
    return {.changed = true, .all = true};
  }

  Touched enrol() {
    if (idle_.empty()) return {};
    const std::size_t chosen = draws_.below(idle_.size());
    const int worker = idle_[chosen];
    const Touched touched =
        draws_.below(2) == 0
            ? put_in(worker, any_strip())
            : put_alone(worker, static_cast<std::int32_t>(
                                    across_ / static_cast<std::int64_t>(2 * tiling_.enrolled())));
    if (touched.changed) idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(chosen));
    return touched;
  }

  Tiling& tiling_;
  std::vector<int>& idle_;
  const Problem& problem_;
  std::int64_t across_;
  std::int64_t along_;
  Draws& draws_;
};

}  // namespace

Touched change(Tiling& tiling, std::vector<int>& idle, const Problem& problem, Draws& draws) {
  return Changer(tiling, idle, problem, draws).change();
}

void take_out(Tiling& tiling, const Problem& problem, std::size_t at, std::size_t part) {
  Strip& strip = tiling.strips[at];
  strip.parts.erase(strip.parts.begin() + static_cast<std::ptrdiff_t>(part));
  if (!strip.parts.empty()) {
    fit(strip.parts, &Part::height, along(tiling, problem));
    return;
  }
  tiling.strips.erase(tiling.strips.begin() + static_cast<std::ptrdiff_t>(at));
  fit(tiling.strips, &Strip::width, across(tiling, problem));
}

std::vector<int> idle_workers(const Tiling& tiling, const Platform& platform,
                              const Problem& problem, const ModeChoice& modes) {
  PerWorker<char> enrolled(platform.workers.size(), 0);
  for (const Strip& strip : tiling.strips) {
    for (const Part& part : strip.parts) enrolled[part.worker] = 1;
  }
  std::vector<int> idle;
  for (int i = 0; i < static_cast<int>(enrolled.size()); ++i) {
    if (enrolled[i] == 0 &&
        cheapest_mode(platform.workers[i], problem, 1, 1, modes).kind != Mode::Kind::none) {
      idle.push_back(i);
    }
  }
  return idle;
}

}  // namespace starport::polaris
