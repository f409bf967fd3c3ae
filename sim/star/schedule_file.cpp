// Schedule files: written with one transfer per line, read without a JSON document of the whole
// file.

#include "sim/star/schedule_file.hpp"

#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/star/schedule.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <new>
#include <utility>

namespace starport {
namespace {

using nlohmann::ordered_json;

ordered_json worker_json(const Worker& worker, std::string name) {
  ordered_json json;
  if (!name.empty()) json["name"] = std::move(name);
  json.update({{"c_s", worker.c_s}, {"w_s", worker.w_s}, {"m_blocks", worker.m_blocks}});
  if (worker.latency_s > 0) json["latency_s"] = worker.latency_s;
  if (!worker.speeds) return json;
  for (const auto& [blocks, speed] : worker.speeds->points()) {
    json["speeds"].push_back({blocks, speed});
  }
  return json;
}

Range read_range(const JsonNode& node, std::int64_t size) {
  const auto bounds = node.elements();
  if (bounds.size() != 2) throw node.fault("[begin, end], block indices from 0, end excluded");
  const auto begin = bounds[0].integer(0, size - 1);
  const auto end = bounds[1].integer(begin + 1, size);
  return {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)};
}

Rectangle read_rectangle(const JsonNode& node, const char* rows, std::int64_t height,
                         const char* columns, std::int64_t width) {
  node.allow_only_keys({rows, columns});
  return {read_range(node.at(rows), height), read_range(node.at(columns), width)};
}
Rectangle read_a(const JsonNode& node, const Problem& problem) {
  return read_rectangle(node, "rows", problem.r, "inner", problem.t);
}
Rectangle read_b(const JsonNode& node, const Problem& problem) {
  return read_rectangle(node, "inner", problem.t, "columns", problem.s);
}

Update read_update(const JsonNode& node, const Problem& problem) {
  node.allow_only_keys({"rows", "columns", "inner", "add_c", "release_a", "release_b"});
  Update update;
  if (node.has("rows") || node.has("columns") || node.has("inner")) {
    update.rows = read_range(node.at("rows"), problem.r);
    update.columns = read_range(node.at("columns"), problem.s);
    update.inner = read_range(node.at("inner"), problem.t);
  }
  if (const auto add = node.find("add_c")) update.add_c = add->boolean();
  if (update.empty()) throw node.fault("rows, columns and inner, or add_c, or both");
  if (const auto blocks = node.find("release_a")) update.release_a = read_a(*blocks, problem);
  if (const auto blocks = node.find("release_b")) update.release_b = read_b(*blocks, problem);
  return update;
}

Problem read_problem(const JsonNode& node) {
  node.allow_only_keys({"r", "s", "t", "block_size"});
  const Problem problem{.r = node.at("r").integer(1, INT32_MAX),
                        .s = node.at("s").integer(1, INT32_MAX),
                        .t = node.at("t").integer(1, INT32_MAX),
                        .block_size = node.at("block_size").integer(1, kMaxBlockSize)};
  check_problem(problem, node.pointer());
  return problem;
}

/// Reads a speed function: pairs of the blocks of C in an update and the speed in block updates/s.
std::shared_ptr<const SpeedFunction> read_speeds(const JsonNode& node) {
  std::vector<SpeedFunction::Point> points;
  for (const JsonNode& point : node.elements()) {
    const std::vector<JsonNode> pair = point.elements();
    if (pair.size() != 2) throw point.fault("[blocks of C, block updates per second]");
    points.push_back({.size = pair[0].positive_number(), .speed = pair[1].positive_number()});
    const bool larger = points.size() < 2 || points.end()[-2].size < points.back().size;
    if (!larger || SpeedFunction::first_non_increasing(points)) {
      throw point.fault("a size larger than the previous one, at which an update takes longer");
    }
  }
  if (points.empty()) throw node.fault("at least one point");
  return std::make_shared<const SpeedFunction>(std::move(points));
}

Platform read_platform(const JsonNode& node) {
  node.allow_only_keys({"name", "port", "workers"});
  Platform platform{.name = node.at("name").text(), .workers = {}};
  if (const auto given = node.find("port")) {
    const PortFile port = read_port(*given);
    if (port.bandwidth_bytes_per_s) {
      throw InputError(given->pointer() + "/bandwidth", "c_s, as of the workers", "bandwidth");
    }
    platform.port = {
        .kind = port.kind, .max_transfers = port.max_transfers, .c_s = port.c_s.value_or(0)};
  }
  std::vector<std::string> names;
  for (const JsonNode& worker : node.at("workers").elements()) {
    worker.allow_only_keys({"name", "c_s", "w_s", "m_blocks", "latency_s", "speeds"});
    platform.workers.push_back(read_raw_worker(worker, 0));
    names.push_back(read_worker_name(worker));
    if (const auto speeds = worker.find("speeds")) {
      platform.workers.back().speeds = read_speeds(*speeds);
      platform.workers.back().w_s = 1 / platform.workers.back().speeds->highest_speed();
    }
  }
  if (platform.workers.empty()) throw node.at("workers").fault("at least one worker");
  platform.names = WorkerNames(std::move(names));
  return platform;
}

/// Reads everything but the transfers; checks only that these are an array.
Schedule read_head(const JsonNode& root) {
  require_document_kind(root.value(), "a schedule");
  root.allow_only_keys({"schema_version", "heuristic", "problem", "element_type", "platform",
                        "makespan_s", kTransfersKey});
  root.check_version(1);
  Schedule schedule;
  if (const auto heuristic = root.find("heuristic")) schedule.heuristic = heuristic->text();
  schedule.problem = read_problem(root.at("problem"));
  if (const auto type = root.find("element_type")) {
    schedule.element_type = parse_element_type(type->text(), type->pointer());
  }
  schedule.platform = read_platform(root.at("platform"));
  if (const auto makespan = root.find("makespan_s")) {
    schedule.makespan_s = makespan->non_negative_number();
  }
  if (!root.at(kTransfersKey).is_array()) throw root.at(kTransfersKey).fault("an array");
  return schedule;
}

void add_transfer(const JsonNode& node, Schedule& schedule) {
  schedule.transfers.push_back(
      read_transfer(node, schedule.problem, std::ssize(schedule.platform.workers)));
}

using nlohmann::ordered_json;

std::string head_text(const Schedule& schedule) {
  ordered_json head;
  head["schema_version"] = 1;
  head["heuristic"] = schedule.heuristic;
  head["problem"] = to_json(schedule.problem);
  if (schedule.element_type) head["element_type"] = to_string(*schedule.element_type);
  head["platform"] = to_json(schedule.platform);
  if (schedule.makespan_s) head["makespan_s"] = *schedule.makespan_s;
  std::string text = "{\n";
  for (const auto& [key, value] : head.items()) {
    text += fmt::format("  {}: {},\n", quote_json_string(key), to_json_line(value));
  }
  return text;
}

/// Returns true if this is a regular file, which another reader can open again, of at most
/// kMaxInputBytes bytes. Does not open it: the writer of a pipe would take that for its reader.
bool is_regular(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_size <= static_cast<off_t>(kMaxInputBytes);
}

/// Reads a file in one pass with a small buffer.
class BufferedFile {
 public:
  explicit BufferedFile(const std::string& path)
      : file_(std::fopen(path.c_str(), "rb"), std::fclose) {}

