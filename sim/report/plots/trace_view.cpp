#include "sim/report/plots/trace_view.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"
#include "sim/report/plots/figure_text.hpp"
#include "sim/report/plots/result_figures.hpp"
#include "sim/report/trace_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace starport {
namespace {

double seconds(const std::string& text, const char* option) {
  const auto value = parse_number<double>(text);
  if (value && *value >= 0) return *value;
  throw InputError(option, "a date in seconds, 0 or greater", "'" + text + "'");
}

std::string superscript(int number) {
  constexpr std::array digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(number)) {
    text += c == '-' ? "⁻" : digits.at(static_cast<std::size_t>(c - '0'));
  }
  return text;
}

constexpr double kMargins_cm = 3.1;  ///< above and below the lanes in gantt.gp and memory.gp
constexpr double kRow_cm = 0.35;     ///< height of a row of the legend

/// Splits the names of --heuristics at the commas outside brackets: "Het[ratio=local,clock=exact],
/// BMM" has two.
std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth <= 0) {
      names.emplace_back();
    } else if (c != ' ' || !names.back().empty()) {
      names.back() += c;
    }
  }
  return names;
}

std::vector<Timeline> read_traces(const PlotRequest& request) {
  const std::string& path = request.files.front();
  const auto asked = request.find("heuristics");
  std::vector<Timeline> traces;
  if (!asked) {
    traces.push_back(read_trace(path, std::nullopt));
    return traces;
  }
  const std::vector<std::string> names = split_names(*asked);
  for (const std::string& name : names) traces.push_back(read_trace(path, name));
  return traces;
}

/// Returns a height that is comfortable for a few groups and thin for a hundred; without --size no
/// figure is taller than 60 cm.
double group_height_pt(const PlotRequest& request, double margins_cm, double groups) {
  if (request.height_cm > 0) {
    return std::max(request.height_cm - margins_cm, 1.0) / kPoint_cm / groups;
  }
  return std::clamp(480 / groups, std::min(6.5, 1700 / groups), 30.0);
}

/// Returns the smallest of 1, 2, 5, 10, 20, ... for which every `step`-th group has room for a
/// line.
std::size_t name_step_for(double group_pt) {
  std::size_t step = 1;
  for (int i = 0; static_cast<double>(step) * group_pt < kLine_pt; ++i) {
    step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  }
  return step;
}

}  // namespace

TimeWindow time_window(const std::optional<std::string>& from, const std::optional<std::string>& to,
                       double end_s) {
  TimeWindow window{.from_s = from ? seconds(*from, "--from") : 0,
                    .to_s = to ? seconds(*to, "--to") : end_s};
  if (window.from_s >= end_s) {
    throw InputError("--from", fmt::format("a date before the end of the trace, {:.9g} s", end_s),
                     *from);
  }
  if (to && window.to_s <= window.from_s) {
    throw InputError("--to", fmt::format("a date after --from, {} s", window.from_s), *to);
  }
  // The dates of a trace are good to some 1e-13 of the makespan.
  constexpr double finest = 1e-9;
  if (window.length_s() < finest * end_s) {
    throw InputError("--to", fmt::format("at least {:.3g} s after --from", finest * end_s),
                     fmt::format("{:.3g} s", window.length_s()));
  }
  return window;
}

TimeAxis time_axis(const TimeWindow& window, double width_cm) {
  // SI prefixes as far as they are common; beyond, powers of ten of the second.
  const int exponent = static_cast<int>(std::floor(std::log10(window.to_s)));
  int thousands = static_cast<int>(std::floor(exponent / 3.0));
  if (exponent >= 0 && exponent < 6) thousands = 0;
  TimeAxis axis{.unit_s = std::pow(10, 3 * thousands)};
  constexpr std::array prefixes{"", "m", "µ", "n"};
  const bool common = -4 < thousands && thousands <= 0;
  axis.unit = common ? fmt::format("{}s", prefixes[static_cast<std::size_t>(-thousands)])
                     : "10" + superscript(3 * thousands) + " s";
  axis.label = "time (" + axis.unit + ")";
  const double most_tics = std::clamp(width_cm / 1.3, 2.0, 10.0);
  const double least = window.length_s() / axis.unit_s / most_tics;
  const int power = static_cast<int>(std::floor(std::log10(least)));
  const double scale = std::pow(10, power);
  const double steps = least / scale;
  axis.tic = scale * (steps <= 1 ? 1 : steps <= 2 ? 2 : steps <= 5 ? 5 : 10);
  axis.decimals = std::max(0, -static_cast<int>(std::floor(std::log10(axis.tic * 1.0000001))));
  return axis;
}

