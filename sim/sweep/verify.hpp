// Whether a result directory is as it was written, byte for byte.
#pragma once

#include "sim/results/model.hpp"
#include "sim/sweep/specification.hpp"

#include <cstdint>
#include <string>

namespace starport {

struct Verified {
  bool complete = false;
  std::int64_t instances = 0;  ///< whose rows are there
  std::int64_t size = 0;       ///< instances of the directory in all
};

/// Of an unfinished one the rows alone. Throws InputError naming the file, and the line of rows,
/// that is not what was written.
Verified verify_directory(const std::string& directory, const Known& known);

}  // namespace starport
