#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/report/claims/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

namespace starport::fit {

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
    if (!campaign.calibration.empty()) text += parameters_[i].value_text(campaign.calibration[i]);
  }
  for (const double value : campaign.values) {
    text += std::isnan(value) ? "," : fmt::format(",{}", value);
  }
  return text + "\r\n";
}

Campaign CampaignFile::parse_row(std::string_view text, std::int64_t line) const {
  const auto next_field = [&] { return std::string(next_token(text, ',')); };
  const auto damaged = [&](const std::string& expected) {
    return InputError(fmt::format("line {}", line), expected, "a damaged row").in_file(path_);
  };
  text = text.substr(0, text.find("\r\n"));
  Campaign campaign{.number = parse_number<std::int64_t>(next_field()).value_or(0)};
  if (const std::string input = next_field(); input != input_) {
    throw InputError(fmt::format("line {}", line),
                     "campaigns of this specification, these claims and this seed",
                     "campaigns of another input", "choose another file")
        .in_file(path_);
  }
  next_field();  // holds, missed: computed from the values
  next_field();
  for (const Parameter& parameter : parameters_) {
    const std::string field = next_field();
    if (field.empty()) continue;
    std::optional<double> value = parse_number<double>(field);
    if (const auto reading = std::ranges::find(parameter.readings, field);
        reading != parameter.readings.end()) {
      value = static_cast<double>(reading - parameter.readings.begin());
    }
    if (!value) throw damaged("a value of " + parameter.name);
    campaign.calibration.push_back(*value);
  }
  if (!campaign.calibration.empty() && campaign.calibration.size() != parameters_.size()) {
    throw damaged("a value for each parameter");
  }
  for (std::size_t i = 0; i < claims_.claims.size(); ++i) {
    const std::string field = next_field();
    const auto value = parse_number<double>(field);
    if (!value && !field.empty()) throw damaged("numbers");
    campaign.values.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  if (!text.empty()) throw damaged(fmt::format("{} numbers", claims_.claims.size()));
  return campaign;
}

Campaigns CampaignFile::resume() {
  Campaigns campaigns;
  if (!std::filesystem::exists(path_)) {
    create();
    return campaigns;
  }
  std::size_t complete_bytes = 0;
  RowReader reader(path_, header());
  while (const auto block = reader.next()) {
    campaigns[block->instance] = parse_row(block->text, block->line);
    complete_bytes = std::max(complete_bytes, block->end());
  }
  file_ = std::make_unique<RowAppender>(path_, complete_bytes);
  if (complete_bytes == 0) file_->append(header());
  return campaigns;
}

void CampaignFile::create() {
  if (std::filesystem::exists(path_) && !std::filesystem::is_empty(path_)) {
    throw InputError("--output", "a new file", "'" + path_ + "', which exists",
                     "--resume continues an unfinished one");
  }
  file_ = std::make_unique<RowAppender>(path_, 0);
  file_->append(header());
}

void CampaignFile::append(std::string_view rows) { file_->append(rows); }

void CampaignFile::rewrite(const Campaigns& campaigns) {
  OutputFile file(path_);
  file.write(header());
  for (const auto& [number, campaign] : campaigns) file.write(to_row(campaign));
  file.commit();
}

}  // namespace starport::fit
