#include "sim/sweep/run_info.hpp"

#include "sim/files/input_file.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/json_text.hpp"
#include "sim/process/version.hpp"
#include "sim/sweep/sha256.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace starport {
namespace {

using nlohmann::ordered_json;

std::string compiler() {
#ifdef __clang__
  return __VERSION__;
#else
  return "GCC " __VERSION__;
#endif
}

}  // namespace

std::string path_in(const std::string& directory, const char* name) {
  return (std::filesystem::path(directory) / name).string();
}

ordered_json make_run_info(const Specification& specification, const ResultOrigin& origin) {
  ordered_json inputs = ordered_json::array();
  for (const auto& [path, content] : specification.inputs) {
    inputs.push_back({{"path", path}, {"sha256", sha256(content)}});
  }
  return {{"schema_version", 1},
          {"complete", false},
          {"sweep", specification.name},
          {"specification_sha256", sha256(specification.resolved)},
          {"instances", origin.shard.size(specification.size())},
          {"shard", {{"index", origin.shard.index}, {"count", origin.shard.count}}},
          {"starport", kVersion},
          {"commit", kCommit},
          {"engine", origin.engine},
          {"simgrid", origin.simgrid_version},
          {"compiler", compiler()},
          {"inputs", inputs},
          {"runs", ordered_json::array()}};
}

void check_origin(const ordered_json& found, const ordered_json& expected,
                  const std::string& directory, const std::string& hint) {
  for (const char* key : {"shard", "starport", "commit", "engine", "simgrid"}) {
    if (found[key] == expected[key]) continue;
    throw InputError("", fmt::format("{} {}", key, to_json_line(expected[key])),
                     to_json_line(found[key]), hint)
        .in_file(path_in(directory, result_files::kRunInfo));
  }
}

std::string run_info_text(ordered_json run_info) {
  run_info.erase("run_info_sha256");
  const auto text = [&] { return to_indented_json(run_info); };
  run_info["run_info_sha256"] = sha256(text());
  return text();
}

ordered_json read_run_info(const std::string& directory) {
  const std::string path = path_in(directory, result_files::kRunInfo);
  if (std::error_code error; !std::filesystem::exists(path, error)) {
    throw InputError("", "a directory of results, as starport sweep -o makes them",
                     !std::filesystem::exists(directory, error) ? "no such directory"
                     : std::filesystem::is_directory(directory, error)
                         ? "a directory without run_info.json"
                         : "a file")
        .in_file(directory);
  }
  const std::string text = read_file(path);
  with_file_in_errors(path, [&] {
    const nlohmann::json document = parse_json(text, path);
    const JsonNode root(document);
    root.at("complete").boolean();
    for (const char* key : {"starport", "commit", "engine", "simgrid"}) root.at(key).text();
    const std::int64_t count = root.at("shard").at("count").integer(1, kMaxInstances);
    root.at("shard").at("index").integer(1, count);
    root.at("runs").elements();
    root.at("specification_sha256").text();
    for (const char* key :
         {"results_sha256", "timings_sha256", "checksums_sha256", "run_info_sha256"}) {
      if (const auto hash = root.find(key)) hash->text();
    }
  });
  return parse_trusted_json(text);
}

}  // namespace starport
