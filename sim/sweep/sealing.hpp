// Files of rows, once every instance is there.
#pragma once

#include "sim/sweep/checksums.hpp"
#include "sim/sweep/instance_set.hpp"
#include "sim/sweep/row_file.hpp"

#include <string>
#include <string_view>

namespace starport {

/// Rewrites a file of rows by instance number, with the last block of each instance of `kept`,
/// where it is not in that order already. Its SHA-256 then. Throws InputError when a block is not
/// what its checksum says.
std::string put_in_order(const std::string& path, std::string_view header, const InstanceSet& kept,
                         const Checksums& checksums, Checksums::Rows rows);

/// Writes a line for each instance of two files in that order. The SHA-256 of what is written.
std::string write_checksums(const std::string& path, RowReader& results, RowReader& timings);

}  // namespace starport
