#include "sim/report/claims/answer_file.hpp"

#include "sim/files/error.hpp"
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

AnswerFile::AnswerFile(std::string path, const std::vector<Parameter>& parameters,
                       const Claims& claims, const std::string& input)
    : path_(std::move(path)),
      parameters_(parameters),
      claims_(claims),
      input_(fingerprint(claims) + "-" + input) {}

std::string AnswerFile::header() const {
  std::string text = "number,input,holds,missed";
  for (const Parameter& parameter : parameters_) text += "," + csv_field(parameter.name);
  for (std::size_t i = 1; i <= claims_.claims.size(); ++i) text += fmt::format(",c{}", i);
  return text + "\r\n";
}

std::string AnswerFile::row_text(const Attempt& row) const {
  std::string text = fmt::format("{},{},{},{:.6g}", row.number, input_,
                                 holding(claims_, row.answers), missed(claims_, row.answers));
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    text += ",";
    if (!row.calibration.empty()) text += parameters_[i].text(row.calibration[i]);
  }
  for (const double answer : row.answers) {
    text += std::isnan(answer) ? "," : fmt::format(",{}", answer);
  }
  return text + "\r\n";
}

Attempt AnswerFile::parse(std::string_view text, std::int64_t line) const {
  const auto take_field = [&] { return std::string(take_until(text, ',')); };
  const auto damaged = [&](const std::string& expected) {
    return InputError(fmt::format("line {}", line), expected, "something else").in_file(path_);
  };
  text = text.substr(0, text.find("\r\n"));
  Attempt row{.number = parse_number<std::int64_t>(take_field()).value_or(0)};
  if (const std::string input = take_field(); input != input_) {
    throw InputError(fmt::format("line {}", line),
                     "answers of this specification, these claims and this seed",
                     "those of another input", "choose another file")
        .in_file(path_);
  }
  take_field();  // holds, missed: what the answers give
  take_field();
  for (const Parameter& parameter : parameters_) {
    const std::string field = take_field();
    if (field.empty()) continue;
    std::optional<double> value = parse_number<double>(field);
    if (const auto read = std::ranges::find(parameter.readings, field);
        read != parameter.readings.end()) {
      value = static_cast<double>(read - parameter.readings.begin());
    }
    if (!value) throw damaged("a value of " + parameter.name);
    row.calibration.push_back(*value);
  }
  if (!row.calibration.empty() && row.calibration.size() != parameters_.size()) {
    throw damaged("a value for each parameter");
  }
  for (std::size_t i = 0; i < claims_.claims.size(); ++i) {
    const std::string field = take_field();
    const auto answer = parse_number<double>(field);
    if (!answer && !field.empty()) throw damaged("figures");
    row.answers.push_back(answer.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  if (!text.empty()) throw damaged(fmt::format("{} figures", claims_.claims.size()));
  return row;
}

std::map<std::int64_t, Attempt> AnswerFile::take_over() {
  std::map<std::int64_t, Attempt> rows;
  if (!std::filesystem::exists(path_)) {
    start();
    return rows;
  }
  std::size_t whole = 0;
  RowReader reader(path_, header());
  while (const auto block = reader.next()) {
    rows[block->instance] = parse(block->text, block->line);
    whole = std::max(whole, block->end());
  }
  file_ = std::make_unique<RowFile>(path_, whole);
  if (whole == 0) file_->append(header());
  return rows;
}

void AnswerFile::start() {
  if (std::filesystem::exists(path_) && !std::filesystem::is_empty(path_)) {
    throw InputError("--output", "a new file", "'" + path_ + "', which is there",
                     "--resume goes on with an unfinished one");
  }
  file_ = std::make_unique<RowFile>(path_, 0);
  file_->append(header());
}

void AnswerFile::append(std::string_view text) { file_->append(text); }

void AnswerFile::finish(const std::map<std::int64_t, Attempt>& rows) {
  OutputFile file(path_);
  file.write(header());
  for (const auto& [number, row] : rows) file.write(row_text(row));
  file.commit();
}

}  // namespace starport::fit
