// The JSON messages between Starport and external heuristics (heuristics/PROTOCOL.md).
#pragma once

#include "heuristics/registry.hpp"
#include "heuristics/star/external/requests.hpp"
#include "sim/star/schedule_json.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// The protocol version that Starport sends and requires in answers.
inline constexpr int kProtocolVersion = 1;

/// Returns the first message of a conversation, which asks for a plan.
nlohmann::ordered_json to_json(const Platform& platform, const Problem& problem,
                               const ParameterTexts& parameters);

/// An external heuristic's answer: either a complete schedule (`transfers`), or the announcement
/// that it chooses among the requests of workers whose chunks use `layout`.
struct PlanAnswer {
  std::vector<std::pair<std::string, std::string>> details = {};  ///< names and texts for reports
  std::optional<std::vector<Transfer>> transfers = {};
  const MemoryLayout* layout = nullptr;  ///< null if `transfers` is set
};
/// Parses the answer to the first message. Throws InputError if it is malformed, and NotApplicable
/// with its reason if the heuristic declines the instance.
PlanAnswer read_plan(const nlohmann::json& answer, const Platform& platform,
                     const Problem& problem);

/// Returns the message that asks which request is served next.
nlohmann::ordered_json to_json(const RequestView& view);
/// Parses the answer: the index in `view.requests` of the request to serve, or nullopt to serve
/// none now. Throws InputError if it is malformed or names a worker without a request.
std::optional<std::size_t> read_choice(const nlohmann::json& answer, const RequestView& view);

/// Makes a plan from an answer. Without `transfers` in the answer, `choose` is called each time the
/// port is free; the platform and the problem must outlive the plan.
Plan make_plan(PlanAnswer answer, const Platform& platform, const Problem& problem,
               ChooseRequest choose);

}  // namespace starport
