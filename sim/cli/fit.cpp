// `starport fit`: checks a paper's statements on many campaigns, with other calibrations, readings
// or random changes.
#include "sim/report/claims/fit.hpp"

#include "sim/app/model_registry.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/random.hpp"
#include "sim/process/progress.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace starport {
namespace {

constexpr std::int64_t kMostCampaigns = 10'000'000;

/// Returns all that a parameter changes, as a text.
std::string identity(const fit::Parameter& parameter) {
  const Override& axis = parameter.axis;
  return fmt::format("\n{}|{}|{}|{}|{}|{}|{}", parameter.range_text(), axis.multiply,
                     axis.single_rate.value_or(0), fmt::join(axis.workers, " "),
                     fmt::join(parameter.experiments, ","), fmt::join(parameter.heuristics, ","),
                     parameter.key);
}

/// Inputs and options of one call of `starport fit`. Throws InputError when it is created.
struct Session {
  const CommandLine& line;
  Specification specification = load_specification(line.text("SPECIFICATION"), model_registry());
  Claims claims = load_claims(line.required("claims", "the file of the statements"));
  std::string output = line.required("output", "the file that the answers go to");
  fit::CampaignRunner runner{specification, claims, line.limits(line.jobs())};
  ProgressLine progress = {};

  std::uint64_t seed() const {
    return static_cast<std::uint64_t>(line.integer("seed", 0, std::int64_t{1} << 53).value_or(1));
  }

  /// Applies readings such as "Het_clock=exact,panels=even" to the specification, and returns all
  /// that they change, as a text. Throws InputError for one that the claims file lacks.
  std::string apply_readings(std::string_view readings) {
    std::string applied(readings);
    if (readings.empty()) return applied;
    const auto parameters = fit::load_parameters(claims.path, specification, model_registry());
    while (!readings.empty()) {
      const std::string asked(next_token(readings, ','));
      std::vector<std::string> available;
      bool found = false;
      for (const fit::Parameter& parameter : parameters) {
        for (std::size_t i = 0; i < parameter.readings.size(); ++i) {
          available.push_back(parameter.name + "=" + parameter.readings[i]);
          if (available.back() != asked) continue;
          found = true;
          applied += identity(parameter);
          specification =
              fit::apply_calibration(specification, {parameter}, {static_cast<double>(i)});
        }
      }
      if (found) continue;
      throw InputError::with_unknown_name("--reading", asked, "a reading of the claims file",
                                          available, fmt::format("{}", fmt::join(available, ", ")));
    }
    return applied;
  }

  /// Runs the campaigns that the file lacks, by `work(pool, campaigns)`, and returns all of them.
  /// `what` distinguishes the file from those of other options.
  template <class Work>
  fit::Campaigns run(const std::vector<fit::Parameter>& parameters, const std::string& what,
                     std::int64_t total, Work work) {
    runner.check_queries();
    const std::string input = specification.resolved + "\n" + what;
    fit::CampaignFile file(output, parameters, claims,
                           fmt::format("{:014x}", seed_from_identity(input)));
    fit::Campaigns campaigns;
    if (line.has("resume")) {
      campaigns = file.resume();
    } else {
      file.create();
    }
    const fit::CampaignPool pool{
        .claims = claims,
        .file = file,
        .processes = line.jobs(),
        .time_limit_s = line.limits().time_limit_s,
        .show_progress = [&](std::int64_t done) {
          progress.show(fmt::format("{}/{} campaigns", done, std::max(done, total)));
        }};
    work(pool, campaigns);
    progress.show("");
    return campaigns;
  }
};

/// Returns the value of an option as a share of 1 (0.02 and 2% are the same), 0 if it is not given.
/// Throws InputError unless it lies strictly between 0 and 1.
double share(const CommandLine& line, const char* option) {
  const auto text = line.find(option);
  if (!text) return 0;
  const double value = parse_share(*text).value_or(-1);
  if (value <= 0 || value >= 1) {
    throw InputError("--" + std::string(option), "a share between 0 and 1, such as 0.02 or 2%",
                     "'" + *text + "'");
  }
  return value;
}

/// Throws InputError if `option` is given together with one of `others`.
void check_excludes(const CommandLine& line, const std::string& option,
                    std::initializer_list<const char*> others) {
  if (!line.has(option.c_str())) return;
  for (const char* other : others) {
    if (!line.has(other)) continue;
    throw InputError::with_problem("--" + option, "it excludes --" + std::string(other),
                                   "Give only one of them");
  }
}

/// Searches for the calibration under which the most statements hold; prints it.
void search(const CommandLine& line) {
  std::optional<OutputFile> best_file;
  if (const auto path = line.find("best")) {
    if (are_same_file(*path, line.find("output").value_or("")))
      throw InputError("--best", "another file than that of --output", "'" + *path + "'");
    best_file.emplace(*path, "--best");
  }
  Session session{line};
  const auto parameters =
      fit::load_parameters(session.claims.path, session.specification, model_registry());
  const fit::SearchBudget budget{
      .drawn = line.integer("draws", 2, kMostCampaigns).value_or(1000),
      .refined = line.integer("refinements", 0, kMostCampaigns).value_or(1000),
      .seed = session.seed()};
  std::string what = fmt::format("fit {} {}", budget.seed, budget.drawn);
  for (const fit::Parameter& parameter : parameters) what += identity(parameter);
  const fit::Campaigns campaigns =
      session.run(parameters, what, budget.total(), [&](const auto& pool, auto& found) {
        fit::search_calibrations(session.specification, parameters, session.runner, budget, pool,
                                 found);
      });
  print(fit::search_report(session.claims, parameters, campaigns));
  if (!best_file) return;
  for (const fit::Campaign* campaign : fit::rank(session.claims, campaigns)) {
    if (campaign->calibration.empty()) continue;
    best_file->write(
        fit::calibrated_specification(session.specification, parameters, campaign->calibration));
    best_file->commit();
    return;
  }
}

/// Runs the specification with each alternative reading, one at a time; prints what changes.
void try_readings(const CommandLine& line) {
  Session session{line};
  auto parameters =
      fit::load_parameters(session.claims.path, session.specification, model_registry());
  std::erase_if(parameters,
                [](const fit::Parameter& parameter) { return !parameter.is_reading(); });
  if (parameters.empty()) {
    throw InputError("/fit/parameters", "at least one reading", "none")
        .in_file(session.claims.path);
  }
  std::string what = "readings";
  std::int64_t others = 0;
  for (const fit::Parameter& parameter : parameters) {
    what += identity(parameter);
    others += std::ssize(parameter.readings) - 1;
  }
  const fit::Campaigns campaigns =
      session.run(parameters, what, 1 + others, [&](const auto& pool, auto& found) {
        fit::run_other_readings(session.specification, parameters, session.runner, pool, found);
      });
  print(fit::readings_report(session.claims, parameters, campaigns));
}

/// Runs the specification with random changes (--platforms, --within, --runs); prints how the
/// statements fare.
void vary(const CommandLine& line) {
  Session session{line};
  const std::string readings = session.apply_readings(line.find("reading").value_or(""));
  const fit::Variation variation{.redraw_platforms = line.has("platforms"),
                                 .platform_share = share(line, "within"),
                                 .run_share = share(line, "runs"),
                                 .seed = session.seed()};
  const std::int64_t count = line.integer("draws", 1, kMostCampaigns).value_or(1000);
  const std::string what =
      fmt::format("vary {} {} {} {} {}", variation.seed, variation.redraw_platforms,
                  variation.platform_share, variation.run_share, readings);
  if (variation.platform_share == 0 && variation.run_share == 0) {
    session.runner.cache_fixed_instances();
  }
  const fit::Campaigns campaigns = session.run({}, what, count, [&](const auto& pool, auto& found) {
    fit::run_variations(session.specification, session.runner, variation, count, pool, found);
  });
  print(fit::variation_report(session.claims, campaigns));
}

}  // namespace

