// Two validators, written apart from each other, say the same of what is right and what is not.
#include "tests/star/validator/second_validator.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/star/validator/mutants.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <map>
#include <string>

namespace starport {
namespace {

using test::Mutation;
using test::Solved;

/// What `starport validate` says of a schedule file; empty when it is right.
std::string first_opinion(const Solved& solved, const Mutation& mutation) {
  std::optional<Violation> found;
  if (mutation.of_schedule) {
    std::string text;
    const Schedule schedule{.heuristic = "",
                            .problem = solved.problem,
                            .platform = solved.platform,
                            .makespan_s = {},
                            .transfers = to_transfers(solved.trace)};
    write_json(schedule, [&](std::string_view piece) { text += piece; });
    try {
      const Schedule read = parse_schedule(test::json_of(text), "mutant");
      found = find_violation(read.platform, read.problem, read.transfers);
    } catch (const InputError& error) {
      return error.what();
    }
  } else {
    found = find_violation(solved.platform, solved.problem, solved.trace);
  }
  return found ? fmt::format("{}: {}", found->transfer, found->message) : "";
}

std::string second_opinion(const Solved& solved) {
  const auto verdict = test::second_opinion(solved.platform, solved.problem, solved.trace);
  return verdict ? fmt::format("{}: {}", verdict->transfer, verdict->reason) : "";
}

struct Counts {
  std::int64_t right = 0;
  std::int64_t wrong = 0;
  std::int64_t different = 0;
};

// Of a thousand mutants, or of as many as STARPORT_MUTANTS says (tests/README.md).
TEST(SecondValidator, SaysTheSameOfMutants) {
  constexpr std::int64_t few = test::kSeedStride == 1 ? 1000 : 130;
  const char* const asked = std::getenv("STARPORT_MUTANTS");
  const std::int64_t count = asked == nullptr ? few : parse_number<std::int64_t>(asked).value();
  constexpr int mutants_of_one = 28;
  std::map<std::string, Counts> counts;
  std::int64_t made = 0;
  for (std::uint64_t seed = 1; made < count; ++seed) {
    const Solved solved = test::solved_instance(seed);
    if (solved.trace.empty()) continue;
    ASSERT_EQ(second_opinion(solved), "") << "seed " << seed;
    Random random(seed);
    for (int n = 0; n < mutants_of_one && made < count; ++n, ++made) {
      const Mutation& mutation =
          test::mutations()[static_cast<std::size_t>(n) % test::mutations().size()];
      Solved mutant = solved;
      mutation.mutate(mutant, random);
      if (mutation.of_schedule) {
        mutant.trace = replay(mutant.platform, mutant.problem, to_transfers(mutant.trace));
      }
      const std::string first = first_opinion(mutant, mutation);
      const std::string second = second_opinion(mutant);
      Counts& mine = counts[mutation.name];
      ++(first.empty() ? mine.right : mine.wrong);
      if (first.empty() == second.empty()) continue;
      ++mine.different;
      ADD_FAILURE() << mutation.name << ", seed " << seed << ", mutant " << n
                    << "\n  first:  " << first << "\n  second: " << second;
    }
  }
  std::int64_t right = 0;
  for (const auto& [name, mine] : counts) {
    if (asked != nullptr) {
      fmt::print("{:16} {:6} right {:6} wrong {:4} judged differently\n", name, mine.right,
                 mine.wrong, mine.different);
    }
    EXPECT_GT(mine.wrong, 0) << name;
    right += mine.right;
  }
  EXPECT_GT(right, made / 10);
}

}  // namespace
}  // namespace starport
