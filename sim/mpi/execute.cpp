#include "sim/mpi/execute.hpp"

#include "sim/cli/check_schedule.hpp"
#include "sim/cli/command.hpp"
#include "sim/engine/memory_use.hpp"
#include "sim/engine/validator.hpp"
#include "sim/model/error.hpp"
#include "sim/model/recurrence.hpp"
#include "sim/mpi/execution_report.hpp"
#include "sim/mpi/master.hpp"
#include "sim/mpi/ranks.hpp"
#include "sim/report/makespan_bounds.hpp"
#include "sim/report/output.hpp"
#include "sim/report/trace_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace starport {
namespace {

namespace po = boost::program_options;

void add_options(CommandLine& line) {
  line.add_problem();
  line.add()("heuristic", po::value<std::string>()->default_value("Het")->value_name("LIST"),
             "whose decisions to carry out; several, or all, one after the other")(
      "schedule", po::value<std::string>()->value_name("FILE"),
      "carry out a schedule that starport plan has saved, instead")(
      "a", po::value<std::string>()->value_name("FILE"),
      "A, native doubles by rows (default: seeded values)")(
      "b", po::value<std::string>()->value_name("FILE"), "B, likewise")(
      "c", po::value<std::string>()->value_name("FILE"),
      "C, likewise: read, and the product written in its place; made, of zeros, where it does not "
      "exist")("seed", po::value<std::string>()->default_value("1")->value_name("N"),
               "of the values of the matrices that are not read")(
      "emulate",
      "make each transfer and each update last what the platform says, on whatever machine")(
      "time-scale", po::value<std::string>()->value_name("X"),
      "with --emulate: X times what the platform says (default: 1)")(
      "trace", po::value<std::string>()->value_name("FILE"),
      "write the transfers and updates of the real run and of the predicted one: .csv or .json, as "
      "starport run does")("json", "print one JSON object")(
      "time-out", po::value<std::string>()->default_value("60")->value_name("SECONDS"),
      "give up when a worker that is waited for gives no sign of life for so long")(
      "time-limit", po::value<std::string>()->default_value("3600")->value_name("SECONDS"),
      "give up after that time in all; 0: never");
}

double positive_number(const CommandLine& line, const char* option, double least) {
  const std::string text = line.text(option);
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || rest != text.data() + text.size() || !(value >= least) ||
      !std::isfinite(value)) {
    throw InputError(std::string("--") + option, fmt::format("a number, {} or more", least),
                     "'" + text + "'");
  }
  return value;
}

/// One thing to carry out.
struct Job {
  std::string name;
  Planner planner;
};

/// All that the command line asks for.
struct Request {
  ExecutionAbout about;
  ProductSize size{};
  MatrixSources sources;
  ExecutionOptions options;
  std::vector<NamedHeuristic> heuristics;
  std::optional<Schedule> schedule;
  std::optional<TransferList> transfers;  ///< the schedule's
  std::vector<Job> jobs;
};

Platform scaled(Platform platform, double factor) {
  for (Worker& worker : platform.workers) {
    worker.c_s *= factor;
    worker.w_s *= factor;
    worker.latency_s *= factor;
  }
  return platform;
}

/// Without --problem, whole blocks.
ProductSize product_size(const CommandLine& line, const Problem& problem) {
  const std::int64_t q = problem.block_size;
  ProductSize size{.height = problem.r * q, .depth = problem.t * q, .width = problem.s * q};
  if (const auto text = line.find("problem")) {
    const Problem elements = parse_problem(*text, 1);
    size = {.height = elements.r, .depth = elements.t, .width = elements.s};
  }
  for (const std::int64_t side : {size.height, size.depth, size.width}) {
    if (side > INT32_MAX) {
      throw InputError("--problem", fmt::format("sides of at most {} elements", INT32_MAX),
                       fmt::format("{}", side));
    }
  }
  return size;
}

