#include "sim/models/star/elements.hpp"

#include "sim/files/error.hpp"
#include "sim/models/star/star_figures.hpp"

#include <cmath>

namespace starport {

bool needs_elements(const Heuristic& heuristic, const Case& instance) {
  return heuristic.requirements().in_elements && instance.problem.block_size > 1;
}

Case to_elements(const Case& instance) {
  Problem problem = instance.problem;
  for (std::int64_t* side : {&problem.r, &problem.s, &problem.t}) *side *= problem.block_size;
  problem.block_size = 1;
  check_problem(problem, "--problem");
  try {
    instance.file.at_block_size(1);
  } catch (const InputError& error) {
    throw NotApplicable(error.what());
  }
  return {instance.file, problem};
}

void convert_to_blocks(Record& record, std::int64_t q) {
  const auto divide = [](Figures& figures, const Figure& figure, std::int64_t by) {
    const std::int64_t count{std::llround(figures.real(figure) / static_cast<double>(by))};
    figures.set(figure, count);
  };
  const auto count = [&](Figures& figures) {
    divide(figures, kBlocksMoved, q * q);
    divide(figures, kBlockUpdates, q * q * q);
  };
  count(record.figures);
  for (Figures& worker : record.workers) count(worker);
  record.figures.set(kCcr, record.figures.real(kCcr) * static_cast<double>(q));
}

}  // namespace starport
