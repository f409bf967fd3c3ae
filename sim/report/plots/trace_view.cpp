#include "sim/report/plots/trace_view.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/report/plots/result_figures.hpp"
#include "sim/report/trace_files.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {
namespace {

double seconds(const std::string& text, const char* option) {
  const auto value = parse_number<double>(text);
  if (value && *value >= 0) return *value;
  throw InputError(option, "a date in seconds, 0 or greater", "'" + text + "'");
}

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
                 .end_s = 0,
                 .bound_s = {},
                 .window = {},
                 .title = request.title};
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
  if (view.title.empty() && view.traces.size() == 1) {
    view.title = makespan_text(view.traces.front(), view.bound_s);
  }
  return view;
}

}  // namespace starport
