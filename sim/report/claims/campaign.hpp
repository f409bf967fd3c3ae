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

/// The numbers that one campaign (a complete run of a sweep specification) gives for the claims of
/// a claims file (statements of a paper, each reduced to one number): what the SQL query of each
/// claim returns on its results, in the order of the claims; NaN where the query returns no finite
/// number.
using ClaimValues = std::vector<double>;

/// Returns how many of the claims (statements of a paper, each with the numbers for which it holds)
/// hold for the numbers that a campaign gave (see holds()). `values[i]` is the number of claim i,
/// from 0; NaN never holds. Requires at most as many values as claims (not checked: undefined
/// behaviour).
std::int64_t count_holding(const Claims& claims, const ClaimValues& values);
/// Returns the sum over all values of deviation(): per claim (a statement of a paper on one number)
/// 0 if the claim holds for its number, else the relative distance from the accepted range, at most
/// 1. Ranks parameter values under which equally many claims hold; smaller is better. `values[i]`
/// is the number of claim i, from 0. Requires at most as many values as claims (not checked:
/// undefined behaviour).
double total_deviation(const Claims& claims, const ClaimValues& values);

/// A campaign: one complete run of a sweep specification, with the parameter values that it used
/// and the numbers that its results give for the claims (statements of a paper). Owns its data.
struct Campaign {
  /// Number of the campaign (run of a sweep specification), from 1; it identifies the campaign in
  /// its file.
  std::int64_t number = 1;
  /// Value that the campaign used for each fitted parameter, in the order of the parameters: for a
  /// number of the platforms, a factor, a fraction or a value in SI units (see Parameter::low());
  /// for a choice between interpretations of the paper, the index of one, from 0. Empty in campaign
  /// 1 of search_calibrations(), which runs the specification unchanged, and in all campaigns if
  /// there are no parameters, as in those of run_variations(), whose random changes are not stored.
  Calibration calibration;
  /// Number that the results of the campaign give for each claim (statement of a paper), in the
  /// order of the claims and in their units; NaN where there is none.
  ClaimValues values;
};

/// Campaigns (complete runs of a sweep specification under changed assumptions) by their number,
/// from 1.
using Campaigns = std::map<std::int64_t, Campaign>;

/// Runner of sweep specifications with the analytic engine in the calling process, one instance (a
/// platform with a product) after the other. Also evaluates the SQL queries of the claims,
/// statements of a paper, on the results, each query in a forked child process. Keeps references to
/// the specification and the claims that the constructor gets; both must outlive it and not change.
/// Its const functions may be called in forked processes, as CampaignPool does, but only in
/// processes with one thread.
class CampaignRunner {
 public:
  /// Function that changes the records of one instance (the results of the algorithms on one
  /// platform and product), such as their makespans, before they become rows of the results. It
  /// must also bring the values that compare algorithms up to date (compute_relative_figures()). An
  /// empty function changes nothing.
  using Perturbation = std::function<void(const SweepInstance&, Comparison&)>;

  /// Prepares for runs of `specification`, or of changed copies with the same instances; simulates
  /// nothing yet. Keeps references to `specification` and `claims`, which must outlive the object
  /// and not change. `limits` applies to each simulated run (one algorithm on one instance), but
  /// not every model enforces both limits in the calling process (see SimulationLimits). A run that
  /// exceeds one gets a row with status error; nothing is thrown.
  CampaignRunner(const Specification& specification, const Claims& claims,
                 const SimulationLimits& limits);

  /// Checks the SQL queries of the claims: runs the whole sweep specification unchanged, then each
  /// query on the results. Throws InputError, naming the claims file and the claim, if a query is
  /// wrong, takes more than 30 s (plus 20 s for each million rows) or 256 MiB, or does not return
  /// one finite number, and also if the product of an instance has too many blocks or temporary
  /// files have no room; MachineError if a child process is killed or cannot be created,
  /// SimulationError if it crashes. Call it before run(), which turns faults of queries into NaN,
  /// and from a process with one thread, since each query runs in a forked process. Blocks for as
  /// long as a campaign takes.
  void check_queries() const;
  /// Simulates the instances (platforms with a product) of the specification whose platform is not
  /// random, and stores their rows of results; later calls of run() and check_queries() use these
  /// rows instead of simulating the instances again. Call it only if the specifications passed to
  /// run() differ in nothing but the seed and no perturbation is given: other changes are silently
  /// ignored for these instances. Throws InputError if the product of an instance has too many
  /// blocks. Blocks until done.
  void cache_fixed_instances();
  /// Runs a campaign: simulates all instances (platforms with a product) of `changed`, a copy of
  /// the specification with other parameters and the same instance numbers, and returns the number
  /// that the query of each claim gives, in the order of the claims; NaN for a query that SQLite
  /// cannot compute, as after an overflow or with more than 256 MiB, or that does not return one
  /// finite number. Instances stored by cache_fixed_instances() are not simulated. `perturb`, if
  /// not empty, changes the results of each simulated instance; its exceptions pass through. A
  /// simulated run that fails does not throw; its row has the status error.
  ///
  /// Throws InputError if the product of an instance has too many blocks, a change of the platforms
  /// (Override) does not fit one of them, or temporary files have no room; MachineError if the
  /// child process of a query is killed or cannot be created, SimulationError if it crashes. Each
  /// query runs in a forked child process, without a time limit: call it from a process with one
  /// thread. Blocks until the campaign is complete.
  ClaimValues run(const Specification& changed, const Perturbation& perturb = {}) const;

