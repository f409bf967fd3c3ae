#include "sim/sweep/verify.hpp"

#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/output.hpp"
#include "sim/sweep/checksums.hpp"
#include "sim/sweep/result_rows.hpp"
#include "sim/sweep/run_info.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace starport {
namespace {

[[noreturn]] void fail_changed(const std::string& path) {
  throw InputError("", "the content that was written", "different content").in_file(path);
}

/// Returns how many instances have rows. Throws InputError when rows do not match their checksum.
std::int64_t verify_rows(const std::string& path, const std::string& header,
                         Checksums::File rows_file, const Checksums& checksums,
                         InstanceSet verified) {
  RowReader file(path, header);
  InvalidBlocks invalid(path);
  while (const auto block = file.next()) {
    invalid.remove(block->instance);
    if (!checksums.has(block->instance)) continue;  // being written when the program was killed
    if (!checksums.matches(rows_file, block->instance, block->text)) invalid.add(*block);
    verified.add(block->instance);
  }
  invalid.throw_if_any();
  return verified.size();
}

}  // namespace

void warn_about_changed_results(const std::vector<std::string>& paths) {
  for (const std::string& name : paths) {
    const std::filesystem::path path(name);
    const std::string directory = path.has_parent_path() ? path.parent_path().string() : ".";
    if (path.filename() != result_files::kResults ||
        !std::filesystem::exists(path_in(directory, result_files::kRunInfo))) {
      continue;
    }
    try {
      read_complete_results(directory);
    } catch (const InputError& error) {
      print_notice(fmt::format("warning: {}", error.what()));
    }
  }
}

CompleteResults read_complete_results(const std::string& path) {
  CompleteResults results{.path = path, .run_info = read_run_info(path)};
  if (results.run_info["complete"] != true) {
    throw InputError("", "a complete sweep", "an unfinished one",
                     "starport sweep ... --resume continues it")
        .in_file(path);
  }
  results.shard = {.index = results.run_info["shard"]["index"],
                   .count = results.run_info["shard"]["count"]};
  results.specification = read_file(path_in(path, result_files::kSpecification));
  if (results.run_info.value("specification_sha256", "") != sha256(results.specification)) {
    throw InputError("", "the specification that run_info.json describes", "a different one",
                     "specification.json has been changed since")
        .in_file(path);
  }
  if (results.run_info.value("results_sha256", "") !=
      sha256_of_file(path_in(path, result_files::kResults))) {
    throw InputError("", "the results that run_info.json describes", "different ones",
                     "results.csv has been changed since")
        .in_file(path);
  }
  return results;
}

Verification verify_directory(const std::string& directory, const ModelRegistry& registry) {
  const auto path = [&](const char* name) { return path_in(directory, name); };
  const nlohmann::ordered_json info = read_run_info(directory);
  if (read_file(path(result_files::kRunInfo)) != run_info_text(info)) {
    fail_changed(path(result_files::kRunInfo));
  }
  const auto expect = [&](const char* name, const char* key) {
    if (info.value(key, "") != sha256_of_file(path(name))) fail_changed(path(name));
  };
  expect(result_files::kSpecification, "specification_sha256");
  const Specification specification =
      load_specification(path(result_files::kSpecification), registry);
  const Shard shard{.index = info["shard"]["index"], .count = info["shard"]["count"]};
  Verification found{.complete = info["complete"], .size = shard.size(specification.size())};
  if (found.complete) {
    expect(result_files::kResults, "results_sha256");
    expect(result_files::kTimings, "timings_sha256");
    expect(result_files::kChecksums, "checksums_sha256");
    found.instances = found.size;
    return found;
  }
  Checksums checksums;
  checksums.read(path(result_files::kChecksums));
  const ResultRows rows(specification);
  const InstanceSet none(shard, specification.size());
  found.instances = verify_rows(path(result_files::kResults), rows.header(),
                                Checksums::File::results, checksums, none);
  verify_rows(path(result_files::kTimings), ResultRows::timings_header(), Checksums::File::timings,
              checksums, none);
  return found;
}

}  // namespace starport
