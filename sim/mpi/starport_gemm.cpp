#include "sim/mpi/starport_gemm.h"

#include "sim/app/algorithms.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/mpi/execution/execution.hpp"
#include "sim/mpi/rank_commands.hpp"
#include "sim/mpi/transport/clock.hpp"
#include "sim/mpi/transport/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

namespace starport::mpi {
namespace {

/// The arguments of a call on rank 0.
struct Call {
  std::string platform;
  ProductSize size;
  MatrixMemory matrices;
  starport_options options;
};

/// The result of a call: one of the codes of starport_gemm.h, and a message.
struct Outcome {
  int code = STARPORT_OK;
  std::array<char, 512> message{};
};

Outcome make_outcome(int code, const char* message) {
  Outcome result{.code = code};
  std::strncpy(result.message.data(), message, result.message.size() - 1);
  return result;
}

std::string text_or(const char* text, const char* otherwise) {
  return text == nullptr ? otherwise : text;
}

/// A heuristic with its prediction.
struct PredictedJob {
  ExecutionJob job;
  Execution execution;
};

/// Returns the heuristic with the shortest predicted makespan. Throws InputError if none applies.
PredictedJob choose_fastest(const std::vector<NamedAlgorithm>& heuristics, const Platform& platform,
                            const Problem& problem) {
  std::optional<PredictedJob> best;
  double best_s = 0;
  for (const NamedAlgorithm& named : heuristics) {
    if (named.algorithm->model() != "star") {
      throw InputError("heuristics", "heuristics for the star", "'" + named.name + "'");
    }
    ExecutionJob job{named.name, make_planner(named, platform, problem)};
    try {
      Execution execution = predict_execution(platform, problem, job);
      const double makespan_s = compute_metrics(platform, execution.predicted).makespan_s;
      if (best && best_s <= makespan_s) continue;
      best_s = makespan_s;
      best.emplace(PredictedJob{std::move(job), std::move(execution)});
    } catch (const NotApplicable&) {
      continue;
    }
  }
  if (!best) throw InputError("heuristics", "a heuristic that applies to the platform", "none");
  return std::move(*best);
}

void check_arguments(const Call& call) {
  for (const std::int64_t side : {call.size.height, call.size.depth, call.size.width}) {
    if (side >= 1 && side <= INT32_MAX) continue;
    throw InputError("m, n, k", fmt::format("from 1 to {}", INT32_MAX), fmt::format("{}", side));
  }
  const auto& [a, b, c, type] = call.matrices;
  if (a == nullptr || b == nullptr || c == nullptr) {
    throw InputError("a, b, c", "pointers to matrices", "a null pointer");
  }
  if (call.platform.empty()) throw InputError("platform", "a platform file", "none");
}

/// Runs a call on rank 0.
class MasterCall {
 public:
  MasterCall(const Communicator& communicator, const Call& call)
      : communicator_(communicator), call_(call), ranks_(communicator, kTimeout_s) {}

  Outcome run() {
    try {
      multiply();
      end_ranks();
      return {};
    } catch (const InputError& error) {
      return fail(STARPORT_BAD_INPUT, error);
    } catch (const std::exception& error) {
      return fail(STARPORT_FAILED, error);
    }
  }

 private:
  static constexpr double kTimeout_s = 60;

  void multiply() {
    check_arguments(call_);
    const starport_options& options = call_.options;
    load_kernel(text_or(options.kernel, ""));
    const PlatformFile file = with_element_type(load_platform(call_.platform), call_.matrices.type);
    const std::int64_t q =
        options.block_size > 0 ? options.block_size : file.block_size.value_or(kDefaultBlockSize);
    const auto [height, depth, width] = call_.size;
    const Problem problem =
        parse_problem(fmt::format("{}x{}x{}", height, depth, width), q, "m, n, k");
    const Platform platform = file.at_block_size(q);
    if (platform.port.kind != Port::Kind::one) {
      throw InputError("/port", "one-port", to_string(platform.port.kind)).in_file(file.path);
    }
    ranks_.check_rank_count(file.size(), file.path);
    const auto heuristics =
        read_algorithms(text_or(options.heuristics, "all,Polaris"), "heuristics");
    PredictedJob chosen = choose_fastest(heuristics, platform, problem);
    Product product(problem, call_.size, call_.matrices);
    std::optional<ProductCheck> check;
    if (options.unchecked == 0) check.emplace(product, 1);
    ranks_.start();
    ranks_.check_memory(worker_memory_bytes(platform, problem, call_.matrices.type));
    PerWorker<WorkerSettings> workers;
    workers.assign(platform.workers.size(), {.threads = std::max(options.threads, 1)});
    const CorePlan plan = ranks_.plan_cores(workers, Overlap::overlapped);
    ExecutionOptions execution{.cores = plan.workers,
                               .master_cores = plan.master,
                               .kernel = text_or(options.kernel, ""),
                               .timeout_s = kTimeout_s,
                               .time_limit_s = 0};
    for (const WorkerSettings& worker : workers) execution.threads.push_back(worker.threads);
    are_busy_ = true;
    execute_job(communicator_, platform, chosen.job, execution, product, chosen.execution);
    are_busy_ = false;
    const std::string error = check ? check->check(product.c()).error : "";
    if (!error.empty()) throw SimulationError(chosen.job.name + ": " + error);
  }

