#include "heuristics/star/others/exec.hpp"

#include "heuristics/star/others/protocol.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/json_text.hpp"
#include "sim/process/conversation.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <utility>

namespace starport {
namespace {

constexpr const char* kProgram = "PROGRAM";
constexpr const char* kTimeLimit = "time_limit";
constexpr std::int32_t kDefaultTimeLimit_s = 60;

/// What `read` makes of an answer. One that is wrong is a failed run, not bad input.
template <class Read>
auto answered(const std::string& program, Conversation& conversation, const std::string& question,
              Read read) {
  const std::string line = conversation.ask(question);
  try {
    return named_by_file(program, [&] { return read(parse_json(line, program)); });
  } catch (const InputError& error) {
    throw SimulationError(error.what());
  }
}

Plan plan_exec(ParameterTexts parameters, const Platform& platform, const Problem& problem) {
  const std::string program = parameters.extract(kProgram).mapped();
  const auto asked_limit = parameters.extract(kTimeLimit);
  const double answer_limit_s =
      asked_limit ? parse_number<std::int32_t>(asked_limit.mapped()).value() : kDefaultTimeLimit_s;
  const auto conversation = std::make_shared<Conversation>(program, answer_limit_s);
  PlanAnswer answer =
      answered(program, *conversation, on_one_line(to_json(platform, problem, parameters)),
               [&](const nlohmann::json& plan) { return read_plan(plan, platform, problem); });
  return plan_of(
      std::move(answer), platform, problem, [program, conversation](const RequestView& view) {
        return answered(program, *conversation, on_one_line(to_json(view)),
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
        .in_all = false,
        .argument = kProgram,
        .open = true},
       [](const ParameterTexts& parameters) {
         return std::make_unique<Heuristic>(Requirements{.blocks = 3},
                                            std::bind_front(plan_exec, parameters),
                                            Origin::somebody_else);
       }}};
  return registry;
}

}  // namespace starport
