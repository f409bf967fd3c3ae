// Matrices in datasets of HDF5 files, named "file.h5:/group/name".
#pragma once

#include "sim/platform/element_type.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace starport::mpi {

/// The file that contains a matrix, and the dataset if it is an HDF5 file.
struct MatrixLocation {
  std::string file;
  std::string dataset{};  ///< path within the file, from "/" on; empty: the file is the matrix
};

/// Splits a path such as "results.h5:/c" or "results.hdf5:/c" into file and dataset. Any other path
/// is a file without a dataset.
MatrixLocation parse_matrix_path(const std::string& path);

/// The size and the element type that a matrix in a file must have.
struct MatrixShape {
  std::int64_t rows;
  std::int64_t columns;
  ElementType type;
};

/// The position of the elements of a dataset in its file. They are contiguous, by rows.
struct DatasetLayout {
  std::size_t offset_bytes;
  bool swapped;  ///< the elements are not in this machine's byte order
};

/// Finds a dataset. Throws InputError naming `option` and the file if it does not exist, has
/// another shape or type, is not stored contiguously (chunks, filters), or if the program was built
/// without HDF5.
DatasetLayout find_dataset(const MatrixLocation& location, const MatrixShape& shape,
                           const std::string& option);
/// Creates the HDF5 file `name`, replacing an existing one, with nothing but the dataset
/// location.dataset, whose elements are zeros. Throws InputError naming `option` and location.file
/// if that fails or if the program was built without HDF5.
DatasetLayout create_dataset(const std::string& name, const MatrixLocation& location,
                             const MatrixShape& shape, const std::string& option);

}  // namespace starport::mpi
