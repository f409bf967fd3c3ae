// Formats of matrix files: NumPy's .npy files (NEP 1), and datasets of HDF5 files, named
// "file.h5:/group/name".
#pragma once

#include "sim/platform/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace starport::mpi {

/// The numbers of rows and columns, in elements, and the element type that a matrix in a file must
/// have; an argument of parse_npy_header() and other functions for matrix files.
struct MatrixShape {
  /// Number of rows of the matrix, in elements.
  std::int64_t rows;
  /// Number of columns of the matrix, in elements.
  std::int64_t columns;
  /// Type of the matrix elements: doubles or floats.
  ElementType type = ElementType::float64;
};

/// Offset in bytes, and byte order (this machine's or the other one), of the elements of a matrix
/// in its file, where they are contiguous, by rows. Returned by parse_npy_header(), find_dataset()
/// and create_dataset().
struct ElementLayout {
  /// Position of the first matrix element, in bytes from the start of the file.
  std::size_t offset_bytes = 0;
  /// True if the matrix elements in the file are not in this machine's byte order.
  bool swapped = false;
  /// Position of the character '<' or '>' that states the byte order in an .npy file, in bytes from
  /// the start of the file; nullopt for other files.
  std::optional<std::size_t> byte_order_offset{};
};

/// The number of bytes from the start of a file that a caller should pass to parse_npy_header(); it
/// rejects files with longer headers.
inline constexpr std::size_t kMaxNpyHeaderBytes = 65536 + 12;

/// Parses `start`, the first kMaxNpyHeaderBytes bytes of a file or the whole file if it is shorter,
/// as an .npy header of version 1, 2 or 3. Returns nullopt if it does not begin like one. Throws
/// InputError about `option`, without a file name, if the header is malformed or cut off, or does
/// not describe a matrix of `shape` by rows. The size of the file is not checked.
std::optional<ElementLayout> parse_npy_header(std::string_view start, const MatrixShape& shape,
                                              const std::string& option);

/// Returns the bytes of an .npy header, of version 1, for a matrix of `shape` by rows in this
/// machine's byte order. Its length is a multiple of 64 bytes; the elements follow it immediately.
std::string make_npy_header(const MatrixShape& shape);

/// Returns this machine's byte order as NumPy writes it: '<' (little endian) or '>'.
char native_byte_order();

/// The place of a matrix on disk, as parse_matrix_path() returns it: a file, and the dataset in it
/// if it is an HDF5 file.
struct MatrixLocation {
  /// Path of the file that holds the matrix.
  std::string file;
  /// Path of the dataset within an HDF5 file, from "/" on; empty: the whole file is the matrix.
  std::string dataset{};
};

/// Splits a path that contains ".h5:/" or ".hdf5:/" at the first such colon, e.g. "results.h5:/c"
/// into the file "results.h5" and the dataset "/c", whatever files exist. Any other path is a file
/// without a dataset. Accesses no files and throws nothing.
MatrixLocation parse_matrix_path(const std::string& path);
/// Returns a hint for errors about a file or dataset that does not exist: where parse_matrix_path()
/// splits a path, if it has another ".h5:/" or ".hdf5:/" within the dataset; else "".
std::string advice_on_path(const MatrixLocation& location);

/// Finds the dataset location.dataset in the HDF5 file location.file, without reading elements, and
/// returns the position of its elements and whether their byte order is another one. Throws
/// InputError about `option` and the file if it cannot be opened or has no such dataset (or only by
/// a link to another file), the dataset has another shape or type than `shape`, is not stored
/// contiguously (chunks, filters, external files), was never written, or if the program was built
/// without HDF5. Stops the HDF5 library from printing errors for good.
ElementLayout find_dataset(const MatrixLocation& location, const MatrixShape& shape,
                           const std::string& option);
/// Creates the HDF5 file `name`, replacing an existing one, with nothing but the dataset
/// location.dataset (with its groups) of the given shape, in this machine's byte order, whose
/// elements are zeros. Returns the position of its elements. location.file is only named in errors.
/// Throws InputError about `option` and location.file if the file or dataset cannot be created or
/// if the program was built without HDF5. Stops the HDF5 library from printing errors for good.
ElementLayout create_dataset(const std::string& name, const MatrixLocation& location,
                             const MatrixShape& shape, const std::string& option);

}  // namespace starport::mpi
