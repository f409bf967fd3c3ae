// Fills in the template of the report page with results, figures and runs.
#include "sim/report/page/html_page.hpp"

#include "sim/files/json.hpp"
#include "sim/report/page/assets.hpp"
#include "sim/report/result_summary.hpp"
#include "sim/results/figure.hpp"
#include "sim/results/heterogeneity.hpp"

#include <boost/algorithm/string.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace starport {
namespace {

using nlohmann::ordered_json;

std::string escape_html(std::string text) {
  boost::replace_all(text, "&", "&amp;");
  boost::replace_all(text, "<", "&lt;");
  boost::replace_all(text, ">", "&gt;");
  boost::replace_all(text, "\"", "&quot;");
  return text;
}

/// Writes JSON without "<", so that no HTML parser mistakes a part of it for a tag.
std::string script_json(const ordered_json& json) {
  return boost::replace_all_copy(to_json_line(json), "<", "\\u003c");
}

/// Returns the hash by which a content security policy allows a script: "sha256-...".
std::string script_hash(std::string_view script) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  unsigned char text[2 * SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(script.data()), script.size(), digest);
  EVP_EncodeBlock(text, digest, sizeof digest);
  return std::string("sha256-") + reinterpret_cast<const char*>(text);
}

/// Replaces each @NAME@ by a value; an @ in a value is not replaced again.
std::string fill(std::string_view page, const std::map<std::string, std::string>& values) {
  std::vector<std::string> parts;
  boost::split(parts, page, boost::is_any_of("@"));
  std::string filled;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    filled += i % 2 == 0 ? parts[i] : values.at(parts[i]);
  }
  return filled;
}

/// Returns the label of a figure with its unit: "makespan (s)". Durations are shown with the unit
/// that suits each.
std::string label_with_unit(const Figure& figure) {
  const bool bare = figure.unit.empty() || figure.unit == "s" || figure.form == Form::count ||
                    figure.form == Form::text;
  return std::string(figure.label) + (bare ? "" : fmt::format(" ({})", figure.unit));
}

/// Formats the workers of a platform as columns: c, w and memory, then the figures of the models.
ordered_json platform_json(const Case& instance, const Models& models) {
  const Platform platform = instance.file.star_or_empty(instance.problem.block_size);
  ordered_json columns = ordered_json::array();
  const auto add = [&](const std::string& label, const auto& rows, auto figure_of) {
    ordered_json values = ordered_json::array();
    for (const auto& row : rows) values.push_back(std::invoke(figure_of, row));
    columns.push_back({{"label", label}, {"values", std::move(values)}});
  };
  add("c (s per block)", platform.workers, &Worker::c_s);
  add("w (s per update)", platform.workers, &Worker::w_s);
  add("m (blocks)", platform.workers, &Worker::m_blocks);
  if (std::ranges::any_of(platform.workers,
                          [](const Worker& worker) { return worker.latency_s > 0; })) {
    add("latency (s)", platform.workers, &Worker::latency_s);
  }
  for (const Model* model : models) {
    const std::vector<Figures> facts = model->presentation().worker_facts(instance);
    for (const Figure* figure : model->figures()) {
      if (facts.empty() || is_none(facts.front()[*figure])) continue;
      add(label_with_unit(*figure), facts,
          [&](const Figures& worker) { return worker.real(*figure); });
    }
  }
  const bool one_port = platform.port.kind == Port::Kind::one;
  ordered_json json{{"name", platform.name},
                    {"port", one_port ? "" : describe(platform.port)},
                    {"columns", std::move(columns)}};
  for (std::size_t i = 0; platform.names.has_given_names() && i < platform.workers.size(); ++i) {
    json["names"].push_back(platform.names[i]);
  }
  return json;
}

/// Adds the descriptions of the columns of results; the columns of tables on the terminal come
/// first, in their order.
void add_figures(ordered_json& data, const Models& models) {
  FigureList shown;
  for (const Model* model : models) {
    for (const Column& column : model->presentation().columns({}))
      shown = merge_figures(shown, column.figures);
  }
  data["figures"] = ordered_json::array();
  for (const Figure* figure :
       merge_figures(merge_figures(merge_figures(shown, figures_of(models)), label_columns()),
                     platform_measure_figures())) {
    const bool primary = std::ranges::find(shown, figure) != shown.end();
    std::string title(figure->meaning);
    if (!figure->source.empty()) title += fmt::format(" ({})", figure->source);
    data["figures"].push_back(
        {{"key", figure->key},
         {"label", label_with_unit(*figure)},
         {"title", title},
         {"form", to_string(figure->unit == "s" ? Form::duration : figure->form)},
         {"label_only", figure->scope == Scope::label},
         {"primary", primary}});
  }
}

/// Returns the distinct platforms and the instances, which refer to them by index, as two members
/// of an object in JSON. As text, many take much less memory than as ordered_json.
std::string instances_json(const Models& models, const std::map<std::int64_t, Case>& instances) {
  std::string platforms;
  std::string members;
  std::map<std::string, std::size_t> indices;
  for (const auto& [number, instance] : instances) {
    const auto [entry, added] =
        indices.emplace(script_json(platform_json(instance, models)), indices.size());
    if (added) platforms += (platforms.empty() ? "" : ",") + entry->first;
    ordered_json member{{"platform", entry->second}};
    member.update(to_json(instance.problem));
    members += fmt::format("{}\"{}\":{}", members.empty() ? "" : ",", number, script_json(member));
  }
  return fmt::format("\"platforms\":[{}],\"instances\":{{{}}}", platforms, members);
}

