#include "sim/report/page/run_encoding.hpp"

#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <new>

namespace starport {
namespace {

/// Writes numbers as bytes, as encode_run() describes them.
class ByteWriter {
 public:
  void natural(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
    text_ += static_cast<char>(value);
  }
  void integer(std::int64_t value) {
    natural(value < 0 ? 2 * static_cast<std::uint64_t>(-(value + 1)) + 1
                      : 2 * static_cast<std::uint64_t>(value));
  }
  void real(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) text_ += static_cast<char>(bits >> shift);
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

/// Encodes the dates of slices as numbers of rules and durations, and tracks the dates that the
/// decoder computes from them.
class DateEncoder {
 public:
  explicit DateEncoder(const Timeline& timeline)
      : timeline_(timeline),
        tolerance_s_(1e-11 * timeline.end_s()),
        lane_end_s_(timeline.lanes.size()),
        in_group_(timeline.groups.size()),
        last_(timeline.kinds.size(), std::vector<Last>(timeline.lanes.size())) {}

  /// The encoded dates of a slice.
  struct Code {
    std::uint64_t start;     ///< number of a rule; 0: written out in starts_s
    std::uint64_t duration;  ///< 0: as before, 1: the next one, 2 + index of an earlier one
  };

  Code add(const Slice& slice) {
    Last& last = last_[slice.kind][slice.lane];
    const std::uint64_t start = start_of(slice, last.start);
    double start_s = slice.start_s;
    if (start == 0) {
      starts_s.push_back(start_s);
    } else {
      start_s = start_by_rule(slice, start);
      last.start = start;
    }
    const std::uint64_t duration = duration_of(slice.end_s - start_s, last.duration_s);
    if (duration == 1) last.duration_s = durations_s.back();
    if (duration > 1) last.duration_s = durations_s[duration - 2];
    const double end_s = start_s + last.duration_s;
    in_group_[timeline_.lanes[slice.lane].group].push_back(ends_s_.size());
    ends_s_.push_back(end_s);
    lanes_.push_back(slice.lane);
    lane_end_s_[slice.lane] = end_s;
    if (slice.other_lane) lane_end_s_[*slice.other_lane] = end_s;
    return {start, duration};
  }

  std::vector<double> starts_s;     ///< starts that no rule gives
  std::vector<double> durations_s;  ///< distinct durations, in order of first use

 private:
  /// The last codes of a kind of slice in a lane.
  struct Last {
    std::uint64_t start = 1;
    double duration_s = 0;
  };

  /// Returns the start that a rule gives; NaN if it refers to a slice that does not exist.
  double start_by_rule(const Slice& slice, std::uint64_t rule) const {
    double free_s = lane_end_s_[slice.lane];
    if (slice.other_lane) free_s = std::max(free_s, lane_end_s_[*slice.other_lane]);
    if (rule == 1) return free_s;
    std::uint64_t back = rule / 2 - 1;
    if (rule % 2 == 1) {
      return back < ends_s_.size() ? std::max(free_s, ends_s_[ends_s_.size() - 1 - back])
                                   : std::nan("");
    }
    const auto& own = in_group_[timeline_.lanes[slice.lane].group];
    for (auto i = own.rbegin(); i != own.rend(); ++i) {
      if (lanes_[*i] != slice.lane && back-- == 0) return std::max(free_s, ends_s_[*i]);
    }
    return std::nan("");
  }

  /// Returns the number of a rule that gives the slice's start, trying the last one first; 0 if
  /// none does.
  std::uint64_t start_of(const Slice& slice, std::uint64_t last) const {
    const auto fits = [&](std::uint64_t rule) {
      return std::abs(start_by_rule(slice, rule) - slice.start_s) <= tolerance_s_;
    };
    if (fits(last)) return last;
    if (fits(1)) return 1;
    constexpr std::uint64_t most_in_group = 8;
    constexpr std::uint64_t most_of_all = 64;
    for (std::uint64_t back = 0; back < most_in_group; ++back) {
      if (fits(2 + 2 * back)) return 2 + 2 * back;
    }
    for (std::uint64_t back = 0; back < most_of_all; ++back) {
      if (fits(3 + 2 * back)) return 3 + 2 * back;
    }
    return 0;
  }

  /// Returns the code of a duration and stores a new one.
  std::uint64_t duration_of(double duration_s, double last_s) {
    if (std::abs(duration_s - last_s) <= tolerance_s_) return 0;
    const auto earlier = numbers_.lower_bound(duration_s - tolerance_s_);
    if (earlier != numbers_.end() && earlier->first <= duration_s + tolerance_s_) {
      return 2 + earlier->second;
    }
    numbers_.emplace(duration_s, durations_s.size());
    durations_s.push_back(duration_s);
    return 1;
  }

