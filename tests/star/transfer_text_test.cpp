// The text of transfers: what is read fast is what the general reader reads.
#include "sim/star/transfer_text.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/star/recurrence.hpp"
#include "sim/star/schedule_json.hpp"
#include "tests/star/star_support.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <optional>

namespace starport {
namespace {

constexpr std::int64_t kWorkers = 12;
constexpr Problem kSmallProduct{.r = 120, .s = 30, .t = 11, .block_size = 1};

std::optional<Transfer> by_the_general_reader(const std::string& text) {
  try {
    const auto json = parse_json(text, "x");
    return read_transfer(JsonNode(json), kSmallProduct, kWorkers);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::optional<Transfer> at_once(std::string_view text) {
  Transfer transfer;
  const bool taken = take_text(text, kSmallProduct, kWorkers, transfer);
  return taken && text.empty() ? std::optional(transfer) : std::nullopt;
}

std::string text_of(const Transfer& transfer) {
  std::string text;
  append_text(transfer, text);
  return text;
}

Range draw_range(test::Random& random, std::int64_t size) {
  const std::int64_t begin = random.integer(0, size - 1);
  return {static_cast<std::int32_t>(begin),
          static_cast<std::int32_t>(random.integer(begin + 1, size))};
}

/// Any blocks, whether a schedule could have them or not.
Transfer draw_transfer(test::Random& random) {
  const auto [r, s, t, q] = kSmallProduct;
  const auto rectangle = [&](std::int64_t height, std::int64_t width) {
    return random.integer(0, 1) == 0
               ? Rectangle{}
               : Rectangle{draw_range(random, height), draw_range(random, width)};
  };
  Transfer transfer{
      .worker = static_cast<std::int32_t>(random.integer(0, kWorkers - 1)),
      .direction = random.integer(0, 1) == 0 ? Direction::to_worker : Direction::to_master,
      .a = rectangle(r, t),
      .b = rectangle(t, s),
      .c = rectangle(r, s),
      .after_update = random.integer(0, 1) * random.integer(1, 1'000'000'000'000)};
  const std::int64_t kind = random.integer(0, 3);
  if (kind == 0) return transfer;
  transfer.update.add_c = kind > 1;
  if (kind != 2) {
    transfer.update.rows = draw_range(random, r);
    transfer.update.columns = draw_range(random, s);
    transfer.update.inner = draw_range(random, t);
  }
  transfer.update.release_a = rectangle(r, t);
  transfer.update.release_b = rectangle(t, s);
  return transfer;
}

TEST(TransferText, IsReadAsItWasWritten) {
  test::Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const Transfer transfer = draw_transfer(random);
    const std::string text = text_of(transfer);
    EXPECT_EQ(at_once(text), transfer) << text;
    EXPECT_EQ(by_the_general_reader(text), transfer) << text;
  }
}

// One byte changed: what is still taken at once, the general reader takes as the same.
TEST(TransferText, NothingIsTakenThatTheGeneralReaderRefuses) {
  test::Random random(2);
  const std::string bytes = "0123456789{}[],:\"-. eabt";
  int taken = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = text_of(draw_transfer(random));
    const auto at = static_cast<std::size_t>(random.integer(0, std::ssize(text) - 1));
    const char byte = bytes[static_cast<std::size_t>(random.integer(0, std::ssize(bytes) - 1))];
    switch (random.integer(0, 2)) {
      case 0:
        text[at] = byte;
        break;
      case 1:
        text.insert(at, 1, byte);
        break;
      default:
        text.resize(at);
    }
    const auto transfer = at_once(text);
    if (!transfer) continue;
    ++taken;
    ASSERT_EQ(by_the_general_reader(text), transfer) << text;
  }
  EXPECT_GT(taken, 500);
}

class ScheduleAsWritten : public ::testing::Test {
 protected:
  static Schedule schedule() {
    const auto [platform, problem] = test::random_instance(11);
    return {.heuristic = "ODDOML",
            .problem = problem,
            .platform = platform,
            .makespan_s = 3.25,
            .transfers = transfers_of(test::by_recurrence("ODDOML", platform, problem))};
  }
  static std::string text() {
    std::string text;
    write_json(schedule(), [&](std::string_view piece) { text += piece; });
    return text;
  }
};

TEST_F(ScheduleAsWritten, IsReadLineByLine) {
  const test::TemporaryFile file(text());
  const auto read = load_as_written(file.path());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->heuristic, "ODDOML");
  EXPECT_EQ(read->problem, schedule().problem);
  EXPECT_EQ(read->platform.workers, schedule().platform.workers);
  EXPECT_EQ(read->makespan_s, 3.25);
  EXPECT_EQ(read->transfers, schedule().transfers);
}

TEST_F(ScheduleAsWritten, AnotherFormIsLeftToTheGeneralReader) {
  const std::string text = ScheduleAsWritten::text();
  const auto changed = [&](const std::string& what, const std::string& with) {
    std::string other = text;
    const std::size_t at = other.rfind(what);
    EXPECT_NE(at, std::string::npos) << what;
    return other.replace(at, what.size(), with);
  };
  // The same schedule in other words.
  for (const std::string& same :
       {test::json_of(text).dump(), test::json_of(text).dump(2), changed("\n  ]\n}\n", "\n  ]\n}"),
        changed("\"to\":", "\"to\": "), changed("  ]", "]"), changed("\n}", "\n }"), text + "\n"}) {
    const test::TemporaryFile file(same);
    EXPECT_FALSE(load_as_written(file.path())) << same.substr(0, 200);
    EXPECT_EQ(load_schedule(file.path()).transfers, schedule().transfers);
  }
  // None: the general reader says where.
  for (const std::string& wrong :
       {changed("},\n    {", "}\n    {"), changed("}\n  ]", "},\n  ]"), text + "x",
        changed("  \"problem\"", "  \"problems\""), changed("\"worker\":", "\"worker\":99"),
        text.substr(0, text.size() - 2)}) {
    const test::TemporaryFile file(wrong);
    EXPECT_FALSE(load_as_written(file.path())) << wrong.substr(0, 200);
    EXPECT_THROW(load_schedule(file.path()), InputError);
  }
  EXPECT_FALSE(load_as_written("/nowhere"));
  EXPECT_FALSE(load_as_written("/dev/null"));
}

}  // namespace
}  // namespace starport
