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

/// One job of `starport-starpu execute`: a strategy of the tile model, or one of StarPU's own
/// scheduling policies. Made by read_jobs(); copies share the strategy.
struct ExecutionJob {
  /// Name in reports: that of the strategy with its parameters, such as "ChoiceDyn[x=50]", or
  /// starpu:NAME for the policy NAME of StarPU.
  std::string name{};
  /// The strategy of the tile model to run; its `algorithm` is null for a policy of StarPU.
  NamedAlgorithm strategy{};
};

/// Reads a list of strategies of the tile model (names and groups as for `starport run`) and
/// policies of StarPU (starpu:NAME), separated by commas, and returns them in this order; items
/// that occur twice stay. Throws InputError about --heuristics for an empty list or item, for
/// unknown names, also of policies, for wrong parameters of strategies, and for algorithms of other
/// models, also in a group.
std::vector<ExecutionJob> read_jobs(std::string_view list);

/// The numbers that reports show of one run, in this order: makespan in seconds (end of the last
/// task or transfer), bytes moved by all transfers, number of stolen tasks, mean share (0 to 1) of
/// the makespan in which a worker runs no task, and for each device, in the order of
/// tiles::Platform::links, the bytes moved to it and from it. Made by summarise().
using RunFigures = std::vector<double>;
/// Returns the figures of a run, in the order that RunFigures defines, from its trace. `platform`
/// is the machine of the tile model on which the trace was made, `instance` the platform file and
/// the product. All figures of an empty trace are 0, also the idle share.
RunFigures summarise(const tiles::TileTrace& trace, const tiles::Platform& platform,
                     const Case& instance);

/// The prediction and the real runs of one job (ExecutionJob), for the report: traces, figures and
/// errors. Made by predict(), to which execute() adds each real run. Owns its data.
struct TileExecution {
  /// Name of the job, as in ExecutionJob::name.
  std::string name{};
  /// Machine of the tile model, with the durations of the platform file, on which the run is
  /// predicted and by which the strategy schedules real runs, too.
  tiles::Platform platform{};
  /// Predicted trace of the run (by simulation); nullopt for StarPU's own policies, which are not
  /// simulated, and if the strategy is not applicable or its simulation failed.
  std::optional<tiles::TileTrace> predicted{};
  /// Trace of the first real run; nullopt before it, or if a run has failed.
  std::optional<tiles::TileTrace> first{};
  /// Figures of each real run so far, as summarise() returns them; empty once a run has failed,
  /// which also removes those of the runs before.
  std::vector<RunFigures> real{};
  /// The method by which C was checked, as a phrase that follows "checked" in the report; empty if
  /// there is no successful real run (`real` is empty).
  std::string check{};
  /// Why the prediction or a real run failed, on one line; empty if nothing has failed.
  std::string error{};
};

/// Memory for the tiles of A, B and C of a product that this process shares with the child
/// processes it forks, so that a child can compute C there. Owns the memory; neither copyable nor
/// movable.
class SharedTiles {
 public:
  /// Allocates the tiles of A, B and C, of the sizes of `product`, and copies A and B; fill_c()
  /// copies C. `product` must be a product of doubles whose matrices have at most
  /// tiles::kMaxTilesPerMatrix tiles each, and must outlive this object (not checked: undefined
  /// behaviour). Throws SimulationError if the system refuses the memory; it may grant more than is
  /// free.
  explicit SharedTiles(mpi::Product& product);
  SharedTiles(const SharedTiles&) = delete;
  SharedTiles& operator=(const SharedTiles&) = delete;
  ~SharedTiles();

  /// Returns the first element of the tiles, valid as long as this object: the tiles of A lie row
  /// by row, then those of B, then those of C (tiles::TileNumbering), the elements of each tile by
  /// rows.
  double* elements() const { return elements_; }
  /// Fills C of the product anew from its seed and copies it to the tiles, before a run. C must not
  /// be a file or memory of a caller, which would be overwritten (not checked).
  void fill_c();
  /// Copies the tiles of C to the matrix C of the product, after a run.
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

/// Throws InputError about the command-line option `option`, which gave q, unless three tiles of q
/// x q doubles fit in the smallest known memory of a device. Passes without devices, and if the
/// memory of none is known.
void check_devices(const FoundMachine& found, std::int64_t q, const char* option);
/// Throws InputError, with the path of `file`, unless `platform`, made from it, has as many CPU
/// workers, device workers and devices as StarPU has found on this machine, and InputError about
/// --block-size unless three tiles of q x q doubles fit in the smallest known memory of a device.
void check_machine(const FoundMachine& found, const tiles::Platform& platform,
                   const PlatformFile& file, std::int64_t q);

/// Predicts the run of a job on the instance by simulating it in a child process, for at most
/// `time_limit_s` wall-clock seconds (0: no limit). Between devices, tiles go through main memory,
/// as in real runs. `devices_are_cpus` is FoundMachine::devices_are_cpus. Policies of StarPU have
/// no prediction: the result has only name and platform. If the strategy is not applicable, fails
/// or exceeds the limit, `error` of the result says so. Throws InputError if the platform file does
/// not fit the tile model (make_platform()) and, for a strategy, if a matrix has more than
/// tiles::kMaxTilesPerMatrix tiles or, without a time limit, if its allocation is impossible on the
/// platform. Call it from a process with one thread, since it forks.
TileExecution predict(const ExecutionJob& job, const Case& instance, bool devices_are_cpus,
                      double time_limit_s);

/// Executes `job`, of which predict() has made `execution` with the same `instance`, once with
/// StarPU in a child process, for at most `time_limit_s` wall-clock seconds (0: no limit),
/// validates the trace, checks C by `check`, and adds the run to `execution`. A failure, also a
/// wrong C or a trace that breaks a rule of the tile model, is stored in its `error` and discards
/// its earlier real runs. Restores C first (SharedTiles::fill_c()); after success `product`, for
/// which `tiles` and `check` must have been made (not checked), has the computed C. Does nothing if
/// there already is an error. Call it from a process with one thread, since it forks.
void execute(TileExecution& execution, const ExecutionJob& job, const Case& instance,
             SharedTiles& tiles, mpi::Product& product, const mpi::ProductCheck& check,
             double time_limit_s);

/// Returns the report of the runs as text that ends in a newline: tables of the predicted figures
/// and the means of the real ones (for two or more runs with half the widths of their 95 %
/// confidence intervals), by strategy and by device, then the errors of those of `executions`
/// without real runs, which the tables omit.
std::string execution_text(const Case& instance, const std::vector<TileExecution>& executions);
/// Returns the report of the runs as an indented JSON document that ends in a newline: for each of
/// `executions` its predicted figures, if any, and either the means of the real ones, for two or
/// more runs with half the widths of their 95 % confidence intervals, or its error. `command` (the
/// program and its arguments), the host and the date are stored in it, too.
std::string execution_json(const Case& instance, const std::vector<TileExecution>& executions,
                           const std::vector<std::string>& command);

}  // namespace starport::starpu
