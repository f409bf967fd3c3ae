#include "sim/report/page/run_encoding.hpp"

#include "tests/paths.hpp"
#include "tests/report/timelines.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <zlib.h>

#include <bit>
#include <cmath>

namespace starport::test {
namespace {

/// Reads the format as run_encoding.hpp describes it, into the slices of a timeline that has all
/// but them; what is left of it is an error.
class Decoder {
 public:
  Decoder(std::string bytes, Timeline chart)
      : bytes_(std::move(bytes)), timeline_(std::move(chart)), of_kind_(timeline_.kinds.size()) {
    timeline_.slices.clear();
    timeline_.values.clear();
  }

  Timeline decode() && {
    timeline_.slices.resize(natural());
    timeline_.makespan_s = real();
    const double bound_s = real();
    timeline_.bound_s = std::isnan(bound_s) ? std::nullopt : std::optional(bound_s);
    for (std::size_t i = 0; i < timeline_.slices.size(); ++i) {
      Slice& slice = timeline_.slices[i];
      slice.kind = natural();
      slice.first_value = timeline_.values.size();
      timeline_.values.resize(slice.first_value + timeline_.kind_of(slice).width());
      of_kind_[slice.kind].push_back(i);
    }
    read_lanes();
    rules_.resize(timeline_.slices.size());
    durations_.resize(timeline_.slices.size());
    for (std::size_t kind = 0; kind < of_kind_.size(); ++kind) read(kind);
    std::vector<double> durations_s(natural());
    for (double& duration_s : durations_s) duration_s = real();
    set_dates(durations_s);
    EXPECT_EQ(at_, bytes_.size());
    return std::move(timeline_);
  }

 private:
  std::uint64_t natural() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.at(at_++));
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
  }
  std::int64_t integer() {
    const std::uint64_t value = natural();
    const auto half = static_cast<std::int64_t>(value / 2);
    return value % 2 == 0 ? half : -half - 1;
  }
  double real() {
    std::uint64_t bits = 0;
    for (int shift = 0; shift < 64; shift += 8) {
      bits |= std::uint64_t{static_cast<unsigned char>(bytes_.at(at_++))} << shift;
    }
    return std::bit_cast<double>(bits);
  }

