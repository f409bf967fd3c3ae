// The exception types of all programs, and suggestions for misspelled names.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// Exception for invalid input: a file, an option or a value that a command refuses. what() is one
/// line without a newline, `file: place: expected ..., found ... (hint)` or `file: place: problem.
/// advice`; run_program() prints it and exits with status 2 (kBadInput). Copies are independent
/// values.
class InputError : public std::runtime_error {
 public:
  /// Makes an error without a file name (see in_file()). In what(), an empty `place_` or `hint_` is
  /// left out, control characters become spaces, and long parts are cut (after 300 to 1000 bytes).
  /// `found_` may be "none" or "nothing" when the expected thing is absent: what() then says "but
  /// there is none" or "but nothing is given". With an empty `expected_`, `found_` is a sentence,
  /// without a full stop, that says what is wrong, and `hint_` follows as another one.
  InputError(std::string place_, std::string expected_, std::string found_, std::string hint_ = {})
      : std::runtime_error(""),
        place(std::move(place_)),
        expected(std::move(expected_)),
        found(std::move(found_)),
        hint(std::move(hint_)) {
    compose();
  }

  /// Returns an error without a file name that reads "place: problem. advice" instead of "place:
  /// expected ..., found ...". `problem` and `advice` are sentences, `problem` without a full stop;
  /// an empty `advice` is left out.
  static InputError with_problem(std::string place, std::string problem, std::string advice = {}) {
    return {std::move(place), {}, std::move(problem), std::move(advice)};
  }

  /// Returns, without throwing it, the error that `name`, found at `place` (an option or a JSON
  /// pointer), is not `what` (a kind with its article, such as "a command") or, if `name` is empty,
  /// that `what` is missing. The message suggests the nearest of `names` if it is similar enough
  /// (did_you_mean()), and ends in "Choose one of: `listed`" unless `listed` is empty. It names no
  /// file.
  static InputError with_unknown_name(std::string place, const std::string& name,
                                      const std::string& what,
                                      const std::vector<std::string>& names,
                                      const std::string& listed);

  /// Returns a copy of this error whose message starts with the file name `name`; a file name given
  /// before is replaced.
  InputError in_file(std::string name) const {
    InputError located = *this;
    located.file = std::move(name);
    located.compose();
    return located;
  }

  /// Returns the composed message, one line without a newline, valid as long as this object. Later
  /// changes to the members file, place, expected, found and hint do not change it.
  const char* what() const noexcept override { return text_.c_str(); }

  /// Name of the file at fault; empty when an option is at fault or the file is not known yet.
  std::string file;
  /// Place of the invalid input, such as a JSON pointer ("/" for a whole document), "line L, column
  /// C" or an option; may be empty.
  std::string place;
  /// Description of the input that is accepted at `place`; empty if `found` is a sentence that says
  /// what is wrong.
  std::string expected;
  /// Invalid input that was given instead of `expected` ("none" or "nothing" if there was none),
  /// or, if `expected` is empty, a sentence that says what is wrong.
  std::string found;
  /// Advice on how to fix the invalid input, such as "did you mean 'X'?"; may be empty.
  std::string hint;

 private:
  void compose();

  std::string text_;
};

/// Calls `read()` and returns its result by value. An InputError thrown by it is rethrown with
/// `path` as its file, unless it names a file already; other exceptions pass unchanged.
template <class Read>
auto with_file_in_errors(const std::string& path, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    if (!error.file.empty()) throw;
    throw error.in_file(path);
  }
}

/// Exception for a simulation or run that did not complete or whose trace (dated transfers and
/// computations) violates the rules of the model. Its row of results then has the status "error",
/// what() as the reason, and no numbers; outside a comparison run_program() exits with status 1.
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Exception for a heuristic that does not apply to a platform or a product; not an InputError. Its
/// row of results has the status "not applicable" and what() as the reason, and the other
/// heuristics still run.
class NotApplicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Cause of the failure of a run: the model or heuristic itself (it would fail again), or the
/// machine, on which time ran out, memory ran out, or a process was killed.
enum class FailureCause : std::uint8_t { model, time, memory, killed };

/// The causes of failures of runs, in the order of the enumeration: the model or heuristic itself,
/// time ran out, memory ran out, or a process was killed.
inline constexpr std::array<FailureCause, 4> kFailureCauses{
    FailureCause::model, FailureCause::time, FailureCause::memory, FailureCause::killed};

/// Returns the name of the cause of a run's failure as files of results have it: "model", "time",
/// "memory" or "killed"; a string literal. `cause` must be one of the enumeration (undefined
/// behaviour otherwise).
inline const char* to_string(FailureCause cause) {
  constexpr std::array<const char*, 4> names{"model", "time", "memory", "killed"};
  return names[static_cast<std::size_t>(cause)];
}

/// Exception for a run that failed because of the machine (time, memory, or a killed process; see
/// FailureCause), not of the input or the algorithm: another machine, or this one at another time,
/// may complete it.
class MachineError : public SimulationError {
 public:
  /// Makes an error with the message `what` for a run that failed because of the machine. `cause`
  /// must not be FailureCause::model (not checked).
  MachineError(FailureCause cause, const std::string& what)
      : SimulationError(what), cause_(cause) {}
  /// Returns why the machine made the run fail: time ran out, memory ran out, or a process was
  /// killed.
  FailureCause cause() const { return cause_; }

 private:
  FailureCause cause_;
};

/// Returns the smallest number of insertions, deletions, substitutions and swaps of neighbouring
/// bytes that turn `a` into `b` (restricted Damerau-Levenshtein distance), ignoring ASCII case.
/// Takes time proportional to the product of their lengths.
std::size_t edit_distance(const std::string& a, const std::string& b);

/// Returns the hint "did you mean 'X'?" with the candidate nearest to `word` by edit_distance(), or
/// "" when none is near enough to be a misspelling: within max(1, n / 3) edits, and fewer than n,
/// for the n bytes of `word`. `candidates` is a range of strings; of equally near ones the first is
/// suggested. "" for an empty `word`.
template <class Names>
std::string did_you_mean(const std::string& word, const Names& candidates) {
  std::string nearest;
  std::size_t distance = std::min(word.size(), std::max<std::size_t>(1, word.size() / 3) + 1);
  for (const auto& candidate : candidates) {
    const std::size_t d = edit_distance(word, candidate);
    if (d < distance) {
      distance = d;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : "did you mean '" + nearest + "'?";
}

/// Returns a reference to the first item of `items` whose member `name` equals `name`; it is valid
/// as long as that item. Throws InputError at `place` when there is none; its message lists all
/// names and suggests a similar one, if any. `what` is the kind of item with its article, such as
/// "a command".
template <class Items>
const auto& find_named(const Items& items, const std::string& name, const std::string& place,
                       const std::string& what) {
  std::vector<std::string> names;
  std::string listed;
  for (const auto& item : items) {
    if (item.name == name) return item;
    listed += names.empty() ? "" : ", ";
    listed += names.emplace_back(item.name);
  }
  throw InputError::with_unknown_name(place, name, what, names, listed);
}

}  // namespace starport
