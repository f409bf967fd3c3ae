// `starport check`: checks a paper's statements against results.
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/report/claims/claims.hpp"
#include "sim/sweep/checksums.hpp"

#include <fmt/format.h>

#include <optional>

namespace starport {

int check_command(const std::vector<std::string>& arguments) {
  CommandLine line(
      "check", {"RESULTS..."},
      "Checks statements, such as a paper's, against the results of a sweep. Each\n"
      "statement of the claims file is a question in SQL and the figure that its answer\n"
      "must come near (experiments/README.md). Succeeds when each one holds or has a reason why "
      "not.",
      "starport check /tmp/ppopp08/results.csv --claims experiments/ppopp08/claims.json "
      "-o reproduction.md");
  line.add("claims", "FILE", "the file of statements")
      .add("output,o", "FILE",
           "where to write the table: .md or .csv (default: standard output, Markdown)")
      .add("draws", "FILE",
           "judge statements about random platforms by this file of starport fit --platforms")
      .add_flag("without-reasons",
                "ignore the reasons in the claims file, for results of another calibration")
      .add("tried", "FILE",
           "add in how many calibrations of this file of starport fit each statement holds");
  if (!line.parse(arguments)) return kSuccess;

  const std::string claims_path = line.required("claims", "the file of the statements");
  std::optional<OutputFile> output;
  const std::string path = line.find("output").value_or("");
  if (line.has("output")) {
    if (!path.ends_with(".md") && !path.ends_with(".csv")) {
      throw InputError("--output", "a file that ends in .md or .csv", "'" + path + "'");
    }
    output.emplace(path, "--output");
  }
  const Claims claims = load_claims(claims_path);
  const ResultTable results = ResultTable::read_csv(line.texts("RESULTS..."));
  if (results.has("start_s")) results.require({"status"});
  warn_about_changed_results(line.texts("RESULTS..."));
  auto checked = check_claims(claims, results);
  const bool reasons = !line.has("without-reasons");
  if (!reasons) {
    for (CheckedClaim& claim : checked) claim.claim.reason.clear();
  }
  if (const auto draws = line.find("draws")) {
    judge_by_draws(checked, read_campaign_values({*draws}, claims, CampaignKind::variation));
  }
  if (const auto tried = line.find("tried")) {
    count_calibrations(checked, read_campaign_values({*tried}, claims, CampaignKind::calibration));
  }
  const std::string table =
      path.ends_with(".csv") ? claims_csv(checked) : claims_markdown(claims, checked);
  if (output) {
    output->write(table);
    output->commit();
    print(fmt::format("{}: {}\n", claims.title, verdict_summary(checked)));
  } else {
    print(table);
  }
  if (!reasons) return kSuccess;
  int status = kSuccess;
  for (const auto& [claim, number, holds, draws, calibrations] : checked) {
    // The claims file must give a reason for exactly the statements that do not hold.
    if (holds == claim.reason.empty()) continue;
    print_notice(fmt::format("{}: {}: {}, but {}", claims.path, claim.pointer,
                             holds ? "holds" : "does not hold",
                             holds ? "a reason is given" : "no reason is given"));
    status = kFailedSimulation;
  }
  return status;
}

}  // namespace starport