  void read_lanes() {
    std::vector<std::int64_t> steps(timeline_.slices.size());
    for (const auto& own : of_kind_) {
      for (const std::size_t i : own) steps[i] = integer();
    }
    std::int64_t lane = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      timeline_.slices[i].lane = static_cast<std::size_t>(lane += steps[i]);
    }
  }

  void read(std::size_t kind) {
    std::int64_t other = 0;
    for (const std::size_t i : of_kind_[kind]) {
      other += integer();
      if (other > 0) timeline_.slices[i].other_lane = static_cast<std::size_t>(other - 1);
    }
    std::int64_t label = 0;
    for (const std::size_t i : of_kind_[kind]) {
      timeline_.slices[i].label = static_cast<std::size_t>(label += integer());
    }
    for (const std::size_t i : of_kind_[kind]) rules_[i] = natural();
    for (const std::size_t i : of_kind_[kind]) durations_[i] = natural();
    std::size_t at = 0;
    for (const SliceArgument& argument : timeline_.kinds[kind].arguments) {
      for (std::size_t j = 0; j < argument.width(); ++j, ++at) {
        std::vector<std::int64_t> last(timeline_.lanes.size());
        for (const std::size_t i : of_kind_[kind]) {
          const Slice& slice = timeline_.slices[i];
          std::int64_t& value = timeline_.values[slice.first_value + at];
          value = last[slice.lane] += integer();
          if (j % 2 == 1) value += timeline_.values[slice.first_value + at - 1];
        }
      }
    }
    for (const std::size_t i : of_kind_[kind]) {
      const std::uint64_t from = natural();
      if (from > 0) {
        timeline_.slices[i].held = {from == 1 ? MemoryLevel::From::start : MemoryLevel::From::end,
                                    0};
      }
    }
    std::vector<std::int64_t> held(timeline_.lanes.size());
    for (const std::size_t i : of_kind_[kind]) {
      Slice& slice = timeline_.slices[i];
      if (slice.held) slice.held->blocks = held[slice.lane] += integer();
    }
  }

  double rule_s(std::size_t i) const {
    std::uint64_t back = rules_[i] / 2 - 1;
    if (rules_[i] % 2 == 1) return timeline_.slices.at(i - 1 - back).end_s;
    const std::size_t lane = timeline_.slices[i].lane;
    for (std::size_t j = i; j-- > 0;) {
      const std::size_t other = timeline_.slices[j].lane;
      if (other == lane || timeline_.lanes[other].group != timeline_.lanes[lane].group) continue;
      if (back-- == 0) return timeline_.slices[j].end_s;
    }
    ADD_FAILURE() << "a rule that names no slice";
    return 0;
  }

  void set_dates(const std::vector<double>& durations_s) {
    std::vector<double> free_s(timeline_.lanes.size());
    std::vector<std::vector<double>> last(timeline_.kinds.size(), free_s);
    std::size_t unused = 0;
    for (std::size_t i = 0; i < timeline_.slices.size(); ++i) {
      Slice& slice = timeline_.slices[i];
      double& duration_s = last[slice.kind][slice.lane];
      slice.start_s = std::max(free_s[slice.lane], free_s[slice.other_lane.value_or(slice.lane)]);
      if (rules_[i] == 0) slice.start_s = real();
      if (rules_[i] > 1) slice.start_s = std::max(slice.start_s, rule_s(i));
      if (durations_[i] == 1) duration_s = durations_s.at(unused++);
      if (durations_[i] > 1) duration_s = durations_s.at(durations_[i] - 2);
      slice.end_s = slice.start_s + duration_s;
      free_s[slice.lane] = free_s[slice.other_lane.value_or(slice.lane)] = slice.end_s;
    }
    EXPECT_EQ(unused, durations_s.size());
  }

  std::string bytes_;
  Timeline timeline_;
  std::vector<std::vector<std::size_t>> of_kind_;
  std::vector<std::uint64_t> rules_;
  std::vector<std::uint64_t> durations_;
  std::size_t at_ = 0;
};

void expect_kept(const Timeline& timeline) {
  const Timeline decoded = Decoder(encode_run(timeline), timeline).decode();
  EXPECT_EQ(decoded.makespan_s, timeline.makespan_s);
  EXPECT_EQ(decoded.bound_s, timeline.bound_s);
  EXPECT_EQ(decoded.values, timeline.values);
  ASSERT_EQ(decoded.slices.size(), timeline.slices.size());
  const double tolerance_s = 1e-11 * timeline.end_s();
  for (std::size_t i = 0; i < timeline.slices.size(); ++i) {
    const Slice& slice = timeline.slices[i];
    const Slice& read = decoded.slices[i];
    EXPECT_EQ(read.lane, slice.lane);
    EXPECT_EQ(read.other_lane, slice.other_lane);
    EXPECT_EQ(read.kind, slice.kind);
    EXPECT_EQ(read.label, slice.label);
    ASSERT_EQ(read.held.has_value(), slice.held.has_value());
    if (slice.held) {
      EXPECT_EQ(read.held->from, slice.held->from);
      EXPECT_EQ(read.held->blocks, slice.held->blocks);
    }
    ASSERT_NEAR(read.start_s, slice.start_s, tolerance_s) << i;
    ASSERT_NEAR(read.end_s, slice.end_s, 2 * tolerance_s) << i;
  }
}

TEST(RunEncoding, KeepsTheSlicesOfEveryHeuristicOnRandomInstances) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto [platform, problem] = random_instance(seed);
    for (const std::string name : {"Het", "ODDOML", "BMM", "OMMOML", "Hom"}) {
      SCOPED_TRACE(name + " on seed " + std::to_string(seed));
      expect_kept(timeline_of(name, platform, by_recurrence(name, platform, problem)));
    }
  }
}

