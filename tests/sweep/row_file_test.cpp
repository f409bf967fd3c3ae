// Files of rows, read block by block.
#include "sim/sweep/row_file.hpp"

#include "sim/app/model_registry.hpp"
#include "sim/files/input_file.hpp"
#include "sim/platform/random.hpp"
#include "sim/sweep/checksums.hpp"
#include "sim/sweep/result_directory.hpp"
#include "sim/sweep/sha256.hpp"
#include "tests/support.hpp"
#include "tests/sweep/sweep_fixture.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

// What the disk does in this test program.
bool reads_are_short = false;
bool syncs_fail = false;

}  // namespace

extern "C" ssize_t pread(int fd, void* bytes, std::size_t count, off_t from) {
  constexpr std::size_t few = 7;
  return ::syscall(SYS_pread64, fd, bytes, reads_are_short ? std::min(count, few) : count, from);
}
extern "C" int fdatasync(int fd) {
  if (!syncs_fail) return static_cast<int>(::syscall(SYS_fdatasync, fd));
  errno = EIO;
  return -1;
}

namespace starport {
namespace {

constexpr const char* kRowsHeader = "instance,value\r\n";

class Rows : public testing::Test {
 protected:
  std::string path() const { return (folder_.path() / "rows.csv").string(); }
  void write(const std::string& text) const { std::ofstream(path(), std::ios::binary) << text; }

 private:
  test::TemporaryDirectory folder_;
};

// Blocks of all sizes, across the boundaries of chunks, in files that are cut at any byte.
TEST_F(Rows, AreReadBlockByBlock) {
  Random random(1);
  std::string text = kRowsHeader;
  std::vector<BlockLocation> blocks;
  std::int64_t line = 2;
  for (std::int64_t instance = 1; text.size() < 200'000; instance += random.integer(1, 3)) {
    const std::size_t begin = text.size();
    const std::int64_t lines = random.integer(1, 4);
    for (std::int64_t n = 0; n < lines; ++n) {
      text += fmt::format("{},{}\r\n", instance,
                          std::string(static_cast<std::size_t>(random.integer(0, 3000)), 'x'));
    }
    blocks.push_back({instance, line, begin, text.size() - begin});
    line += lines;
  }
  for (std::size_t cut = 0; cut < 300; ++cut) {
    write(text.substr(0, text.size() - cut));
    RowReader file(path(), kRowsHeader);
    const std::size_t whole = text.rfind("\r\n", text.size() - cut - 2) + 2;
    std::size_t n = 0;
    std::size_t end = file.rows_begin();
    while (const auto block = file.next()) {
      ASSERT_LT(n, blocks.size());
      EXPECT_EQ(block->instance, blocks[n].instance);
      EXPECT_EQ(block->line, blocks[n].line);
      ASSERT_EQ(block->begin, blocks[n].begin);
      ASSERT_EQ(block->text, text.substr(block->begin, block->text.size()));
      end = block->end();
      EXPECT_EQ(block->last, end == whole);
      if (!block->last) {
        EXPECT_EQ(block->text.size(), blocks[n].size);
      }
      ++n;
    }
    EXPECT_EQ(end, whole) << cut;
    EXPECT_EQ(file.sha256(), sha256(text.substr(0, text.size() - cut)));
  }
}

// A read that returns less than was asked for is no damage.
TEST_F(Rows, AreReadBySmallReads) {
  const std::string text = std::string(kRowsHeader) + "1,first\r\n1,second\r\n2,third\r\n";
  write(text);
  reads_are_short = true;
  RowReader file(path(), kRowsHeader);
  const auto first = file.next();
  const std::string rows(first ? first->text : "");
  const std::string again = first ? BlockReader(path()).read(location_of(*first)) : "";
  const bool has_second = file.next().has_value();
  const std::string checksum = sha256_of_file(path());
  reads_are_short = false;
  EXPECT_EQ(rows, "1,first\r\n1,second\r\n");
  EXPECT_EQ(again, rows);
  EXPECT_TRUE(has_second);
  EXPECT_EQ(checksum, sha256(text));
}

// Rows that may not be on the disk are an error, and no directory of them is sealed.
TEST_F(Rows, AreOnTheDiskOrAnError) {
  const test::TemporaryFile file(test::kSweep);
  const test::TemporaryDirectory work;
  const std::string out = (work.path() / "out").string();
  const Specification specification = load_specification(file.path(), model_registry());
  ResultDirectory directory(out, specification,
                            {.engine = "none", .simgrid_version = "", .shard = {}},
                            nlohmann::ordered_json::object());
  syncs_fail = true;
  std::string fault;
  try {
    directory.finish(1);
  } catch (const InputError& error) {
    fault = error.what();
  }
  syncs_fail = false;
  EXPECT_TRUE(fault.ends_with(": expected a file that can be written, found Input/output error"))
      << fault;
}

// What could not be written is not there, and what is written afterwards follows what was.
TEST_F(Rows, AreAppendedBehindTheLastOnesAfterAFailure) {
  write("");
  RowAppender file(path(), 0);
  file.append(kRowsHeader);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  rlimit small = limit;
  small.rlim_cur = std::string_view(kRowsHeader).size() + 5;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(file.append("1,2345678\r\n"), InputError);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, before);
  file.append("1,9\r\n");
  EXPECT_EQ(read_file(path()), std::string(kRowsHeader) + "1,9\r\n");
}

TEST_F(Rows, OneAtATimeAppends) {
  write("");
  const RowAppender first(path(), 0);
  EXPECT_THROW(RowAppender(path(), 0), InputError);
}

TEST_F(Rows, FollowWhatTheFileHoldsUnlessItIsCut) {
  write("1,2\r\n2,3\r\n3");
  RowAppender file(path());
  EXPECT_EQ(read_file(path()), "1,2\r\n2,3\r\n3");
  file.resize(10);
  file.append("3,4\r\n");
  EXPECT_EQ(read_file(path()), "1,2\r\n2,3\r\n3,4\r\n");
}

TEST_F(Rows, AHeaderMayBeCutShort) {
  const std::string header = kRowsHeader;
  for (std::size_t size = 0; size < header.size(); ++size) {
    write(header.substr(0, size));
    RowReader file(path(), header);
    EXPECT_EQ(file.rows_begin(), 0U);
    EXPECT_FALSE(file.next());
  }
  write("instance,other\r\n");
  EXPECT_THROW(RowReader(path(), header), InputError);
  write(header + "1,2\r\nx,2\r\n");
  RowReader file(path(), header);
  try {
    file.next();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.place, "line 3");
    EXPECT_EQ(error.expected, "the number of an instance");
  }
}

