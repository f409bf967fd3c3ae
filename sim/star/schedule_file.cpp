// Schedule files: written with one transfer a line, so that long ones stay readable and can be
// compared; read without a JSON document of the whole.
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
    text += fmt::format("  {}: {},\n", json_string(key), on_one_line(value));
  }
  return text;
}

/// A file from its beginning to its end, of which a piece is in memory.
class Stream {
 public:
  explicit Stream(const std::string& path) : file_(std::fopen(path.c_str(), "rb"), std::fclose) {}

  /// Whether it can be read twice, and is not larger than a document may be.
  bool regular() const {
    struct stat status {};
    return file_ && ::fstat(descriptor(), &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size <= static_cast<off_t>(kLargestInput);
  }
  int descriptor() const { return ::fileno(file_.get()); }

  /// What comes next: enough for a transfer, or all that is left.
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
  /// Takes the sign when it comes next, after white space.
  bool take(char sign) {
    skip_white_space();
    const bool comes = ahead().starts_with(sign);
    skip(comes ? 1 : 0);
    return comes;
  }
  bool over() {
    skip_white_space();
    return ahead().empty();
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::string piece_;
  std::size_t at_ = 0;  ///< of the piece
  bool over_ = false;   ///< nothing comes after the piece
};

/// All that comes before the transfers, with the bracket that opens them. nullopt where none does.
std::optional<std::string> head_of(Stream& stream) {
  const std::string key = fmt::format("\"{}\"", kTransfersKey);
  std::string head;
  const auto pass = [&](std::size_t bytes) {
    head += stream.ahead().substr(0, bytes);
    stream.skip(bytes);
  };
  while (!stream.ahead().empty()) {
    // They may end another string, as in "x\"transfers": then the head is no JSON, or has an
    // unknown key.
    if (!stream.ahead().starts_with(key)) {
      pass(std::min(stream.ahead().find('"', 1), stream.ahead().size()));
      continue;
    }
    pass(key.size());
    if (!stream.take(':')) continue;
    head += ':';
    if (stream.take('[')) return head + "[";
  }
  return std::nullopt;
}

std::optional<Schedule> read_until_transfers(Stream& stream, const std::string& path) {
  const std::optional<std::string> head = head_of(stream);
  if (!head) return std::nullopt;
  try {
    return parse_schedule(parse_json(*head + "]}", path), path);
  } catch (const InputError&) {  // who reads the whole will say so
    return std::nullopt;
  }
}

/// And that the document ends behind them.
bool read_transfers(Stream& stream, Schedule& schedule) {
  const std::int64_t workers = std::ssize(schedule.platform.workers);
  if (!stream.take(']')) {
    do {
      const std::string_view text = stream.ahead();
      std::string_view rest = text;
      if (!parse_transfer_text(rest, schedule.problem, workers, schedule.transfers.emplace_back()))
        return false;
      stream.skip(text.size() - rest.size());
    } while (stream.take(','));
    if (!stream.take(']')) return false;
  }
  return stream.take('}') && stream.over();
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
  Stream stream(path);
  if (!stream.regular()) return std::nullopt;
  try {
    std::optional<Schedule> schedule = read_until_transfers(stream, path);
    if (!schedule || !read_transfers(stream, *schedule)) return std::nullopt;
    note_input(stream.descriptor());
    return schedule;
  } catch (const std::bad_alloc&) {  // who reads the whole will say so
    return std::nullopt;
  }
}

Schedule load_schedule(const std::string& path) {
  if (auto schedule = load_schedule_stream(path)) return std::move(*schedule);
  const std::string text = read_file(path);
  named_by_file(path, [&] { refuse_csv(text, "a schedule"); });
  return parse_schedule(parse_json_without(text, path, kTransfersKey), text, path);
}

}  // namespace starport