TEST(RunEncoding, KeepsWhatAnEngineDates) {
  auto [platform, problem] = random_instance(3);
  for (const Port::Kind kind : {Port::Kind::one, Port::Kind::two, Port::Kind::multi}) {
    platform.port.kind = kind;
    expect_kept(timeline_of("ODDOML", platform, simulate("ODDOML", platform, problem)));
  }
}

TEST(RunEncoding, KeepsDatesThatNothingExplains) {
  const auto [platform, problem] = random_instance(3);
  Timeline timeline = timeline_of("ODDOML", platform, by_recurrence("ODDOML", platform, problem));
  Random random(1);
  for (Slice& slice : timeline.slices) {
    slice.start_s += random.real(0, 1e-3);
    slice.end_s += random.real(1e-3, 2e-3);
  }
  expect_kept(timeline);
}

TEST(RunEncoding, KeepsLateBlocksOfCAndTransfersHeldBack) {
  const Schedule schedule = load_schedule(STARPORT_SOURCE_DIR "/tests/fixtures/late-c.json");
  expect_kept(timeline_of("late", schedule.platform,
                          replay(schedule.platform, schedule.problem, schedule.transfers)));
  const HeldBack example = held_back();
  expect_kept(timeline_of("held back", example.platform, example.trace));
}

TEST(RunEncoding, KnowsNoModel) {
  const Timeline timeline = two_gpus();
  expect_kept(timeline);
  const auto chart = describe_chart(timeline);
  EXPECT_EQ(chart.at("groups").at(0).dump(), R"({"name":"bus","shared":true,"waits":"bus waits"})");
  EXPECT_EQ(chart.at("lanes").at(3).dump(), R"({"name":"computation","group":2})");
  EXPECT_EQ(chart.at("kinds").at(0).dump(),
            R"({"name":"copy","what":"copy","role":"send_operands","way":"to",)"
            R"("arguments":[{"name":"A","axes":["row","k"]}]})");
  EXPECT_EQ(chart.at("labels").at(1), "gemm");
}

// Alike but for the dates of one slice, which then are told: its start, and its duration.
TEST(RunEncoding, TellsNoDateThatFollows) {
  const auto [platform, problem] = random_instance(3);
  Timeline timeline = timeline_of("ODDOML", platform, by_recurrence("ODDOML", platform, problem));
  const std::size_t size = encode_run(timeline).size();
  timeline.slices.back().start_s += 0.125;
  timeline.slices.back().end_s += 0.25;
  EXPECT_EQ(encode_run(timeline).size(), size + 16);
}

TEST(RunEncoding, PacksAsZlibInBase64) {
  // Longer than a piece of the base64 encoder.
  Random random(1);
  std::string bytes(4 << 20, '\0');
  for (char& c : bytes) c = static_cast<char>(random.integer(0, 255));
  const std::string text = compress_to_base64(bytes);
  std::vector<unsigned char> packed(text.size());
  const int size =
      EVP_DecodeBlock(packed.data(), reinterpret_cast<const unsigned char*>(text.data()),
                      static_cast<int>(text.size()));
  ASSERT_GT(size, 0);
  std::string unpacked(bytes.size(), '\0');
  uLongf length = unpacked.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(unpacked.data()), &length, packed.data(),
                       static_cast<uLong>(size)),
            Z_OK);
  EXPECT_EQ(unpacked, bytes);
}

TEST(RunEncoding, TakesLessThanAByteForASlice) {
  const Platform platform = star({{1, 2, 60}, {2, 3, 21}, {1.5, 1, 32}});
  const Timeline timeline =
      timeline_of("ODDOML", platform,
                  by_recurrence("ODDOML", platform, {.r = 60, .s = 60, .t = 60, .block_size = 1}));
  EXPECT_LT(compress_to_base64(encode_run(timeline)).size(), timeline.slices.size() / 2);
}

}  // namespace
}  // namespace starport::test
