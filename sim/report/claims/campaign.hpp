// Campaigns: complete runs of a sweep specification under changed assumptions, and what the claims
// of a paper become in each.
#pragma once

#include "sim/report/claims/claims.hpp"
#include "sim/report/claims/fit_parameters.hpp"
#include "sim/sweep/row_file.hpp"
#include "sim/sweep/run_sweep.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace starport::fit {

/// The number that each claim's query returns, in the order of the claims; NaN where the query
/// returns no number.
using ClaimValues = std::vector<double>;

/// Returns how many of the claims hold.
std::int64_t count_holding(const Claims& claims, const ClaimValues& values);
/// Returns the sum of deviation() over the claims, which ranks calibrations under which equally
/// many claims hold.
double total_deviation(const Claims& claims, const ClaimValues& values);

/// One run of a whole specification and what it gives.
struct Campaign {
  std::int64_t number = 1;  ///< from 1
  Calibration calibration;  ///< empty: the specification unchanged
  ClaimValues values;
};

using Campaigns = std::map<std::int64_t, Campaign>;  ///< by number

/// Runs specifications with the analytic engine, in this process, and evaluates the claims on the
/// results. The specification and the claims must outlive it.
class CampaignRunner {
 public:
  /// Changes the records of an instance before they are compared with each other.
  using Perturbation = std::function<void(const SweepInstance&, Comparison&)>;

  CampaignRunner(const Specification& specification, const Claims& claims,
                 const SimulationLimits& limits);

  /// Runs the specification unchanged and throws InputError, naming the claims file and the claim,
  /// if the query of a claim does not return one number.
  void check_queries() const;
  /// Runs the instances whose platform is not random and stores their rows, so that run() only
  /// simulates the others. Allowed only if the specifications given to run() differ in nothing but
  /// the seed, and without a perturbation.
  void cache_fixed_instances();
  /// Runs a changed version of the specification, with the same instances.
  ClaimValues run(const Specification& changed, const Perturbation& perturb = {}) const;

 private:
  ResultTable results_of(const Specification& changed, const Perturbation& perturb) const;

  const Specification& specification_;
  const Claims& claims_;
  SweepOptions engines_;
  ResultRows rows_;
  std::map<std::int64_t, std::string> cached_rows_;  ///< by instance number
};

/// The CSV file of the campaigns of a fit or a variation, written while they run:
/// `number,input,holds,missed,PARAMETERS...,c1,c2,...`. `input` identifies the claims, the
/// specification and the seed, so that an interrupted run only resumes its own file. The
/// parameters and the claims must outlive it.
class CampaignFile {
 public:
  CampaignFile(std::string path, const std::vector<Parameter>& parameters, const Claims& claims,
               const std::string& input);

  /// Opens the file for appending, creates it if it does not exist, and returns the campaigns it
  /// already holds. A last row that is incomplete is dropped. Throws InputError if the file belongs
  /// to another input or is damaged.
  Campaigns resume();
  /// Creates the file. Throws InputError if a file that is not empty exists.
  void create();

  std::string to_row(const Campaign& campaign) const;
  /// Parses a row; `line` is its number in the file, for errors. Throws InputError.
  Campaign parse_row(std::string_view text, std::int64_t line) const;
  /// Appends rows; resume() or create() must have been called.
  void append(std::string_view rows);
  /// Replaces the file by one with these campaigns, ordered by number.
  void rewrite(const Campaigns& campaigns);

 private:
  std::string header() const;

  std::string path_;
  const std::vector<Parameter>& parameters_;
  const Claims& claims_;
  std::string input_;
  std::unique_ptr<RowAppender> file_;
};

}  // namespace starport::fit
