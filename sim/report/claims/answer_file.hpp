// The file of a fit: a row for each calibration tried, with the figure of each statement.
#pragma once

#include "sim/report/claims/trial.hpp"
#include "sim/sweep/row_file.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace starport::fit {

/// A row of the file: a calibration, and what it answers.
struct Attempt {
  std::int64_t number = 1;
  Calibration calibration;  ///< empty: as the specification has it
  Answers answers;
};

/// `number,input,holds,missed,PARAMETERS...,c1,c2,...`, where input says what the answers belong
/// to.
class AnswerFile {
 public:
  AnswerFile(std::string path, const std::vector<Parameter>& parameters, const Claims& claims,
             const std::string& input);

  /// What is there already, by number; a row that was being written is left out. Throws InputError
  /// when it is the file of other input, or damaged.
  std::map<std::int64_t, Attempt> take_over();
  /// An empty file. Throws InputError when there is one.
  void start();

  std::string row_text(const Attempt& row) const;
  Attempt parse(std::string_view text, std::int64_t line) const;
  void append(std::string_view text);
  /// Rewrites the rows in the order of their numbers.
  void finish(const std::map<std::int64_t, Attempt>& rows);

 private:
  std::string header() const;

  std::string path_;
  const std::vector<Parameter>& parameters_;
  const Claims& claims_;
  std::string input_;
  std::unique_ptr<RowFile> file_;
};

}  // namespace starport::fit
