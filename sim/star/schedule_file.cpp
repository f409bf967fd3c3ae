// Schedule files: one transfer a line, so that long ones stay readable, can be compared, and are
// read without a JSON document of the whole.
#include "sim/files/document_kind.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json_elements.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/json_text.hpp"
#include "sim/files/output.hpp"
#include "sim/star/schedule.hpp"
#include "sim/star/schedule_json.hpp"
#include "sim/star/transfer_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace starport {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kBegin = "{\n";
constexpr std::string_view kTransfers = "  \"transfers\": [";
constexpr std::string_view kIndent = "    ";
constexpr std::string_view kEnd = "  ]\n";

std::string head_text(const Schedule& schedule) {
  ordered_json head;
  head["schema_version"] = 1;
  head["heuristic"] = schedule.heuristic;
  head["problem"] = to_json(schedule.problem);
  head["platform"] = to_json(schedule.platform);
  if (schedule.makespan_s) head["makespan_s"] = *schedule.makespan_s;
  std::string text(kBegin);
  for (const auto& [key, value] : head.items()) {
    text += fmt::format("  {}: {},\n", json_string(key), on_one_line(value));
  }
  return text;
}

/// The lines of a file, one after the other.
class Lines {
 public:
  explicit Lines(const std::string& path) : file_(std::fopen(path.c_str(), "rb")) {}
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() {
    std::free(line_);
    if (file_ != nullptr) std::fclose(file_);
  }

  /// Whether it can be read twice, and is not larger than a document may be.
  bool regular() const {
    struct stat status {};
    return file_ != nullptr && ::fstat(::fileno(file_), &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size <= static_cast<off_t>(kLargestInput);
  }
  int descriptor() const { return ::fileno(file_); }
  bool begins_with(std::string_view text) {
    for (const char c : text) {
      if (std::getc(file_) != c) return false;
    }
    return true;
  }
  /// With its end; empty after the last one.
  std::string_view next() {
    const ssize_t length = ::getline(&line_, &room_, file_);
    return {line_, length < 0 ? 0 : static_cast<std::size_t>(length)};
  }

 private:
  std::FILE* file_;
  char* line_ = nullptr;
  std::size_t room_ = 0;
};

/// All but the transfers, which begin on the next line. nullopt where they do not.
std::optional<Schedule> read_head_lines(Lines& lines, const std::string& path) {
  constexpr int most_lines = 8;
  std::string text(kBegin);
  for (int i = 0; i < most_lines; ++i) {
    const std::string_view line = lines.next();
    text += line;
    if (!line.starts_with(kTransfers)) continue;
    if (line.substr(kTransfers.size()) != "\n") return std::nullopt;
    try {
      return parse_schedule(parse_json(text + "]}", path), path);
    } catch (const InputError&) {  // who reads the whole will say so
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool read_transfers(Lines& lines, Schedule& schedule) {
  const std::int64_t workers = std::ssize(schedule.platform.workers);
  bool more = false;  // a comma was there
  for (;;) {
    std::string_view line = lines.next();
    if (line == kEnd) return !more && lines.next() == "}\n" && lines.next().empty();
    if (!line.starts_with(kIndent) || (!more && !schedule.transfers.empty())) return false;
    line.remove_prefix(kIndent.size());
    if (!take_text(line, schedule.problem, workers, schedule.transfers.emplace_back()))
      return false;
    more = line == ",\n";
    if (!more && line != "\n") return false;
  }
}

}  // namespace

void write_json(const Schedule& schedule, const std::function<void(std::string_view)>& sink) {
  sink(head_text(schedule));
  sink(kTransfers);
  std::string text = "\n";
  for (const Transfer& transfer : schedule.transfers) {
    text += kIndent;
    append_text(transfer, text);
    sink(text);
    text = ",\n";
  }
  sink("\n");
  sink(kEnd);
  sink("}\n");
}

std::optional<Schedule> load_as_written(const std::string& path) {
  Lines lines(path);
  if (!lines.regular() || !lines.begins_with(kBegin)) return std::nullopt;
  std::optional<Schedule> schedule = read_head_lines(lines, path);
  if (!schedule || !read_transfers(lines, *schedule)) return std::nullopt;
  note_input(lines.descriptor());
  return schedule;
}

Schedule load_schedule(const std::string& path) {
  if (auto schedule = load_as_written(path)) return std::move(*schedule);
  const std::string text = read_file(path);
  named_by_file(path, [&] { refuse_csv(text, "a schedule"); });
  return parse_schedule(parse_json_without(text, path, kTransfersKey), text, path);
}

}  // namespace starport
