// The ways in which a command, or one row of its results, can fail.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// Bad input: where it stands, what was expected there and what was found. The program exits
/// with status 2 after printing what() on one line.
class InputError : public std::runtime_error {
 public:
  InputError(std::string place_, std::string expected_, std::string found_, std::string hint_ = {})
      : std::runtime_error(""),
        place(std::move(place_)),
        expected(std::move(expected_)),
        found(std::move(found_)),
        hint(std::move(hint_)) {
    compose();
  }

  /// The same error, once the file that holds the place is known.
  InputError in_file(std::string name) const {
    InputError located = *this;
    located.file = std::move(name);
    located.compose();
    return located;
  }

  const char* what() const noexcept override { return text_.c_str(); }

  std::string file;      ///< the file, empty when the fault is in an option
  std::string place;     ///< JSON pointer, line and column, or option; may be empty
  std::string expected;  ///< what would have been right
  std::string found;     ///< what stands there
  std::string hint;      ///< the near miss, or how to mend it; may be empty

 private:
  void compose();

  std::string text_;
};

/// What `read` gives; an error of it names the file, unless it names another one already.
template <class Read>
auto named_by_file(const std::string& path, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    if (!error.file.empty()) throw;
    throw error.in_file(path);
  }
}

/// A simulation that did not complete, or whose trace breaks the model: an error, never a number.
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The heuristic does not apply to this platform; its row says why and the run goes on.
class NotApplicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How many letters differ, lack, or are swapped with their neighbour between two words, whatever
/// their case.
std::size_t edit_distance(const std::string& a, const std::string& b);

/// " (did you mean 'X'?)"-style hint: the candidate nearest to `word` in edit distance, or "" when
/// none is near enough to be a slip of the hand.
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

/// The item of that name; else InputError at the place, which lists what there is and has the near
/// miss.
template <class Items>
const auto& find_named(const Items& items, const std::string& name, const std::string& place,
                       const std::string& what) {
  std::vector<std::string> names;
  std::string expected = what + ":";
  for (const auto& item : items) {
    if (item.name == name) return item;
    expected += names.empty() ? " " : ", ";
    expected += names.emplace_back(item.name);
  }
  throw InputError(place, expected, name.empty() ? "nothing" : "'" + name + "'",
                   did_you_mean(name, names));
}

}  // namespace starport
