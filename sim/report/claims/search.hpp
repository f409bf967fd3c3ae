// Looking for calibrations under which the most statements hold.
#pragma once

#include "sim/report/claims/answer_file.hpp"

#include <cstdint>
#include <functional>
#include <map>

namespace starport::fit {

using Attempts = std::map<std::int64_t, Attempt>;  ///< by number

/// Best first: more statements hold, then less is missed, then it came earlier.
std::vector<const Attempt*> ranked(const Claims& claims, const Attempts& attempts);

/// How many calibrations are tried: the specification as it is, drawn ones, then refined ones in
/// rounds, each near the best of those before it.
struct Effort {
  std::int64_t drawn = 1000;
  std::int64_t refined = 1000;
  std::uint64_t seed = 1;
  static constexpr std::int64_t kRound = 50;

  std::int64_t total() const { return drawn + refined; }
};

/// Runs so many pieces of work in processes and notes their answers. `work` makes attempt k.
struct Laboratory {
  const Claims& claims;
  AnswerFile& file;
  int processes;
  double time_limit_s;
  std::function<void(std::int64_t done)> show;

  /// Those of first .. last that are missing. Throws SimulationError when one cannot be made.
  void make(Attempts& attempts, std::int64_t first, std::int64_t last,
            const std::function<Attempt(std::int64_t number)>& work) const;
};

/// The attempts that are missing, the file being finished with all of them.
void search(const Specification& specification, const std::vector<Parameter>& parameters,
            const Inquiry& inquiry, const Effort& effort, const Laboratory& laboratory,
            Attempts& attempts);

/// What may differ from one run of a campaign to the next, other than its calibration.
struct Variation {
  bool platforms = false;  ///< other random platforms
  double within = 0;       ///< bandwidth, speed and memory times factors within this of 1
  double runs = 0;         ///< makespans times factors that are at most this apart
  std::uint64_t seed = 1;
};
/// Campaigns 1 .. count, the first with the specification's own platforms.
void vary(const Specification& specification, const Inquiry& inquiry, const Variation& variation,
          std::int64_t count, const Laboratory& laboratory, Attempts& attempts);

/// Campaigns of the specification as it is, then of each reading of each parameter that it has not,
/// one at a time. The parameters are all readings.
void read_otherwise(const Specification& specification, const std::vector<Parameter>& parameters,
                    const Inquiry& inquiry, const Laboratory& laboratory, Attempts& attempts);

}  // namespace starport::fit
