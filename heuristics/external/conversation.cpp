#include "heuristics/external/conversation.hpp"

#include <fmt/format.h>

#include <utility>

namespace starport {
namespace {

constexpr const char* kProgram = "PROGRAM";

/// A limit on a program, as a parameter of it.
struct Limit {
  const char* key;
  std::int32_t default_value;
  const char* description;
};
constexpr Limit kTime{"time_limit", 60, "seconds for each of its answers"};
constexpr Limit kMemory{"memory_limit", 4096, "MiB of memory, with all that it starts"};
constexpr Limit kProcesses{"process_limit", 1024, "processes and threads, with all that it starts"};
constexpr Limit kFiles{"file_limit", 1024, "open files of each of its processes, at least 4"};
constexpr Limit kOutput{
    "output_limit", 256,
    "MiB that an answer may have; parameters that are no limits are passed on to the program"};

}  // namespace

ExternalProgram read_program(ParameterTexts parameters) {
  const auto path = parameters.extract(kProgram);
  if (!path) throw InputError("exec", "exec:PROGRAM", "no program");
  const auto extract = [&](const Limit& limit) {
    const auto text = parameters.extract(limit.key);
    return text ? parse_number<std::int32_t>(text.mapped()).value() : limit.default_value;
  };
  constexpr std::size_t mib = std::size_t{1} << 20;
  ExternalProgram program{.path = path.mapped(), .answer_limit_s = extract(kTime) * 1.0};
  program.limits = {.memory_bytes = static_cast<double>(mib) * extract(kMemory),
                    .processes = extract(kProcesses),
                    .open_files = static_cast<std::uint64_t>(std::max(4, extract(kFiles))),
                    .answer_bytes = mib * static_cast<std::size_t>(extract(kOutput))};
  program.parameters = std::move(parameters);
  return program;
}

AlgorithmEntry describe_program(std::string name, std::string description) {
  std::vector<Parameter> parameters;
  for (const Limit& limit : {kTime, kMemory, kProcesses, kFiles, kOutput}) {
    parameters.push_back({limit.key, {}, std::to_string(limit.default_value), limit.description});
  }
  return {.name = std::move(name),
          .description = std::move(description),
          .source = "heuristics/PROTOCOL.md",
          .groups = {},
          .parameters = std::move(parameters),
          .in_all_group = false,
          .argument = kProgram,
          .accepts_any_parameter = true};
}

void check_first_answer(const JsonNode& answer) {
  const JsonNode version = answer.at("protocol");
  if (version.integer(0, INT32_MAX) != kProtocolVersion) {
    throw version.fault(fmt::format("{}, the version that this Starport speaks", kProtocolVersion));
  }
  if (const auto reason = answer.find("not_applicable")) throw NotApplicable(reason->text());
}

}  // namespace starport
