#include "heuristics/external/conversation.hpp"

#include <fmt/format.h>

#include <utility>

namespace starport {
namespace {

constexpr const char* kProgram = "PROGRAM";
constexpr const char* kTimeLimit = "time_limit";

}  // namespace

ExternalProgram read_program(ParameterTexts parameters) {
  const auto path = parameters.extract(kProgram);
  if (!path) throw InputError("exec", "exec:PROGRAM", "no program");
  ExternalProgram program{.path = path.mapped()};
  if (const auto limit = parameters.extract(kTimeLimit)) {
    program.answer_limit_s = parse_number<std::int32_t>(limit.mapped()).value();
  }
  program.parameters = std::move(parameters);
  return program;
}

AlgorithmEntry describe_program(std::string name, std::string description) {
  return {.name = std::move(name),
          .description = std::move(description),
          .source = "heuristics/PROTOCOL.md",
          .groups = {},
          .parameters = {{kTimeLimit,
                          {},
                          std::to_string(kDefaultAnswerLimit_s),
                          "seconds for each of its answers; other parameters are passed on to it"}},
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
