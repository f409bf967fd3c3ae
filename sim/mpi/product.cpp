#include "sim/mpi/product.hpp"

#include "sim/files/output.hpp"
#include "sim/mpi/product_check.hpp"
#include "sim/platform/random.hpp"
#include "sim/process/descriptor.hpp"
#include "sim/process/machine.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace starport::mpi {
namespace {

double* map(std::size_t bytes, int protection, int flags, int fd) {
  void* address = ::mmap(nullptr, bytes, protection, flags, fd, 0);
  return address == MAP_FAILED ? nullptr : static_cast<double*>(address);
}

/// Of the values of A, B and C.
std::array<std::uint64_t, 3> seeds(std::uint64_t seed) {
  return {3 * seed, 3 * seed + 1, 3 * seed + 2};
}

/// The matrix that a file holds, or a seeded one.
Matrix matrix(std::int64_t rows, std::int64_t columns, const std::optional<std::string>& path,
              const char* option, std::uint64_t seed) {
  const bool writable = std::string_view(option) == "--c";
  return path ? Matrix(rows, columns, *path, option, writable) : Matrix(rows, columns, seed);
}

std::string path_of(const Descriptor& file) { return fmt::format("/proc/self/fd/{}", file.get()); }

/// Gives a file without a name one that starts like another; empty when that fails.
std::string name_beside(const std::string& target, const Descriptor& file) {
  std::string name = target + ".XXXXXX";
  const Descriptor unused(::mkostemp(name.data(), O_CLOEXEC));
  if (unused.get() < 0) return "";
  ::unlink(name.c_str());
  const int linked =
      ::linkat(AT_FDCWD, path_of(file).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
  return linked == 0 ? name : "";
}

}  // namespace

Matrix::Matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed)
    : rows_(rows), columns_(columns) {
  data_ = map(8 * size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (data_ == nullptr) {
    throw SimulationError(fmt::format("no memory for a matrix of {} x {} doubles ({:.3g} GiB)",
                                      rows, columns, 8.0 * size() / 0x1p30));
  }
  this->seed(seed);
}

void Matrix::seed(std::uint64_t seed) {
  Random random(seed);
  for (double& value : values()) value = random.real(-1, 1);
}

Matrix::Matrix(std::int64_t rows, std::int64_t columns, const std::string& path, const char* option,
               bool writable)
    : rows_(rows), columns_(columns), path_(path), option_(option) {
  const auto fail = [&](const std::string& expected, const std::string& found) -> InputError {
    return InputError(option, expected, found).in_file(path);
  };
  const std::size_t bytes = 8 * size();
  Descriptor file(writable ? ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)
                           : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::string needed = fmt::format("{} x {} doubles by rows, {} bytes", rows, columns, bytes);
  if (file.get() < 0) {
    throw fail(writable ? "a file that can be read and written" : "a readable file",
               std::strerror(errno));
  }
  note_input(file.get());
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw fail(needed, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw fail(needed, "something that is not a file");
  const bool made = writable && status.st_size == 0;
  if (!made && static_cast<std::size_t>(status.st_size) != bytes) {
    throw fail(needed, fmt::format("{} bytes", status.st_size));
  }
  if (writable) {
    target_ = std::filesystem::canonical(path).string();
    const std::string folder = std::filesystem::path(target_).parent_path().string();
    file.reset(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file.get() < 0) {  // not every file system has files without names
      copy_ = target_ + ".XXXXXX";
      file.reset(::mkostemp(copy_.data(), O_CLOEXEC));
    }
    if (file.get() < 0) throw fail("a folder that can be written", std::strerror(errno));
    std::error_code failed;
    std::filesystem::copy_file(target_, path_of(file),
                               std::filesystem::copy_options::overwrite_existing, failed);
    if (failed) {
      ::unlink(copy_.c_str());
      throw fail("room for a copy of " + needed, failed.message());
    }
  }
  // A hole for which the disk turns out to have no room would end the program when it is written.
  const int full = writable ? ::posix_fallocate(file.get(), 0, bytes) : 0;
  if (full != 0) {
    ::unlink(copy_.c_str());
    throw fail("room for a copy of " + needed, std::strerror(full));
  }
  data_ = map(bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file.get());
  if (data_ == nullptr) throw fail("a file that can be mapped", std::strerror(errno));
  if (writable) file_.emplace(std::move(file));
}

Matrix::~Matrix() {
  if (data_ != nullptr) ::munmap(data_, 8 * size());
  if (!copy_.empty()) ::unlink(copy_.c_str());
}

void Matrix::keep() {
  if (!file_) return;
  if (copy_.empty()) copy_ = name_beside(target_, *file_);
  if (copy_.empty() || ::msync(data_, 8 * size(), MS_SYNC) != 0 ||
      ::rename(copy_.c_str(), target_.c_str()) != 0) {
    throw InputError(option_, "a file that can be replaced", std::strerror(errno)).in_file(path_);
  }
  copy_.clear();
  file_.reset();
}

InputError Matrix::bad_value(std::size_t place) const {
  const auto index = static_cast<std::int64_t>(place);
  return InputError(option_, "finite numbers",
                    fmt::format("{} in row {}, column {} (from 0)", data_[place], index / columns_,
                                index % columns_))
      .in_file(path_);
}

void Matrix::read(const Area& area, double* values) const {
  const std::int64_t height = std::clamp<std::int64_t>(rows_ - area.row, 0, area.height);
  const std::int64_t width = std::clamp<std::int64_t>(columns_ - area.column, 0, area.width);
  if (height < area.height || width < area.width) {
    std::fill_n(values, area.height * area.width, 0.0);
  }
  for (std::int64_t row = 0; row < height; ++row) {
    std::copy_n(data_ + (area.row + row) * columns_ + area.column, width,
                values + row * area.width);
  }
}

void Matrix::write(const Area& area, const double* values) {
  const std::int64_t height = std::clamp<std::int64_t>(rows_ - area.row, 0, area.height);
  const std::int64_t width = std::clamp<std::int64_t>(columns_ - area.column, 0, area.width);
  for (std::int64_t row = 0; row < height; ++row) {
    std::copy_n(values + row * area.width, width,
                data_ + (area.row + row) * columns_ + area.column);
  }
}

void check_memory(const ProductSize& size, const MatrixSources& sources) {
  const auto [m, k, n] = size;
  const auto bytes = [](const auto& source, std::int64_t rows, std::int64_t columns) {
    return source ? 0 : 8.0 * rows * columns;
  };
  const double seeded = bytes(sources.a, m, k) + bytes(sources.b, k, n) + bytes(sources.c, m, n);
  const double needed = seeded + ProductCheck::bytes(m, n, k);
  const double available = available_bytes();
  if (needed <= available) return;
  throw SimulationError(
      fmt::format("the master's matrices that are not files and the check of C take {:.3g} GiB, "
                  "but {:.3g} GiB of memory are free",
                  needed / 0x1p30, available / 0x1p30));
}

Product::Product(const Problem& problem, const ProductSize& size, const MatrixSources& sources)
    : problem_(problem),
      seed_(sources.seed),
      a_(matrix(size.height, size.depth, sources.a, "--a", seeds(seed_)[0])),
      b_(matrix(size.depth, size.width, sources.b, "--b", seeds(seed_)[1])),
      c_(matrix(size.height, size.width, sources.c, "--c", seeds(seed_)[2])) {}

void Product::restore_c() { c_.seed(seeds(seed_)[2]); }

void Product::pack(const Transfer& transfer, std::vector<double>& buffer) const {
  const std::int64_t q = problem_.block_size;
  buffer.resize(transfer.blocks() * q * q);
  double* next = buffer.data();
  const auto add = [&](const Matrix& source, const Rectangle& blocks) {
    for (std::int64_t i = blocks.rows.begin; i < blocks.rows.end; ++i) {
      for (std::int64_t j = blocks.columns.begin; j < blocks.columns.end; ++j) {
        source.read_block(i, j, q, next);
        next += q * q;
      }
    }
  };
  if (!transfer.a.empty()) add(a_, transfer.a);
  if (!transfer.b.empty()) add(b_, transfer.b);
  if (!transfer.c.empty()) add(c_, transfer.c);
}

void Product::unpack(const Transfer& transfer, const std::vector<double>& buffer) {
  const std::int64_t q = problem_.block_size;
  const double* next = buffer.data();
  for (std::int64_t i = transfer.c.rows.begin; i < transfer.c.rows.end; ++i) {
    for (std::int64_t j = transfer.c.columns.begin; j < transfer.c.columns.end; ++j) {
      c_.write_block(i, j, q, next);
      next += q * q;
    }
  }
}

}  // namespace starport::mpi
