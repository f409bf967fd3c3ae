#include "sim/report/figures/figure.hpp"

#include "sim/files/error.hpp"
#include "sim/report/figures/result_figures.hpp"
#include "sim/report/figures/trace_figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace starport {

const std::vector<FigureKind>& figure_registry() {
  static const std::vector<FigureKind> registry{
      {.name = "cost",
       .summary = "relative cost: makespan over the best one of the instance (bars)",
       .reads = FigureInput::results,
       .options = {"where"},
       .draw = draw_cost},
      {.name = "work",
       .summary = "relative work: makespan x enrolled workers, over the least (bars)",
       .reads = FigureInput::results,
       .options = {"where"},
       .draw = draw_work},
      {.name = "bound",
       .summary = "makespan over the steady-state bound (bars)",
       .reads = FigureInput::results,
       .options = {"where"},
       .draw = draw_bound},
      {.name = "enrolled",
       .summary = "enrolled workers (bars), and those of the platform (a line)",
       .reads = FigureInput::results,
       .options = {"where"},
       .draw = draw_enrolled},
      {.name = "sorted",
       .summary = "relative cost, or --value, of all instances, from the least to the greatest",
       .reads = FigureInput::results,
       .options = {"where", "value", "log"},
       .draw = draw_sorted},
      {.name = "distribution",
       .summary = "relative cost, or --value, over the instances: quartiles and outliers",
       .reads = FigureInput::results,
       .options = {"where", "value", "log"},
       .draw = draw_distribution},
      {.name = "lines",
       .summary = "makespan, or --value, against --x; the steady-state bound as reference",
       .reads = FigureInput::results,
       .options = {"where", "x", "value", "log"},
       .draw = draw_lines},
      {.name = "gantt",
       .summary = "the port, then the transfers and the updates of each worker; the bound's date",
       .reads = FigureInput::trace,
       .options = {"heuristic", "from", "to"},
       .draw = draw_gantt},
      {.name = "memory",
       .summary = "what each worker holds over time, against its memory",
       .reads = FigureInput::trace,
       .options = {"heuristic", "from", "to"},
       .draw = draw_memory},
  };
  return registry;
}

const FigureKind& figure_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const FigureKind& kind : figure_registry()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  throw InputError("--figure", fmt::format("a kind of figure: {}", fmt::join(names, ", ")),
                   name.empty() ? "nothing" : "'" + name + "'", did_you_mean(name, names));
}

}  // namespace starport
