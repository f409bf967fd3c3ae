// How the rules of the validator say that a trace breaks them.
#pragma once

#include <string>
#include <utility>

namespace starport {

/// Thrown by a rule, caught by the validator, which adds the transfer.
struct BrokenRule {
  std::string message;
};

[[noreturn]] inline void broken(std::string message) { throw BrokenRule{std::move(message)}; }

}  // namespace starport
