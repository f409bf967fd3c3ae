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
/// before any "[" with parameters, as in "exec:./mine". Names of this program's heuristics and of
/// plug-ins have none.
bool is_program(const NamedAlgorithm& named);

/// Computes what the explorer shows. Runs each heuristic in a child process, which may take
/// `time_limit_s` wall-clock seconds (0: no limit); a quick answer and a sweep are computed in this
/// process, where not every model enforces the limit. Call it from a process with one thread.
/// Throws InputError for an invalid request, std::exception for other failures. `programs` are the
/// heuristics that run as programs ("exec:./mine") and may be compared; a request with others is
/// refused, since it may come from a page.
///
/// The request is a JSON object with the keys
/// - platform (the object of a platform file), problem ("8000x8000x64000"), block_size (an
///   integer), noise and heuristics (as --noise and --heuristics take them, without files and
///   programs; "": none, and what suits the platform);
/// - charts: names of heuristics whose timelines and divisions of C are wanted; if none of them is
///   compared, those of the two fastest are given;
/// - view, if given: what the page remembers of its Gantt charts, an object that is not read;
/// - quick: true to let Polaris plan with effort=low;
/// - sweep, if it is an object: {"field": "bandwidth"|"speed"|"memory"|"latency", "entry": index of
///   an entry of the list of workers, or null for all}; the answer is then sweep_json();
/// - page, if given: the answer is {"page": explorer_page() of the request and its answer}.
///
/// Otherwise the answer is an object with `comparison` (what `starport run --json` prints),
/// `charts` (timelines and divisions of C) and `styles` (colour numbers) by algorithm, `bounds_s`
/// (the lower bound in seconds for each algorithm in order, or null), `entries` and `names` of the
/// workers, `headings` and `work` (key of Presentation::work_figure()) of the models, and
/// `command`, the `starport run` that gives the same.
nlohmann::ordered_json compute_answer(const nlohmann::json& request, double time_limit_s,
                                      const HeuristicNames& programs);

/// Returns compute_answer() for a request given as JSON text, on one line; {"error": message} if it
/// fails. `time_limit_s` limits each run in wall-clock seconds (0: no limit); `programs` are the
/// external programs that may be compared. Call it from a process with one thread.
std::string answer_request(const std::string& request, double time_limit_s,
                           const HeuristicNames& programs);

/// Returns the page of the explorer as one HTML file. `state` is the request that it shows first,
/// without page. With an answer to it, an object, the page needs no server; null: it asks the
/// server that it came from. It offers `programs` beside the heuristics of this program and its
/// plug-ins.
std::string explorer_page(const nlohmann::json& state, const nlohmann::ordered_json& answer,
                          const HeuristicNames& programs);

/// Largest size in bytes of a request of the explorer's page (1 MiB); serve_explorer() refuses
/// larger ones with an error.
inline constexpr std::size_t kMaxRequestBytes = 1 << 20;

}  // namespace starport
