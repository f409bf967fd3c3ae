// What code in a child process may do to the process that waits for it.
#include "sim/process/isolation.hpp"

#include "sim/process/descendants.hpp"
#include "sim/process/subprocess.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

/// The only process that can fork; 0: all can.
static pid_t only_process_that_forks = 0;

extern "C" pid_t fork() noexcept {
  if (only_process_that_forks != 0 && only_process_that_forks != ::getpid()) {
    errno = EAGAIN;
    return -1;
  }
  static const auto original = reinterpret_cast<pid_t (*)()>(::dlsym(RTLD_NEXT, "fork"));
  return original();
}

namespace starport {
namespace {

constexpr double kLong_s = 120;

std::string error_of(const std::function<void(FrameWriter&)>& body, double time_limit_s = kLong_s) {
  try {
    run_in_child(
        body, [](auto) {}, time_limit_s);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

/// Returns whether no process has the other end of a pipe any more, or soon has it.
bool is_closed(int end) {
  constexpr int patience_ms = 60'000;
  pollfd closed{.fd = end, .events = POLLIN, .revents = 0};
  ::poll(&closed, 1, patience_ms);
  return (closed.revents & POLLHUP) != 0;
}

TEST(FrameReader, TakesMemoryForWhatArrivesOnly) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const FileDescriptor in(ends[0]);
  const FileDescriptor out(ends[1]);
  const std::uint64_t claimed = std::uint64_t{3} << 30;
  ASSERT_EQ(::write(out.get(), &claimed, sizeof claimed), 8);
  const auto peak_kib = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const long before_kib = peak_kib();
  FrameReader reader(in.get());
  EXPECT_TRUE(reader.read([](auto) { FAIL() << "the frame is not complete"; }));
  EXPECT_LT(peak_kib() - before_kib, 1 << 20);
}

// What the body has started holds a pipe open, also in a session of its own. It is not waited for,
// and ended however the body ends.
TEST(Isolation, WhatABodyHasStartedEndsWithIt) {
  struct Ending {
    std::function<void()> end;
    std::string error;
  };
  const Ending endings[] = {{[] {}, ""},
                            {[] { throw SimulationError("no idea"); }, "no idea"},
                            {[] { std::raise(SIGABRT); }, "crashed: Aborted"},
                            {[] { ::pause(); }, "timed out after 0.5 s"}};
  for (const Ending& one : endings) {
    const std::string& error = one.error;
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const auto body = [&](FrameWriter&) {
      for (int i = 0; i < 3; ++i) {
        if (::fork() != 0) continue;
        if (i > 0) ::setsid();
        if (i > 1 && ::fork() != 0) ::_exit(0);
        ::pause();
      }
      one.end();
    };
    EXPECT_EQ(error_of(body, error.starts_with("timed out") ? 0.5 : kLong_s), error);
    ::close(ends[1]);
    EXPECT_TRUE(is_closed(ends[0])) << error;
    ::close(ends[0]);
  }
}

// Without parents, they become children of the guard of the body.
TEST(Isolation, WhatABodyHasLeftBehindIsReapedMeanwhile) {
  const auto leave_behind = [](FrameWriter&) {
    constexpr int count = 300;
    for (int i = 0; i < count; ++i) {
      const pid_t child = ::fork();
      if (child == 0) ::_exit(::fork() < 0 ? 1 : 0);
      if (child < 0 || wait_for_child(child) != 0) throw SimulationError("cannot fork");
    }
    for (std::vector<pid_t> children; children != std::vector{::getpid()};) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      children.clear();
      add_children(::getppid(), children);
    }
  };
  EXPECT_EQ(error_of(leave_behind), "");
}

// They end with the process that waits for the body as well, however that ends.
TEST(Isolation, NothingOutlivesTheParent) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    error_of([&](FrameWriter&) {
      if (::fork() == 0) ::setsid();
      [[maybe_unused]] const auto n = ::write(ends[1], "x", 1);
      ::pause();
    });
    ::_exit(0);
  }
  ::close(ends[1]);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 1);
  EXPECT_EQ(::read(ends[0], &byte, 1), 1);
  ::kill(parent, SIGKILL);
  wait_for_child(parent);
  EXPECT_TRUE(is_closed(ends[0]));
  ::close(ends[0]);
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
TEST(Isolation, AFrameOfAnotherSizeIsNoObject) {
  const std::int64_t number = 7;
  const auto bytes = std::as_bytes(std::span(&number, 1));
  EXPECT_EQ(object_in<std::int64_t>(bytes), 7);
  EXPECT_THROW(object_in<std::int64_t>(bytes.first(4)), SimulationError);
  EXPECT_THROW(object_in<std::int32_t>(bytes), SimulationError);
}

