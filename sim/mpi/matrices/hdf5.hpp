// Matrices that are datasets of HDF5 files: "file.h5:/group/name".
#pragma once

#include "sim/platform/element_type.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace starport::mpi {

/// Where a matrix is: a file, and a dataset in it where that is one of HDF5.
struct MatrixPlace {
  std::string file;
  std::string dataset{};  ///< from "/" on; empty where the file is the matrix
};

/// "results.h5:/c" and "results.hdf5:/c" name datasets, all else files.
MatrixPlace matrix_place(const std::string& path);

/// What a matrix is in a file.
struct MatrixShape {
  std::int64_t rows;
  std::int64_t columns;
  ElementType type;
};

/// The elements of a dataset, one after the other by rows.
struct DatasetBytes {
  std::size_t begin;  ///< in the file
  bool swapped;       ///< in another order than this machine's
};

/// Throw InputError about the option when there is no such dataset, or it is not of that shape, or
/// does not lie in the file as it is (chunks, filters), or this program knows no HDF5.
DatasetBytes find_dataset(const MatrixPlace& place, const MatrixShape& shape,
                          const std::string& option);
/// Makes a file of that name with the dataset, of zeros, alone in it.
DatasetBytes make_dataset(const std::string& name, const MatrixPlace& place,
                          const MatrixShape& shape, const std::string& option);

}  // namespace starport::mpi
