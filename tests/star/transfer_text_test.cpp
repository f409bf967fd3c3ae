// The text of transfers: what is read fast is what the general reader reads.

#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/schedule_file.hpp"
#include "tests/star/star_support.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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
  const bool taken = parse_transfer_text(text, kSmallProduct, kWorkers, transfer);
  const bool all = text.find_first_not_of(" \n\r\t") == std::string_view::npos;
  return taken && all ? std::optional(transfer) : std::nullopt;
}

std::string text_of(const Transfer& transfer) {
  std::string text;
  append_transfer_text(transfer, text);
  return text;
}

/// The same JSON: keys in any order, white space anywhere.
std::string in_another_layout(const nlohmann::json& json, test::Random& random) {
  const auto space = [&] {
    static const std::array<std::string, 5> kSpaces{"", " ", "\n", "\t\r\n  ", ""};
    return kSpaces[static_cast<std::size_t>(random.integer(0, std::ssize(kSpaces) - 1))];
  };
  if (!json.is_structured()) return space() + json.dump() + space();
  std::vector<std::string> parts;
  for (const auto& [key, value] : json.items()) {
    const std::string text = in_another_layout(value, random);
    parts.push_back(json.is_array() ? text : space() + "\"" + key + "\"" + space() + ":" + text);
  }
  if (json.is_object()) {  // shuffled
    for (std::size_t i = parts.size(); i-- > 1;) {
      std::swap(parts[i],
                parts[static_cast<std::size_t>(random.integer(0, std::ssize(parts) - 1))]);
    }
  }
  std::string text = space() + (json.is_array() ? "[" : "{");
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : ",") + parts[i];
  return text + (json.is_array() ? "]" : "}") + space();
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
      .partial_sums = random.integer(0, 1) == 0,
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

TEST(TransferText, IsReadInAnyLayout) {
  test::Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const Transfer transfer = draw_transfer(random);
    const std::string text = in_another_layout(test::json_of(text_of(transfer)), random);
    EXPECT_EQ(at_once(text), transfer) << text;
  }
}

// One byte changed: what is still taken at once, the general reader takes as the same.
TEST(TransferText, NothingIsTakenThatTheGeneralReaderRefuses) {
  test::Random random(2);
  const std::string bytes = "0123456789{}[],:\"-. eabt";
  int taken = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = text_of(draw_transfer(random));
    if (i % 2 == 0) text = in_another_layout(test::json_of(text), random);
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

class ScheduleStream : public ::testing::Test {
 protected:
  static Schedule schedule() {
    const auto [platform, problem] = test::random_instance(11);
    return {.heuristic = "ODDOML",
            .problem = problem,
            .platform = platform,
            .makespan_s = 3.25,
            .transfers = to_transfers(test::by_recurrence("ODDOML", platform, problem))};
  }
  static std::string text() {
    std::string text;
    write_json(schedule(), [&](std::string_view piece) { text += piece; });
    return text;
  }
};

TEST_F(ScheduleStream, IsReadInAnyLayout) {
  const std::string text = ScheduleStream::text();
  // More white space than a piece of the file.
  std::string wide = text;
  wide.insert(wide.find('[', wide.find("\"transfers\"")), std::string(1 << 19, ' '));
  wide.insert(wide.rfind('}'), std::string(1 << 19, '\n'));
  std::vector<std::string> layouts{text, test::json_of(text).dump(),
                                   test::json_of(text).dump(1, '\t'), wide, text + "\n"};
  for (const std::size_t before : {1000, 3000, 20000}) {  // a piece ends among the transfers
    layouts.push_back("{" + std::string((1 << 18) - before, ' ') + text.substr(1));
  }
  for (const std::string& same : layouts) {
    const test::TemporaryFile file(same);
    const auto read = load_schedule_stream(file.path());
    ASSERT_TRUE(read) << same.substr(0, 200);
    EXPECT_EQ(read->heuristic, "ODDOML");
    EXPECT_EQ(read->problem, schedule().problem);
    EXPECT_EQ(read->platform.workers, schedule().platform.workers);
    EXPECT_EQ(read->makespan_s, 3.25);
    EXPECT_EQ(read->transfers, schedule().transfers);
  }
}

// A pipe can be read once: opened a second time, it has no writer.
TEST_F(ScheduleStream, ANamedPipeIsOpenedOnce) {
  const test::TemporaryDirectory folder;
  const std::string pipe = (folder.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string text = ScheduleStream::text();
  std::thread writer([&] { std::ofstream(pipe) << text; });
  EXPECT_EQ(load_schedule(pipe).transfers, schedule().transfers);
  writer.join();
}

TEST_F(ScheduleStream, AFileThatCannotBeOpenedIsLeftToTheGeneralReader) {
  const test::TemporaryFile file(text());
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto read = load_schedule_stream(file.path());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_FALSE(read);
}

TEST_F(ScheduleStream, WhatIsOtherwiseIsLeftToTheGeneralReader) {
  const std::string text = ScheduleStream::text();
  const auto changed = [&](const std::string& what, const std::string& with) {
    std::string other = text;
    const std::size_t at = other.rfind(what);
    EXPECT_NE(at, std::string::npos) << what;
    return other.replace(at, what.size(), with);
  };
  // The same schedule: transfers before the problem; a key with an escape; much space in one.
  nlohmann::ordered_json first{{"transfers", test::json_of(text).at("transfers")}};
  first.update(nlohmann::ordered_json::parse(text));
  for (const std::string& same :
       {first.dump(), changed("\"worker\":", "\"work\\u0065r\":"),
        changed("\"transfers\"", "\"transfer\\u0073\""),
        changed("\"worker\":", "\"worker\":" + std::string(1 << 19, ' '))}) {
    const test::TemporaryFile file(same);
    EXPECT_FALSE(load_schedule_stream(file.path())) << same.substr(0, 200);
    EXPECT_EQ(load_schedule(file.path()).transfers, schedule().transfers);
  }
  // None: the general reader says where.
  for (const std::string& wrong :
       {changed("},\n    {", "}\n    {"), changed("}\n  ]", "},\n  ]"), text + "x",
        changed("  \"problem\"", "  \"problems\""), changed("\"worker\":", "\"worker\":99"),
        changed("\"worker\":", "\"to\":\"worker\",\"worker\":"),
        changed("  ]", "  ], \"transfers\": []"), text.substr(0, text.size() - 2),
        std::string("{\"transfers\":")}) {
    const test::TemporaryFile file(wrong);
    EXPECT_FALSE(load_schedule_stream(file.path())) << wrong.substr(0, 200);
    EXPECT_THROW(load_schedule(file.path()), InputError);
  }
  EXPECT_FALSE(load_schedule_stream("/nowhere"));
  EXPECT_FALSE(load_schedule_stream("/dev/null"));
}

}  // namespace
}  // namespace starport
