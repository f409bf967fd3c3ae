// Schedule files: written with one transfer per line, read without a JSON document of the whole
// file.
#include "sim/files/document_kind.hpp"
#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/json_text.hpp"
#include "sim/files/output.hpp"
#include "sim/star/schedule.hpp"
#include "sim/star/schedule_json.hpp"

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

std::string head_text(const Schedule& schedule) {
  ordered_json head;
  head["schema_version"] = 1;
  head["heuristic"] = schedule.heuristic;
  head["problem"] = to_json(schedule.problem);
  head["platform"] = to_json(schedule.platform);
  if (schedule.makespan_s) head["makespan_s"] = *schedule.makespan_s;
  std::string text = "{\n";
  for (const auto& [key, value] : head.items()) {
    text += fmt::format("  {}: {},\n", quote_json_string(key), to_json_line(value));
  }
  return text;
}

/// Reads a file in one pass with a small buffer.
class BufferedFile {
 public:
  explicit BufferedFile(const std::string& path)
      : file_(std::fopen(path.c_str(), "rb"), std::fclose) {}

  /// Returns true if this is a regular file, which another reader can open again, of at most
  /// kMaxInputBytes bytes.
  bool is_regular() const {
    struct stat status {};
    return file_ && ::fstat(descriptor(), &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size <= static_cast<off_t>(kMaxInputBytes);
  }
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
  BufferedFile file(path);
  if (!file.is_regular()) return std::nullopt;
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
  return parse_schedule(parse_json_without_array(text, path, kTransfersKey), text, path);
}

}  // namespace starport
