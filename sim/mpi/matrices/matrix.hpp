// A matrix in memory, seeded or of others, or in a file.
#pragma once

#include "sim/files/error.hpp"
#include "sim/platform/element_type.hpp"
#include "sim/process/descriptor.hpp"

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace starport::mpi {

struct MatrixPlace;

/// Elements (row, column) and what follows.
struct Area {
  std::int64_t row;
  std::int64_t column;
  std::int64_t height;
  std::int64_t width;
};

/// rows x columns elements by rows. What is beyond the edge reads as zeros, and what would be
/// brought back there is dropped.
class Matrix {
 public:
  /// Seeded: uniform in [-1, 1), the same on every machine. Throws SimulationError when there is no
  /// memory for it.
  Matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed,
         ElementType type = ElementType::float64);
  /// The memory of others, which outlives it.
  Matrix(std::int64_t rows, std::int64_t columns, void* elements, const char* option,
         ElementType type);
  /// A file of native elements by rows, or one of NumPy's, or a dataset of one of HDF5 (hdf5.hpp),
  /// mapped into memory: larger ones than the memory will do, where the order of their bytes is
  /// this machine's. A `writable` one is made, of zeros, where it does not exist or is empty. What
  /// is written goes to a copy on the same file system, which must have the room, until keep() puts
  /// that in its place; the copy has no name, so that nothing is left of it when the program is
  /// killed. Throws InputError naming option and file.
  Matrix(std::int64_t rows, std::int64_t columns, const std::string& name, const char* option,
         bool writable, ElementType type = ElementType::float64);
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix();

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  ElementType type() const { return type_; }
  /// By their type.
  template <class Element = double>
  std::span<Element> values() {
    return {reinterpret_cast<Element*>(data_), size()};
  }
  template <class Element = double>
  std::span<const Element> values() const {
    return {reinterpret_cast<const Element*>(data_), size()};
  }
  /// Those from one on, as doubles.
  std::vector<double> copy(std::int64_t first, std::int64_t count) const;

  /// The file is what has been written from now on. Of a seeded one: nothing.
  void keep();
  /// Throws SimulationError when someone else has written the file since it was opened.
  void check_unchanged() const;

  /// Fills it with those values again. For what is seeded.
  void seed(std::uint64_t seed);
  /// What is wrong with the element at that place in values(), which must be finite.
  InputError bad_value(std::size_t place) const;

  /// To or from height x width elements by rows.
  void read(const Area& area, void* elements) const;
  void write(const Area& area, const void* elements);

 private:
  std::size_t size() const { return rows_ * columns_; }
  std::size_t bytes() const { return size() * bytes_of(type_); }
  std::byte* at(std::int64_t row, std::int64_t column) const {
    return data_ + (row * columns_ + column) * bytes_of(type_);
  }
  InputError no_copy(const std::string& expected, const std::string& found) const;
  void reserve(const Descriptor& file, const std::string& needed) const;
  void make_beside(Descriptor& file);
  void copy_to_write(Descriptor& file, const std::string& needed);
  std::size_t make_to_write(Descriptor& file, const std::string& needed, const MatrixPlace& place);

  std::int64_t rows_;
  std::int64_t columns_;
  ElementType type_;
  std::string path_{};    ///< empty when it is no file
  std::string option_{};  ///< that named the file
  std::string target_{};  ///< of a writable file, where its path leads, until it is kept
  std::optional<Descriptor> file_{};  ///< or its copy
  std::string copy_{};                ///< its name, if it has one
  bool created_ = false;              ///< a file to be kept, here
  struct stat status_ {};             ///< of the file when it was opened
  std::size_t map_bytes_ = 0;
  std::byte* map_ = nullptr;
  std::byte* data_ = nullptr;  ///< behind the header, if there is one
};

}  // namespace starport::mpi