// However long a file is: what is in use is counted by the allocator itself.
TEST_F(Rows, TakeTheMemoryOfSomeOfThem) {
  const std::string row(1000, 'x');
  {
    std::ofstream file(path(), std::ios::binary);
    file << kRowsHeader;
    for (int instance = 1; instance <= 10'000; ++instance) file << instance << ',' << row << "\r\n";
  }
  const auto in_use = [] {
    const struct mallinfo2 now = ::mallinfo2();
    return static_cast<std::int64_t>(now.uordblks + now.hblkhd);
  };
  const std::int64_t before = in_use();
  RowReader file(path(), kRowsHeader);
  std::int64_t blocks = 0;
  std::int64_t most = 0;
  while (file.next()) {
    ++blocks;
    most = std::max(most, in_use() - before);
  }
  EXPECT_EQ(blocks, 10'000);
  EXPECT_LT(most, 500'000);  // of 10 MB
}

// Checksums of results whose timings are lost would seal the loss.
TEST_F(Rows, ChecksumsNeedTheTimingsOfEachInstance) {
  const std::string header = ResultRows::timings_header();
  write(std::string(kRowsHeader) + "1,a\r\n2,b\r\n");
  for (const std::string rows : {"1,x,1,1\r\n", "2,x,1,1\r\n"}) {
    const test::TemporaryFile timed(header + rows);
    RowReader results(path(), kRowsHeader);
    RowReader timings(timed.path(), header);
    EXPECT_THROW(write_checksums(path() + ".sums", results, timings), InputError) << rows;
  }
  const test::TemporaryFile timed(header + "1,x,1,1\r\n2,x,1,1\r\n");
  RowReader results(path(), kRowsHeader);
  RowReader timings(timed.path(), header);
  const std::string checksum = write_checksums(path() + ".sums", results, timings);
  EXPECT_EQ(checksum, sha256(read_file(path() + ".sums")));
}

TEST_F(Rows, TheLastBlockOfAnInstanceCounts) {
  std::vector<BlockLocation> places{{3, 1, 100, 5}, {1, 2, 105, 5}, {3, 3, 110, 5}, {2, 4, 115, 5}};
  sort_and_keep_last(places);
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0].instance, 1);
  EXPECT_EQ(places[1].instance, 2);
  EXPECT_EQ(places[2].begin, 110U);
}

// Instances of other shards are ignored.
TEST(InstanceSet, HasWhatIsOfTheShard) {
  InstanceSet set({.index = 2, .count = 3}, 10);  // 2, 5, 8
  for (std::int64_t number = -5; number <= 20; ++number) set.add(number);
  EXPECT_EQ(set.size(), 3);
  for (std::int64_t number = -5; number <= 20; ++number) {
    EXPECT_EQ(set.has(number), number == 2 || number == 5 || number == 8) << number;
  }
  set.add(5);
  EXPECT_EQ(set.size(), 3);
  set.remove(5);
  set.remove(5);
  EXPECT_EQ(set.size(), 2);
  EXPECT_FALSE(set.has(5));
}

// Instances in any order, some twice: both versions of their rows match.
TEST_F(Rows, AreProvenByTheirChecksums) {
  Checksums written;
  std::string lines = Checksums::kHeader;
  for (const auto& [instance, rows] :
       {std::pair(7, "seven"), {3, "three"}, {9, "nine"}, {3, "three again"}, {1, "one"}}) {
    lines += written.add(instance, rows, std::string(rows) + ", timed");
  }
  write(lines + "5,0123");
  Checksums read;
  EXPECT_EQ(read.read(path()), lines.size());
  using enum Checksums::File;
  for (const Checksums* checksums : {&written, &read}) {
    EXPECT_TRUE(checksums->has(3));
    EXPECT_FALSE(checksums->has(5));
    EXPECT_TRUE(checksums->matches(results, 3, "three"));
    EXPECT_TRUE(checksums->matches(timings, 3, "three again, timed"));
    EXPECT_FALSE(checksums->matches(results, 3, "seven"));
    EXPECT_FALSE(checksums->matches(timings, 3, "three"));
  }
}

// A line may have line feeds inside, as no program writes it.
TEST_F(Rows, ChecksumsWithStrayLineFeedsAreRefused) {
  write(Checksums::kHeader + std::string("1,0123456789abcdef,0123456789abcdefX\n\n\r\n"));
  Checksums read;
  EXPECT_THROW(read.read(path()), InputError);
}

}  // namespace
}  // namespace starport