  const Timeline& timeline_;
  double tolerance_s_;
  std::vector<double> ends_s_;                      ///< ends of all slices so far
  std::vector<std::size_t> lanes_;                  ///< lanes of all slices so far
  std::vector<double> lane_end_s_;                  ///< end of each lane's last slice
  std::vector<std::vector<std::size_t>> in_group_;  ///< by group, its slices so far
  std::vector<std::vector<Last>> last_;             ///< by kind and lane
  std::map<double, std::uint64_t> numbers_;         ///< index of each duration in durations_s
};

std::int64_t number(std::size_t index) { return static_cast<std::int64_t>(index); }

}  // namespace

nlohmann::ordered_json describe_chart(const Timeline& timeline) {
  using nlohmann::ordered_json;
  ordered_json chart{{"groups", ordered_json::array()},
                     {"lanes", ordered_json::array()},
                     {"kinds", ordered_json::array()},
                     {"labels", timeline.labels}};
  for (const LaneGroup& group : timeline.groups) {
    chart["groups"].push_back(
        {{"name", group.name}, {"shared", !group.worker}, {"waits", group.wait_label}});
    if (group.memory_blocks) chart["groups"].back()["memory"] = *group.memory_blocks;
  }
  for (const Lane& lane : timeline.lanes) {
    chart["lanes"].push_back({{"name", lane.name}, {"group", lane.group}});
  }
  for (const SliceKind& kind : timeline.kinds) {
    ordered_json arguments = ordered_json::array();
    for (const auto& [name, axes] : kind.arguments) {
      arguments.push_back({{"name", name}, {"axes", axes}});
    }
    const char* way = kind.direction == TransferDirection::none       ? ""
                      : kind.direction == TransferDirection::to_group ? "to"
                                                                      : "from";
    chart["kinds"].push_back({{"name", kind.name},
                              {"what", kind.what},
                              {"role", to_string(kind.role)},
                              {"way", way},
                              {"arguments", std::move(arguments)}});
  }
  return chart;
}

std::string encode_run(const Timeline& timeline) {
  ByteWriter bytes;
  bytes.natural(timeline.slices.size());
  bytes.real(timeline.makespan_s);
  bytes.real(timeline.bound_s.value_or(std::numeric_limits<double>::quiet_NaN()));
  DateEncoder dates(timeline);
  std::vector<std::vector<std::size_t>> of_kind(timeline.kinds.size());  // slices
  std::vector<DateEncoder::Code> codes;
  for (const Slice& slice : timeline.slices) {
    bytes.natural(slice.kind);
    of_kind[slice.kind].push_back(codes.size());
    codes.push_back(dates.add(slice));
  }
  for (const auto& slices : of_kind) {
    for (const std::size_t i : slices) {
      const std::size_t before = i == 0 ? 0 : timeline.slices[i - 1].lane;
      bytes.integer(number(timeline.slices[i].lane) - number(before));
    }
  }
  for (std::size_t kind = 0; kind < of_kind.size(); ++kind) {
    const auto write_differences = [&](auto value_of) {
      std::int64_t last = 0;
      for (const std::size_t i : of_kind[kind]) {
        const std::int64_t value = value_of(timeline.slices[i]);
        bytes.integer(value - last);
        last = value;
      }
    };
    // Writes one integer of the arguments; the end of a range is written as its length.
    const auto write_argument = [&](std::size_t at, bool end) {
      std::vector<std::int64_t> last(timeline.lanes.size());
      for (const std::size_t i : of_kind[kind]) {
        const Slice& slice = timeline.slices[i];
        const auto values = timeline.values_of(slice);
        const std::int64_t value = values[at] - (end ? values[at - 1] : 0);
        bytes.integer(value - last[slice.lane]);
        last[slice.lane] = value;
      }
    };
    write_differences(
        [](const Slice& slice) { return slice.other_lane ? 1 + number(*slice.other_lane) : 0; });
    write_differences([](const Slice& slice) { return number(slice.label); });
    for (const std::size_t i : of_kind[kind]) bytes.natural(codes[i].start);
    for (const std::size_t i : of_kind[kind]) bytes.natural(codes[i].duration);
    std::size_t at = 0;
    for (const SliceArgument& argument : timeline.kinds[kind].arguments) {
      for (std::size_t j = 0; j < argument.width(); ++j, ++at) write_argument(at, j % 2 == 1);
    }
    std::vector<std::int64_t> held(timeline.lanes.size());
    for (const std::size_t i : of_kind[kind]) {
      const Slice& slice = timeline.slices[i];
      bytes.natural(!slice.held ? 0 : slice.held->from == MemoryLevel::From::start ? 1 : 2);
    }
    for (const std::size_t i : of_kind[kind]) {
      const Slice& slice = timeline.slices[i];
      if (slice.held) bytes.integer(slice.held->blocks - held[slice.lane]);
      if (slice.held) held[slice.lane] = slice.held->blocks;
    }
  }
  bytes.natural(dates.durations_s.size());
  for (const double duration_s : dates.durations_s) bytes.real(duration_s);
  for (const double start_s : dates.starts_s) bytes.real(start_s);
  return std::move(bytes).text();
}

std::string to_base64(std::string_view bytes) {
  // EVP_EncodeBlock takes an int: long data is encoded in pieces whose size is a multiple of 3.
  constexpr std::size_t piece = 3 << 20;
  std::string text;
  std::vector<unsigned char> encoded(4 * (std::min(piece, bytes.size()) / 3 + 1) + 1);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const int length =
        EVP_EncodeBlock(encoded.data(), reinterpret_cast<const unsigned char*>(bytes.data()) + at,
                        static_cast<int>(std::min<std::size_t>(piece, bytes.size() - at)));
    text.append(reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(length));
  }
  return text;
}

std::string compress_to_base64(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
                Z_BEST_COMPRESSION) != Z_OK) {
    throw std::bad_alloc();  // the buffer is large enough: only memory can be missing
  }
  packed.resize(size);
  return to_base64(packed);
}

}  // namespace starport
