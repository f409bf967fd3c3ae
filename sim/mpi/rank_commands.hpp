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
/// run_worker_rank(). Returns the exit status 0; throws InputError for bad arguments,
/// SimulationError if a worker fails or the measurements are not reliable (without --force).
int calibrate_ranks_command(const Communicator& communicator,
                            const std::vector<std::string>& arguments);

/// Runs `starport-mpi execute` on rank 0: runs a schedule or heuristics for real, checks C, and
/// prints predicted and real times on the standard output. `arguments` are the command line after
/// the word "execute". The other ranks must run run_worker_rank(). Returns the exit status 0;
/// throws InputError for bad input, SimulationError if a run fails, C is wrong, no heuristic
/// applies, or times cannot be predicted (without --force).
int execute_command(const Communicator& communicator, const std::vector<std::string>& arguments);

/// Runs `starport-mpi execute` on rank 0 for distributed products, whose workers hold parts of the
/// matrices. Requires request.distributed. Prints a table, or JSON if request.json, on the
/// standard output. The other ranks must run run_worker_rank(). Returns the exit status 0; throws
/// InputError for bad input, SimulationError if a run fails, C is wrong, no heuristic applies, or
/// times cannot be predicted (without request.force).
int execute_products(const Communicator& communicator, const ExecutionRequest& request);

/// Runs a rank other than 0: carries out what rank 0 asks for, and blocks until rank 0 ends the
/// run. `arguments` are those of rank 0 after the command. Returns the exit status 0. Throws
/// nothing: a failure is reported to rank 0; if rank 0 does not end the run within its timeout (60
/// s unless set by rank 0), this rank prints the reason and ends all ranks.
int run_worker_rank(const Communicator& communicator, const std::vector<std::string>& arguments);

/// Runs a rank other than 0 as a worker of a star: carries out the orders of the master (Master),
/// and blocks until the master ends the run. `setup` is the message of kind `run`. Sets the threads
/// of the BLAS of the process. Throws InputError if the kernel library cannot be loaded,
/// SimulationError if there is not enough memory, an order cannot be carried out, an update fails,
/// blocks are damaged, or blocks or orders do not arrive within the timeouts of the setup.
void run_star_worker(const Communicator& communicator, const Setup& setup);

/// Runs a rank other than 0 as a worker of one distributed product (execute_products() on rank 0),
/// and blocks until rank 0 has received C. `setup` is the message of kind `distributed`. Sets the
/// threads of the BLAS of the process. Throws SimulationError if another worker does not respond
/// within setup.timeout_s or rank 0 within setup.master_timeout_s seconds, or blocks are damaged.
void run_product_worker(const Communicator& communicator, const Setup& setup);

/// Measures the speed of the dgemm (matrix product of the BLAS) and the memory of this rank and
/// sends the report to rank 0 as a text. Runs on a rank other than 0. `arguments` are those of
/// `starport-mpi calibrate` on rank 0, after the command. Throws InputError if they are wrong or a
/// block size does not fit into the memory.
void measure_this_rank(const Communicator& communicator, const std::vector<std::string>& arguments);

}  // namespace starport::mpi
