// The figures of workers, of what was measured of them, and how far they can be trusted.
#pragma once

#include "sim/kernel/loopback.hpp"
#include "sim/kernel/node_calibration.hpp"
#include "sim/mpi/calibration/chunk_series.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport::mpi {

/// The links and the computing of all workers at once, and the links alone.
struct StarMeasures {
  LinkMeasures loaded;
  LinkMeasures alone;
};

/// Of one worker.
struct WorkerFigures {
  MeanLink link;
  FittedLink link_alone;
  double update_s = 0;  ///< mean
  MedianInterval update_interval_s{};
  Steadiness steadiness{};
};

std::vector<WorkerFigures> figures_of(const StarMeasures& measures);

/// Of a block update in chunks of that many blocks: means over some time.
std::vector<double> updates_s(const std::vector<UpdateSample>& samples, std::int64_t blocks);
/// In the largest ones.
std::vector<double> largest_updates_s(const std::vector<UpdateSample>& samples);
/// Where their mean lies with 95% confidence.
MedianInterval mean_interval(const std::vector<double>& values);

/// In the order of the model's letters, and the same while nothing else went on: updates as the
/// nodes measured them with the chosen size of blocks.
std::string figures_table(const std::vector<WorkerFigures>& figures,
                          const std::vector<Calibration::Dgemm>& alone, ElementType type);

/// Why a figure would not be the same if it were measured again.
struct FigureDoubt {
  std::string what;
  std::string remedy;
};
/// The most of the time has to be steady, and in the first attempt all; `links`: under load, which
/// are of stars.
std::vector<FigureDoubt> doubts_about(const std::vector<WorkerFigures>& figures, int attempt,
                                      bool links);
/// What was left out, since the machine was slow; empty where that is nothing.
std::string left_out_text(const std::vector<WorkerFigures>& figures);

}  // namespace starport::mpi
