#include "sim/sweep/verify.hpp"

#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json_node.hpp"
#include "sim/sweep/result_directory.hpp"

namespace starport {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw InputError("", "the file that was written", "another").in_file(path);
}

/// How many instances have rows, each as it was written.
std::int64_t verify_rows(const std::string& path, const std::string& header, Checksums::Rows rows,
                         const Checksums& checksums, InstanceSet proven) {
  RowReader file(path, header);
  Suspects suspects(path);
  while (const auto block = file.next()) {
    suspects.clear(block->instance);
    if (!checksums.has(block->instance)) continue;  // under way when its program was killed
    if (!checksums.prove(rows, block->instance, block->text)) suspects.add(*block);
    proven.add(block->instance);
  }
  suspects.refuse();
  return proven.size();
}

}  // namespace

Verified verify_directory(const std::string& directory, const Known& known) {
  const auto path = [&](const char* name) { return path_in(directory, name); };
  const nlohmann::ordered_json info = read_run_info(directory);
  if (read_file(path(ResultDirectory::kRunInfo)) != sealed_run_info(info)) {
    refuse(path(ResultDirectory::kRunInfo));
  }
  const auto expect = [&](const char* name, const char* key) {
    if (info.value(key, "") != sha256_of_file(path(name))) refuse(path(name));
  };
  expect(ResultDirectory::kSpecification, "specification_sha256");
  const Specification specification =
      load_specification(path(ResultDirectory::kSpecification), known);
  const Shard shard{.index = info["shard"]["index"], .count = info["shard"]["count"]};
  Verified found{.complete = info["complete"], .size = shard.size(specification.size())};
  if (found.complete) {
    expect(ResultDirectory::kResults, "results_sha256");
    expect(ResultDirectory::kTimings, "timings_sha256");
    expect(ResultDirectory::kChecksums, "checksums_sha256");
    found.instances = found.size;
    return found;
  }
  Checksums checksums;
  checksums.read(path(ResultDirectory::kChecksums));
  const ResultRows rows(specification);
  const InstanceSet none(shard, specification.size());
  found.instances = verify_rows(path(ResultDirectory::kResults), rows.header(),
                                Checksums::Rows::results, checksums, none);
  verify_rows(path(ResultDirectory::kTimings), ResultRows::timings_header(),
              Checksums::Rows::timings, checksums, none);
  return found;
}

}  // namespace starport
