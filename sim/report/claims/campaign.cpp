#include "sim/report/claims/campaign.hpp"

#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

namespace starport::fit {

std::int64_t count_holding(const Claims& claims, const ClaimValues& values) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) count += holds(claims.claims[i], values[i]);
  return count;
}

double total_deviation(const Claims& claims, const ClaimValues& values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += deviation(claims.claims[i], values[i]);
  return sum;
}

CampaignRunner::CampaignRunner(const Specification& specification, const Claims& claims,
                               const SimulationLimits& limits)
    : specification_(specification),
      claims_(claims),
      engines_{.engine = EngineKind::analytic, .limits = limits},
      rows_(specification) {}

void CampaignRunner::check_queries() const {
  check_claims(claims_, results_of(specification_, {}));
}

void CampaignRunner::cache_fixed_instances() {
  for (std::int64_t number = 1; number <= specification_.size(); ++number) {
    const SweepInstance instance = specification_.instance(number);
    if (instance.seed) continue;
    cached_rows_[number] = rows_.rows(
        instance, run_instance(instance, specification_.models(), engines_, RunMode::in_process));
  }
}

ResultTable CampaignRunner::results_of(const Specification& changed,
                                       const Perturbation& perturb) const {
  std::string text = rows_.header();
  for (std::int64_t number = 1; number <= changed.size(); ++number) {
    if (const auto cached = cached_rows_.find(number); cached != cached_rows_.end()) {
      text += cached->second;
      continue;
    }
    const SweepInstance instance = changed.instance(number);
    Comparison comparison = run_instance(instance, changed.models(), engines_, RunMode::in_process);
    if (perturb) perturb(instance, comparison);
    text += rows_.rows(instance, comparison);
  }
  ResultTable results;
  results.append_text(text, "results.csv");
  return results;
}

ClaimValues CampaignRunner::run(const Specification& changed, const Perturbation& perturb) const {
  const ResultTable results = results_of(changed, perturb);
  ClaimValues values;
  for (const Claim& claim : claims_.claims) {
    double& value = values.emplace_back(std::numeric_limits<double>::quiet_NaN());
    try {
      // The time of the whole campaign is limited: how long a query takes depends on the machine.
      value = single_number(results.ask(claim.sql, 2, claim.pointer, 0)).value_or(value);
    } catch (const InputError& error) {
      // check_queries() has accepted the SQL: an overflow in these results leaves no number.
      if (error.place != claim.pointer) throw;  // no room for temporary files
    }
  }
  return values;
}

CampaignFile::CampaignFile(std::string path, const std::vector<Parameter>& parameters,
                           const Claims& claims, const std::string& input)
    : path_(std::move(path)),
      parameters_(parameters),
      claims_(claims),
      input_(claims_hash(claims) + "-" + input) {}

std::string CampaignFile::header() const {
  std::string text = "number,input,holds,missed";
  for (const Parameter& parameter : parameters_) text += "," + quote_csv_field(parameter.name);
  for (std::size_t i = 1; i <= claims_.claims.size(); ++i) text += fmt::format(",c{}", i);
  return text + "\r\n";
}

std::string CampaignFile::to_row(const Campaign& campaign) const {
  std::string text = fmt::format("{},{},{},{:.6g}", campaign.number, input_,
                                 count_holding(claims_, campaign.values),
                                 total_deviation(claims_, campaign.values));
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    text += ",";
    if (campaign.calibration.empty()) continue;
    append_csv_field(text, parameters_[i].value_text(campaign.calibration[i]));
  }
  for (const double value : campaign.values) {
    text += std::isnan(value) ? "," : fmt::format(",{}", value);
  }
  return text + "\r\n";
}

Campaign CampaignFile::parse_row(std::string_view text, std::int64_t line) const {
  const auto damaged = [&](const std::string& expected) {
    return InputError(fmt::format("line {}", line), expected, "a damaged row").in_file(path_);
  };
  std::vector<std::string> fields;
  int rows = 0;
  try {
    CsvReader reader([&](std::vector<std::string>& read, std::size_t) {
      fields = read;
      ++rows;
    });
    reader.read(text.substr(0, text.find("\r\n")));
  } catch (const InputError&) {
    throw damaged("fields with commas between them");
  }
  if (rows > 1) throw damaged("CR LF at the end of each row");
  constexpr std::size_t before_parameters = 4;  // holds, missed: computed from the values
  const std::size_t before_claims = before_parameters + parameters_.size();
  fields.resize(std::max<std::size_t>(fields.size(), 2));
  const auto number = parse_number<std::int64_t>(fields[0]);
  if (!number || *number < 1) throw damaged("the number of a campaign");
  Campaign campaign{.number = *number};
  if (fields[1] != input_) {
    throw InputError(fmt::format("line {}", line),
                     "campaigns of this specification, these claims and this seed",
                     "campaigns of another input", "choose another file")
        .in_file(path_);
  }
  if (const std::size_t width = before_claims + claims_.claims.size(); fields.size() != width) {
    throw damaged(fmt::format("{} fields, as in the header", width));
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& parameter = parameters_[i];
    const std::string& field = fields[before_parameters + i];
    if (field.empty()) continue;
    const auto value = parameter.parse_value(field);
    if (!value) throw damaged("a value of " + parameter.name);
    campaign.calibration.push_back(*value);
  }
  // The first campaign may have run the specification unchanged.
  const std::size_t given = campaign.calibration.size();
  if (given != parameters_.size() && (given > 0 || *number > 1)) {
    throw damaged("a value for each parameter");
  }
  for (std::size_t i = 0; i < claims_.claims.size(); ++i) {
    const std::string& field = fields[before_claims + i];
    const auto value = parse_number<double>(field);
    if (!value && !field.empty()) throw damaged("numbers");
    campaign.values.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return campaign;
}

Campaigns CampaignFile::resume() {
  Campaigns campaigns;
  // Before the rows are read: another one may still append some, or replace the file.
  auto file = std::make_unique<RowAppender>(path_);
  std::size_t complete_bytes = 0;
  RowReader reader(path_, header());
  while (const auto block = reader.next()) {
    std::int64_t line = block->line;  // of several rows with one number, the last counts
    for (std::string_view rows = block->text; !rows.empty();
         rows.remove_prefix(rows.find("\r\n") + 2)) {
      campaigns[block->instance] = parse_row(rows, line++);
    }
    complete_bytes = std::max(complete_bytes, block->end());
  }
  file->resize(complete_bytes);
  if (complete_bytes == 0) file->append(header());
  file_ = std::move(file);
  return campaigns;
}

void CampaignFile::create() {
  const auto refuse_rows = [&] {
    std::error_code failed;  // opening the file reports it
    if (!std::filesystem::exists(path_, failed) || std::filesystem::is_empty(path_, failed)) return;
    throw InputError("--output", "a new file", "'" + path_ + "', which exists",
                     "--resume continues an unfinished one");
  };
  refuse_rows();
  auto file = std::make_unique<RowAppender>(path_);
  refuse_rows();  // of another one that had the file
  file->append(header());
  file_ = std::move(file);
}

void CampaignFile::append(std::string_view rows) { file_->append(rows); }

void CampaignFile::rewrite(const Campaigns& campaigns) {
  OutputFile file(path_);
  file.write(header());
  for (const auto& [number, campaign] : campaigns) file.write(to_row(campaign));
  file.commit();
}

}  // namespace starport::fit
