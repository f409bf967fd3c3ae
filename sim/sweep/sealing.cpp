#include "sim/sweep/sealing.hpp"

#include "sim/files/output.hpp"
#include "sim/sweep/sha256.hpp"

#include <filesystem>
#include <optional>
#include <vector>

namespace starport {

std::string put_in_order(const std::string& path, std::string_view header, const InstanceSet& kept,
                         const Checksums& checksums, Checksums::Rows rows) {
  std::vector<RowPlace> places;
  RowReader found(path, header);
  while (const auto block = found.next()) {
    if (kept.has(block->instance)) places.push_back(place_of(*block));
  }
  keep_last(places);
  std::size_t end = header.size();
  bool in_order = true;
  for (const RowPlace& place : places) {
    in_order = in_order && place.begin == end;
    end += place.size;
  }
  std::optional<OutputFile> file;
  if (!in_order || std::filesystem::file_size(path) != end) file.emplace(path);
  Sha256 fingerprint;
  const auto write = [&](std::string_view text) {
    if (file) file->write(text);
    fingerprint.add(text);
  };
  write(header);
  RowTexts texts(path);
  for (const RowPlace& place : places) {
    const std::string& text = texts.at(place);
    if (!checksums.prove(rows, place.instance, text)) throw damaged_rows(path, place.line);
    write(text);
  }
  if (file) file->commit();
  return fingerprint.digest();
}

std::string write_checksums(const std::string& path, RowReader& results, RowReader& timings) {
  OutputFile file(path);
  Sha256 fingerprint;
  const auto write = [&](std::string_view text) {
    file.write(text);
    fingerprint.add(text);
  };
  write(Checksums::kHeader);
  auto timed = timings.next();
  while (const auto block = results.next()) {
    const bool has_timings = timed && timed->instance == block->instance;
    write(Checksums::line(block->instance, block->text, has_timings ? timed->text : ""));
    if (has_timings) timed = timings.next();
  }
  file.commit();
  return fingerprint.digest();
}

}  // namespace starport