TEST(Isolation, AFrameOfMoreThan4GiBIsRefused) {
  constexpr std::size_t size = (std::size_t{1} << 32) + 1;
  void* const memory =
      ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  FrameWriter writer(-1);
  EXPECT_THROW(writer.write({static_cast<const std::byte*>(memory), size}), SimulationError);
  ::munmap(memory, size);
}

// A process that cannot be created is a failure of the machine, also in the program's guard.
TEST(Isolation, WithoutAProcessForTheProgramTheMachineFails) {
  only_process_that_forks = ::getpid();
  EXPECT_THROW(Subprocess("true", kLong_s), MachineError);
  only_process_that_forks = 0;
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

// Only what it prints counts as an answer.
TEST(Isolation, AProgramThatFloodsItsStandardErrorHasNoAnswer) {
  constexpr std::uint64_t answer_bytes = 1 << 16;
  Subprocess program("sh", kLong_s,
                     {"-c", "exec >&-; head -c 1000000 /dev/zero >&2; printf '\\nbye\\n' >&2"},
                     {.answer_bytes = answer_bytes});
  try {
    program.request("a question");
    ADD_FAILURE() << "it has answered";
  } catch (const MachineError& error) {
    ADD_FAILURE() << error.what();
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("(bye)"), std::string::npos) << error.what();
  }
}

TEST(Isolation, AProgramThatCannotRunLeavesNoChild) {
  EXPECT_THROW(Subprocess("./no-such-program", kLong_s), SimulationError);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

/// What the host of a library may have set, of every signal.
std::vector<const void*> signal_settings() {
  std::vector<const void*> settings;
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    settings.push_back(reinterpret_cast<const void*>(action.sa_handler));
    settings.push_back(sigismember(&mask, signal) == 1 ? &kLong_s : nullptr);
  }
  return settings;
}

// A library must not rely on its caller to ignore SIGPIPE, nor touch its signals.
TEST(Isolation, AProgramThatDoesNotReadRaisesNoSignal) {
  auto* const before = std::signal(SIGPIPE, SIG_DFL);
  const auto settings = signal_settings();
  {
    Subprocess program("false", kLong_s);
    EXPECT_THROW(static_cast<void>(program.request(std::string(1 << 20, 'x'))), SimulationError);
    EXPECT_EQ(error_of([](FrameWriter&) {}), "");
    EXPECT_EQ(signal_settings(), settings);
  }
  EXPECT_EQ(signal_settings(), settings);
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

// A file in memory that cannot be created is a failure of the machine, in words. What is thrown is
// examined without the limit, since the sanitizer opens a pipe to check the type of an exception.
TEST(Isolation, WithoutAFileInMemoryItFails) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  std::exception_ptr thrown;
  try {
    run_in_child([](FrameWriter&) {}, [](auto) {}, kLong_s);
  } catch (...) {
    thrown = std::current_exception();
  }
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ASSERT_TRUE(thrown);
  try {
    std::rethrow_exception(thrown);
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(), "cannot create a file in memory: Too many open files");
  }
}

}  // namespace
}  // namespace starport
