// Heuristics that run as external programs, and the JSON messages of those for the star
// (heuristics/PROTOCOL.md).
#pragma once

#include "heuristics/external/requests.hpp"
#include "heuristics/registry.hpp"
#include "sim/star/schedule_file.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// Returns a registry with the entries exec:PROGRAM, exec-tiles:PROGRAM and exec-spmd:PROGRAM,
/// which stand for all algorithms for stars, tile tasks and distributed products that run as
/// external programs (searched in PATH). Created at the first call, which is thread-safe; valid
/// until the process ends.
///
/// Each plan of a star starts the program, which is killed at once if it answers with a complete
/// schedule. Otherwise it is asked for each decision of the run, and killed when the plan is
/// destroyed. Planning and decisions block until the program answers. They throw SimulationError if
/// the program cannot be run, ends or gives a malformed answer, and MachineError if no process can
/// be created, or the program is killed or exceeds one of the limits that are its parameters
/// (time_limit and others). Planning throws NotApplicable if the program declines the platform and
/// product, and InputError if no worker has memory for 3 blocks.
const std::vector<Entry<Algorithm>>& exec_registry();

/// Returns the first message of a conversation with an external heuristic, a JSON object that asks
/// for a plan, with the keys "protocol" (kProtocolVersion), "platform" (in seconds and blocks),
/// "problem" (the product: "r", "s" and "t" in blocks, "block_size" in elements) and "parameters"
/// (an object of texts, possibly empty); heuristics/protocol.schema.json is its schema.
nlohmann::ordered_json to_json(const Platform& platform, const Problem& problem,
                               const ParameterTexts& parameters);

/// An external heuristic's answer to the question for a plan: either a complete schedule
/// (`transfers`), or the announcement that it decides during the run which worker's request for a
/// transfer is served next (`layout`). Made by read_plan(), used by make_plan(). Owns its data.
struct PlanAnswer {
  /// Names and values of choices that the heuristic made, shown in reports; may be empty.
  std::vector<std::pair<std::string, std::string>> details = {};
  /// The complete schedule, i.e. all transfers in order; nullopt if the heuristic decides during
  /// the run. An empty list is a schedule without transfers.
  std::optional<std::vector<Transfer>> transfers = {};
  /// The memory layout (how a worker divides its memory between a chunk of C and buffers for A and
  /// B) by which chunks are cut. If the answer names none: kOptimizedOverlapped, with two sets of
  /// buffers, one received while the other is used. Points to a constant of the program, never
  /// freed. Null if `transfers` is set.
  const MemoryLayout* layout = nullptr;
};
/// Converts an external heuristic's answer to the first message, for this platform and product,
/// into a PlanAnswer. The answer is an object with "protocol", one of "transfers", "decides" and
/// "not_applicable", and optional "layout" and "details" (heuristics/PROTOCOL.md); its transfers
/// number workers from 1, and their ranges of blocks are half-open, from 0. Throws InputError
/// (without a file name) if a key, type, range or the protocol version is wrong, and NotApplicable
/// with the heuristic's reason if it declines. Does not check that the transfers form a valid
/// schedule. The result refers to none of the arguments.
PlanAnswer read_plan(const nlohmann::json& answer, const Platform& platform,
                     const Problem& problem);

/// Returns the message that asks an external heuristic which worker's request for a transfer is
/// served next, as a JSON object: "now_s" (date), "columns_left" (block columns of C) and
/// "requests", an array of objects with the members of OpenRequest as keys. Workers are numbered
/// from 1 in it; dates are in seconds since the start of the run, null if not known.
nlohmann::ordered_json to_json(const RequestView& view);
/// Converts the answer of an external heuristic to the question which worker's request is served
/// next: {"serve": N}, with a worker's number from 1, or null. Returns the index in `view.requests`
/// (from 0) of that worker's request, or nullopt to serve none now. Throws InputError (without a
/// file name) if the answer is malformed or names a worker without a request.
std::optional<std::size_t> read_choice(const nlohmann::json& answer, const RequestView& view);

/// Returns the plan that the answer of an external heuristic describes; its dispatcher is not null.
/// If `answer.transfers` is set, the plan sends them in their order and `choose` is dropped.
/// Otherwise `answer.layout` must not be null (not checked), and `choose`, which the plan owns, is
/// called during the run each time a port is free to choose the worker's request to serve
/// (std::bad_function_call in the run if it is empty); its exceptions end the run. The problem must
/// then outlive the plan; the platform need not.
Plan make_plan(PlanAnswer answer, const Platform& platform, const Problem& problem,
               ChooseRequest choose);

}  // namespace starport