void request_schedule(const CommandLine& line, Request& request) {
  const std::string path = line.text("schedule");
  request.schedule = load_schedule(path);
  const Schedule& schedule = *request.schedule;
  const PlatformFile file = load_platform(line.text("PLATFORM"));
  request.about.platform = file.at_block_size(schedule.problem.block_size);
  request.about.platform_file = file.path;
  request.about.problem = schedule.problem;
  if (const auto text = line.find("problem")) {
    if (!(parse_problem(*text, schedule.problem.block_size) == schedule.problem)) {
      throw InputError("--problem", "the sizes of the schedule's problem", "'" + *text + "'");
    }
  }
  check_rules(schedule, request.about.platform, path);
  request.transfers.emplace(schedule.transfers);
  request.jobs.push_back({schedule.heuristic.empty() ? path : schedule.heuristic,
                          [&list = *request.transfers] { return list_plan(list); }});
}

void request_heuristics(const CommandLine& line, Request& request) {
  request.heuristics = parse_heuristics(line.text("heuristic"), "--heuristic");
  const Instance instance = load_instance(line);
  request.about.platform = instance.platform;
  request.about.platform_file = instance.platform_file;
  request.about.problem = instance.problem;
  check_instance(request.heuristics, instance, line.limits());
  for (const NamedHeuristic& named : request.heuristics) {
    request.jobs.push_back(
        {named.name, planner_of(named, request.about.platform, request.about.problem)});
  }
}

/// Fills in the request, which the jobs refer to.
void read_request(const CommandLine& line, Request& request) {
  line.has("schedule") ? request_schedule(line, request) : request_heuristics(line, request);
  if (request.about.platform.port.kind != Port::Kind::one) {
    throw InputError("/port", "one-port: rank 0 is in one transfer at a time",
                     to_string(request.about.platform.port.kind))
        .in_file(request.about.platform_file);
  }
  request.about.command = line.command();
  request.about.paced = line.has("emulate");
  if (line.has("time-scale")) {
    if (!request.about.paced) throw InputError("--time-scale", "--emulate with it", "none");
    request.about.time_scale = positive_number(line, "time-scale", 1e-6);
    request.about.platform = scaled(request.about.platform, request.about.time_scale);
  }
  request.size = product_size(line, request.about.problem);
  request.sources = {.a = line.find("a"),
                     .b = line.find("b"),
                     .c = line.find("c"),
                     .seed = static_cast<std::uint64_t>(*line.integer("seed", 0, INT32_MAX))};
  if (request.sources.c && request.jobs.size() > 1) {
    throw InputError("--c", "one heuristic, since the product replaces C",
                     fmt::format("{}", request.jobs.size()));
  }
  request.options = {.paced = request.about.paced,
                     .time_out_s = positive_number(line, "time-out", 0.1),
                     .time_limit_s = positive_number(line, "time-limit", 0)};
}

/// The most blocks that each worker holds at a time.
std::vector<std::int64_t> most_held(const Platform& platform, const Problem& problem,
                                    const Trace& trace) {
  std::vector<std::int64_t> most(platform.workers.size());
  const auto held = held_blocks(platform, problem, trace);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    std::int64_t& mine = most[static_cast<std::size_t>(trace[i].transfer.worker)];
    mine = std::max({mine, held[i].transfer, held[i].update});
  }
  return most;
}

/// What is known before a run. Throws NotApplicable when the heuristic does.
Execution predict(const Request& request, const Job& job) {
  const Plan plan = job.planner();
  return {.heuristic = job.name,
          .details = plan.details,
          .predicted =
              trace_by_recurrence(*plan.dispatcher, request.about.platform, request.about.problem),
          .real = {},
          .most_held = {},
          .check = {}};
}

