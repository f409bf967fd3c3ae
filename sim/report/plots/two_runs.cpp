#include "sim/report/plots/two_runs.hpp"

#include "sim/files/output.hpp"
#include "sim/platform/ties.hpp"
#include "sim/report/plots/drawing.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "sim/report/run_difference.hpp"
#include "sim/report/trace_files.hpp"

#include <fmt/format.h>

namespace starport {

void draw_two_runs(const Timeline& a, const Timeline& b, const std::string& path,
                   const char* option, const std::optional<std::string>& from,
                   const std::optional<std::string>& to) {
  const PlotFormat format = plot_format(path, option);
  OutputFile output(path, option);
  MemoryFile both;
  TraceExporter exporter(TraceFormat::csv, [&](std::string_view text) { both.write(text); });
  exporter.add(join_timelines(a, b));
  exporter.finish();
  PlotRequest request{.files = {both.path()},
                      .title = fmt::format("A: {}, {:.5g} s. B: {}, {:.5g} s", a.name, a.makespan_s,
                                           b.name, b.makespan_s)};
  if (!nearly_equal(a.makespan_s, b.makespan_s)) {
    request.marked_dates_s = {{"makespan of A", a.makespan_s}, {"makespan of B", b.makespan_s}};
  }
  if (from) request.options["from"] = *from;
  if (to) request.options["to"] = *to;
  output.write(render(plot_kind("gantt").draw(request), format));
  output.commit();
}

}  // namespace starport
