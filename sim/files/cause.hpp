// Whose failure it is.
#pragma once

#include "sim/files/error.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace starport {

/// The model's, which comes back however often it is tried; or the machine's, on which time or
/// memory lacked or a process was killed.
enum class Cause : std::uint8_t { model, time, memory, killed };
inline constexpr std::array<Cause, 4> kCauses{Cause::model, Cause::time, Cause::memory,
                                              Cause::killed};

inline const char* to_string(Cause cause) {
  constexpr std::array<const char*, 4> names{"model", "time", "memory", "killed"};
  return names[static_cast<std::size_t>(cause)];
}

/// What another machine, or this one later, may carry out.
class MachineError : public SimulationError {
 public:
  MachineError(Cause cause, const std::string& what) : SimulationError(what), cause_(cause) {}
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

}  // namespace starport
