#include "sim/report/plots/plot_kinds.hpp"

#include "sim/files/error.hpp"

namespace starport {

std::optional<std::string> PlotRequest::find(const std::string& option) const {
  const auto found = options.find(option);
  return found == options.end() ? std::nullopt : std::optional(found->second);
}

Drawing PlotRequest::make_drawing(std::string kind, std::string data,
                                  const nlohmann::ordered_json& settings) const {
  Drawing drawing{.kind = std::move(kind), .data = std::move(data)};
  if (!title.empty()) drawing.settings["title"] = title;
  if (width_cm > 0) drawing.settings["width_cm"] = width_cm;
  if (height_cm > 0) drawing.settings["height_cm"] = height_cm;
  drawing.settings.update(settings);
  return drawing;
}

const std::vector<PlotKind>& plot_kinds() {
  static const std::vector<PlotKind> kinds = [] {
    std::vector<PlotKind> all = result_plots();
    all.push_back(gantt_plot());
    all.push_back(memory_plot());
    return all;
  }();
  return kinds;
}

const PlotKind& plot_kind(const std::string& name) {
  return find_named(plot_kinds(), name, "--figure", "a kind of figure");
}

}  // namespace starport
