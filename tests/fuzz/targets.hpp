// What is fuzzed: each reader of what others wrote. An input is refused by an InputError (a run
// that cannot be: a SimulationError, a NotApplicable), or taken whole, and then what follows from
// it holds. Anything else, another exception too, is a finding.
#pragma once

#include "sim/process/isolation.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace starport::fuzz {

struct Target {
  std::string_view name;  ///< as --reader takes it
  void (*read)(const std::string& text);
};

std::vector<Target> file_targets();       ///< files and options, one text each
std::vector<Target> directory_targets();  ///< result directories and the page

/// Ends the program when what must hold does not.
void must(bool holds, const char* what);

/// A file in memory, with a name; for one text after the other.
class InputFile {
 public:
  InputFile();
  explicit InputFile(std::string_view text) : InputFile() { set(text); }
  void set(std::string_view text) const;
  std::string path() const;

 private:
  FileDescriptor file_;
};

}  // namespace starport::fuzz