  bool is_open() const { return file_ != nullptr; }
  int descriptor() const { return ::fileno(file_.get()); }

  /// Returns the text at the current position: at least 16 KiB, enough for a transfer, or all that
  /// is left of the file. Valid until the next call.
  std::string_view ahead() {
    constexpr std::size_t transfer = 1 << 14;
    constexpr std::size_t piece = 1 << 18;
    if (piece_.size() - at_ < transfer && !over_) {
      piece_.erase(0, std::exchange(at_, 0));
      const std::size_t had = piece_.size();
      piece_.resize(had + piece);
      piece_.resize(had + std::fread(piece_.data() + had, 1, piece, file_.get()));
      over_ = piece_.size() < had + piece;
    }
    return std::string_view(piece_).substr(at_);
  }
  void skip(std::size_t bytes) { at_ += bytes; }
  void skip_white_space() {
    while (true) {
      const std::string_view text = ahead();
      const std::size_t space = std::min(text.find_first_not_of(" \n\r\t"), text.size());
      skip(space);
      if (space < text.size() || text.empty()) return;
    }
  }
  /// Skips white space, then `sign` if it comes next. Returns whether it did.
  bool take(char sign) {
    skip_white_space();
    const bool comes = ahead().starts_with(sign);
    skip(comes ? 1 : 0);
    return comes;
  }
  /// Returns true if only white space is left.
  bool is_at_end() {
    skip_white_space();
    return ahead().empty();
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::string piece_;
  std::size_t at_ = 0;  ///< position in piece_
  bool over_ = false;   ///< the rest of the file is in piece_
};

/// Reads up to and including the bracket that opens the list of transfers. Returns nullopt if there
/// is none.
std::optional<std::string> read_head_text(BufferedFile& file) {
  const std::string key = fmt::format("\"{}\"", kTransfersKey);
  std::string head;
  const auto pass = [&](std::size_t bytes) {
    head += file.ahead().substr(0, bytes);
    file.skip(bytes);
  };
  while (!file.ahead().empty()) {
    // The key may be the end of another string, as in "x\"transfers": then the head does not parse.
    if (!file.ahead().starts_with(key)) {
      pass(std::min(file.ahead().find('"', 1), file.ahead().size()));
      continue;
    }
    pass(key.size());
    if (!file.take(':')) continue;
    head += ':';
    if (file.take('[')) return head + "[";
  }
  return std::nullopt;
}

std::optional<Schedule> read_until_transfers(BufferedFile& file, const std::string& path) {
  const std::optional<std::string> head = read_head_text(file);
  if (!head) return std::nullopt;
  try {
    return parse_schedule(parse_json(*head + "]}", path), path);
  } catch (const InputError&) {  // the complete reader will report it
    return std::nullopt;
  }
}

/// Reads the transfers and the end of the document. Returns false if either is malformed.
bool read_transfers(BufferedFile& file, Schedule& schedule) {
  const std::int64_t workers = std::ssize(schedule.platform.workers);
  if (!file.take(']')) {
    do {
      const std::string_view text = file.ahead();
      std::string_view rest = text;
      if (!parse_transfer_text(rest, schedule.problem, workers, schedule.transfers.emplace_back()))
        return false;
      file.skip(text.size() - rest.size());
    } while (file.take(','));
    if (!file.take(']')) return false;
  }
  return file.take('}') && file.is_at_end();
}

}  // namespace

ordered_json to_json(const Transfer& transfer) {
  std::string text;
  append_transfer_text(transfer, text);
  return parse_trusted_json(text);
}

ordered_json to_json(const Platform& platform) {
  ordered_json json{{"name", platform.name}};
  if (platform.port != Port{}) json["port"] = to_json(platform.port);
  ordered_json& workers = json["workers"] = ordered_json::array();
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    workers.push_back(worker_json(platform.workers[i], platform.names.name_in_file(i)));
  }
  return json;
}

