#include "tests/star/validator/mutants.hpp"

#include "heuristics/star/polaris/serving.hpp"
#include "sim/files/error.hpp"
#include "tests/star/star_support.hpp"
#include "tests/star/validator/second_validator.hpp"

#include <algorithm>
#include <vector>

namespace starport::test {
namespace {

/// Any place of a list.
template <class List>
std::int64_t any_place(const List& list, Random& random) {
  return random.integer(0, std::ssize(list) - 1);
}

template <class List>
auto& any(List& list, Random& random) {
  return list[static_cast<std::size_t>(any_place(list, random))];
}

/// A transfer of which that holds, if chance meets one.
template <class Holds>
TracedTransfer* any_transfer(Trace& trace, Random& random, Holds holds) {
  for (int tries = 0; tries < 50; ++tries) {
    TracedTransfer& event = any(trace, random);
    if (holds(event.transfer)) return &event;
  }
  return nullptr;
}

bool goes_home(const Transfer& transfer) { return transfer.direction == Direction::to_master; }

void drop(Solved& solved, Random& random) {
  solved.trace.erase(solved.trace.begin() + any_place(solved.trace, random));
}

void duplicate(Solved& solved, Random& random) {
  const TracedTransfer event = any(solved.trace, random);
  solved.trace.insert(solved.trace.begin() + any_place(solved.trace, random), event);
}

/// Half of them are neighbours, which often may change places.
void exchange(Solved& solved, Random& random) {
  const std::int64_t first = any_place(solved.trace, random);
  const std::int64_t last = std::ssize(solved.trace) - 1;
  const bool neighbours = random.integer(0, 1) == 0;
  const std::int64_t second =
      neighbours ? std::min(first + 1, last) : any_place(solved.trace, random);
  std::swap(solved.trace[static_cast<std::size_t>(first)],
            solved.trace[static_cast<std::size_t>(second)]);
}

/// One transfer, or all that a worker does.
void change_worker(Solved& solved, Random& random) {
  const auto other = static_cast<std::int32_t>(any_place(solved.platform.workers, random));
  Transfer& transfer = any(solved.trace, random).transfer;
  const std::int32_t before = transfer.worker;
  const bool all = random.integer(0, 1) == 0;
  transfer.worker = other;
  for (TracedTransfer& event : solved.trace) {
    if (all && event.transfer.worker == before) event.transfer.worker = other;
  }
}

/// A date of the trace, or both of a transfer, or all of it: by some part of its worker's times, or
/// to where another update ends.
void shift_dates(Solved& solved, Random& random) {
  TracedTransfer& event = any(solved.trace, random);
  Dates& dates = event.dates;
  const Worker& worker = solved.platform.workers[static_cast<std::size_t>(event.transfer.worker)];
  double shift_s = random.real(0.001, 2) * (random.integer(0, 1) == 0 ? worker.c_s : worker.w_s);
  if (random.integer(0, 1) == 0) shift_s = -shift_s;
  if (random.integer(0, 3) == 0) {
    shift_s = any(solved.trace, random).dates.update_end_s - dates.start_s;
  }
  const std::int64_t what = random.integer(0, 5);
  if (what == 0 || what >= 4) dates.start_s += shift_s;
  if (what == 1 || what >= 4) dates.end_s += shift_s;
  if (what == 2 || what == 5) dates.update_start_s += shift_s;
  if (what == 3 || what == 5) dates.update_end_s += shift_s;
}

/// One bound of one rectangle, by one block.
void change_box(Solved& solved, Random& random) {
  Transfer& transfer = any(solved.trace, random).transfer;
  Update& update = transfer.update;
  std::vector<Range*> ranges;
  for (Rectangle* blocks :
       {&transfer.a, &transfer.b, &transfer.c, &update.release_a, &update.release_b}) {
    if (blocks->empty()) continue;
    ranges.insert(ranges.end(), {&blocks->rows, &blocks->columns});
  }
  if (update.block_updates() > 0) {
    ranges.insert(ranges.end(), {&update.rows, &update.columns, &update.inner});
  }
  Range& range = *any(ranges, random);
  const std::int32_t step = random.integer(0, 1) == 0 ? 1 : -1;
  std::int32_t& bound = random.integer(0, 1) == 0 ? range.begin : range.end;
  const Range before = range;
  bound += step;
  if (range.empty() || range.begin < 0) range = {before.begin, before.end + 1};
}

/// C goes home some transfers before, or waits for an earlier update.
void return_early(Solved& solved, Random& random) {
  TracedTransfer* const home = any_transfer(solved.trace, random, goes_home);
  if (home == nullptr) return;
  if (random.integer(0, 1) == 0) {
    home->transfer.after_update -=
        std::min<std::int64_t>(home->transfer.after_update, random.integer(1, 3));
    return;
  }
  const auto place = solved.trace.begin() + (home - solved.trace.data());
  std::rotate(place - std::min(place - solved.trace.begin(), random.integer(1, 6)), place,
              place + 1);
}

/// A comes with a later message of the same worker, or the message itself comes later.
void send_late(Solved& solved, Random& random) {
  TracedTransfer* const event = any_transfer(
      solved.trace, random, [](const Transfer& transfer) { return !transfer.a.empty(); });
  if (event == nullptr) return;
  const auto place = solved.trace.begin() + (event - solved.trace.data());
  if (random.integer(0, 1) == 0) {
    const auto rest = solved.trace.end() - place - 1;
    std::rotate(place, place + 1, place + 1 + std::min(rest, random.integer(1, 6)));
    return;
  }
  const auto later = std::find_if(place + 1, solved.trace.end(), [&](const TracedTransfer& other) {
    return other.transfer.worker == event->transfer.worker && !goes_home(other.transfer) &&
           other.transfer.a.empty();
  });
  const Rectangle a = std::exchange(event->transfer.a, {});
  if (later != solved.trace.end()) later->transfer.a = a;
}

/// As much as is needed, or less.
void take_memory(Solved& solved, Random& random) {
  const auto worker = static_cast<std::int32_t>(any_place(solved.platform.workers, random));
  solved.platform.workers[static_cast<std::size_t>(worker)].m_blocks = std::max<std::int64_t>(
      0, exact_peak_blocks(solved.platform, solved.problem, solved.trace, worker) -
             random.integer(0, 2));
}

/// A transfer begins while the one before it lasts.
void overlap(Solved& solved, Random& random) {
  const std::int64_t place = random.integer(std::min<std::int64_t>(1, std::ssize(solved.trace) - 1),
                                            std::ssize(solved.trace) - 1);
  Dates& dates = solved.trace[static_cast<std::size_t>(place)].dates;
  const Dates& before =
      solved.trace[static_cast<std::size_t>(std::max<std::int64_t>(0, place - 1))].dates;
  const double shift_s =
      dates.start_s - before.end_s + random.real(0.01, 1) * (before.end_s - before.start_s);
  dates.start_s -= shift_s;
  dates.end_s -= shift_s;
  if (random.integer(0, 1) == 0) return;
  dates.update_start_s -= shift_s;
  dates.update_end_s -= shift_s;
}

void change_size(Solved& solved, Random& random) {
  std::int64_t* const sizes[] = {&solved.problem.r, &solved.problem.s, &solved.problem.t};
  std::int64_t& size = *any(sizes, random);
  size += random.integer(0, 1) == 0 || size == 1 ? 1 : -1;
}

/// Another update is waited for, or none.
void change_wait(Solved& solved, Random& random) {
  std::int64_t& after = any(solved.trace, random).transfer.after_update;
  after = random.integer(0, 3) == 0 ? 0 : std::max<std::int64_t>(0, after + random.integer(-2, 2));
}

/// Blocks stay for ever, or go with another update.
void change_release(Solved& solved, Random& random) {
  TracedTransfer* const event = any_transfer(solved.trace, random, [](const Transfer& transfer) {
    return !transfer.update.release_a.empty();
  });
  if (event == nullptr) return;
  const Rectangle released = std::exchange(event->transfer.update.release_a, {});
  Update& other = any(solved.trace, random).transfer.update;
  if (random.integer(0, 1) == 0 && !other.empty() && other.release_a.empty()) {
    other.release_a = released;
  }
}

/// A transfer is of partial sums, or no more.
void change_mark(Solved& solved, Random& random) {
  Transfer& transfer = any(solved.trace, random).transfer;
  transfer.partial_sums = !transfer.partial_sums;
}

/// Two workers that share the updates of all of C.
Solved split_instance(Random& random) {
  Solved solved{.platform = star({}),
                .problem = {.r = random.integer(1, 4),
                            .s = random.integer(1, 4),
                            .t = random.integer(2, 5),
                            .block_size = 2},
                .trace = {}};
  const Rectangle c{{0, static_cast<std::int32_t>(solved.problem.r)},
                    {0, static_cast<std::int32_t>(solved.problem.s)}};
  const auto t = static_cast<std::int32_t>(solved.problem.t);
  const auto cut = static_cast<std::int32_t>(random.integer(1, t - 1));
  std::vector<polaris::RectangleTask> tasks;
  for (const Range& inner : {Range{0, cut}, Range{cut, t}}) {
    const Worker worker{random.real(0.1, 3), random.real(0.1, 3), random.integer(5, 40), 0};
    Problem part = solved.problem;
    part.t = inner.size();
    const auto mode =
        polaris::find_cheapest_mode(worker, part, part.r, part.s, polaris::ModeOptions{});
    tasks.push_back({static_cast<int>(tasks.size()), c, mode, inner, tasks.empty()});
    solved.platform.workers.push_back(worker);
  }
  solved.trace = replay(solved.platform, solved.problem,
                        list_transfers(solved.platform, solved.problem, tasks, {}));
  return solved;
}

}  // namespace

const std::vector<Mutation>& mutations() {
  static const std::vector<Mutation> all{
      {"dropped message", drop, true},         {"message twice", duplicate, true},
      {"other order", exchange, true},         {"other worker", change_worker, true},
      {"shifted date", shift_dates, false},    {"other rectangle", change_box, true},
      {"C home early", return_early, true},    {"A late", send_late, true},
      {"less memory", take_memory, true},      {"link used twice", overlap, false},
      {"other problem", change_size, true},    {"other wait", change_wait, true},
      {"other release", change_release, true}, {"other mark", change_mark, true}};
  return all;
}

Solved solved_instance(std::uint64_t seed) {
  static const std::vector<std::string> names{
      "Het",    "Hom",   "HomI", "ORROML", "OMMOML",
      "ODDOML", "DDOML", "BMM",  "OBMM",   "Polaris[effort=low]",
      "split",  "split"};
  Random random(seed);
  auto [platform, problem] = random_instance(seed);
  problem = {.r = random.integer(1, 5),
             .s = random.integer(1, 5),
             .t = random.integer(1, 5),
             .block_size = problem.block_size};
  const std::string& name = any(names, random);
  if (name == "split") return split_instance(random);
  try {
    return {platform, problem, by_recurrence(name, platform, problem)};
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace starport::test
