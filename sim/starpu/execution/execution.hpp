// Real runs of tile tasks beside their predictions: what `starport-starpu execute` does and
// reports.
#pragma once

#include "sim/models/tiles/tile_model.hpp"
#include "sim/mpi/matrices/product.hpp"
#include "sim/mpi/matrices/product_check.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/results/model.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starport::starpu {

struct FoundMachine;

/// A strategy of the tile model, or a policy of StarPU, to be executed.
struct ExecutionJob {
  /// Name in reports: that of the strategy with its parameters, or starpu:NAME.
  std::string name{};
  /// The strategy; without an algorithm, the policy of StarPU that `name` gives.
  NamedAlgorithm strategy{};
};

/// Reads a list of strategies of the tile model (names and groups as for `starport run`) and
/// policies of StarPU (starpu:NAME), separated by commas. Throws InputError about --heuristics for
/// unknown names and for algorithms of other models.
std::vector<ExecutionJob> read_jobs(std::string_view list);

/// The figures of a run that reports have, in the order of execution_report.cpp.
using RunFigures = std::vector<double>;
/// Returns the figures of a run of the instance on `platform`, its machine.
RunFigures summarise(const tiles::TileTrace& trace, const tiles::Platform& platform,
                     const Case& instance);

/// The prediction and the real runs of one job.
struct TileExecution {
  /// ExecutionJob::name.
  std::string name{};
  /// Machine with the durations of the platform file, as the strategy sees it.
  tiles::Platform platform{};
  /// Predicted trace; nullopt for StarPU's own policies.
  std::optional<tiles::TileTrace> predicted{};
  /// Trace of the first real run; nullopt if one failed.
  std::optional<tiles::TileTrace> first{};
  /// Figures of each real run, as summarise() returns them; none if one failed.
  std::vector<RunFigures> real{};
  /// The method by which C was checked, as a phrase that follows "checked"; empty if `real` is.
  std::string check{};
  /// Why there is no prediction, or which real run failed, on one line; empty without a failure.
  std::string error{};
};

/// The tiles of a product in memory that a child process shares, so that it leaves C there.
class SharedTiles {
 public:
  /// Allocates the tiles of A, B and C, of the sizes of `product`, and copies A and B. Throws
  /// SimulationError if there is not enough memory. The product must outlive this object.
  explicit SharedTiles(mpi::Product& product);
  SharedTiles(const SharedTiles&) = delete;
  SharedTiles& operator=(const SharedTiles&) = delete;
  ~SharedTiles();

  /// Returns the tiles of A, B and C one after the other, in the order of tiles::TileNumbering.
  double* elements() const { return elements_; }
  /// Copies C of the product, filled from its seed again, to the tiles.
  void fill_c();
  /// Copies the tiles of C to the product.
  void store_c();

 private:
  template <class Copy>
  void for_each_tile_of_c(const Copy& copy);

  mpi::Product& product_;
  tiles::ProductSize size_;
  std::size_t tile_elements_;
  std::size_t bytes_;
  double* elements_;
};

/// Throws InputError about `option` unless three tiles of q x q doubles fit in each device.
void check_devices(const FoundMachine& found, std::int64_t q, const char* option);
/// Throws InputError unless the platform has as many CPU workers and devices as StarPU has found on
/// this machine, and devices hold three tiles.
void check_machine(const FoundMachine& found, const tiles::Platform& platform,
                   const PlatformFile& file, std::int64_t q);

/// Predicts the run of a job on the instance, for at most `time_limit_s` seconds (0: no limit).
/// Between devices, tiles go through main memory, as in real runs. `devices_are_cpus` is that of
/// FoundMachine. A failure is stored in the result.
TileExecution predict(const ExecutionJob& job, const Case& instance, bool devices_are_cpus,
                      double time_limit_s);

/// Executes the job of which predict() has made `execution` with StarPU in a child process, for at
/// most `time_limit_s` seconds (0: no limit), validates the trace, checks C, and adds the run to
/// `execution`, or the failure. Does nothing after a failure.
void execute(TileExecution& execution, const ExecutionJob& job, const Case& instance,
             SharedTiles& tiles, mpi::Product& product, const mpi::ProductCheck& check,
             double time_limit_s);

/// Returns the report of the runs as text that ends in a newline.
std::string execution_text(const Case& instance, const std::vector<TileExecution>& executions);
/// Returns the report of the runs as an indented JSON document that ends in a newline.
std::string execution_json(const Case& instance, const std::vector<TileExecution>& executions,
                           const std::vector<std::string>& command);

}  // namespace starport::starpu