Transfer read_transfer(const JsonNode& node, const Problem& problem, std::int64_t workers) {
  node.allow_only_keys({"worker", "to", "a", "b", "c", "partial_sums", "after_update", "update"});
  Transfer transfer;
  transfer.worker = static_cast<std::int32_t>(node.at("worker").integer(1, workers) - 1);
  const JsonNode to = node.at("to");
  if (to.text() != "worker" && to.text() != "master") throw to.fault("\"worker\" or \"master\"");
  transfer.direction = to.text() == "worker" ? Direction::to_worker : Direction::to_master;
  if (const auto blocks = node.find("a")) transfer.a = read_a(*blocks, problem);
  if (const auto blocks = node.find("b")) transfer.b = read_b(*blocks, problem);
  if (const auto blocks = node.find("c")) {
    transfer.c = read_rectangle(*blocks, "rows", problem.r, "columns", problem.s);
  }
  if (const auto sums = node.find("partial_sums")) transfer.partial_sums = sums->boolean();
  if (const auto number = node.find("after_update")) {
    transfer.after_update = number->integer(0, INT64_MAX);
  }
  if (const auto allowed = node.find("update")) transfer.update = read_update(*allowed, problem);
  return transfer;
}

Schedule parse_schedule(const nlohmann::json& document, const std::string& path) {
  return with_file_in_errors(path, [&] {
    const JsonNode root(document);
    Schedule schedule = read_head(root);
    for (const JsonNode& node : root.at(kTransfersKey).elements()) add_transfer(node, schedule);
    return schedule;
  });
}

void write_json(const Schedule& schedule, const std::function<void(std::string_view)>& sink) {
  sink(head_text(schedule));
  sink(fmt::format("  \"{}\": [", kTransfersKey));
  std::string text = "\n";
  for (const Transfer& transfer : schedule.transfers) {
    text += "    ";
    append_transfer_text(transfer, text);
    sink(text);
    text = ",\n";
  }
  sink("\n  ]\n}\n");
}

std::optional<Schedule> load_schedule_stream(const std::string& path) {
  if (!is_regular(path)) return std::nullopt;
  BufferedFile file(path);
  if (!file.is_open()) return std::nullopt;
  try {
    std::optional<Schedule> schedule = read_until_transfers(file, path);
    if (!schedule || !read_transfers(file, *schedule)) return std::nullopt;
    register_input_file(file.descriptor());
    return schedule;
  } catch (const std::bad_alloc&) {  // the complete reader will report it
    return std::nullopt;
  }
}

Schedule load_schedule(const std::string& path) {
  if (auto schedule = load_schedule_stream(path)) return std::move(*schedule);
  const std::string text = read_file(path);
  with_file_in_errors(path, [&] { reject_csv(text, "a schedule"); });
  return parse_schedule(parse_json(text, path), path);
}

}  // namespace starport
