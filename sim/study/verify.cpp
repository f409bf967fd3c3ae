#include "sim/study/verify.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/study/result_directory.hpp"

namespace starport {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw InputError("", "the file that was written", "another").in_file(path);
}

/// How many instances have rows, each as it was written.
std::int64_t verify_rows(const std::string& path, const std::string& header, Checksums::Rows rows,
                         const Checksums& checksums) {
  const std::string text = read_rows(path);
  std::int64_t proven = 0;
  for (const auto& [number, block] : index_rows(text, header, path)) {
    if (!checksums.has(number)) continue;  // under way when its program was killed
    if (!checksums.prove(rows, number, block.of(text))) {
      throw damaged_rows(path, text, block);
    }
    ++proven;
  }
  return proven;
}

}  // namespace

Verified verify_directory(const std::string& directory, const Known& known) {
  const auto path = [&](const char* name) { return path_in(directory, name); };
  const nlohmann::ordered_json info = read_run_info(directory);
  if (read_file(path(ResultDirectory::kRunInfo)) != sealed_run_info(info)) {
    refuse(path(ResultDirectory::kRunInfo));
  }
  const auto expect = [&](const char* name, const char* key) {
    if (info.value(key, "") != sha256(read_rows(path(name)))) refuse(path(name));
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
  checksums.read(read_rows(path(ResultDirectory::kChecksums)), path(ResultDirectory::kChecksums));
  const ResultRows rows(specification);
  found.instances = verify_rows(path(ResultDirectory::kResults), rows.header(),
                                Checksums::Rows::results, checksums);
  verify_rows(path(ResultDirectory::kTimings), ResultRows::timings_header(),
              Checksums::Rows::timings, checksums);
  return found;
}

}  // namespace starport