/// Adds the distinct charts of the runs to the data and returns the runs as script elements, which
/// refer to their chart by index.
std::string add_runs(ordered_json& data, const std::map<std::int64_t, PackedRun>& runs) {
  data["charts"] = ordered_json::array();
  std::map<std::string, std::size_t> indices;
  std::string html;
  for (const auto& [row, run] : runs) {
    const auto [chart, added] = indices.emplace(run.chart, indices.size());
    if (added) data["charts"].push_back(parse_trusted_json(run.chart));
    html += fmt::format("<script type=\"text/plain\" id=\"run-{}\" data-chart=\"{}\">{}</script>\n",
                        row, chart->second, run.slices);
  }
  return html;
}

/// Returns the rows of the results as a list in JSON, each with the wall-clock times of its
/// instance and heuristic. As text, many take much less memory than as ordered_json.
std::string rows_json(const ResultTable& results, const ResultTable& timings) {
  std::map<std::vector<std::string>, std::vector<std::string>> times;
  for (const Row& row :
       timings.query("SELECT instance, heuristic, decision_s, simulation_s FROM results")) {
    const auto texts = to_texts(row);
    times[{texts[0], texts[1]}] = {texts[2], texts[3]};
  }
  std::string json = "[";
  const auto add = [&](const Row& row) {
    // The first column is `_file`.
    ordered_json texts = to_texts({row.begin() + 1, row.end() - 2});
    const auto found = times.find(to_texts({row.end() - 2, row.end()}));
    for (const std::size_t i : {0U, 1U}) {
      texts.push_back(found == times.end() ? "" : found->second[i]);
    }
    json += (json.size() > 1 ? "," : "") + script_json(texts);
  };
  results.for_each_row("SELECT *, instance, heuristic FROM results ORDER BY _rowid_", add);
  return json + "]";
}

/// Returns what the page shows, but for the rows of the results and the instances.
ordered_json page_data(const ReportPage& page, const ResultTable& results) {
  ordered_json data = ordered_json::object();
  data["columns"] = results.columns();
  for (const char* name : {"decision_s", "simulation_s"}) data["columns"].push_back(name);
  data["summary"] = ordered_json::array();
  for (const SummaryTable& group : summarise(results, figures_of(page.models))) {
    data["summary"].push_back(
        {{"name", group.name}, {"columns", group.columns}, {"rows", group.rows}});
  }
  add_figures(data, page.models);
  data["experiments"] = ordered_json::array();
  for (const Finding& finding : findings(results)) {
    const auto stated = page.questions.find(finding.experiment);
    ordered_json plots = ordered_json::array();
    for (const ReportPlot& plot : page.plots) {
      if (plot.experiment != finding.experiment) continue;
      plots.push_back({{"caption", plot.caption},
                       {"kind", plot.drawing.kind},
                       {"settings", plot.drawing.settings},
                       {"data", plot.drawing.data}});
    }
    data["experiments"].push_back(
        {{"name", finding.experiment},
         {"question", stated != page.questions.end()
                          ? stated->second
                          : default_question(results, finding.experiment)},
         {"finding", finding.text + describe_axes(results, finding.experiment)},
         {"plots", std::move(plots)}});
  }
  data["provenance"] = page.provenance;
  data["command"] = page.command;
  return data;
}

/// Returns the scripts of both pages: tables, Gantt charts and what they have in common besides.
std::string common_script() {
  using namespace embedded;
  std::string script = "\n";
  for (const std::string_view part :
       {plots_report_table_js, plots_report_run_js, plots_report_lanes_js,
        plots_report_gantt_view_js, plots_report_gantt_js, plots_report_slice_text_js,
        plots_report_beside_js, plots_report_share_js, plots_report_page_js}) {
    script += part;
  }
  return script;
}

}  // namespace

std::string to_html(const ReportPage& page, const ResultTable& results,
                    const ResultTable& timings) {
  using namespace embedded;
  const std::string script =
      common_script() + std::string(plots_report_figures_js) + std::string(plots_report_report_js);
  ordered_json data = page_data(page, results);
  std::map<std::string, std::string> values{{"TITLE", escape_html(page.title)},
                                            {"SUMMARY", escape_html(summary_text(results))},
                                            {"STYLE", std::string(plots_report_report_css)},
                                            {"SCRIPT_HASH", script_hash(script)},
                                            {"SCRIPT", script},
                                            {"RUNS", add_runs(data, page.runs)}};
  std::string& text = values["DATA"] = script_json(data);
  text.pop_back();  // the closing brace
  text += "," + instances_json(page.models, page.instances) +
          ",\"rows\":" + rows_json(results, timings) + "}";
  return fill(plots_report_report_html, values);
}

std::string explorer_html(const ordered_json& data) {
  using namespace embedded;
  const std::string script = common_script() + std::string(plots_explore_uPlot_iife_min_js) + "\n" +
                             std::string(plots_explore_explore_js);
  std::string style(plots_report_report_css);
  style += plots_explore_uPlot_min_css;
  style += plots_explore_explore_css;
  return fill(plots_explore_explore_html, {{"STYLE", style},
                                           {"SCRIPT_HASH", script_hash(script)},
                                           {"SCRIPT", script},
                                           {"LICENCE", std::string(plots_explore_uPlot_LICENSE)},
                                           {"DATA", script_json(data)}});
}

}  // namespace starport
