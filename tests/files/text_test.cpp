#include "sim/files/text.hpp"

#include "sim/files/json.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace starport {
namespace {

TEST(Text, ControlCharactersBecomeSpaces) {
  EXPECT_EQ(sanitize_line("a\x1b[2Jb\nc\rd\te\x7f"), "a [2Jb c d e ");
  EXPECT_EQ(sanitize_line(std::string_view("a\0b", 3)), "a b");
  EXPECT_EQ(sanitize_line("C1: \u0085 \u009b31m"), "C1:    31m");
  EXPECT_EQ(sanitize_line("\u2028\u2029 \u202eevil\u202c \u2066\u2069\u200f\u061c"),
            "    evil      ");
  EXPECT_EQ(sanitize_line("zero\u200bwidth\ufeff, tag\U000e0041"), "zero width , tag ");
  // What is no UTF-8 may be a control character to a terminal of eight bits.
  EXPECT_EQ(sanitize_line("\x9b\x31m \xc3"), " 1m  ");
  EXPECT_EQ(sanitize_line("\xe2\x80"), "  ");
  EXPECT_EQ(sanitize_line("é → 日本 🚀 \u00a0"), "é → 日本 🚀 \u00a0");
  EXPECT_EQ(sanitize_lines("a\tb\r\nc\rd\n\x1b"), "a\tb\r\nc d\n ");
}

TEST(Text, OfInputHasNoControlCharacters) {
  for (const char* bad :
       {R"("a\u001bb")", R"("a\u0000b")", R"("a\rb")", R"("\u009b31m")", R"("\u202egnp")"}) {
    EXPECT_THROW(JsonNode(test::json_of(bad)).text(), InputError) << bad;
  }
  EXPECT_EQ(JsonNode(nlohmann::json("né")).text(), "né");
}

// Each value looked at once: were all those before it looked at too, this would take minutes.
TEST(Json, ReadsLongArraysInTime) {
  std::string text = "[";
  for (int i = 0; i < 500'000; ++i) text += R"({"a": 1},)";
  EXPECT_EQ(parse_json(text + "0]", "x").size(), 500'001U);
}

TEST(Text, NoneReachTheTerminal) {
  const test::TemporaryFile platform(
      R"({"schema_version": 1, "name": "two\u001b[2J", "block_size": 1,
          "workers": [{"comment": "of two\nlines", "c_s": 1, "w_s": 2, "m_blocks": 12}]})");
  for (const char* command : {"run", "bound", "validate"}) {
    const auto outcome = test::shell(std::string("starport ") + command + " " + platform.path() +
                                     (*command == 'v' ? "" : " --problem 4x3x6"));
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_NE(outcome.err.find("/name: expected a text on one line, without control characters"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ((outcome.out + outcome.err).find('\x1b'), std::string::npos) << command;
  }
  // The names of files are texts too.
  const test::TemporaryDirectory work;
  const std::string path = (work.path() / "a\x1b[2J\xc2\x9b.json").string();
  std::filesystem::copy_file(STARPORT_SOURCE_DIR "/platforms/first-try.json", path);
  const auto named = test::shell("starport validate '" + path + "'");
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_EQ(named.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(named.out.find("\xc2\x9b"), std::string::npos);
}

// Overlong forms (of ESC, of NUL), a surrogate, and what is beyond Unicode.
TEST(Text, BytesThatAreNoUtf8AreControlCharacters) {
  for (const char* bad : {"\xe0\x80\x9b", "\xf0\x80\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_EQ(control_character_size(bad), 1U);
    EXPECT_EQ(sanitize_line(bad), std::string(std::string_view(bad).size(), ' '));
  }
  for (const char* good :
       {"\xe0\xa0\x80", "\xf0\x90\x80\x80", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(control_character_size(good), 0U);
  }
}

}  // namespace
}  // namespace starport
