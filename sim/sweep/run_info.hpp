// What made the results of a directory, as its run_info.json tells it.
#pragma once

#include "sim/sweep/specification.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace starport {

/// What makes the results, beside the specification: the same for all of them.
struct Maker {
  std::string engine;
  std::string simgrid_version;
  Shard shard;
};

/// That of a sweep before its first run.
nlohmann::ordered_json run_info_of(const Specification& specification, const Maker& maker);

/// Throws InputError naming the file when another version made the results, or another engine,
/// than one that is `expected` to make the same.
void check_maker(const nlohmann::ordered_json& found, const nlohmann::ordered_json& expected,
                 const std::string& directory, const std::string& hint = "");

/// run_info.json of a directory, its form checked. Throws InputError.
nlohmann::ordered_json read_run_info(const std::string& directory);

/// As run_info.json has it: its last key is the SHA-256 of the file without that key.
std::string sealed_run_info(nlohmann::ordered_json run_info);

}  // namespace starport
