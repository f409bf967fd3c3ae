#include "sim/mpi/matrices/matrix.hpp"

#include "sim/files/output.hpp"
#include "sim/mpi/matrices/matrix_files.hpp"
#include "sim/mpi/matrices/pieces.hpp"
#include "sim/platform/random.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace starport::mpi {
namespace {

/// Maps a file, or memory if `fd` is negative; null if that fails. Memory is in huge pages, since
/// each row of a column of blocks is in another small page.
std::byte* map(std::size_t bytes, int protection, int flags, int fd) {
  void* address = ::mmap(nullptr, bytes, protection, flags, fd, 0);
  if (address == MAP_FAILED) return nullptr;
  if (fd < 0) ::madvise(address, bytes, MADV_HUGEPAGE);
  return static_cast<std::byte*>(address);
}

/// Returns visit(element), called with a zero of the C++ type that corresponds to `type`.
template <class Visit>
auto by_type(ElementType type, Visit&& visit) {
  return type == ElementType::float64 ? visit(double{}) : visit(float{});
}

std::string path_of(const FileDescriptor& file) {
  return fmt::format("/proc/self/fd/{}", file.get());
}

}  // namespace

Matrix::Matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed, ElementType type)
    : rows_(rows), columns_(columns), type_(type) {
  map_bytes_ = bytes();
  data_ = map_ = map(map_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (data_ == nullptr) {
    throw SimulationError(
        fmt::format("there is not enough memory for a matrix of {} x {} {} "
                    "({:.3g} GiB)",
                    rows, columns, plural_name(type), static_cast<double>(bytes()) / 0x1p30));
  }
  this->seed(seed);
}

Matrix::Matrix(std::int64_t rows, std::int64_t columns, void* elements, const char* option,
               ElementType type)
    : rows_(rows),
      columns_(columns),
      type_(type),
      option_(option),
      data_(static_cast<std::byte*>(elements)) {}

void Matrix::seed(std::uint64_t seed) {
  Random random(seed);
  by_type(type_, [&]<class Element>(Element) {
    for (Element& value : values<Element>()) value = static_cast<Element>(random.real(-1, 1));
  });
}

std::vector<double> Matrix::copy_as_doubles(std::int64_t first, std::int64_t count) const {
  return by_type(type_, [&]<class Element>(Element) {
    const auto part = values<Element>().subspan(first, count);
    return std::vector<double>(part.begin(), part.end());
  });
}

Matrix::Matrix(std::int64_t rows, std::int64_t columns, const std::string& name, const char* option,
               FileAccess access, ElementType type)
    : rows_(rows), columns_(columns), type_(type), option_(option) {
  const bool writable = access == FileAccess::replace;
  const MatrixLocation location = parse_matrix_path(name);
  const MatrixShape shape{.rows = rows, .columns = columns, .type = type};
  path_ = location.file;
  const auto fail = [&](const std::string& expected, const std::string& found) -> InputError {
    return InputError(option, expected, found).in_file(path_);
  };
  created_ = writable && ::access(path_.c_str(), F_OK) != 0;
  FileDescriptor file(writable ? ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)
                               : ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  const std::string needed =
      fmt::format("{} x {} {} by rows, {} bytes", rows, columns, plural_name(type), bytes());
  if (file.get() < 0) {
    throw InputError(option, writable ? "a file that can be read and written" : "a readable file",
                     std::strerror(errno), advice_on_path(location))
        .in_file(path_);
  }
  register_input_file(file.get());
  if (::fstat(file.get(), &status_) != 0) throw fail(needed, std::strerror(errno));
  if (!S_ISREG(status_.st_mode)) throw fail(needed, "something that is not a regular file");
  const bool made = writable && status_.st_size == 0;
  ElementLayout layout;
  if (!location.dataset.empty()) {
    if (!made) {
      layout = find_dataset(location, shape, option);
      if (layout.swapped && writable) {
        throw fail(fmt::format("{} in this machine's byte order, since the product replaces C",
                               plural_name(type)),
                   "the other byte order");
      }
      const auto size = static_cast<std::size_t>(status_.st_size);
      if (layout.offset_bytes > size || bytes() > size - layout.offset_bytes) {
        throw fail(fmt::format("{} at byte {}", needed, layout.offset_bytes),
                   fmt::format("a file of {} bytes", size));
      }
    }
  } else if (!made) {
    std::string start(std::min<std::size_t>(status_.st_size, kMaxNpyHeaderBytes), ' ');
    for (std::size_t read = 0; read < start.size();) {  // a read may be short
      const ssize_t got =
          ::pread(file.get(), start.data() + read, start.size() - read, static_cast<off_t>(read));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw fail(needed, got < 0 ? std::strerror(errno) : "the end of the file");
      read += static_cast<std::size_t>(got);
    }
    try {
      layout = parse_npy_header(start, shape, option).value_or(ElementLayout{});
    } catch (const InputError& error) {
      throw error.in_file(path_);
    }
    if (static_cast<std::size_t>(status_.st_size) != layout.offset_bytes + bytes()) {
      throw fail(layout.offset_bytes == 0
                     ? needed
                     : fmt::format("{} after a header of {} bytes", needed, layout.offset_bytes),
                 fmt::format("{} bytes", status_.st_size));
    }
  }
  if (layout.offset_bytes % bytes_of(type) != 0) {
    throw fail(fmt::format("elements that begin at a multiple of {} bytes", bytes_of(type)),
               fmt::format("elements that begin at byte {}", layout.offset_bytes));
  }
  const std::string new_header = made && path_.ends_with(".npy") ? make_npy_header(shape) : "";
  if (!new_header.empty()) layout.offset_bytes = new_header.size();
  map_bytes_ = layout.offset_bytes + bytes();
  if (writable) {
    std::error_code failed;
    target_ = std::filesystem::canonical(path_, failed).string();
    if (failed) {  // as for a deleted file that is open, such as /dev/fd/9
      if (created_) ::unlink(path_.c_str());
      throw fail("a file with a name, which C replaces", failed.message());
    }
  }
  if (made && !location.dataset.empty()) {
    layout.offset_bytes = create_hdf5_copy(file, needed, location);
  } else if (writable) {
    open_copy(file, needed);
  }
  // Elements in another byte order are swapped: in the copy of C, or in private pages.
  const bool changed = writable || layout.swapped;
  map_ = map(map_bytes_, changed ? PROT_READ | PROT_WRITE : PROT_READ,
             writable ? MAP_SHARED : MAP_PRIVATE, file.get());
  if (map_ == nullptr) throw discard_copy("a file that can be mapped", std::strerror(errno));
  data_ = map_ + layout.offset_bytes;
  if (made) std::copy(new_header.begin(), new_header.end(), reinterpret_cast<char*>(map_));
  if (layout.swapped) {
    if (layout.byte_order_offset) {
      reinterpret_cast<char*>(map_)[*layout.byte_order_offset] = native_byte_order();
    }
    for (std::byte* element = data_; element < data_ + bytes(); element += bytes_of(type)) {
      std::reverse(element, element + bytes_of(type));
    }
  }
  offset_bytes_ = layout.offset_bytes;
  file_.emplace(std::move(file));
}

bool Matrix::shares_elements_with(const Matrix& other) const {
  const auto end = [](const Matrix& matrix) { return matrix.offset_bytes_ + matrix.bytes(); };
  return !path_.empty() && !other.path_.empty() && status_.st_dev == other.status_.st_dev &&
         status_.st_ino == other.status_.st_ino && offset_bytes_ < end(other) &&
         other.offset_bytes_ < end(*this);
}

InputError Matrix::discard_copy(const std::string& expected, const std::string& found) const {
  ::unlink(copy_.c_str());
  if (created_) ::unlink(target_.c_str());
  return InputError(option_, expected, found).in_file(path_);
}

/// Allocates the space of the copy on the disk. Otherwise a write to the mapped file would end the
/// program when the disk is full.
void Matrix::reserve(const FileDescriptor& file, const std::string& needed) const {
  const int full = ::posix_fallocate(file.get(), 0, static_cast<off_t>(map_bytes_));
  if (full != 0) throw discard_copy("disk space for a copy of " + needed, std::strerror(full));
}

/// Creates an empty copy with a name of its own beside the target, and opens it as `file`.
void Matrix::open_named_copy(FileDescriptor& file) {
  copy_ = temporary_pattern(target_);
  file.reset(::mkostemp(copy_.data(), O_CLOEXEC));
  if (file.get() < 0) throw discard_copy("a writable directory", std::strerror(errno));
  ::fchmod(file.get(), status_.st_mode & 0777);
}

/// Copies the file to a new one on the same file system, and opens that as `file`.
void Matrix::open_copy(FileDescriptor& file, const std::string& needed) {
  const std::string folder = std::filesystem::path(target_).parent_path().string();
  file.reset(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.get() < 0) open_named_copy(file);  // not every file system supports unnamed files
  std::error_code failed;
  std::filesystem::copy_file(target_, path_of(file),
                             std::filesystem::copy_options::overwrite_existing, failed);
  if (failed) throw discard_copy("disk space for a copy of " + needed, failed.message());
  reserve(file, needed);
}

/// Creates a new HDF5 file as the copy, with a name, since the library opens files by name. Returns
/// the offset of the elements.
std::size_t Matrix::create_hdf5_copy(FileDescriptor& file, const std::string& needed,
                                     const MatrixLocation& location) {
  open_named_copy(file);
  std::size_t begin = 0;
  try {
    begin = create_dataset(copy_, location, {.rows = rows_, .columns = columns_, .type = type_},
                           option_)
                .offset_bytes;
  } catch (const InputError& error) {
    throw discard_copy(error.expected, error.found);
  }
  map_bytes_ = begin + bytes();
  reserve(file, needed);
  return begin;
}

Matrix::~Matrix() {
  if (map_ != nullptr) ::munmap(map_, map_bytes_);
  if (!copy_.empty()) ::unlink(copy_.c_str());
  if (created_ && !target_.empty()) ::unlink(target_.c_str());  // leave no empty file behind
}

void Matrix::check_unchanged() const {
  struct stat now {};
  if (path_.empty() || ::stat(path_.c_str(), &now) != 0) return;  // a deleted file stays mapped
  const auto same = [](const timespec& one, const timespec& other) {
    return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
  };
  if (now.st_size == status_.st_size && same(now.st_mtim, status_.st_mtim) &&
      now.st_ino == status_.st_ino) {
    return;
  }
  throw SimulationError(
      fmt::format("{} has changed during the run: another program has written it", path_));
}

void Matrix::commit() {
  if (target_.empty()) return;
  if (copy_.empty()) copy_ = link_beside(target_, file_->get());
  if (copy_.empty() || ::msync(map_, map_bytes_, MS_SYNC) != 0 ||
      ::rename(copy_.c_str(), target_.c_str()) != 0) {
    throw InputError(option_, "a file that can be replaced", std::strerror(errno)).in_file(path_);
  }
  copy_.clear();
  target_.clear();
}

InputError Matrix::non_finite_error(std::size_t index) const {
  const auto position = static_cast<std::int64_t>(index);
  return InputError(
             option_, "finite numbers",
             fmt::format("{} in row {}, column {} (from 0)", copy_as_doubles(position, 1).front(),
                         position / columns_, position % columns_))
      .in_file(path_);
}

void Matrix::read(const MatrixArea& area, void* elements) const {
  const std::int64_t height = std::clamp<std::int64_t>(rows_ - area.row, 0, area.height);
  const std::int64_t width = std::clamp<std::int64_t>(columns_ - area.column, 0, area.width);
  const std::int64_t each = bytes_of(type_);
  auto* const to = static_cast<std::byte*>(elements);
  if (height < area.height || width < area.width) {
    std::fill_n(to, area.height * area.width * each, std::byte{0});
  }
  for (std::int64_t row = 0; row < height; ++row) {
    if (row + kRowsAhead < height) {
      prefetch<Access::read>(at(area.row + row + kRowsAhead, area.column), width * each);
    }
    std::copy_n(at(area.row + row, area.column), width * each, to + row * area.width * each);
  }
}

void Matrix::write(const MatrixArea& area, const void* elements) {
  const std::int64_t height = std::clamp<std::int64_t>(rows_ - area.row, 0, area.height);
  const std::int64_t width = std::clamp<std::int64_t>(columns_ - area.column, 0, area.width);
  const std::int64_t each = bytes_of(type_);
  const auto* const from = static_cast<const std::byte*>(elements);
  for (std::int64_t row = 0; row < height; ++row) {
    if (row + kRowsAhead < height) {
      prefetch<Access::write>(at(area.row + row + kRowsAhead, area.column), width * each);
    }
    std::copy_n(from + row * area.width * each, width * each, at(area.row + row, area.column));
  }
}

}  // namespace starport::mpi
