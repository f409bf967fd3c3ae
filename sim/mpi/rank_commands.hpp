// Runs a command on rank 0, and the activities that it asks for on the other ranks.
#pragma once

#include "sim/mpi/transport/communicator.hpp"

#include <string>
#include <vector>

namespace starport::mpi {

struct ExecutionRequest;
struct Setup;

/// Runs `starport-mpi calibrate` on rank 0: measures all machines and writes their platform file.
/// `arguments` are the command line after the word "calibrate". Blocks for the measurement (seconds
/// to minutes) and prints a report on the standard output. The other ranks must run
/// run_worker_rank() with their own arguments. Returns the exit status 0, also if it has only
/// printed the help. Throws InputError for bad arguments, fewer than 2 ranks, an output file that
/// cannot be written, or ranks with other block sizes or another type of elements; SimulationError
/// if a worker fails or a figure is less certain than --require asks. No file is written then,
/// except if a worker fails only while it is being ended, after the measurement. Afterwards the
/// caller must call Ranks::dismiss(), which ends the other ranks if they have not been started, or,
/// after an exception with Ranks::has_started(), Communicator::abort().
int calibrate_ranks_command(const Communicator& communicator,
                            const std::vector<std::string>& arguments);

/// Runs `starport-mpi execute` on rank 0: runs a schedule or heuristics for real, checks C, and
/// prints predicted and real times on the standard output. `arguments` are the command line after
/// the word "execute". Blocks until all runs are done. The other ranks must run run_worker_rank().
/// Returns the exit status 0, also if it has only printed the help; throws InputError for bad
/// input, SimulationError if a run fails, C is wrong, there is not enough memory, no heuristic
/// applies, or a predicted time is less certain than --require asks; runs that were done before are
/// printed. Afterwards the caller must call Ranks::dismiss(), which ends the other ranks if they
/// have not been started, or, after an exception with Ranks::has_started(), Communicator::abort().
int execute_command(const Communicator& communicator, const std::vector<std::string>& arguments);

/// Runs `starport-mpi execute` on rank 0 for distributed products, whose workers hold parts of the
/// matrices; blocks until all runs are done. Requires request.distributed (not checked: undefined
/// behaviour otherwise). Prints a table, or JSON if request.json, on the standard output. The other
/// ranks must run run_worker_rank(). Returns the exit status 0 after it has ended the other ranks.
/// Throws InputError for bad input, SimulationError if a run fails, C is wrong, there is not enough
/// memory or no heuristic applies; runs that were done before are printed. After an exception the
/// other ranks still wait: the caller must call Communicator::abort() or, unless
/// Ranks::has_started(), Ranks::dismiss().
int execute_products(const Communicator& communicator, const ExecutionRequest& request);

/// Runs a rank other than 0: carries out what rank 0 asks for, and blocks until rank 0 ends the run
/// by Ranks::shut_down() or Ranks::dismiss(). It waits for Ranks::start() for a day at most, then
/// for each activity at most the `master_timeout_s` seconds that rank 0 has passed to Ranks (0: for
/// ever). `arguments` are this rank's own after the command. Returns the exit status 0. Throws
/// nothing: a failure is reported to rank 0; if that does not end the run in time (Setup::timeout_s
/// of the last activity that set it, else at most 60 s), this rank prints the reason and ends all
/// ranks.
int run_worker_rank(const Communicator& communicator, const std::vector<std::string>& arguments);

/// On a rank other than 0: reports a failure, with the reason `why`, to rank 0, which prints it and
/// ends all ranks. Waits up to 30 s until the report is sent, then `timeout_s` seconds (finite, not
/// checked); if rank 0 has not ended this rank by then, prints the reason on the standard error
/// stream and ends all ranks itself, with exit status 1. Never returns.
[[noreturn]] void end_all_ranks(const Communicator& communicator, const std::string& why,
                                double timeout_s);

/// Runs a rank other than 0 as a worker of a star: carries out the orders of the master (Master),
/// and blocks until the master ends the run. `setup` is the message of kind `run` that rank 0 has
/// sent. Sets the threads of the BLAS and the polling cores of the process. Throws InputError if
/// the kernel library cannot be loaded or the BLAS cannot use setup.threads threads;
/// SimulationError if there is not enough memory. Ends all ranks (end_all_ranks()) if an order
/// cannot be carried out, an update fails, blocks are damaged, or the worker waits longer than
/// setup.timeout_s seconds for a message to be sent or received, or than setup.master_timeout_s
/// seconds (0: no limit) for an order or for an update to free memory for the next blocks.
void run_star_worker(const Communicator& communicator, const Setup& setup);

/// Runs a rank other than 0 as a worker of one distributed product (execute_products() on rank 0),
/// and blocks until its part of C is sent to rank 0. `setup` is the message of kind `distributed`
/// that rank 0 has sent. Sets the threads of the BLAS of the process. Throws InputError if the BLAS
/// cannot use setup.threads threads. Ends all ranks (end_all_ranks()) if an exchange of blocks with
/// other workers takes longer than twice setup.timeout_s seconds, if the worker waits longer than
/// setup.master_timeout_s seconds (0: no limit) for rank 0 or, at the end of an iteration, for the
/// other workers, if blocks are damaged, or if there is not enough memory.
void run_product_worker(const Communicator& communicator, const Setup& setup);

/// Measures, on a rank other than 0, the speed of block updates C_ij += A_ik B_kj (by the BLAS, or
/// by the kernel of --kernel) and the memory of this rank, and sends the report to rank 0 as a
/// text; blocks until MPI has sent it. `arguments` are those of `starport-mpi calibrate` on this
/// rank, after the command. Sets the threads of the BLAS of the process. Throws InputError if the
/// arguments are wrong, the kernel cannot be loaded, the BLAS cannot use that many threads, the
/// free memory is unknown and no --memory is given, or three blocks of a size do not fit into that
/// memory or a quarter of what is free; SimulationError if the kernel fails or sending the report
/// takes longer than 60 s.
void measure_this_rank(const Communicator& communicator, const std::vector<std::string>& arguments);

}  // namespace starport::mpi