  void end_ranks() {
    are_busy_ = true;
    Ranks::has_started() ? ranks_.shut_down() : Ranks::dismiss(communicator_);
    are_busy_ = false;
  }

  Outcome fail(int code, const std::exception& error) {
    if (are_busy_) {
      print_notice(error.what(), "starport_gemm");
      Communicator::abort(code);
    }
    try {
      end_ranks();
    } catch (const std::exception&) {  // the workers do not answer
      print_notice(error.what(), "starport_gemm");
      Communicator::abort(code);
    }
    return make_outcome(code, error.what());
  }

  const Communicator& communicator_;
  const Call& call_;
  Ranks ranks_;
  bool are_busy_ = false;  ///< the workers are in a run, or do not end: they cannot be ended now
};

/// While an object exists, calls by other threads of this process with the same communicator wait:
/// MPI allows one collective operation at a time on a communicator.
class CommunicatorInUse {
 public:
  explicit CommunicatorInUse(MPI_Comm group) : group_(group) {
    std::unique_lock lock(mutex_);
    released_.wait(lock, [&] { return std::ranges::find(in_use_, group) == in_use_.end(); });
    in_use_.push_back(group);
  }
  CommunicatorInUse(const CommunicatorInUse&) = delete;
  CommunicatorInUse& operator=(const CommunicatorInUse&) = delete;
  ~CommunicatorInUse() {
    {
      const std::lock_guard lock(mutex_);
      std::erase(in_use_, group_);
    }
    released_.notify_all();
  }

 private:
  static inline std::mutex mutex_;
  static inline std::condition_variable released_;
  static inline std::vector<MPI_Comm> in_use_;
  MPI_Comm group_;
};

/// Returns the refusal if a rank calls from another thread than the one that initialised MPI, or
/// below MPI_THREAD_FUNNELED; nullopt otherwise. Below MPI_THREAD_MULTIPLE a rank with the wrong
/// thread may send nothing, so that all ranks must make the same mistake.
std::optional<Outcome> refuse_threads(MPI_Comm communicator) {
  constexpr int other_thread = MPI_THREAD_SINGLE - 1;
  int own = MPI_THREAD_SINGLE;
  int is_main = 0;
  MPI_Query_thread(&own);
  MPI_Is_thread_main(&is_main);
  int lowest = other_thread;
  if (is_main != 0 || own == MPI_THREAD_MULTIPLE) {
    if (is_main == 0) own = other_thread;
    MPI_Allreduce(&own, &lowest, 1, MPI_INT, MPI_MIN, communicator);
  }
  if (lowest == other_thread) {
    return make_outcome(STARPORT_BAD_INPUT,
                        "MPI: expected a call by the thread that initialised MPI, on every rank, "
                        "found one by another thread");
  }
  if (lowest < MPI_THREAD_FUNNELED) {
    return make_outcome(
        STARPORT_BAD_INPUT,
        "MPI: expected the thread level MPI_THREAD_FUNNELED or higher, found a lower "
        "one. Start MPI with MPI_Init_thread");
  }
  return std::nullopt;
}

Outcome multiply(MPI_Comm group, const Call& call) {
  const CommunicatorInUse in_use(group);
  if (auto refusal = refuse_threads(group)) return *refusal;
  const Communicator communicator(group);
  const int blas_threads = starport::blas_threads();
  Outcome result;
  if (communicator.rank() == 0) {
    result = MasterCall(communicator, call).run();
  } else {
    run_worker_rank(communicator, {});
  }
  if (blas_threads > 0) set_blas_threads(blas_threads);
  MPI_Bcast(&result, sizeof result, MPI_BYTE, 0, group);
  return result;
}

int gemm(MPI_Comm group, const Call& call, char* message, std::size_t message_size) noexcept {
  Outcome result;
  try {
    result = multiply(group, call);
  } catch (const std::exception& error) {
    result = make_outcome(STARPORT_FAILED, error.what());
  }
  if (message != nullptr && message_size > 0) {
    std::strncpy(message, result.message.data(), message_size - 1);
    message[message_size - 1] = 0;
  }
  return result.code;
}

}  // namespace
}  // namespace starport::mpi

using starport::ElementType;

int starport_gemm(MPI_Comm communicator, const char* platform, int64_t m, int64_t n, int64_t k,
                  const double* a, const double* b, double* c, const starport_options* options,
                  char* message, size_t message_size) {
  return starport::mpi::gemm(communicator,
                             {.platform = starport::mpi::text_or(platform, ""),
                              .size = {.height = m, .depth = k, .width = n},
                              .matrices = {.a = a, .b = b, .c = c, .type = ElementType::float64},
                              .options = options == nullptr ? starport_options{} : *options},
                             message, message_size);
}

int starport_gemm_float(MPI_Comm communicator, const char* platform, int64_t m, int64_t n,
                        int64_t k, const float* a, const float* b, float* c,
                        const starport_options* options, char* message, size_t message_size) {
  return starport::mpi::gemm(communicator,
                             {.platform = starport::mpi::text_or(platform, ""),
                              .size = {.height = m, .depth = k, .width = n},
                              .matrices = {.a = a, .b = b, .c = c, .type = ElementType::float32},
                              .options = options == nullptr ? starport_options{} : *options},
                             message, message_size);
}
