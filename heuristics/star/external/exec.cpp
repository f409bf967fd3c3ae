#include "heuristics/star/external/exec.hpp"

#include "heuristics/star/external/protocol.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/json_text.hpp"
#include "sim/process/subprocess.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <utility>

namespace starport {
namespace {

constexpr const char* kProgram = "PROGRAM";
constexpr const char* kTimeLimit = "time_limit";
constexpr std::int32_t kDefaultTimeLimit_s = 60;

/// Sends a question and returns the answer as parsed by `read`. Throws SimulationError if the
/// answer is malformed: the run has failed, the user's input is not at fault.
template <class Read>
auto ask(const std::string& program, Subprocess& conversation, const std::string& question,
         Read read) {
  const std::string line = conversation.request(question);
  try {
    return with_file_in_errors(program, [&] { return read(parse_json(line, program)); });
  } catch (const InputError& error) {
    throw SimulationError(error.what());
  }
}

Plan plan_exec(ParameterTexts parameters, const Platform& platform, const Problem& problem) {
  const std::string program = parameters.extract(kProgram).mapped();
  const auto asked_limit = parameters.extract(kTimeLimit);
  const double answer_limit_s =
      asked_limit ? parse_number<std::int32_t>(asked_limit.mapped()).value() : kDefaultTimeLimit_s;
  const auto conversation = std::make_shared<Subprocess>(program, answer_limit_s);
  PlanAnswer answer =
      ask(program, *conversation, to_json_line(to_json(platform, problem, parameters)),
          [&](const nlohmann::json& plan) { return read_plan(plan, platform, problem); });
  return make_plan(
      std::move(answer), platform, problem, [program, conversation](const RequestView& view) {
        return ask(program, *conversation, to_json_line(to_json(view)),
                   [&](const nlohmann::json& choice) { return read_choice(choice, view); });
      });
}

}  // namespace

const std::vector<HeuristicEntry>& exec_registry() {
  static const std::vector<HeuristicEntry> registry{
      {{.name = "exec",
        .description = "a program of yours, in any language",
        .source = "heuristics/PROTOCOL.md",
        .groups = {},
        .parameters = {{kTimeLimit,
                        {},
                        std::to_string(kDefaultTimeLimit_s),
                        "seconds for each of its answers; other parameters are passed on to it"}},
        .in_all_group = false,
        .argument = kProgram,
        .accepts_any_parameter = true},
       [](const ParameterTexts& parameters) {
         return std::make_unique<Heuristic>(
             Requirements{.blocks = 3}, std::bind_front(plan_exec, parameters), Origin::external);
       }}};
  return registry;
}

}  // namespace starport
