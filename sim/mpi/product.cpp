#include "sim/mpi/product.hpp"

#include "sim/files/output.hpp"
#include "sim/mpi/npy.hpp"
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
#include <bit>
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

/// Calls visit(area) for the areas of a matrix, at most three, that together are the elements from
/// `begin` to before `end` of those blocks, as one matrix by rows.
template <class Visit>
void for_each_area(const Rectangle& blocks, std::int64_t q, std::int64_t begin, std::int64_t end,
                   Visit&& visit) {
  const std::int64_t width = blocks.columns.size() * q;
  begin = std::max<std::int64_t>(begin, 0);
  end = std::min(end, blocks.size() * q * q);
  while (begin < end) {
    const std::int64_t row = begin / width;
    const std::int64_t column = begin % width;
    const std::int64_t rows = column == 0 ? std::max<std::int64_t>((end - begin) / width, 1) : 1;
    const std::int64_t columns = std::min(width - column, end - begin);
    visit(Area{.row = blocks.rows.begin * q + row,
               .column = blocks.columns.begin * q + column,
               .height = rows,
               .width = columns});
    begin += rows * columns;
  }
}

}  // namespace

Matrix::Matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed)
    : rows_(rows), columns_(columns) {
  map_bytes_ = 8 * size();
  data_ = map_ = map(map_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
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
  created_ = writable && ::access(path.c_str(), F_OK) != 0;
  Descriptor file(writable ? ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)
                           : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::string needed =
      fmt::format("{} x {} doubles by rows, {} bytes", rows, columns, 8 * size());
  if (file.get() < 0) {
    throw fail(writable ? "a file that can be read and written" : "a readable file",
               std::strerror(errno));
  }
  note_input(file.get());
  if (::fstat(file.get(), &status_) != 0) throw fail(needed, std::strerror(errno));
  if (!S_ISREG(status_.st_mode)) throw fail(needed, "something that is not a file");
  const bool made = writable && status_.st_size == 0;
  NpyHeader header;
  if (!made) {
    std::string start(std::min<std::size_t>(status_.st_size, kMostNpyBytes), ' ');
    if (::pread(file.get(), start.data(), start.size(), 0) != std::ssize(start)) {
      throw fail(needed, std::strerror(errno));
    }
    try {
      header = read_npy_header(start, rows, columns, option).value_or(NpyHeader{});
    } catch (const InputError& error) {
      throw error.in_file(path);
    }
    if (header.bytes % sizeof(double) != 0) {
      throw fail("elements at a multiple of 8 bytes", fmt::format("at {}", header.bytes));
    }
    if (static_cast<std::size_t>(status_.st_size) != header.bytes + 8 * size()) {
      throw fail(header.bytes == 0
                     ? needed
                     : fmt::format("{} behind {} bytes of header", needed, header.bytes),
                 fmt::format("{} bytes", status_.st_size));
    }
  }
  const std::string new_header = made && path.ends_with(".npy") ? npy_header(rows, columns) : "";
  if (made) header.bytes = new_header.size();
  map_bytes_ = header.bytes + 8 * size();
  if (writable) copy_to_write(file, needed);
  // What is in another order is put in this machine's: in the copy of C, else in memory.
  const bool changed = writable || header.swapped;
  map_ = map(map_bytes_, changed ? PROT_READ | PROT_WRITE : PROT_READ,
             writable ? MAP_SHARED : MAP_PRIVATE, file.get());
  if (map_ == nullptr) throw fail("a file that can be mapped", std::strerror(errno));
  data_ = map_ + header.bytes / sizeof(double);
  if (made) std::copy(new_header.begin(), new_header.end(), reinterpret_cast<char*>(map_));
  if (header.swapped) {
    reinterpret_cast<char*>(map_)[header.order_place] = native_order();
    for (double& value : values()) {
      value = std::bit_cast<double>(__builtin_bswap64(std::bit_cast<std::uint64_t>(value)));
    }
  }
  file_.emplace(std::move(file));
}

/// From now on, the file is that of the copy.
void Matrix::copy_to_write(Descriptor& file, const std::string& needed) {
  const auto fail = [&](const std::string& expected, const std::string& found) {
    ::unlink(copy_.c_str());
    if (created_) ::unlink(target_.c_str());
    return InputError(option_, expected, found).in_file(path_);
  };
  target_ = std::filesystem::canonical(path_).string();
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
  if (failed) throw fail("room for a copy of " + needed, failed.message());
  // A hole for which the disk turns out to have no room would end the program when it is written.
  const int full = ::posix_fallocate(file.get(), 0, static_cast<off_t>(map_bytes_));
  if (full != 0) throw fail("room for a copy of " + needed, std::strerror(full));
}

Matrix::~Matrix() {
  if (map_ != nullptr) ::munmap(map_, map_bytes_);
  if (!copy_.empty()) ::unlink(copy_.c_str());
  if (created_ && !target_.empty()) ::unlink(target_.c_str());  // no empty file is left
}

void Matrix::check_unchanged() const {
  struct stat now {};
  if (path_.empty() || ::stat(path_.c_str(), &now) != 0) return;  // what is mapped stays there
  const auto same = [](const timespec& one, const timespec& other) {
    return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
  };
  if (now.st_size == status_.st_size && same(now.st_mtim, status_.st_mtim) &&
      now.st_ino == status_.st_ino) {
    return;
  }
  throw SimulationError(fmt::format("{} has changed during the run", path_));
}

void Matrix::keep() {
  if (target_.empty()) return;
  if (copy_.empty()) copy_ = name_beside(target_, *file_);
  if (copy_.empty() || ::msync(map_, map_bytes_, MS_SYNC) != 0 ||
      ::rename(copy_.c_str(), target_.c_str()) != 0) {
    throw InputError(option_, "a file that can be replaced", std::strerror(errno)).in_file(path_);
  }
  copy_.clear();
  target_.clear();
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

std::int64_t Product::elements(const Transfer& transfer) const {
  return transfer.blocks() * problem_.block_size * problem_.block_size;
}

void Product::pack(const Transfer& transfer, std::int64_t begin, std::int64_t end,
                   double* buffer) const {
  const std::int64_t q = problem_.block_size;
  const auto take = [&](const Matrix& source, const Rectangle& blocks) {
    for_each_area(blocks, q, begin, end, [&](const Area& area) {
      source.read(area, buffer);
      buffer += area.height * area.width;
    });
    const std::int64_t elements = blocks.size() * q * q;
    begin -= elements;
    end -= elements;
  };
  take(a_, transfer.a);
  take(b_, transfer.b);
  take(c_, transfer.c);
}

void Product::unpack(const Transfer& transfer, std::int64_t begin, std::int64_t end,
                     const double* buffer) {
  for_each_area(transfer.c, problem_.block_size, begin, end, [&](const Area& area) {
    c_.write(area, buffer);
    buffer += area.height * area.width;
  });
}

}  // namespace starport::mpi
