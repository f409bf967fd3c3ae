#include "heuristics/external/checked_strategy.hpp"
#include "heuristics/external/distribution.hpp"
#include "heuristics/external/exec.hpp"
#include "heuristics/external/tile_strategy.hpp"
#include "heuristics/partition/methods.hpp"
#include "sim/app/algorithms.hpp"
#include "sim/app/command_line.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/mpi/matrices/matrix_files.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/platform/simgrid_xml.hpp"
#include "sim/platform/speed_function.hpp"
#include "sim/report/claims/claims.hpp"
#include "sim/report/page/run_encoding.hpp"
#include "sim/report/trace_files.hpp"
#include "sim/spmd/cluster.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/star/schedule.hpp"
#include "sim/star/schedule_file.hpp"
#include "sim/star/validator/validator.hpp"
#include "sim/sweep/specification.hpp"
#include "sim/tiles/platform.hpp"
#include "tests/fuzz/targets.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace starport::fuzz {
namespace {

constexpr const char* kName = "input";
constexpr std::int64_t kManyWorkers = 1000;

/// What one input may take: larger ones are for the tests of limits.
template <class Use>
void where_small(const PlatformFile& file, Use use) {
  if (file.size() > kManyWorkers) return;
  try {
    use();
  } catch (const InputError&) {  // not the kind of platform that a model needs
  }
}

void read_platform(const std::string& text) {
  const PlatformFile file = parse_platform(parse_json(text, kName), kName);
  const std::string written = to_json(file);
  must(to_json(parse_platform(parse_json(written, kName), kName)) == written,
       "a platform is not what was written of it");
  const std::int64_t q = file.block_size.value_or(kDefaultBlockSize);
  where_small(file, [&] { to_simgrid_xml(file.at_block_size(q), q); });
  where_small(file, [&] { tiles::make_platform(file, q); });
  where_small(file, [&] {
    const spmd::Cluster cluster = spmd::make_cluster(file, q);
    for (const spmd::Node& node : cluster.nodes) cluster.update_s(node, 0, 2, 3, 6);
  });
}

void read_specification(const std::string& text) {
  static const InputFile file;
  file.set(text);
  const Specification specification = load_specification(file.path(), model_registry());
  for (const std::int64_t number : {std::int64_t{1}, specification.size()}) {
    const SweepInstance instance = specification.instance(number);
    where_small(instance.file, [&] { instance.in_blocks(); });
  }
}

std::string text_of(const Schedule& schedule) {
  std::string text;
  write_json(schedule, [&](std::string_view piece) { text += piece; });
  return text;
}

/// What is read as a stream is what the general reader reads.
Schedule schedule_of(const std::string& text) {
  static const InputFile file;
  file.set(text);
  const auto stream = load_schedule_stream(file.path());
  try {
    Schedule schedule = parse_schedule(parse_json(text, kName), kName);
    must(!stream || text_of(*stream) == text_of(schedule),
         "a schedule read as a stream is another one");
    return schedule;
  } catch (const InputError&) {
    must(!stream, "what is no schedule is read as a stream");
    throw;
  }
}

void read_schedule(const std::string& text) {
  const Schedule schedule = schedule_of(text);
  must(parse_schedule(parse_json(text_of(schedule), kName), kName).transfers == schedule.transfers,
       "a schedule is not what was written of it");
  find_violation(schedule.platform, schedule.problem, schedule.transfers);
}

void read_claims(const std::string& text) {
  static const InputFile file;
  file.set(text);
  for (const Claim& claim : load_claims(file.path()).claims) expected_text(claim);
}

/// What is read of a trace goes to pages and is written again.
void read_trace_file(const std::string& text) {
  static const InputFile file;
  file.set(text);
  const Timeline timeline = read_trace(file.path(), std::nullopt);
  describe_chart(timeline);
  encode_run(timeline);
  std::string written;
  for (const TraceFormat format : {TraceFormat::chrome, TraceFormat::csv}) {
    written.clear();
    TraceExporter exporter(format, [&](std::string_view piece) { written += piece; });
    exporter.add(timeline);
    exporter.finish();
  }
  must(std::ranges::none_of(timeline.name, [](char c) { return c == '\x1b' || c == '\0'; }),
       "control characters in the name of a trace");
}

void read_noise_text(const std::string& text) {
  const Noise noise = parse_noise(text, "--noise");
  const std::string written = to_text(noise);
  must(to_text(parse_noise(written, "--noise")) == written, "noise is not what was written of it");
}

void read_noise_json(const std::string& text) {
  const nlohmann::json document = parse_json(text, kName);
  Noise noise = read_noise(JsonNode(document), 1, "");
  const nlohmann::json written = parse_json(to_json(noise).dump(), kName);
  Noise again = read_noise(JsonNode(written), 1, "");
  // The name of a file that does not have the samples is not written.
  for (Noise* one : {&noise, &again}) one->transfers.file = one->updates.file = "";
  must(again == noise, "noise is not what was written of it");
}

void read_units(const std::string& text) {
  for (const Dimension dimension :
       {Dimension::bandwidth, Dimension::speed, Dimension::memory, Dimension::time}) {
    try {
      must(std::isfinite(parse_quantity(text, dimension)), "a quantity that is not finite");
    } catch (const InputError&) {
    }
  }
}

void read_problem(const std::string& text) {
  const Problem problem = parse_problem(text, kDefaultBlockSize);
  must(problem.r > 0 && problem.s > 0 && problem.t > 0 && problem.updates() > 0,
       "a product of nothing");
}

void read_heuristics(const std::string& text) {
  std::string again;
  for (const NamedAlgorithm& named : read_algorithms(text, "--heuristics")) {
    again += (again.empty() ? "" : ",") + named.name;
  }
  const auto same = read_algorithms(again, "--heuristics");
  std::string names;
  for (const NamedAlgorithm& named : same) names += (names.empty() ? "" : ",") + named.name;
  must(names == again, "heuristics are not what they are called");
}

/// Lines of the values of four options.
void read_partition(const std::string& text) {
  std::string_view rest = text;
  std::vector<std::string> arguments;
  for (const char* option : {"--speeds=", "--method=", "--tiles=", "--rounding="}) {
    const std::string value(next_token(rest, '\n'));
    const auto number = parse_number<double>(value);
    if (number && *number > 50) return;  // slow, and no other code
    if (!value.empty()) arguments.push_back(option + value);
  }
  if (rest == "json") arguments.emplace_back("--json");
  partition_command(arguments);
}

/// Measures one after the other, "size speed" in lines; sizes and speeds are above 0.
void read_speed_function(const std::string& text) {
  SpeedFunction measured;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = next_token(rest, '\n');
    const auto size = parse_number<double>(next_token(line, ' '));
    const auto speed = parse_number<double>(line);
    const auto sane = [](const auto& x) { return x && *x > 1e-30 && *x < 1e30; };
    if (!sane(size) || !sane(speed)) return;
    measured.add(*size, *speed);
    must(!SpeedFunction::first_non_increasing(measured.points()),
         "the time does not increase with size");
    must(measured.speed(*size) == *speed, "a measure that is not what was measured");
  }
}

