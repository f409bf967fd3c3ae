// What code in a child process may do to the process that waits for it.
#include "sim/process/isolation.hpp"

#include "sim/process/subprocess.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <thread>

namespace starport {
namespace {

constexpr double kLong_s = 120;

std::string error_of(const std::function<void(FrameWriter&)>& body) {
  try {
    run_in_child(
        body, [](auto) {}, kLong_s);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

// The grandchild holds the pipe open until this test ends.
TEST(Isolation, AGrandchildThatGoesOnIsNotWaitedFor) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  EXPECT_EQ(error_of([&](FrameWriter&) {
              if (::fork() != 0) return;
              ::close(ends[1]);
              char none = 0;
              _exit(static_cast<int>(::read(ends[0], &none, 1)));
            }),
            "");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Isolation, AChildThatClosesItsFilesAndGoesOnIsEnded) {
  EXPECT_EQ(error_of([](FrameWriter&) {
              ::close_range(0, ~0U, 0);
              ::pause();
            }),
            "it closed its files and did not end");
}

TEST(Isolation, BytesThatAreNoFrameAreRefused) {
  EXPECT_EQ(error_of([](FrameWriter&) {
              const std::string noise(64, 'x');
              for (int fd = STDERR_FILENO + 1; fd < 64; ++fd) {
                [[maybe_unused]] const auto n = ::write(fd, noise.data(), noise.size());
              }
            }),
            "the process has written something else than its results to its pipe");
}

// The memory is never touched: the length alone decides.
TEST(Isolation, AFrameOfMoreThan4GiBIsRefused) {
  constexpr std::size_t size = (std::size_t{1} << 32) + 1;
  void* const memory =
      ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  FrameWriter writer(-1);
  EXPECT_THROW(writer.write({static_cast<const std::byte*>(memory), size}), SimulationError);
  ::munmap(memory, size);
}

TEST(Isolation, AProgramThatCannotRunLeavesNoChild) {
  EXPECT_THROW(Subprocess("./no-such-program", kLong_s), SimulationError);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

// A library must not rely on its caller to ignore SIGPIPE.
TEST(Isolation, AProgramThatDoesNotReadRaisesNoSignal) {
  auto* const before = std::signal(SIGPIPE, SIG_DFL);
  Subprocess program("false", kLong_s);
  EXPECT_THROW(static_cast<void>(program.request(std::string(1 << 20, 'x'))), SimulationError);
  std::signal(SIGPIPE, before);
}

TEST(Isolation, AProgramWithArgumentsIsKilledByAnotherThread) {
  Subprocess program("sh", kLong_s,
                     {"-c", "read line; echo \"$0 $line\"; sleep 1000", "two words"});
  EXPECT_EQ(program.request("x"), "two words x");
  std::thread killer([&] { program.kill(); });
  EXPECT_THROW(static_cast<void>(program.request("y")), MachineError);
  killer.join();
}

}  // namespace
}  // namespace starport
