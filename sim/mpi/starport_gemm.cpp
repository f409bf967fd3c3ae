#include "sim/mpi/starport_gemm.h"

#include "sim/app/algorithms.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/mpi/execution/execution.hpp"
#include "sim/mpi/transport/clock.hpp"
#include "sim/mpi/transport/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace starport::mpi {
namespace {

/// What rank 0 was called with.
struct Call {
  std::string platform;
  ProductSize size;
  MatrixMemory matrices;
  starport_options options;
};

struct Outcome {
  int code = STARPORT_OK;
  std::array<char, 512> message{};
};

Outcome outcome(int code, const char* message) {
  Outcome result{.code = code};
  std::strncpy(result.message.data(), message, result.message.size() - 1);
  return result;
}

std::string text_or(const char* text, const char* otherwise) {
  return text == nullptr ? otherwise : text;
}

/// The one that is predicted to be the fastest.
struct Chosen {
  ExecutionJob job;
  Execution execution;
};

Chosen choose(const std::vector<NamedAlgorithm>& heuristics, const Platform& platform,
              const Problem& problem) {
  std::optional<Chosen> best;
  double best_s = 0;
  for (const NamedAlgorithm& named : heuristics) {
    if (named.algorithm->model() != "star") {
      throw InputError("heuristics", "some for the star", "'" + named.name + "'");
    }
    ExecutionJob job{named.name, planner_of(named, platform, problem)};
    try {
      Execution execution = predict(platform, problem, job);
      const double makespan_s = compute_metrics(platform, execution.predicted).makespan_s;
      if (best && best_s <= makespan_s) continue;
      best_s = makespan_s;
      best.emplace(Chosen{std::move(job), std::move(execution)});
    } catch (const NotApplicable&) {
      continue;
    }
  }
  if (!best) throw InputError("heuristics", "one that applies to the platform", "none");
  return std::move(*best);
}

void check_arguments(const Call& call) {
  for (const std::int64_t side : {call.size.height, call.size.depth, call.size.width}) {
    if (side >= 1 && side <= INT32_MAX) continue;
    throw InputError("m, n, k", fmt::format("from 1 to {}", INT32_MAX), fmt::format("{}", side));
  }
  const auto& [a, b, c, type] = call.matrices;
  if (a == nullptr || b == nullptr || c == nullptr) {
    throw InputError("a, b, c", "matrices", "a null pointer");
  }
  if (call.platform.empty()) throw InputError("platform", "a platform file", "none");
}

/// A call on rank 0, from the preparation to the checked product.
class Lead {
 public:
  Lead(const Communicator& communicator, const Call& call)
      : communicator_(communicator), call_(call), ranks_(communicator, kTimeout_s) {}

  Outcome run() {
    try {
      multiply();
      end();
      return {};
    } catch (const InputError& error) {
      return give_up(STARPORT_BAD_INPUT, error);
    } catch (const std::exception& error) {
      return give_up(STARPORT_FAILED, error);
    }
  }

 private:
  static constexpr double kTimeout_s = 60;