/// The jobs that can be run, predicted; which ones cannot is told. Throws SimulationError when that
/// is none of them.
std::vector<Execution> predict(Request& request) {
  std::vector<Execution> executions;
  std::vector<Job> jobs;
  for (Job& job : request.jobs) {
    try {
      executions.push_back(predict(request, job));
      jobs.push_back(std::move(job));
    } catch (const NotApplicable& reason) {
      const std::string text = fmt::format("starport-mpi: {} does not apply and is left out: {}\n",
                                           job.name, reason.what());
      std::fputs(text.c_str(), stderr);
    }
  }
  if (jobs.empty()) throw SimulationError("no heuristic is left to run");
  request.jobs = std::move(jobs);
  return executions;
}

void execute(const Communicator& communicator, const Request& request, const Job& job,
             Execution& execution) {
  const Platform& platform = request.about.platform;
  const Problem& problem = request.about.problem;
  Product product(problem, request.size, request.sources);
  ExecutionOptions options = request.options;
  options.expected_blocks = most_held(platform, problem, execution.predicted);
  Master master(communicator, platform, product, options);
  const Plan plan = job.planner();
  execution.real = master.run(*plan.dispatcher);
  execution.most_held = master.finish();
  if (const auto violation = find_violation(platform, problem, execution.real, Timing::observed)) {
    throw SimulationError(fmt::format("{}: the real run breaks the model at transfer {}: {}",
                                      job.name, violation->transfer + 1, violation->message));
  }
  const std::string fault = product.find_fault();
  if (!fault.empty()) throw SimulationError(job.name + ": " + fault);
  execution.check = product.check_name();
}

void write_traces(OutputFile& file, const Request& request, TraceFormat format,
                  const std::vector<Execution>& executions) {
  const Platform& platform = request.about.platform;
  const Problem& problem = request.about.problem;
  const auto bound_s = any_schedule_bound_s(platform, problem);
  TraceExporter exporter(format, [&](std::string_view text) { file.write(text); });
  // No bound on a real run, whose durations are not the model's.
  const auto add = [&](const std::string& name, const Trace& trace, std::optional<double> bound) {
    exporter.add({.heuristic = name,
                  .platform = platform,
                  .trace = trace,
                  .held = held_blocks(platform, problem, trace),
                  .bound_s = bound});
  };
  for (const Execution& execution : executions) {
    add(execution.heuristic, execution.real, std::nullopt);
    add(execution.heuristic + " predicted", execution.predicted, bound_s);
  }
  exporter.finish();
  file.commit();
}

}  // namespace

int execute_command(const Communicator& communicator, const std::vector<std::string>& arguments) {
  CommandLine line(
      "execute", {"PLATFORM"},
      "Runs the product for real: rank 0 is the master, rank i the platform's worker i. "
      "Real matrices,\ntransfers in the order of the schedule, or as the heuristic "
      "decides on the workers' requests, real\ndgemm. Checks C and the trace, and "
      "prints predicted and real times side by side.",
      "mpirun -n 3 starport-mpi execute platform.json --problem 1600x1600x3200 "
      "--heuristic Het --trace het.csv",
      "starport-mpi");
  add_options(line);
  if (!line.parse(arguments)) return kSuccess;

  Request request;
  read_request(line, request);
  std::optional<TraceFormat> format;
  std::optional<OutputFile> trace;
  if (const auto path = line.find("trace")) {
    format = trace_format(*path);
    trace.emplace(*path, "--trace");
  }
  Ranks ranks(communicator);
  ranks.check_number(request.about.platform, request.about.platform_file);
  std::vector<Execution> executions = predict(request);
  ranks.start();
  ranks.check_memory(request.about.platform, request.about.problem);
  for (std::size_t i = 0; i < executions.size(); ++i) {
    execute(communicator, request, request.jobs[i], executions[i]);
  }
  ranks.finish();
  if (trace) write_traces(*trace, request, *format, executions);
  print(line.has("json") ? execution_json(request.about, executions)
                         : execution_text(request.about, executions));
  return kSuccess;
}

}  // namespace starport
