#include "sim/files/text.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/study/result_rows.hpp"

#include <fmt/format.h>

namespace starport {

std::string to_csv(const Comparison& comparison) {
  const bool repeated = comparison.repeated();
  FigureList figures;
  for (const Figure* figure : figures_of(comparison.models)) {
    const bool of_rows = figure->scope == Scope::run || figure->scope == Scope::instance;
    if (of_rows && (repeated || !figure->repeated)) figures.push_back(figure);
  }
  const bool noisy = !comparison.noise.empty();
  std::string text = noisy ? "platform,noise,r,s,t,block_size,engine,heuristic,status,error"
                           : "platform,r,s,t,block_size,engine,heuristic,status,error";
  for (const Figure* figure : figures) text += "," + std::string(figure->key);
  text += ",details\r\n";
  const Problem& problem = comparison.instance.problem;
  const std::string start =
      fmt::format("{}{},{},{},{},{},{},", csv_field(comparison.instance.platform.name),
                  noisy ? "," + csv_field(comparison.noise) : "", problem.r, problem.s, problem.t,
                  problem.block_size, to_string(comparison.engine));
  for (const Record& record : comparison.records) {
    text += start + record_csv(figures, comparison, record) + "\r\n";
  }
  return text;
}

}  // namespace starport
