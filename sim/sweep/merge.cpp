#include "sim/sweep/merge.hpp"

#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/sweep/checksums.hpp"
#include "sim/sweep/result_directory.hpp"
#include "sim/sweep/row_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <deque>
#include <filesystem>
#include <map>
#include <optional>

namespace starport {
namespace {

/// Reads the directories and returns them by shard index. Throws InputError unless they are all the
/// shards of one sweep, each once, produced by the same program.
std::map<std::int64_t, CompleteResults> read_shards(const std::vector<std::string>& directories) {
  std::map<std::int64_t, CompleteResults> shards;
  for (const std::string& path : directories) {
    CompleteResults results = read_complete_results(path);
    if (!shards.empty()) {
      const CompleteResults& first = shards.begin()->second;
      const auto fail = [&](const std::string& expected, const std::string& found) {
        return InputError("", expected, found).in_file(path);
      };
      if (results.specification != first.specification) {
        throw fail("results of the same specification as " + first.path, "results of another one");
      }
      if (results.shard.count != first.shard.count) {
        throw fail(fmt::format("one of {} shards, as {}", first.shard.count, first.path),
                   fmt::format("one of {}", results.shard.count));
      }
      for (const char* key : {"starport", "commit", "engine", "simgrid", "plugins"}) {
        const auto value = results.run_info.value(key, nlohmann::ordered_json());
        const auto of_first = first.run_info.value(key, nlohmann::ordered_json());
        if (value != of_first) {
          throw fail(fmt::format("{} {}, as {}", key, to_json_line(of_first), first.path),
                     to_json_line(value));
        }
      }
    }
    const std::int64_t index = results.shard.index;
    if (!shards.emplace(index, std::move(results)).second) {
      throw InputError("", "each shard once", fmt::format("shard {} again", index)).in_file(path);
    }
  }
  const std::int64_t count = shards.begin()->second.shard.count;
  if (const std::int64_t lacking = count - std::ssize(shards); lacking > 0) {
    constexpr std::size_t most_named = 20;
    std::vector<std::int64_t> missing;
    for (std::int64_t i = 1; i <= count && missing.size() < most_named; ++i) {
      if (shards.count(i) == 0) missing.push_back(i);
    }
    const std::int64_t others = lacking - std::ssize(missing);
    throw InputError("starport merge", fmt::format("all {} shards", count),
                     fmt::format("no shard {}{}", fmt::join(missing, ", "),
                                 others > 0 ? fmt::format(" and {} others", others) : ""));
  }
  return shards;
}

/// Reads the sorted rows of one shard, instance by instance.
class ShardRows {
 public:
  ShardRows(const std::string& directory, const std::string& header)
      : results_(path_in(directory, result_files::kResults), header),
        timings_(path_in(directory, result_files::kTimings), ResultRows::timings_header()),
        timed_(timings_.next()) {}

  /// Reads the rows of the shard's next instance, and appends them to `merged` if it is given.
  /// Throws InputError when that is not `instance`.
  void append_next(std::int64_t instance, ResultDirectory* merged) {
    const auto rows = results_.next();
    if (!rows || rows->instance != instance) {
      throw InputError(rows ? fmt::format("line {}", rows->line) : "",
                       fmt::format("the rows of instance {}", instance),
                       rows ? fmt::format("those of {}", rows->instance) : "none")
          .in_file(results_.path());
    }
    if (!timed_ || timed_->instance != instance) throw make_missing_timings_error(timings_, *rows);
    if (merged != nullptr) merged->append(instance, rows->text, timed_->text);
    timed_ = timings_.next();
  }

 private:
  RowReader results_;
  RowReader timings_;
  std::optional<RowBlock> timed_;
};

}  // namespace

std::int64_t merge_shards(const std::vector<std::string>& directories,
                          const ModelRegistry& registry, const std::string& output,
                          nlohmann::ordered_json run) {
  const auto shards = read_shards(directories);
  const CompleteResults& first = shards.begin()->second;
  const Specification specification =
      load_specification(path_in(first.path, result_files::kSpecification), registry);
  const ResultOrigin origin{.engine = first.run_info["engine"],
                            .simgrid_version = first.run_info["simgrid"],
                            .plugins = first.run_info.value("plugins", std::vector<std::string>())};
  auto merged = ResultDirectory::resume(output, specification, origin, std::move(run));
  if (merged.complete()) {
    throw InputError("", "a directory that is new, empty, or left by an interrupted merge",
                     "complete results", "choose another directory")
        .in_file(output);
  }
  for (const char* key : {"starport", "commit", "compiler", "inputs"}) {
    merged.set_run_info(key, first.run_info.value(key, nlohmann::ordered_json()));
  }
  nlohmann::ordered_json sources = nlohmann::ordered_json::array();
  std::deque<ShardRows> rows;
  const std::string header = ResultRows(specification).header();
  for (const auto& [index, shard] : shards) {
    sources.push_back(shard.run_info);
    rows.emplace_back(shard.path, header);
  }
  merged.set_run_info("shards", std::move(sources));
  const std::vector<std::int64_t> missing = merged.missing();
  auto next = missing.begin();
  for (std::int64_t number = 1; number <= specification.size(); ++number) {
    const auto shard = static_cast<std::size_t>((number - 1) % std::ssize(rows));
    const bool lacks = next != missing.end() && *next == number;
    rows[shard].append_next(number, lacks ? &merged : nullptr);
    if (lacks) ++next;
  }
  merged.finish(0);
  return specification.size();
}

}  // namespace starport
