#include "sim/report/page/run_encoding.hpp"

#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <zlib.h>

#include <bit>

namespace starport::test {
namespace {

/// Reads the format as run_encoding.hpp describes it; what is left of it is an error.
class Decoder {
 public:
  Decoder(std::string bytes, std::size_t workers) : bytes_(std::move(bytes)), workers_(workers) {}

  struct Decoded {
    std::vector<Transfer> transfers;  ///< without what updates let go of
    std::vector<double> starts_s;     ///< of those held back, in order
  };

  Decoded decode() {
    const std::size_t count = natural();
    std::vector<Transfer> transfers(count);
    std::vector<unsigned> flags(count);
    for (unsigned& flag : flags) flag = static_cast<unsigned>(natural());
    for (Transfer& transfer : transfers) transfer.worker = static_cast<std::int32_t>(natural());
    std::vector<std::int64_t> allowed(workers_);
    for (std::size_t i = 0; i < count; ++i) {
      Transfer& transfer = transfers[i];
      std::int64_t& updates = allowed.at(static_cast<std::size_t>(transfer.worker));
      const auto lag = static_cast<std::int64_t>(natural());
      transfer.after_update = lag == 0 ? 0 : updates + 1 - lag;
      transfer.direction = flags[i] & 1 ? Direction::to_master : Direction::to_worker;
      transfer.update.add_c = flags[i] & 64;
      updates += flags[i] & 16 ? 1 : 0;
    }
    ranges(transfers, flags, 2, [](Transfer& transfer) { return &transfer.a.rows; });
    ranges(transfers, flags, 2, [](Transfer& transfer) { return &transfer.a.columns; });
    ranges(transfers, flags, 4, [](Transfer& transfer) { return &transfer.b.rows; });
    ranges(transfers, flags, 4, [](Transfer& transfer) { return &transfer.b.columns; });
    ranges(transfers, flags, 8, [](Transfer& transfer) { return &transfer.c.rows; });
    ranges(transfers, flags, 8, [](Transfer& transfer) { return &transfer.c.columns; });
    ranges(transfers, flags, 32, [](Transfer& transfer) { return &transfer.update.rows; });
    ranges(transfers, flags, 32, [](Transfer& transfer) { return &transfer.update.columns; });
    ranges(transfers, flags, 32, [](Transfer& transfer) { return &transfer.update.inner; });
    std::vector<double> starts;
    for (const unsigned flag : flags) {
      if (flag & 128) starts.push_back(real());
    }
    EXPECT_EQ(at_, bytes_.size());
    return {transfers, starts};
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
  template <class Field>
  void ranges(std::vector<Transfer>& transfers, const std::vector<unsigned>& flags, unsigned flag,
              Field field) {
    for (const bool size : {false, true}) {
      std::vector<std::int64_t> last(workers_);
      for (std::size_t i = 0; i < transfers.size(); ++i) {
        if (!(flags[i] & flag)) continue;
        Range& range = *field(transfers[i]);
        std::int64_t& value = last.at(static_cast<std::size_t>(transfers[i].worker));
        value += integer();
        if (size) {
          range.end = static_cast<std::int32_t>(range.begin + value);
        } else {
          range.begin = static_cast<std::int32_t>(value);
        }
      }
    }
  }

  std::string bytes_;
  std::size_t workers_;
  std::size_t at_ = 0;
};

Decoder::Decoded decoded(const Platform& platform, const Trace& trace) {
  return Decoder(encode_run(platform, trace), platform.workers.size()).decode();
}

/// The transfers of a trace as the encoding keeps them.
std::vector<Transfer> kept(const Trace& trace) {
  std::vector<Transfer> transfers = transfers_of(trace);
  for (Transfer& transfer : transfers) transfer.update.release_a = transfer.update.release_b = {};
  return transfers;
}

TEST(RunEncoding, KeepsTheTransfersOfEveryHeuristicOnRandomInstances) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto [platform, problem] = random_instance(seed);
    for (const std::string name : {"Het", "ODDOML", "BMM", "OMMOML", "Hom"}) {
      const Trace trace = by_recurrence(name, platform, problem);
      const auto [transfers, starts] = decoded(platform, trace);
      EXPECT_EQ(transfers, kept(trace)) << name << " on seed " << seed;
      EXPECT_TRUE(starts.empty());
    }
  }
}

TEST(RunEncoding, DatesFromAnEngineNeedNoStarts) {
  const auto [platform, problem] = random_instance(3);
  const auto [transfers, starts] = decoded(platform, simulate("ODDOML", platform, problem));
  EXPECT_TRUE(starts.empty());
}

TEST(RunEncoding, KeepsLateBlocksOfC) {
  const Schedule schedule = load_schedule(STARPORT_SOURCE_DIR "/tests/fixtures/late-c.json");
  const Trace trace = replay(schedule.platform, schedule.problem, schedule.transfers);
  EXPECT_EQ(decoded(schedule.platform, trace).transfers, kept(trace));
}

TEST(RunEncoding, KeepsTheStartOfATransferThatWasHeldBack) {
  const HeldBack example = held_back();
  const auto [transfers, starts] = decoded(example.platform, example.trace);
  EXPECT_EQ(transfers, kept(example.trace));
  EXPECT_EQ(starts, std::vector<double>{13});
}

TEST(RunEncoding, PacksAsZlibInBase64) {
  // Longer than a piece of the base64 encoder.
  Random random(1);
  std::string bytes(4 << 20, '\0');
  for (char& c : bytes) c = static_cast<char>(random.integer(0, 255));
  const std::string text = pack(bytes);
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

TEST(RunEncoding, TakesLessThanAByteForATransfer) {
  const Platform platform = star({{1, 2, 60}, {2, 3, 21}, {1.5, 1, 32}});
  const Trace trace =
      by_recurrence("ODDOML", platform, {.r = 60, .s = 60, .t = 60, .block_size = 1});
  EXPECT_LT(pack(encode_run(platform, trace)).size(), trace.size()) << trace.size();
}

}  // namespace
}  // namespace starport::test
