// starport validate: check a platform or a schedule file.
#include "sim/cli/command.hpp"
#include "sim/cli/star/check_schedule.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/output.hpp"
#include "sim/process/clock.hpp"
#include "sim/star/star_model.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace starport {
namespace {

/// Whatever this process does meanwhile; it leaves nothing behind. 0: never.
void end_after(double time_limit_s) {
  if (time_limit_s == 0) return;
  constexpr double longest_s = 1e9;
  std::thread([=] {
    sleep_until(clock_s() + std::min(time_limit_s, longest_s));
    tell(fmt::format("timed out after {:g} s", time_limit_s));
    _exit(kFailedSimulation);
  }).detach();
}

std::string describe_platform(const nlohmann::json& document, const std::string& path,
                              const CommandLine& line) {
  const PlatformFile file = parse_platform(document, path);
  const std::int64_t q = line.block_size(file);
  const Platform platform = file.at_block_size(q);
  return fmt::format("{}: a valid platform\n", path) +
         platform_table(platform, {.r = 1, .s = 1, .t = 1, .block_size = q});
}

std::string describe_schedule(const nlohmann::json& document, const std::string& path) {
  const Schedule schedule = parse_schedule(document, path);
  const Metrics metrics = check_schedule(schedule, schedule.platform, path);
  check_makespan(schedule, metrics, path);
  return fmt::format(
      "{}: a valid schedule\n  {} transfers, {} blocks moved, {} of {} workers, makespan {:.6g} s "
      "on the platform it was planned for\n",
      path, schedule.transfers.size(), metrics.blocks_moved, metrics.enrolled_workers,
      schedule.platform.workers.size(), metrics.makespan_s);
}

}  // namespace

int validate_command(const std::vector<std::string>& arguments) {
  CommandLine line("validate", {"FILE"},
                   "Checks a platform file, or a schedule file against the model and the platform "
                   "it was planned for.",
                   "starport validate platforms/ppopp08-memory.json");
  line.add_block_size();
  line.add_time_limit();
  if (!line.parse(arguments)) return kSuccess;

  end_after(line.limits().time_limit_s);
  const std::string path = line.text("FILE");
  const nlohmann::json document = load_json(path);
  if (document.is_object() && document.contains("transfers")) {
    if (line.has("block-size")) {
      throw InputError("--block-size", "a platform file", "a schedule, which has its own");
    }
    print(describe_schedule(document, path));
  } else if (document.is_object() && document.contains("workers")) {
    print(describe_platform(document, path, line));
  } else {
    throw InputError("/", "a platform (with the key 'workers') or a schedule ('transfers')",
                     "neither")
        .in_file(path);
  }
  return kSuccess;
}

}  // namespace starport
