#include "sim/report/plots/trace_view.hpp"

#include "sim/files/characters.hpp"
#include "sim/files/error.hpp"
#include "sim/report/plots/figure_text.hpp"
#include "sim/report/trace_files.hpp"

#include <fmt/format.h>

namespace starport {
namespace {

constexpr double kMargins_cm = 3.1;  ///< above and below the lanes, as both scripts have them
constexpr double kRow_cm = 0.35;     ///< a row of the legend

/// Comfortable for a few groups, thin for a hundred, and no figure taller than 60 cm.
double group_height_pt(const PlotRequest& request, double margins_cm, double groups) {
  if (request.height_cm > 0) {
    return std::max(request.height_cm - margins_cm, 1.0) / kPoint_cm / groups;
  }
  return std::clamp(480 / groups, std::min(6.5, 1700 / groups), 30.0);
}

std::size_t name_step(double group_pt) {
  std::size_t step = 1;
  for (int i = 0; static_cast<double>(step) * group_pt < kLine_pt; ++i) {
    step = i % 3 == 1 ? step / 2 * 5 : step * 2;  // 1, 2, 5, 10, 20, 50, ...
  }
  return step;
}

}  // namespace

std::string short_name(const std::string& name) {
  constexpr std::size_t most = 26;
  return characters(name) <= most ? name : first_characters(name, most - 3) + "...";
}

double names_cm(const Timeline& trace) {
  constexpr double least_cm = 1.2;
  constexpr double letter_cm = 0.17;
  std::size_t longest = 0;
  for (const LaneGroup& group : trace.groups) {
    longest = std::max(longest, characters(short_name(group.name)));
  }
  return std::max(least_cm, letter_cm * static_cast<double>(longest) + 0.25);
}

TraceView view_of(const char* kind, const PlotRequest& request) {
  if (request.files.size() != 1) {
    throw InputError(std::string("--figure ") + kind, "one trace",
                     fmt::format("{} files", request.files.size()));
  }
  TraceView view{.trace = read_trace(request.files.front(), request.find("heuristic")),
                 .width_cm = request.width_cm > 0 ? request.width_cm : 17,
                 .named = 1};
  const Timeline& trace = view.trace;
  view.end_s = trace.end_s();
  view.window = time_window(request.find("from"), request.find("to"),
                            std::max(view.end_s, trace.bound_s.value_or(0)));
  view.axis = time_axis(view.window, view.width_cm - names_cm(view.trace) - kMargin_cm);
  view.title = request.title;
  if (view.title.empty()) {
    view.title = fmt::format("{}: makespan {:.5g} s", trace.name, trace.makespan_s);
    if (trace.bound_s) {
      view.title += fmt::format(", {:.3f} times the bound", trace.makespan_s / *trace.bound_s);
    }
  }
  view.title = fitted_title(view.title, view.width_cm);
  return view;
}

void share_height(TraceView& view, const PlotRequest& request, std::size_t legend_rows) {
  const auto lanes = view.trace.lanes_in_use();
  std::size_t groups = 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    groups += view.trace.groups[i].worker && !lanes[i].empty();
  }
  view.legend_rows = legend_rows;
  view.margins_cm = kMargins_cm + kRow_cm * static_cast<double>(legend_rows - 1) +
                    height_cm_of(view.title) - height_cm_of("");
  view.group_pt = group_height_pt(request, view.margins_cm,
                                  static_cast<double>(std::max<std::size_t>(groups, 1)));
  view.named = name_step(view.group_pt);
}

void check_size(const TraceView& view, const PlotRequest& request, double right_cm) {
  constexpr double least_axis_cm = 3;
  constexpr double least_lanes_cm = 1;
  require_size(request,
               {names_cm(view.trace) + right_cm + least_axis_cm, view.margins_cm + least_lanes_cm});
}

Drawing drawing_of(const TraceView& view, const PlotRequest& request, double height,
                   double lane_pt) {
  const Timeline& trace = view.trace;
  const double unit_s = view.axis.unit_s;
  const auto number = [](double value) { return fmt::format("{:#.15g}", value); };
  // Two makespans are marked on the lines of text that one and a bound would have.
  const bool several = !request.makespans_s.empty();
  const std::string bound = trace.bound_s && !several ? number(*trace.bound_s / unit_s) : "NaN";
  std::string dates = several ? "" : number(trace.makespan_s / unit_s);
  std::string names = several ? "" : "'makespan'";
  for (const auto& [name, makespan_s] : request.makespans_s) {
    dates += number(makespan_s / unit_s) + " ";
    names += "'" + name + "' ";
  }
  return {.title = view.title,
          .width_cm = view.width_cm,
          .height_cm = request.height_cm > 0 ? request.height_cm
                                             : view.margins_cm + height * lane_pt * kPoint_cm,
          .settings = {{"from", number(view.window.from_s / unit_s)},
                       {"to", number(view.window.to_s / unit_s)},
                       {"until", number(std::min(view.window.to_s, view.end_s) / unit_s)},
                       {"tic", number(view.axis.tic)},
                       {"decimals", fmt::format("{}", view.axis.decimals)},
                       {"xlabel", gnuplot_text(view.axis.label)},
                       {"height", number(height)},
                       {"legend_rows", fmt::format("{}", view.legend_rows)},
                       {"names_cm", number(names_cm(trace))},
                       {"marks", gnuplot_text(dates)},
                       {"mark_names", gnuplot_text(names)},
                       {"bound", bound}}};
}

}  // namespace starport
