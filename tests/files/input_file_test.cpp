// Suggestions for misspelled names of files.
#include "sim/files/input_file.hpp"

#include "sim/files/error.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <string>

namespace starport {
namespace {

TEST(MissingFile, SuggestsOnlyNamesWithinAThirdOfTheirLetters) {
  const test::TemporaryDirectory folder;
  for (const char* name : {"crags.json", "memory-ladder.json", "nine.json"}) {
    std::ofstream(folder.path() / name) << "{}";
  }
  const auto advice = [&](const std::string& name) {
    return make_unreadable_error((folder.path() / name).string(), ENOENT).hint;
  };
  const auto meant = [&](const std::string& name) {
    return "did you mean '" + (folder.path() / name).string() + "'?";
  };
  // Four letters allow one edit; the folder and the extension are no likeness.
  EXPECT_EQ(advice("none.json"), meant("nine.json"));
  EXPECT_EQ(advice("nope.json"), "");
  EXPECT_EQ(advice("crib.json"), "");
  EXPECT_EQ(advice("crag.json"), meant("crags.json"));
  EXPECT_EQ(advice("crags.jsn"), meant("crags.json"));
  EXPECT_EQ(advice("memroy-lader.json"), meant("memory-ladder.json"));
  EXPECT_EQ(advice("speed-ladder.json"), "");
}

TEST(MissingFile, WithoutANameSaysSo) {
  EXPECT_STREQ(make_unreadable_error("", ENOENT).what(), "the name of a file is empty");
}

TEST(LargeFile, IsRefusedWithTheLimitThatApplies) {
  const test::TemporaryFile file(std::string(2049, ' '), ".json");
  EXPECT_EQ(read_file(file.path(), 2049).size(), 2049);
  try {
    read_file(file.path(), 2048);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), file.path() + ": expected a file of at most 2 KiB, found a larger one");
  }
}

}  // namespace
}  // namespace starport