 private:
  ResultTable results_of(const Specification& changed, const Perturbation& perturb) const;

  const Specification& specification_;
  const Claims& claims_;
  SweepOptions engines_;
  ResultRows rows_;
  std::map<std::int64_t, std::string> cached_rows_;  ///< by instance number
};

/// The CSV file to which campaigns (runs of a sweep specification under changed assumptions) are
/// written while they run, one row per campaign, with lines that end in CR LF:
/// `number,input,holds,missed,PARAMETERS...,c1,c2,...`. `holds` is the number of claims that hold,
/// `missed` by how much the others miss together (total_deviation()), c1 the number of the first
/// claim; a cell is empty where there is no number, and those of the parameters are empty for an
/// unchanged specification. `input` identifies the claims, the specification and the seed, so that
/// an interrupted run only resumes its own file. The parameters and the claims must outlive the
/// object. An object that has opened the file keeps it locked until it is destroyed, so that only
/// one at a time, in all processes, can append to it.
class CampaignFile {
 public:
  /// Stores the path of a CSV file of campaigns and what its columns are; does not touch the file,
  /// which resume() or create() opens. `input` is a text without commas (not checked) that
  /// identifies the specification, the options and the seed of the campaigns; a hash of the claims
  /// is put in front of it. Keeps references to `parameters` and `claims`, which must outlive the
  /// object.
  CampaignFile(std::string path, const std::vector<Parameter>& parameters, const Claims& claims,
               const std::string& input);

  /// Returns the path of the CSV file as it was given to the constructor. The reference is valid as
  /// long as this object.
  const std::string& path() const { return path_; }

  /// Opens the CSV file of campaigns for append(), creates it with its header if it does not exist,
  /// and returns the campaigns that it already holds; none for a new file, and of several rows with
  /// one number the last. A last row that is incomplete is cut off. Throws InputError, naming the
  /// file, if it belongs to another input or has other columns, is damaged, cannot be read or
  /// written, or if another CampaignFile, also of another process, still has it open after a
  /// second.
  Campaigns resume();
  /// Creates the CSV file of campaigns with its header and opens it for append(); an empty file may
  /// exist. Throws InputError, naming the option --output if the file exists and is not empty, or
  /// naming the file if it cannot be written or another CampaignFile, also of another process,
  /// still has it open after a second.
  void create();

  /// Returns a campaign as one row of the CSV file, ending in CR LF. Requires a value per claim and
  /// a calibration that is empty or has a value per parameter (not checked: undefined behaviour).
  /// Throws std::out_of_range for the index of a reading (interpretation of the paper) that does
  /// not exist.
  std::string to_row(const Campaign& campaign) const;
  /// Parses a campaign from a row of the CSV file that to_row() wrote; text after CR LF is ignored.
  /// `line` is its line number in the file, from 1, for error messages only. Throws InputError,
  /// naming the file and the line, if the row belongs to another input, has too many or too few
  /// fields, lacks the value of a parameter (only campaign 1 may, and must then lack all), or its
  /// number or a field of a parameter or claim is damaged.
  Campaign parse_row(std::string_view text, std::int64_t line) const;
  /// Appends complete rows, with their line ends, to the CSV file. Requires an earlier resume() or
  /// create() (not checked: undefined behaviour). Throws InputError naming the file if they cannot
  /// be written. The file then has none of them and append() may be called again, unless the file
  /// could not be cut back: a part of the rows then stays at its end.
  void append(std::string_view rows);
  /// Replaces the CSV file by a new one with the header and the campaigns in `campaigns`, each as
  /// to_row() requires it, ordered by number. Works without resume() or create(); append() must not
  /// be called afterwards, since it would write to the replaced file. Throws InputError if the file
  /// cannot be written, and std::out_of_range for the index of a reading (interpretation of the
  /// paper) that does not exist; both leave the old file in place.
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
