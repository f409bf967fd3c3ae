// What Starport and heuristics of others tell each other, as JSON (heuristics/PROTOCOL.md).
#pragma once

#include "heuristics/registry.hpp"
#include "heuristics/star/others/requests.hpp"
#include "sim/star/schedule_json.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport {

inline constexpr int kProtocolVersion = 1;

/// What is to be planned.
nlohmann::ordered_json to_json(const Platform& platform, const Problem& problem,
                               const ParameterTexts& parameters);

/// A whole schedule, or the layout of the chunks whose requests are decided on.
struct PlanAnswer {
  std::vector<std::pair<std::string, std::string>> details = {};
  std::optional<std::vector<Transfer>> transfers = {};
  const MemoryLayout* layout = nullptr;  ///< where there are no transfers
};
/// Throws InputError, and NotApplicable when that is the answer.
PlanAnswer read_plan(const nlohmann::json& answer, const Platform& platform,
                     const Problem& problem);

nlohmann::ordered_json to_json(const RequestView& view);
/// The place of the request served, if any. Throws InputError.
std::optional<std::size_t> read_choice(const nlohmann::json& answer, const RequestView& view);

/// The plan of an answer; `choose` decides where it has no transfers.
Plan plan_of(PlanAnswer answer, const Platform& platform, const Problem& problem,
             ChooseRequest choose);

}  // namespace starport
