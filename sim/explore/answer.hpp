// The answers of `starport explore` to its page: everything that the page shows, computed as by
// `starport run`.
#pragma once

#include "sim/results/model.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace starport {

/// Names of heuristics that run as external programs, such as "exec:./mine", as results show them
/// (NamedAlgorithm::name).
using HeuristicNames = std::vector<std::string>;

/// Returns true if the heuristic runs as an external program, which its name shows by a colon
/// before any "[" with parameters, as in "exec:./mine". Also true for a heuristic of a plug-in that
/// takes a text after a colon (AlgorithmEntry::argument); no other name has a colon there.
bool is_program(const NamedAlgorithm& named);

/// Computes what the explorer, the interactive page of `starport explore`, shows. Runs each
/// heuristic in a child process, which may take `time_limit_s` wall-clock seconds (0: no limit).
/// Built-in ones may run in this process instead, where not every model enforces the limit: for a
/// quick answer, for a sweep, and without a limit. Plans the divisions of C for charts once more
/// without that limit, those of built-in heuristics in this process. Call it from a process with
/// one thread. `programs` are the external programs ("exec:./mine") that may be compared; a request
/// for others is refused, since it may come from a page. Throws InputError for an invalid request,
/// another std::exception for other failures.
///
/// The request is a JSON object with no other keys than
/// - platform (the object of a platform file), problem (sizes in matrix elements, as --problem
///   takes them), and block_size (in matrix elements, an integer);
/// - noise (as --noise takes it, but without files; "": none);
/// - heuristics (as --heuristics takes them; "": what suits the platform);
/// - charts: names of heuristics whose timelines and divisions of C are wanted; if none of them is
///   compared or none completes, those of the two fastest are given;
/// - quick: true for a quick answer, in which Polaris, if it has no parameters, has effort=low (in
///   a sweep it always has);
/// - sweep, if it is an object: {"field": "bandwidth"|"speed"|"memory"|"latency", "entry": index
///   from 0 of an entry of the platform's list of workers, or null for all}; the answer is then
///   sweep_json(), unless page is given;
/// - view, if given: what the page remembers of its Gantt charts, not read;
/// - page, if given: the answer is {"page": explorer_page() of the request and its answer}.
///
/// Otherwise the answer is an object with `comparison` (what `starport run --json` prints),
/// `charts` (timelines of at most a million activities, and divisions of C) and `styles` (colour
/// numbers) by name of the heuristic, `bounds_s` (for each heuristic in order, the lower bound on
/// the makespan in seconds, or null), `entries` (those of the platform's list of workers, with the
/// values that may be changed), `names` of the workers, `headings` (a text per model), `work` (by
/// model, the key of Presentation::work_figure()), and `command`, the `starport run` that gives the
/// same as an answer that is not quick, for the platform saved as platform.json.
nlohmann::ordered_json compute_answer(const nlohmann::json& request, double time_limit_s,
                                      const HeuristicNames& programs);

/// Answers a request given as JSON text: returns what compute_answer() returns, as JSON on one line
/// without a newline, or {"error": message} if that throws a std::exception or the text is not
/// valid JSON. `time_limit_s` is the limit on a run in wall-clock seconds (0: none), with the
/// exceptions that compute_answer() names; `programs` are the external programs that may be
/// compared. Call it from a process with one thread.
std::string answer_request(const std::string& request, double time_limit_s,
                           const HeuristicNames& programs);

/// Returns the page of `starport explore`, where users compare heuristics, as one HTML file.
/// `state` is the request that it shows first, as compute_answer() takes it, without the key page.
/// `answer` is null for a page that asks the server that it came from; for one that needs no server
/// it is the answer to `state`, with the answer to its sweep (null: none) under the key sweep. The
/// page offers `programs` beside the heuristics of this program and its plug-ins.
std::string explorer_page(const nlohmann::json& state, const nlohmann::ordered_json& answer,
                          const HeuristicNames& programs);

/// Largest size in bytes of the body of a request of the page of `starport explore` (1 MiB);
/// serve_explorer() refuses larger ones with an error.
inline constexpr std::size_t kMaxRequestBytes = 1 << 20;

}  // namespace starport