/// What a heuristic of somebody else says, line by line: its plan, then whom it serves.
void read_protocol(const std::string& text) {
  static const Platform platform{
      .name = kName,
      .workers = {{.c_s = 1, .w_s = 2, .m_blocks = 12}, {.c_s = 2, .w_s = 1, .m_blocks = 21}}};
  static const Problem problem{.r = 4, .s = 6, .t = 3};
  std::string_view rest = text;
  const auto next = [&] {
    if (rest.empty()) throw InputError("", "an answer", "none");
    return parse_json(std::string(next_token(rest, '\n')), kName);
  };
  PlanAnswer answer = read_plan(next(), platform, problem);
  const bool decides = !answer.transfers;
  const auto choose = [&](const RequestView& view) { return read_choice(next(), view); };
  const auto plan = [&] { return make_plan(answer, platform, problem, choose); };
  const Trace trace = AnalyticEngine().run(platform, problem, plan, {}).trace;
  const bool obeys = !find_violation(platform, problem, trace);
  must(obeys || !decides, "choices that break the model");
}

/// What a heuristic of somebody else says first of tile tasks or a distributed product.
void read_protocol_of_models(const std::string& text) {
  static const tiles::Platform node{
      .name = kName,
      .workers = {{.node = 0, .update_s = 3, .number = 0}, {.node = 1, .update_s = 1, .number = 1}},
      .links = {{.in_s = 1, .out_s = 1}}};
  static const spmd::Cluster cluster{
      .name = kName,
      .block_size = 10,
      .nodes = {{.processors = {{}, {}}, .memory_bytes = 1, .paging = {}},
                {.processors = {{}}, .memory_bytes = 1, .paging = {}}}};
  const nlohmann::json answer = parse_json(text, kName);
  if (JsonNode(answer).has("rectangles")) {
    spmd::read_answer(answer, cluster, 4);
    return;
  }
  const auto read = tiles::read_answer(answer, node, {2, 3, 2});
  if (read.allocation) tiles::check_allocation(node, {2, 3, 2}, *read.allocation);
}

void read_npy(const std::string& text) {
  const auto header = mpi::parse_npy_header(text, {.rows = 3, .columns = 4}, "--a");
  must(!header || (*header->byte_order_offset < header->offset_bytes &&
                   header->offset_bytes <= text.size()),
       "a header beyond its file");
}

}  // namespace

std::vector<Target> file_targets() {
  return {{"platform", read_platform},
          {"specification", read_specification},
          {"schedule", read_schedule},
          {"claims", read_claims},
          {"trace", read_trace_file},
          {"noise_text", read_noise_text},
          {"noise_json", read_noise_json},
          {"units", read_units},
          {"problem", read_problem},
          {"heuristics", read_heuristics},
          {"partition", read_partition},
          {"speed_function", read_speed_function},
          {"protocol", read_protocol},
          {"npy", read_npy},
          {"protocol_of_models", read_protocol_of_models}};
}

}  // namespace starport::fuzz
