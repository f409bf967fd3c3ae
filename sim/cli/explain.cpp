// `starport explain`: explains the columns of results.
#include "sim/app/model_registry.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/results/figure.hpp"
#include "sim/results/heterogeneity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace starport {
namespace {

/// Returns the labels of a row, then the figures of all models.
FigureList everything() {
  return merge_figures(merge_figures(label_columns(), platform_measure_figures()),
                       figures_of(model_registry().models));
}

std::vector<std::string_view> models_with(const Figure& figure) {
  std::vector<std::string_view> names;
  for (const Model* model : model_registry().models) {
    if (std::ranges::count(model->figures(), &figure) > 0) names.push_back(model->name());
  }
  return names;
}

std::string_view scope_text(Scope scope) {
  constexpr std::array<std::string_view, 5> texts{"which row it is", "of each run",
                                                  "of the instance, the same in all its rows",
                                                  "of the instance", "of each worker, with --json"};
  return texts[static_cast<std::size_t>(scope)];
}

std::string explanation(const Figure& figure) {
  std::string text = fmt::format("{}{}: {}\n  {}\n", figure.key,
                                 figure.unit.empty() ? "" : fmt::format(" ({})", figure.unit),
                                 figure.meaning, scope_text(figure.scope));
  if (figure.label != figure.key) text += fmt::format("  in tables: {}\n", figure.label);
  if (!figure.source.empty()) text += fmt::format("  source: {}\n", figure.source);
  if (figure.repeated) text += "  only where runs are repeated under noise\n";
  if (figure.wall_clock) text += "  of this machine: in timings.csv, not in results.csv\n";
  if (figure.compute != nullptr) text += "  from all the rows of the instance\n";
  const auto models = models_with(figure);
  if (!models.empty()) text += fmt::format("  models: {}\n", fmt::join(models, ", "));
  return text;
}

std::string table() {
  std::vector<std::vector<std::string>> rows{{"key", "in tables", "unit", "meaning"}};
  for (const Figure* figure : everything()) {
    rows.push_back({std::string(figure->key),
                    figure->scope == Scope::label ? "" : std::string(figure->label),
                    std::string(figure->unit), std::string(figure->meaning)});
  }
  return align_left(rows);
}

/// Returns the columns of all tables, for both kinds of port, with those that only noise adds.
std::vector<Column> all_columns() {
  std::vector<Column> columns{{"mean (s)", {&kMakespan}, Form::date},
                              {"95% interval (s)", {&kLowMakespan, &kHighMakespan}, Form::date},
                              {"median (s)", {&kMedianMakespan}, Form::date},
                              {"above the best", {&kLowAboveBest, &kHighAboveBest}, Form::share}};
  for (const Port::Kind kind : {Port::Kind::one, Port::Kind::two}) {
    Case instance;
    instance.file.port.kind = kind;
    for (const Model* model : model_registry().models) {
      for (Column& column : model->presentation().columns(instance))
        columns.push_back(std::move(column));
    }
  }
  return columns;
}

/// A symbol of PPoPP'08 in the table of the workers.
struct Symbol {
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array kSymbols{
    Symbol{"c_i", "time that the master's port takes to move one block to or from worker i"},
    Symbol{"w_i",
           "time of worker i for a block update, the product of two blocks added to a third"},
    Symbol{"m_i", "number of blocks that the memory of worker i holds"},
    Symbol{"mu_i",
           "side, in blocks, of the largest square of C for which worker i has the memory, "
           "with the blocks of A and B of two updates: mu_i^2 + 4 mu_i <= m_i"}};

/// Returns the figures with this key or column heading; several if models share a heading. Throws
/// InputError if there is none.
FigureList figures_named(const std::string& name) {
  FigureList named;
  std::vector<std::string> keys;
  for (const Figure* figure : everything()) {
    if (figure->key == name) return {figure};
    if (figure->label == name) named.push_back(figure);
    keys.emplace_back(figure->key);
  }
  for (const Column& column : all_columns()) {
    if (column.heading == name) named = merge_figures(std::move(named), column.figures);
  }
  if (!named.empty()) return named;
  const std::string near = did_you_mean(name, keys);
  throw InputError::with_problem(
      "starport explain", "'" + name + "' is not a column of results or the heading of a table",
      near.empty() ? "starport explain lists them" : near);
}

}  // namespace

int explain_command(const std::vector<std::string>& arguments) {
  CommandLine line("explain", {"[FIGURE...]"},
                   "Explains the columns of results: all of them, or those named, by their key in "
                   "CSV\nand JSON or by their heading in a table.",
                   "starport explain times_bound \"rel. work\"");
  line.add_flag("schema", "print the JSON Schema of the results of starport run --json");
  if (!line.parse(arguments)) return kSuccess;
  if (line.has("schema")) {
    if (line.has("[FIGURE...]")) {
      throw InputError::with_problem("--schema",
                                     "it describes all columns, so no column can be named",
                                     "Leave out '" + line.texts("[FIGURE...]").front() + "'");
    }
    print(to_indented_json(results_schema(model_registry().models)));
    return kSuccess;
  }
  if (!line.has("[FIGURE...]")) {
    print(table());
    return kSuccess;
  }
  std::string text;
  for (const std::string& name : line.texts("[FIGURE...]")) {
    const auto* symbol = std::ranges::find(kSymbols, name, &Symbol::name);
    if (symbol != kSymbols.end()) {
      text += fmt::format("{}{}: {}\n  of each worker\n", text.empty() ? "" : "\n", name,
                          symbol->meaning);
      continue;
    }
    for (const Figure* figure : figures_named(name)) {
      text += (text.empty() ? "" : "\n") + explanation(*figure);
    }
  }
  print(text);
  return kSuccess;
}

}  // namespace starport