  void multiply() {
    check_arguments(call_);
    const starport_options& options = call_.options;
    load_kernel(text_or(options.kernel, ""));
    const PlatformFile file = for_elements(load_platform(call_.platform), call_.matrices.type);
    const std::int64_t q =
        options.block_size > 0 ? options.block_size : file.block_size.value_or(kDefaultBlockSize);
    const auto [height, depth, width] = call_.size;
    const Problem problem =
        parse_problem(fmt::format("{}x{}x{}", height, depth, width), q, "m, n, k");
    const Platform platform = file.at_block_size(q);
    if (platform.port.kind != Port::Kind::one) {
      throw InputError("/port", "one-port", to_string(platform.port.kind)).in_file(file.path);
    }
    ranks_.check_rank_count(platform, file.path);
    const auto heuristics = read_algorithms(text_or(options.heuristics, "all"), "heuristics");
    Chosen chosen = choose(heuristics, platform, problem);
    Product product(problem, call_.size, call_.matrices);
    std::optional<ProductCheck> check;
    if (options.unchecked == 0) check.emplace(product.a(), product.b(), product.c(), 1);
    ranks_.start();
    ranks_.check_memory(worker_memory_bytes(platform, problem, call_.matrices.type));
    PerWorker<WorkerSettings> workers;
    workers.assign(platform.workers.size(), {.threads = std::max(options.threads, 1)});
    const CorePlan use = ranks_.plan_cores(workers, Overlap::beside);
    ExecutionOptions execution{.cores = use.workers,
                               .master_cores = use.master,
                               .kernel = text_or(options.kernel, ""),
                               .timeout_s = kTimeout_s,
                               .time_limit_s = 0};
    for (const WorkerSettings& worker : workers) execution.threads.push_back(worker.threads);
    at_work_ = true;
    execute_job(communicator_, platform, chosen.job, execution, product, chosen.execution);
    at_work_ = false;
    const std::string fault = check ? check->find_error(product.c()) : "";
    if (!fault.empty()) throw SimulationError(chosen.job.name + ": " + fault);
  }

  void end() { Ranks::started() ? ranks_.finish() : Ranks::dismiss(communicator_); }

  Outcome give_up(int code, const std::exception& error) {
    if (at_work_) {  // workers wait for what will not come
      tell(error.what(), "starport_gemm");
      Communicator::abort(code);
    }
    end();
    return outcome(code, error.what());
  }

  const Communicator& communicator_;
  const Call& call_;
  Ranks ranks_;
  bool at_work_ = false;
};

int level_of_threads(MPI_Comm communicator) {
  int mine = MPI_THREAD_SINGLE;
  int least = MPI_THREAD_SINGLE;
  MPI_Query_thread(&mine);
  MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, communicator);
  return least;
}

Outcome multiply(MPI_Comm group, const Call& call) {
  if (level_of_threads(group) < MPI_THREAD_FUNNELED) {
    return outcome(STARPORT_BAD_INPUT, "MPI: expected MPI_THREAD_FUNNELED, found less");
  }
  const Communicator communicator(group);
  const int blas_threads = starport::blas_threads();
  Outcome result;
  if (communicator.rank() == 0) {
    result = Lead(communicator, call).run();
  } else {
    Ranks::follow(communicator, {});
  }
  if (blas_threads > 0) set_blas_threads(blas_threads);
  MPI_Bcast(&result, sizeof result, MPI_BYTE, 0, group);
  return result;
}

int gemm(MPI_Comm group, const Call& call, char* message, std::size_t message_size) {
  const Outcome result = multiply(group, call);
  if (message != nullptr && message_size > 0) {
    std::strncpy(message, result.message.data(), message_size - 1);
    message[message_size - 1] = 0;
  }
  return result.code;
}

}  // namespace
}  // namespace starport::mpi

using starport::ElementType;
using starport::mpi::MatrixMemory;

int starport_gemm(MPI_Comm communicator, const char* platform, int64_t m, int64_t n, int64_t k,
                  const double* a, const double* b, double* c, const starport_options* options,
                  char* message, size_t message_size) {
  return starport::mpi::gemm(communicator,
                             {.platform = starport::mpi::text_or(platform, ""),
                              .size = {.height = m, .depth = k, .width = n},
                              .matrices = MatrixMemory(a, b, c, ElementType::float64),
                              .options = options == nullptr ? starport_options{} : *options},
                             message, message_size);
}

int starport_gemm_float(MPI_Comm communicator, const char* platform, int64_t m, int64_t n,
                        int64_t k, const float* a, const float* b, float* c,
                        const starport_options* options, char* message, size_t message_size) {
  return starport::mpi::gemm(communicator,
                             {.platform = starport::mpi::text_or(platform, ""),
                              .size = {.height = m, .depth = k, .width = n},
                              .matrices = MatrixMemory(a, b, c, ElementType::float32),
                              .options = options == nullptr ? starport_options{} : *options},
                             message, message_size);
}
