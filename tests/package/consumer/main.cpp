// Compares two heuristics on the platform of the argument.
#include "sim/app/algorithms.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/report/comparison_text.hpp"

#include <cstdio>

int main(int, char** argv) {
  using namespace starport;
  const PlatformFile file = load_platform(argv[1]);
  const Case instance{file, parse_problem("800x800x800", 80)};
  const auto algorithms = read_algorithms("Het,ODDOML", "heuristics");
  const Comparison comparison = compare(algorithms, instance, model_registry().models, {}, 1);
  std::fputs(to_table(comparison).c_str(), stdout);
}
