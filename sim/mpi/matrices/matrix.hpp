// A matrix by rows, in memory or mapped from a file.
#pragma once

#include "sim/files/error.hpp"
#include "sim/platform/problem.hpp"
#include "sim/process/isolation.hpp"

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace starport::mpi {

struct MatrixLocation;

/// A rectangle of elements of a matrix, for Matrix::read() and Matrix::write(). It may reach beyond
/// the last row and column of the matrix, but not before the first ones.
struct MatrixArea {
  /// First row of the area within the matrix, in elements from 0.
  std::int64_t row;
  /// First column of the area within the matrix, in elements from 0.
  std::int64_t column;
  /// Number of rows of the area, in elements; may be 0.
  std::int64_t height;
  /// Number of columns of the area, in elements; may be 0.
  std::int64_t width;
};

/// The use of the file of a matrix. `read`: elements must not be changed. `replace`: changes go to
/// a copy, which replaces the file in Matrix::commit().
enum class FileAccess : std::uint8_t { read, replace };

/// A matrix of rows x columns elements by rows, of doubles or of floats; neither copied nor moved.
/// It owns its memory or its mapped file, unless it refers to memory of a caller. If another
/// program shortens a mapped file, access to its elements raises SIGBUS. Not thread-safe.
class Matrix {
 public:
  /// Allocates a matrix and fills it with values from [-1, 1), rounded to the type, which depend
  /// only on `seed`, the size and the type. `rows` and `columns` are in elements, at least 1 (not
  /// checked). Throws SimulationError if there is not enough memory.
  Matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed,
         ElementType type = ElementType::float64);
  /// Refers to `elements`, rows x columns elements of `type` by rows, which must outlive the matrix
  /// and are changed by write(), seed() and through values(). `option` (not null) names the matrix
  /// in errors and is copied. There is no file: commit() and check_unchanged() do nothing.
  Matrix(std::int64_t rows, std::int64_t columns, void* elements, const char* option,
         ElementType type);
  /// Maps the file `name` of a matrix of rows x columns elements: raw elements by rows in this
  /// machine's byte order, an .npy file, or a dataset of an HDF5 file ("file.h5:/group/name", see
  /// matrix_files.hpp). It may be larger than the memory, unless it is only read and in another
  /// byte order.
  ///
  /// With FileAccess::replace, the file is created, of zeros, if it does not exist or is empty (in
  /// the format that its name ends in: .npy, HDF5 with a dataset, otherwise raw). What is written
  /// goes to a copy on the same file system, which replaces the file in commit(). Without commit(),
  /// the file is unchanged, and a created one is removed by the destructor. If the program is
  /// killed, a created file is left behind, empty, and the copy only if it is a new HDF5 file or
  /// the file system knows no files without names. With FileAccess::read, elements must not be
  /// changed.
  ///
  /// Throws InputError about `option` (names the file; not null, copied) and the file if it cannot
  /// be used, is not of this size and type, is no regular file, if there is no space for the copy,
  /// or if a dataset to be replaced is in another byte order than that of this machine (an .npy
  /// file is converted).
  Matrix(std::int64_t rows, std::int64_t columns, const std::string& name, const char* option,
         FileAccess access, ElementType type = ElementType::float64);
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix();

  /// Returns the number of rows of the matrix, in elements.
  std::int64_t rows() const { return rows_; }
  /// Returns the number of columns of the matrix, in elements.
  std::int64_t columns() const { return columns_; }
  /// Returns the type of the elements of the matrix, doubles or floats.
  ElementType type() const { return type_; }
  /// Returns all elements of the matrix by rows, for reading and writing, valid while the matrix
  /// lives. Writing is allowed unless the matrix is a file opened with FileAccess::read (usually
  /// SIGSEGV otherwise). `Element` must be double or float according to type(); otherwise the
  /// behaviour is undefined.
  template <class Element = double>
  std::span<Element> values() {
    return {reinterpret_cast<Element*>(data_), size()};
  }
  /// Returns all elements of the matrix by rows, for reading, valid while the matrix lives.
  /// `Element` must be double or float according to type(); otherwise the behaviour is undefined.
  template <class Element = double>
  std::span<const Element> values() const {
    return {reinterpret_cast<const Element*>(data_), size()};
  }
  /// Returns a copy of `count` elements, converted to doubles, from index `first` of values() on
  /// (row * columns() + column, from 0). The range must lie within the matrix (not checked:
  /// undefined behaviour).
  std::vector<double> copy_as_doubles(std::int64_t first, std::int64_t count) const;

  /// Replaces the file of a matrix with FileAccess::replace by what has been written, after
  /// flushing it to the disk. Does nothing for other matrices, and when called again; later writes
  /// change the new file directly. Throws InputError if the file cannot be replaced; it is then
  /// unchanged.
  void commit();
  /// Throws SimulationError if another program has modified or replaced the file since it was
  /// opened. Does nothing without a file, or if it was deleted. Call it before commit(), after
  /// which it throws too, since that replaces the file.
  void check_unchanged() const;

  /// Returns true if this matrix and `other` were opened from the same file, by whatever names, and
  /// their elements overlap in it; false if either has no file. FileAccess makes no difference.
  bool shares_elements_with(const Matrix& other) const;

  /// Fills the matrix with the values from [-1, 1), rounded to the type, that the allocating
  /// constructor computes from `seed`. The matrix must not be a file opened with FileAccess::read
  /// (not checked; usually SIGSEGV otherwise).
  void seed(std::uint64_t seed);
  /// Returns the error that says that element `index` of values(), from 0, is not finite, for the
  /// caller to throw. Does not check the element. `index` must lie within the matrix (not checked:
  /// undefined behaviour).
  InputError non_finite_error(std::size_t index) const;

  /// Copies an area (a rectangle of elements of the matrix) to `elements`, which must have space
  /// for area.height x area.width elements of type() by rows. Elements beyond the matrix are set to
  /// 0. The area must not begin before row or column 0 (not checked: undefined behaviour).
  void read(const MatrixArea& area, void* elements) const;
  /// Copies `elements`, area.height x area.width elements of type() by rows, to an area (a
  /// rectangle of elements) of the matrix, which must not begin before row or column 0 (not
  /// checked: undefined behaviour). Elements beyond the matrix are dropped. The matrix must not be
  /// a file opened with FileAccess::read (not checked; usually SIGSEGV otherwise).
  void write(const MatrixArea& area, const void* elements);

 private:
  std::size_t size() const { return rows_ * columns_; }
  std::size_t bytes() const { return size() * bytes_of(type_); }
  std::byte* at(std::int64_t row, std::int64_t column) const {
    return data_ + (row * columns_ + column) * bytes_of(type_);
  }
  InputError discard_copy(const std::string& expected, const std::string& found) const;
  void reserve(const FileDescriptor& file, const std::string& needed) const;
  void open_named_copy(FileDescriptor& file);
  void open_copy(FileDescriptor& file, const std::string& needed);
  std::size_t create_hdf5_copy(FileDescriptor& file, const std::string& needed,
                               const MatrixLocation& location);

  std::int64_t rows_;
  std::int64_t columns_;
  ElementType type_;
  std::string path_{};    ///< path of the file; empty if the matrix is only in memory
  std::string option_{};  ///< the option that named the file
  std::string target_{};  ///< canonical path of a file to replace; empty after commit()
  std::optional<FileDescriptor> file_{};  ///< the file, or the copy of one to replace
  std::string copy_{};                    ///< path of the copy, if it has a name
  bool created_ = false;                  ///< this object has created the file
  struct stat status_ {};                 ///< status of the file when it was opened
  std::size_t offset_bytes_ = 0;          ///< offset of the first element in the file
  std::size_t map_bytes_ = 0;
  std::byte* map_ = nullptr;
  std::byte* data_ = nullptr;  ///< the elements, after the header if there is one
};

}  // namespace starport::mpi
