// Lists of heuristics as they are written on the command line.
#pragma once

#include "heuristics/star/heuristic.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

struct NamedHeuristic {
  std::string name;  ///< as it is asked for again: "Het" or "Het[ratio=local]"
  std::unique_ptr<Heuristic> heuristic;
  bool named = true;  ///< asked for by name, not only as one of `all` or `all+`
};

/// Reads a list such as "Het,ODDOML", "Het[ratio=local],BMM", "all" (the seven of PPoPP'08) or
/// "all+" (every one). A name given twice counts once. Throws InputError naming the option.
std::vector<NamedHeuristic> parse_heuristics(std::string_view text,
                                             std::string_view option = "--heuristics");

}  // namespace starport
