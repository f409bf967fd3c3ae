#include "sim/mpi/matrix.hpp"

#include "sim/platform/random.hpp"
#include "sim/process/descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace starport::mpi {
namespace {

double* map(std::size_t bytes, int protection, int flags, int fd) {
  void* address = ::mmap(nullptr, bytes, protection, flags, fd, 0);
  return address == MAP_FAILED ? nullptr : static_cast<double*>(address);
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
  const Descriptor file(writable ? ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)
                                 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::string needed = fmt::format("{} x {} doubles by rows, {} bytes", rows, columns, bytes);
  if (file.get() < 0) {
    throw fail(writable ? "a file that can be read and written" : "a readable file",
               std::strerror(errno));
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw fail(needed, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw fail(needed, "something that is not a file");
  const bool made = writable && status.st_size == 0;
  if (!made && static_cast<std::size_t>(status.st_size) != bytes) {
    throw fail(needed, fmt::format("{} bytes", status.st_size));
  }
  // A hole for which the disk turns out to have no room would end the program when it is written.
  const int full = writable ? ::posix_fallocate(file.get(), 0, bytes) : 0;
  if (full != 0) throw fail("room for " + needed, std::strerror(full));
  data_ = map(bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file.get());
  if (data_ == nullptr) throw fail("a file that can be mapped", std::strerror(errno));
}

Matrix::~Matrix() {
  if (data_ != nullptr) ::munmap(data_, 8 * size());
}

InputError Matrix::bad_value(std::size_t place) const {
  const auto index = static_cast<std::int64_t>(place);
  return InputError(option_, "finite numbers",
                    fmt::format("{} in row {}, column {} (from 0)", data_[place], index / columns_,
                                index % columns_))
      .in_file(path_);
}

void Matrix::read_block(std::int64_t i, std::int64_t j, std::int64_t q, double* block) const {
  const std::int64_t height = std::clamp<std::int64_t>(rows_ - i * q, 0, q);
  const std::int64_t width = std::clamp<std::int64_t>(columns_ - j * q, 0, q);
  if (height < q || width < q) std::fill_n(block, q * q, 0.0);
  for (std::int64_t row = 0; row < height; ++row) {
    std::copy_n(data_ + (i * q + row) * columns_ + j * q, width, block + row * q);
  }
}

void Matrix::write_block(std::int64_t i, std::int64_t j, std::int64_t q, const double* block) {
  const std::int64_t height = std::clamp<std::int64_t>(rows_ - i * q, 0, q);
  const std::int64_t width = std::clamp<std::int64_t>(columns_ - j * q, 0, q);
  for (std::int64_t row = 0; row < height; ++row) {
    std::copy_n(block + row * q, width, data_ + (i * q + row) * columns_ + j * q);
  }
}

}  // namespace starport::mpi
