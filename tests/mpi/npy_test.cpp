// NumPy's files as matrices.
#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/mpi/matrices/matrix_files.hpp"
#include "sim/mpi/matrices/product.hpp"
#include "tests/mpi/mpi_support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

namespace {

bool reads_are_short = false;

}  // namespace

extern "C" ssize_t pread(int fd, void* bytes, std::size_t count, off_t from) {
  constexpr std::size_t few = 7;
  return ::syscall(SYS_pread64, fd, bytes, reads_are_short ? std::min(count, few) : count, from);
}

namespace starport::mpi {
namespace {

/// As NumPy writes it, with any dictionary.
std::string npy(const std::string& dictionary, int version, const std::string& elements) {
  const std::size_t before = version == 1 ? 10 : 12;
  std::string text = dictionary;
  while ((before + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string length{static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  if (version > 1) length += std::string(2, '\0');
  return "\x93NUMPY" + std::string{static_cast<char>(version), '\0'} + length + text + elements;
}

std::string dictionary(const std::string& type, const std::string& order,
                       const std::string& shape) {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, order, shape);
}

std::string reversed(std::string bytes) {
  for (std::size_t first = 0; first < bytes.size(); first += 8) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(first),
                 bytes.begin() + static_cast<std::ptrdiff_t>(first + 8));
  }
  return bytes;
}

const std::vector<double> kValues{1, 2.5, -3, 4, 5e100, 6};

std::vector<double> read(const std::string& content) {
  const test::TemporaryFile file(content, ".npy");
  const Matrix matrix(2, 3, file.path(), "--a", FileAccess::read);
  return {matrix.values().begin(), matrix.values().end()};
}

TEST(Npy, VersionsAndOrdersOfBytesAreRead) {
  const std::string elements = test::raw(kValues);
  const char other = native_byte_order() == '<' ? '>' : '<';
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(read(npy(dictionary(fmt::format("{}f8", native_byte_order()), "False", "(2, 3)"),
                       version, elements)),
              kValues);
    EXPECT_EQ(read(npy(dictionary(fmt::format("{}f8", other), "False", "(2, 3)"), version,
                       reversed(elements))),
              kValues);
  }
  EXPECT_EQ(read(make_npy_header({.rows = 2, .columns = 3}) + elements), kValues);
  EXPECT_EQ(make_npy_header({.rows = 2, .columns = 3}).size() % 64, 0U);
}

TEST(Npy, AHeaderIsReadBySmallReads) {
  reads_are_short = true;
  const auto values = read(make_npy_header({.rows = 2, .columns = 3}) + test::raw(kValues));
  reads_are_short = false;
  EXPECT_EQ(values, kValues);
}

TEST(Npy, WhatIsNotAMatrixOfDoublesByRowsIsRefusedWithAWord) {
  const auto fault = [](const std::string& type, const std::string& order,
                        const std::string& shape) -> std::string {
    try {
      read(npy(dictionary(type, order, shape), 1, test::raw(kValues)));
    } catch (const InputError& error) {
      const std::string text = error.what();
      return text.substr(text.find("--a"));
    }
    return "";
  };
  EXPECT_EQ(fault("<f8", "True", "(2, 3)"),
            "--a: expected a matrix by rows, 'fortran_order': False, found a matrix by columns "
            "(numpy.ascontiguousarray(x))");
  EXPECT_EQ(fault("<f4", "False", "(2, 3)"),
            "--a: expected doubles, '<f8' or '>f8', found '<f4' "
            "(numpy.asarray(x, dtype=numpy.float64))");
  EXPECT_EQ(fault("<f8", "False", "(3, 2)"), "--a: expected the shape (2, 3), found (3, 2)");
  EXPECT_EQ(fault("<f8", "False", "(6,)"), "--a: expected the shape (2, 3), found (6,)");
  EXPECT_EQ(fault("<f8", "False", "(2, 3)"), "");
  EXPECT_THROW(read(npy(dictionary("<f8", "False", "(2, 3)"), 9, "")), InputError);
  EXPECT_THROW(read(npy(dictionary("<f8", "False", "(2, 3)"), 1, "short")), InputError);
  EXPECT_THROW(read("\x93NUMPY"), InputError);
}

TEST(Npy, CIsMadeAndReplaced) {
  const test::TemporaryDirectory folder;
  const std::string path = (folder.path() / "c.npy").string();
  const auto write = [&](double value) {
    Matrix c(2, 3, path, "--c", FileAccess::replace);
    const double before = c.values()[4];
    c.values()[4] = value;
    c.commit();
    return before;
  };
  EXPECT_EQ(write(7), 0);
  EXPECT_EQ(read_file(path),
            make_npy_header({.rows = 2, .columns = 3}) + test::raw({0, 0, 0, 0, 7, 0}));
  EXPECT_EQ(write(8), 7);
  const char other = native_byte_order() == '<' ? '>' : '<';
  const test::TemporaryFile swapped(npy(dictionary(fmt::format("{}f8", other), "False", "(2, 3)"),
                                        1, reversed(test::raw(kValues))),
                                    ".npy");
  {
    Matrix c(2, 3, swapped.path(), "--c", FileAccess::replace);
    EXPECT_EQ(c.values()[1], 2.5);
    c.commit();
  }
  EXPECT_EQ(read(read_file(swapped.path())), kValues);
}

/// Files may not become larger.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }

 private:
  rlimit before_{};
  void (*signal_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

TEST(Product, WithoutRoomForItsCopyCIsNotBegun) {
  const test::TemporaryDirectory folder;
  const std::string path = (folder.path() / "c.bin").string();
  std::string fault;
  {
    const FileLimit limit(100);
    try {
      const Matrix c(10, 10, path, "--c", FileAccess::replace);
    } catch (const InputError& error) {
      fault = error.what();
    }
  }
  EXPECT_NE(
      fault.find(
          "--c: expected disk space for a copy of 10 x 10 doubles by rows, 800 bytes, found "),
      std::string::npos)
      << fault;
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Npy, AFileThatOthersWriteDuringARunIsNoticed) {
  const test::TemporaryFile file(test::raw(kValues), ".bin");
  const Matrix a(2, 3, file.path(), "--a", FileAccess::read);
  EXPECT_NO_THROW(a.check_unchanged());
  std::filesystem::last_write_time(
      file.path(), std::filesystem::last_write_time(file.path()) + std::chrono::seconds(1));
  EXPECT_THROW(a.check_unchanged(), SimulationError);
}

}  // namespace
}  // namespace starport::mpi
