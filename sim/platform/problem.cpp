#include "sim/platform/problem.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <string>

namespace starport {

void check_problem(const Problem& problem, std::string_view place) {
  const std::string found = fmt::format("r={}, s={}, t={}", problem.r, problem.s, problem.t);
  for (const std::int64_t blocks : {problem.r, problem.s, problem.t}) {
    if (blocks < 1 || blocks > INT32_MAX) {
      throw InputError(std::string(place), fmt::format("between 1 and {} blocks a side", INT32_MAX),
                       found);
    }
  }
  std::int64_t updates = 0;
  if (__builtin_mul_overflow(problem.r * problem.s, problem.t, &updates) ||
      updates > std::int64_t{1} << 60) {
    throw InputError(std::string(place), "at most 2^60 block updates", found);
  }
}

Problem parse_problem(std::string_view text, std::int64_t block_size, std::string_view place) {
  const auto fail = [&](const char* expected) -> InputError {
    return {std::string(place), expected, "'" + std::string(text) + "'"};
  };
  std::array<std::int64_t, 3> blocks{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t side = 0; side < blocks.size(); ++side) {
    std::int64_t elements = 0;
    const auto [rest, error] = std::from_chars(at, end, elements);
    if (error == std::errc::result_out_of_range) throw fail("sizes that fit in 63 bits");
    const bool last = side + 1 == blocks.size();
    if (error == std::errc{} && side == 0 && rest == end) {
      if (elements < 1) throw fail("sizes greater than 0");
      blocks.fill(elements / block_size + (elements % block_size != 0));
      break;
    }
    if (error != std::errc{} || (last ? rest != end : rest == end || *rest != 'x')) {
      throw fail("nAxnABxnB, the three matrix sizes in elements, such as 8000x8000x64000, or N");
    }
    if (elements < 1) throw fail("sizes greater than 0");
    blocks[side] = elements / block_size + (elements % block_size != 0);
    at = rest + 1;
  }
  const Problem problem{.r = blocks[0], .s = blocks[2], .t = blocks[1], .block_size = block_size};
  check_problem(problem, place);
  return problem;
}

nlohmann::ordered_json to_json(const Problem& problem) {
  return {{"r", problem.r}, {"s", problem.s}, {"t", problem.t}, {"block_size", problem.block_size}};
}

}  // namespace starport
