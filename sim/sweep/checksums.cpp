#include "sim/sweep/checksums.hpp"

#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/sweep/result_directory.hpp"
#include "sim/sweep/row_file.hpp"
#include "sim/sweep/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <optional>

namespace starport {
namespace {

constexpr std::size_t kDigits = 16;

/// Parses the first 16 digits of a SHA-256.
std::optional<std::uint64_t> parse_digest(std::string_view digits) {
  std::uint64_t digest = 0;
  const auto [rest, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), digest, 16);
  if (error != std::errc{} || rest != digits.data() + digits.size()) return std::nullopt;
  return digest;
}

std::uint64_t short_digest(std::string_view text) {
  Sha256 checksum;
  checksum.add(text);
  return checksum.first_bytes();
}

std::string line_of(std::int64_t instance, std::uint64_t results, std::uint64_t timings) {
  return fmt::format("{},{:016x},{:016x}\r\n", instance, results, timings);
}

[[noreturn]] void fail_changed(const std::string& path) {
  throw InputError("", "the content that was written", "different content").in_file(path);
}

/// Returns how many instances have rows. Throws InputError when rows do not match their checksum,
/// except the last ones if `is_cut_short` says that the program was killed while it wrote them.
std::int64_t verify_rows(const std::string& path, const std::string& header,
                         Checksums::File rows_file, const Checksums& checksums,
                         InstanceSet verified,
                         const std::function<bool(const RowBlock&)>& is_cut_short) {
  RowReader file(path, header);
  InvalidBlocks invalid(path);
  while (const auto block = file.next()) {
    invalid.remove(block->instance);
    if (!checksums.has(block->instance)) continue;  // being written when the program was killed
    if (checksums.matches(rows_file, block->instance, block->text)) {
      verified.add(block->instance);
    } else if (!block->last || !is_cut_short(*block)) {
      invalid.add(*block);
    }
  }
  invalid.throw_if_any();
  return verified.size();
}

}  // namespace

std::string Checksums::format_line(std::int64_t instance, std::string_view results,
                                   std::string_view timings) {
  return line_of(instance, short_digest(results), short_digest(timings));
}

std::string Checksums::add(std::int64_t instance, std::string_view results,
                           std::string_view timings) {
  sorted_ = sorted_ && (lines_.empty() || lines_.back().instance <= instance);
  lines_.push_back({instance, short_digest(results), short_digest(timings)});
  return line_of(instance, lines_.back().results, lines_.back().timings);
}

std::size_t Checksums::read(const std::string& path) {
  RowReader file(path, kHeader);
  std::size_t end = file.rows_begin();
  while (const auto block = file.next()) {
    std::string_view rest = block->text;
    for (std::int64_t line = block->line; !rest.empty(); ++line) {
      std::string_view row = next_token(rest, '\n');
      if (row.ends_with('\r')) row.remove_suffix(1);
      next_token(row, ',');
      const auto results = parse_digest(row.substr(0, kDigits));
      const auto timings = parse_digest(row.substr(std::min(row.size(), kDigits + 1)));
      if (row.size() != 2 * kDigits + 1 || row[kDigits] != ',' || !results || !timings) {
        throw InputError(fmt::format("line {}", line), "an instance and its two checksums",
                         "something else", kDamagedDirectory)
            .in_file(path);
      }
      sorted_ = sorted_ && (lines_.empty() || lines_.back().instance <= block->instance);
      lines_.push_back({block->instance, *results, *timings});
    }
    end = block->end();
  }
  return end;
}

std::pair<std::vector<Checksums::Line>::const_iterator,
          std::vector<Checksums::Line>::const_iterator>
Checksums::lines_of(std::int64_t instance) const {
  const auto less = [](const Line& a, const Line& b) { return a.instance < b.instance; };
  if (!sorted_) std::ranges::stable_sort(lines_, less);
  sorted_ = true;
  return std::equal_range(lines_.cbegin(), lines_.cend(), Line{instance, 0, 0}, less);
}

bool Checksums::has(std::int64_t instance) const {
  const auto [begin, end] = lines_of(instance);
  return begin != end;
}

bool Checksums::matches(File file, std::int64_t instance, std::string_view text) const {
  const std::uint64_t digest = short_digest(text);
  const auto [begin, end] = lines_of(instance);
  return std::any_of(begin, end, [&](const Line& line) {
    return digest == (file == File::results ? line.results : line.timings);
  });
}

std::string sort_rows(const std::string& path, std::string_view header,
                      const InstanceSet& instances, const Checksums& checksums,
                      Checksums::File file) {
  std::vector<BlockLocation> blocks;
  RowReader reader(path, header);
  while (const auto block = reader.next()) {
    if (instances.has(block->instance)) blocks.push_back(location_of(*block));
  }
  sort_and_keep_last(blocks);
  std::size_t end = header.size();
  bool in_order = true;
  for (const BlockLocation& block : blocks) {
    in_order = in_order && block.begin == end;
    end += block.size;
  }
  std::optional<OutputFile> output;
  if (!in_order || std::filesystem::file_size(path) != end) output.emplace(path);
  Sha256 checksum;
  const auto write = [&](std::string_view text) {
    if (output) output->write(text);
    checksum.add(text);
  };
  write(header);
  BlockReader block_reader(path);
  for (const BlockLocation& block : blocks) {
    const std::string& text = block_reader.read(block);
    if (!checksums.matches(file, block.instance, text)) throw make_damage_error(path, block.line);
    write(text);
  }
  if (output) output->commit();
  return checksum.digest();
}

std::string write_checksums(const std::string& path, RowReader& results, RowReader& timings) {
  OutputFile file(path);
  Sha256 checksum;
  const auto write = [&](std::string_view text) {
    file.write(text);
    checksum.add(text);
  };
  write(Checksums::kHeader);
  auto timed = timings.next();
  while (const auto block = results.next()) {
    if (!timed || timed->instance != block->instance) {
      throw make_missing_timings_error(timings, *block);
    }
    write(Checksums::format_line(block->instance, block->text, timed->text));
    timed = timings.next();
  }
  file.commit();
  return checksum.digest();
}

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
  for (const auto& [file, what] :
       {std::pair(result_files::kResults, "results"), {result_files::kTimings, "timings"}}) {
    if (results.run_info.value(fmt::format("{}_sha256", what), "") !=
        sha256_of_file(path_in(path, file))) {
      throw InputError("", fmt::format("the {} that run_info.json describes", what),
                       "different ones", fmt::format("{} has been changed since", file))
          .in_file(path);
    }
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
  found.instances = verify_rows(
      path(result_files::kResults), rows.header(), Checksums::File::results, checksums, none,
      [&](const RowBlock& block) {
        ResultRows::Failures failures;
        return block.instance > specification.size() ||
               !rows.find_fault(specification.instance(block.instance), block.text, failures)
                    .empty();
      });
  verify_rows(path(result_files::kTimings), ResultRows::timings_header(), Checksums::File::timings,
              checksums, none, [](const RowBlock&) { return true; });
  return found;
}

}  // namespace starport
