// `starport plot`: draws figures.
#include "sim/app/algorithms.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/output.hpp"
#include "sim/process/progress.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "sim/results/heterogeneity.hpp"
#include "sim/sweep/checksums.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace starport {
namespace {

std::string plot_purpose() {
  std::string text =
      "Draws a figure from CSV files: results of `starport sweep` and `starport run --csv`, or a "
      "trace of\n--trace. Results of several files are drawn together.\n\n"
      "Kinds of figure:\n";
  for (const PlotKind& kind : plot_kinds()) {
    std::vector<std::string> options;
    for (const std::string& option : kind.options) options.push_back("--" + option);
    text += fmt::format("  {:<13} {}\n  {:<13} from {}; takes {}\n", kind.name, kind.summary, "",
                        kind.reads == PlotInput::results ? "results" : "a trace",
                        fmt::join(options, ", "));
  }
  return text +
         "\nA heuristic for stars has the same colour in all figures. Groups of bars are labelled "
         "by "
         "what differs\nbetween their instances. Rows whose status is not ok are left out, with a "
         "note.";
}

/// Reads "17x7", in cm, or the width of a two-column paper or of one of its columns.
void read_size(const std::string& text, PlotRequest& request) {
  for (const auto& [name, width_cm] : {std::pair("column", 8.5), {"page", 17.8}}) {
    if (text == name) request.width_cm = width_cm;
  }
  if (request.width_cm > 0) return;
  constexpr double least_cm = 3;
  constexpr double most_cm = 100;
  const auto sane = [](double cm) { return cm >= least_cm && cm <= most_cm; };
  const auto sides_cm = parse_numbers<double>(text, 'x');
  if (!sides_cm || sides_cm->size() != 2 || !std::ranges::all_of(*sides_cm, sane)) {
    throw InputError("--size",
                     "WIDTHxHEIGHT in cm, each from 3 to 100, such as 17x7, or column or page",
                     "'" + text + "'");
  }
  request.width_cm = sides_cm->front();
  request.height_cm = sides_cm->back();
}

}  // namespace

int plot_command(const std::vector<std::string>& arguments) {
  CommandLine line(
      "plot", {"FILE..."}, plot_purpose(),
      "starport plot results.csv --figure cost --where \"experiment = 'memory'\" -o cost.pdf\n"
      "  starport plot results.csv --figure sorted --where \"heuristic IN ('Het', 'ODDOML', "
      "'BMM')\" -o sorted.svg\n"
      "  starport plot results.csv --figure lines --x bandwidth_factor --log x -o links.png\n"
      "  starport plot trace.csv --figure gantt --heuristics Het,ODDOML --from 400 --to 500 -o "
      "gantt.svg");
  line.add("figure,f", "KIND", "the kind of figure")
      .add("output,o", "FILE",
           "file to write: .svg, .pdf, .png (300 dpi), .csv with the data of the figure, or .py: a "
           "Python script that draws it, with the data, to be changed for a paper")
      .add("title", "TEXT", "title above the figure")
      .add("size", "WIDTHxHEIGHT",
           "size in cm, such as 17x7; or the width of a two-column paper: column (8.5 cm) or page "
           "(17.8 cm) (default: depends on the figure)")
      .add("where", "CONDITION", "draw only the rows that meet this SQL condition on the columns")
      .add("x", "COLUMN",
           "column of the x axis; a point is the mean over repetitions, with a whisker from the "
           "smallest to the largest")
      .add("value", "COLUMN", "column of numbers to draw")
      .add("log", "AXES", "logarithmic axes: x, y or xy")
      .add("band", "KIND",
           "band around lines: quartiles (around the median) or 95% (interval of the mean, "
           "Student's t)")
      .add("bins", "NUMBER",
           "group the values of --x into this many bins with equal numbers of rows")
      .add("series", "COLUMN", "one line per value of this column (default: one per heuristic)")
      .add("heuristics", "NAMES",
           "runs of the trace to draw; --figure gantt draws several in panels on one time axis")
      .add("from", "SECONDS", "draw the trace from this date")
      .add("to", "SECONDS", "draw the trace until this date");
  if (!line.parse(arguments)) return kSuccess;

  const PlotKind& kind = plot_kind(line.find("figure").value_or(""));
  const std::string path = line.required("output", "the file to save the figure in");
  const PlotFormat format = plot_format(path);
  PlotRequest request;
  request.files = line.texts("FILE...");
  request.title = line.find("title").value_or("");
  if (const auto size = line.find("size")) read_size(*size, request);
  for (const char* option :
       {"where", "x", "value", "log", "band", "bins", "series", "heuristics", "from", "to"}) {
    const auto value = line.find(option);
    if (!value) continue;
    if (std::ranges::find(kind.options, option) == kind.options.end()) {
      throw InputError::with_problem(
          fmt::format("--{}", option),
          fmt::format("figures of kind {} have no such option", kind.name),
          "starport plot --help lists the options of each kind");
    }
    request.options[option] = *value;
  }
  request.heuristics = numbered_algorithms();
  request.figures =
      merge_figures(merge_figures(figures_of(model_registry().models), platform_measure_figures()),
                    label_columns());

  OutputFile output(path, "--output");
  const Drawing drawing = [&] {
    const ProgressLine progress;
    progress.show(fmt::format("reading {}", fmt::join(request.files, ", ")));
    Drawing drawn = kind.draw(request);
    progress.show("drawing");
    output.write(render(drawn, format));
    return drawn;
  }();
  output.commit();
  warn_about_changed_results(request.files);
  if (!drawing.remark.empty()) print_notice(drawing.remark);
  return kSuccess;
}

}  // namespace starport
