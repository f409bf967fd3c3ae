// `starport validate`: checks a file of any kind.
#include "sim/app/algorithms.hpp"
#include "sim/app/check_schedule.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/file_kinds.hpp"
#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/star/schedule_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <utility>

namespace starport {
namespace {

std::string time_out_message;  // written by the signal handler

/// Ends this process with a message after `time_limit_s` seconds; 0: never. By a signal, since a
/// thread could hold a lock while a process is forked to simulate.
void set_time_limit(double time_limit_s) {
  if (time_limit_s == 0) return;
  constexpr double longest_s = 1e9;
  time_out_message = fmt::format("starport: timed out after {:g} s\n", time_limit_s);
  std::signal(SIGALRM, [](int) {
    (void)write_all(STDERR_FILENO, time_out_message);
    _exit(kFailedSimulation);
  });
  const double seconds = std::min(time_limit_s, longest_s);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  // At least one microsecond, since zero would disable the timer.
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
  if (timer.it_value.tv_sec == 0)
    timer.it_value.tv_usec = std::max<suseconds_t>(timer.it_value.tv_usec, 1);
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

/// Returns the number of measured sizes as text, such as "2 measured sizes". Where there are
/// samples of one step (inner == 1), those of several are no further sizes: they measure the fixed
/// cost of an update.
std::string measured_sizes(const std::vector<SpeedSample>& samples) {
  const auto of_one_step = std::ranges::count(samples, 1, &SpeedSample::inner);
  return format_count(of_one_step > 0 ? of_one_step : std::ssize(samples), "measured size");
}

std::string more_of(const Device& device) {
  std::string text =
      fmt::format("{} x {} of {}", device.count, device.name.empty() ? "device" : device.name,
                  format_speed(device.full_speed_flops()));
  if (device.start_up_s > 0) text += ", " + format_seconds(device.start_up_s) + " an update more";
  if (device.bus_bytes_per_s) text += ", bus " + format_bandwidth(*device.bus_bytes_per_s);
  if (device.memory_bytes) text += ", " + format_bytes(*device.memory_bytes);
  if (!device.decline.empty()) text += ", slower as its memory fills";
  if (!device.speed_function.empty()) {
    text += ", " + measured_sizes(device.speed_function);
  }
  return text;
}

/// Returns the properties of a worker that the table of the star lacks; empty if there are none.
std::string more_of(const PlatformFile::Entry& entry) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (const auto* sharing = std::get_if<PlatformFile::MemorySharing>(&entry.worker)) {
    add("shares the master's memory, " + format_speed(sharing->speed_flops));
  }
  if (const auto* physical = std::get_if<PlatformFile::Physical>(&entry.worker)) {
    if (const auto back = physical->return_bandwidth_bytes_per_s) {
      add(fmt::format("{} out, {} back", format_bandwidth(physical->bandwidth_bytes_per_s),
                      format_bandwidth(*back)));
    }
  }
  for (const Device& device : entry.devices) add(more_of(device));
  if (!entry.speed_function.empty()) {
    add(measured_sizes(entry.speed_function));
  }
  if (!entry.bus.empty()) add("behind bus " + entry.bus);
  if (entry.paging) add(fmt::format("paging {:g}", *entry.paging));
  return text;
}

std::string further_figures(const PlatformFile& file) {
  std::string text;
  if (file.start_up_s > 0) text += "  " + format_seconds(file.start_up_s) + " to start\n";
  std::size_t first = 0;
  for (const PlatformFile::Entry& entry : file.entries) {
    const std::size_t end = first + static_cast<std::size_t>(entry.count);
    if (const std::string more = more_of(entry); !more.empty()) {
      text += fmt::format("  {}{}: {}\n", file.names.format_range(first, end),
                          entry.count > 1 ? ", each" : "", more);
    }
    first = end;
  }
  return text;
}

/// Returns true if the platform is valid for another model: it is no star only because no worker
/// has a link of its own, or because links share a bus or differ between the two directions.
bool file_of_another_model(PlatformFile file, const Problem& problem) {
  bool links = false;
  for (PlatformFile::Entry& entry : file.entries) {
    links = links || !std::holds_alternative<PlatformFile::MemorySharing>(entry.worker);
    auto* physical = std::get_if<PlatformFile::Physical>(&entry.worker);
    if (physical != nullptr) physical->return_bandwidth_bytes_per_s.reset();
  }
  file.buses.clear();
  return !links || !star_model().find_obstacle({std::move(file), problem}, {});
}

std::string describe_platform(const nlohmann::json& document, const std::string& path,
                              const CommandLine& line) {
  const PlatformFile file = parse_platform(document, path);
  const std::int64_t q = line.block_size(file);
  const Case instance{file, {.r = 1, .s = 1, .t = 1, .block_size = q}};
  const std::string valid = fmt::format("{}: a valid platform\n", path);
  const auto obstacle = star_model().find_obstacle(instance, {});
  if (!obstacle) {
    return valid + platform_table(make_star(instance), instance.problem) + further_figures(file);
  }
  if (!file_of_another_model(file, instance.problem)) throw InputError(*obstacle);
  return valid + further_figures(file) + "  no star: " + obstacle->what() + "\n";
}

std::string describe_schedule(const Schedule& schedule, const std::string& path,
                              const CommandLine& line) {
  if (line.has("block-size")) {
    throw InputError("--block-size", "a platform file", "a schedule, which has its own");
  }
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
  CommandLine line(
      "validate", {"FILE"},
      "Checks a file and prints its kind: a platform, a schedule (against the model and the "
      "platform\n"
      "it was planned for), a sweep, claims, results or a trace (JSON or CSV), noise, measured\n"
      "durations, or a message of the protocol. For result directories: starport verify.",
      "starport validate platforms/ppopp08-memory.json");
  line.add_block_size();
  line.add_time_limit();
  add_plugin_option(line);
  if (!line.parse(arguments)) return kSuccess;
  load_plugins(line);

  set_time_limit(line.limits().time_limit_s);
  const std::string path = line.text("FILE");
  if (std::error_code error; std::filesystem::is_directory(path, error)) {
    throw InputError("", "a file", "a directory", "starport verify " + path).in_file(path);
  }
  if (path.ends_with(".csv")) {
    print(describe_csv(path));
    return kSuccess;
  }
  if (const auto schedule = load_schedule_stream(path)) {
    print(describe_schedule(*schedule, path, line));
    return kSuccess;
  }
  const std::string text = read_file(path);
  const nlohmann::json document = parse_json(text, path);
  if (document.is_object() && document.contains(kTransfersKey) && !document.contains("protocol")) {
    print(describe_schedule(parse_schedule(document, path), path, line));
  } else if (document_kind(document) == "a platform") {
    print(describe_platform(document, path, line));
  } else {
    print(describe_json(document, path));
  }
  return kSuccess;
}

}  // namespace starport