std::string short_name(const std::string& name) {
  constexpr std::size_t most = 26;
  return character_count(name) <= most ? name : truncate_characters(name, most - 3) + "...";
}

double names_width_cm(const std::vector<Timeline>& traces) {
  constexpr double least_cm = 1.2;
  constexpr double letter_cm = 0.17;
  std::size_t longest = 0;
  for (const Timeline& trace : traces) {
    for (const LaneGroup& group : trace.groups) {
      longest = std::max(longest, character_count(short_name(group.name)));
    }
  }
  return std::max(least_cm, letter_cm * static_cast<double>(longest) + 0.25);
}

std::string makespan_text(const Timeline& trace, const std::optional<double>& bound_s) {
  std::string text = fmt::format("{}: makespan {:.5g} s", trace.name, trace.makespan_s);
  if (bound_s) text += fmt::format(", {:.3f} times the bound", trace.makespan_s / *bound_s);
  return text;
}

TraceView read_trace_view(const char* kind, const PlotRequest& request) {
  if (request.files.size() != 1) {
    throw InputError(std::string("--figure ") + kind, "one trace",
                     fmt::format("{} files", request.files.size()));
  }
  TraceView view{.traces = read_traces(request),
                 .width_cm = request.width_cm > 0 ? request.width_cm : 17,
                 .name_step = 1};
  view.end_s = 0;
  view.bound_s = view.traces.front().bound_s;
  for (const Timeline& trace : view.traces) {
    view.end_s = std::max(view.end_s, trace.end_s());
    // The smallest bound holds for all runs; that of another schedule may not.
    if (!trace.bound_s) view.bound_s.reset();
    if (view.bound_s) view.bound_s = std::min(*view.bound_s, *trace.bound_s);
  }
  const double last_s = std::max(view.end_s, view.bound_s.value_or(0));
  if (last_s == 0) {
    throw InputError("end_s", "a date later than 0", "none in the trace")
        .in_file(request.files.front());
  }
  view.window = time_window(request.find("from"), request.find("to"), last_s);
  view.axis = time_axis(view.window, view.width_cm - names_width_cm(view.traces) - kMargin_cm);
  view.title = request.title;
  if (view.title.empty() && view.traces.size() == 1) {
    view.title = makespan_text(view.traces.front(), view.bound_s);
  }
  view.title = wrap_title(view.title, view.width_cm);
  return view;
}

void share_height(TraceView& view, const PlotRequest& request, std::size_t legend_rows) {
  std::size_t groups = 0;
  for (const Timeline& trace : view.traces) {
    const auto lanes = trace.lanes_in_use();
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      groups += trace.groups[i].worker && !lanes[i].empty();
    }
  }
  view.legend_rows = legend_rows;
  view.margins_cm = kMargins_cm + kRow_cm * static_cast<double>(legend_rows - 1) +
                    title_height_cm(view.title) - title_height_cm("");
  const std::size_t headings = view.traces.size() > 1 ? view.traces.size() : 0;
  view.group_pt =
      group_height_pt(request, view.margins_cm + kHeading_cm * static_cast<double>(headings),
                      static_cast<double>(std::max<std::size_t>(groups, 1)));
  view.name_step = name_step_for(view.group_pt);
}

void check_size(const TraceView& view, const PlotRequest& request, double right_cm) {
  constexpr double least_axis_cm = 3;
  constexpr double least_lanes_cm = 1;
  require_size(request, {names_width_cm(view.traces) + right_cm + least_axis_cm,
                         view.margins_cm + least_lanes_cm});
}

Drawing make_drawing(const TraceView& view, const PlotRequest& request, double height,
                     double lane_pt) {
  const double unit_s = view.axis.unit_s;
  const auto number = [](double value) { return fmt::format("{:#.15g}", value); };
  // There are two lines of text for the names of dates: those marked take the bound's.
  const bool marks_dates = !request.marked_dates_s.empty();
  const std::string bound = view.bound_s && !marks_dates ? number(*view.bound_s / unit_s) : "NaN";
  std::string dates;
  std::string names;
  if (!marks_dates && view.traces.size() == 1) {
    dates = number(view.traces.front().makespan_s / unit_s);
    names = "'makespan'";
  }
  for (const auto& [name, date_s] : request.marked_dates_s) {
    dates += number(date_s / unit_s) + " ";
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
                       {"names_cm", number(names_width_cm(view.traces))},
                       {"marks", gnuplot_text(dates)},
                       {"mark_names", gnuplot_text(names)},
                       {"bound", bound}}};
}

}  // namespace starport