int fit_command(const std::vector<std::string>& arguments) {
  CommandLine line(
      "fit", {"SPECIFICATION"},
      "Looks for calibrations under which the most statements of a paper hold: draws values of "
      "the\n"
      "parameters in the section \"fit\" of the claims file, then refines the best ones, on the\n"
      "analytic engine. Prints the best calibration, how far the parameters spread over the best\n"
      "ones, and which statements no calibration tried satisfies. The answers do not depend on "
      "-j.\n"
      "\n"
      "With --platforms, --within or --runs, it searches nothing: it runs the specification many\n"
      "times with these random changes, and prints how many statements hold and the range of each\n"
      "one's figure. With --readings, it tries the other readings of the paper one at a time, and\n"
      "prints which statements hold with each.",
      "starport fit experiments/ppopp08/sweep.json --claims experiments/ppopp08/claims.json "
      "-o /tmp/fit.csv");
  line.add("claims", "FILE", "the file of statements")
      .add("output,o", "FILE", "CSV file to write, with a row per campaign; must not exist")
      .add_flag("resume", "continue a run that was stopped, or start it")
      .add("seed", "N", "seed of the random draws (default: 1)");
  line.add_jobs("campaigns");
  line.add_time_limit();
  line.add("draws", "N", "number of random calibrations, or of varied campaigns (default: 1000)")
      .add("refinements", "N",
           "number of calibrations tried near the best ones afterwards (default: 1000)")
      .add("best", "FILE", "write the best calibration as a specification for starport sweep")
      .add_flag("platforms", "vary: draw new random platforms for each campaign after the first")
      .add("within", "SHARE",
           "vary: multiply bandwidths, speeds and memories by random factors within this share "
           "of 1")
      .add("runs", "SHARE",
           "vary: multiply makespans by random factors that differ by at most this share")
      .add("reading", "NAME=VALUE",
           "vary: use this reading in all campaigns; several, separated by commas")
      .add_flag(
          "readings",
          "try each alternative reading in the section \"fit\" of the claims file, one at a time");
  if (!line.parse(arguments)) return kSuccess;
  check_excludes(
      line, "readings",
      {"platforms", "within", "runs", "draws", "refinements", "best", "seed", "reading"});
  for (const char* change : {"platforms", "within", "runs"}) {
    check_excludes(line, change, {"refinements", "best"});
  }
  const bool varies = line.has("platforms") || line.has("within") || line.has("runs");
  if (line.has("reading") && !varies) {
    throw InputError::with_problem("--reading", "it applies to varied campaigns only",
                                   "Give --platforms, --within or --runs too");
  }
  if (line.has("readings")) {
    try_readings(line);
  } else if (varies) {
    vary(line);
  } else {
    search(line);
  }
  return kSuccess;
}

}  // namespace starport
