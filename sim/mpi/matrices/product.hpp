// The matrices of a real product on the master.
#pragma once

#include "sim/mpi/matrices/matrix.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/schedule.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace starport::mpi {

/// The sizes of C += A.B in elements: A is height x depth, B is depth x width, C is height x width.
struct ProductSize {
  /// Number of rows of A and C, in elements; at least 1.
  std::int64_t height;
  /// Number of columns of A and of rows of B, in elements; at least 1.
  std::int64_t depth;
  /// Number of columns of B and C, in elements; at least 1.
  std::int64_t width;
};

/// Sources of the matrices A, B and C of a Product, and the place where C is stored: paths of
/// files, or a seed for random values where no path is given. A plain value.
struct MatrixSources {
  /// Path of the file of A: raw elements by rows in native byte order, .npy, or HDF5
  /// ("file.h5:/dataset"); nullopt: A is filled from the seed.
  std::optional<std::string> a{};
  /// Path of the file of B: raw elements by rows in native byte order, .npy, or HDF5
  /// ("file.h5:/dataset"); nullopt: B is filled from the seed.
  std::optional<std::string> b{};
  /// Path of the file of C (raw elements by rows in native byte order, .npy, or HDF5 as
  /// "file.h5:/dataset"), which is read and then replaced by the product; created, of zeros, if it
  /// does not exist or is empty. nullopt: C is filled from the seed and not stored.
  std::optional<std::string> c{};
  /// Seed of the random values, from [-1, 1), of the matrices without a file. The three matrices
  /// get different values.
  std::uint64_t seed = 1;
  /// Type of the elements of all three matrices, doubles (`float64`) or floats; files must have it.
  ElementType type = ElementType::float64;
};

/// Pointers to the matrices A, B and C by rows without gaps in memory of a caller, which must
/// outlive the Product that uses them. None may be null (not checked: undefined behaviour).
struct MatrixMemory {
  /// First element of A, height x depth elements (ProductSize) of `type` by rows, which are only
  /// read.
  const void* a = nullptr;
  /// First element of B, depth x width elements (ProductSize) of `type` by rows, which are only
  /// read.
  const void* b = nullptr;
  /// First element of C, height x width elements (ProductSize) of `type` by rows, to which the
  /// product is added in place.
  void* c = nullptr;
  /// Type of the elements of all three matrices, doubles (`float64`) or floats.
  ElementType type = ElementType::float64;
};

/// Throws SimulationError if the matrices without a file and the check of C (ProductCheck) need
/// more memory than this machine has free or control groups leave to this process. `size` and
/// `block_size`, the side of a block, are in elements. Allocates nothing.
void check_memory(const ProductSize& size, const MatrixSources& sources, std::int64_t block_size);

/// The three matrices of C += A.B on the master. It owns them, except for memory of a caller, and
/// copies the blocks of transfers to and from message buffers. Blocks that reach beyond a matrix
/// are padded with zeros. Neither copied nor moved; not thread-safe.
class Product {
 public:
  /// Opens the files of the matrices A, B and C or fills them from the seed. `size` is in elements;
  /// `problem` holds the sizes in blocks, rounded up from `size` (not checked), and the block size.
  /// A and B are opened for reading, C to be replaced by commit_c(). Throws InputError about the
  /// option (--a, --b or --c) and the file if a file cannot be used or is not of this size and
  /// type, about --c alone if C has elements in common with A or B in one file; SimulationError if
  /// there is not enough memory.
  Product(const Problem& problem, const ProductSize& size, const MatrixSources& sources);
  /// Refers to A, B and C in memory of a caller, which must outlive this object (`memory` itself
  /// need not); `size` is in elements. Nothing is checked. The product is added to C in place.
  /// `problem` holds the sizes in blocks, rounded up from `size`, and the block size.
  Product(const Problem& problem, const ProductSize& size, const MatrixMemory& memory);

  /// Returns the sizes of the product in blocks, and the block size in elements; a reference that
  /// is valid as long as this object.
  const Problem& problem() const { return problem_; }
  /// Returns the type of the elements of all three matrices.
  ElementType type() const { return a_.type(); }
  /// Returns the matrix A, which lives as long as this object.
  const Matrix& a() const { return a_; }
  /// Returns the matrix B, which lives as long as this object.
  const Matrix& b() const { return b_; }
  /// Returns the matrix C, which lives as long as this object.
  const Matrix& c() const { return c_; }
  /// Returns the matrix C for writing; it lives as long as this object.
  Matrix& c() { return c_; }

  /// Throws SimulationError if another program has modified or replaced one of the files since they
  /// were opened; deleted files and memory are not checked. Call it before commit_c(), whose
  /// replacement of the file of C counts as a modification.
  void check_unchanged() const {
    for (const Matrix* matrix : {&a_, &b_, &c_}) matrix->check_unchanged();
  }
  /// Replaces the file of C by the product, after flushing it to the disk; does nothing if C is not
  /// a file or has been committed before (later changes of C go to the new file). Does not check C:
  /// call ProductCheck::check() before. Throws InputError if the file cannot be replaced; it is
  /// then unchanged.
  void commit_c() { c_.commit(); }
  /// Fills C from the seed given to the constructor again, so that it is as before the first run.
  /// Must not be called if C is a file or memory of a caller: their elements would be overwritten
  /// (not checked).
  void restore_c();

  /// Returns the number of elements that a transfer carries, with padding: its number of blocks
  /// times q^2, for blocks of q x q elements.
  std::int64_t elements(const Transfer& transfer) const;
  /// Copies the elements [begin, end) of a transfer, of type(), to `buffer`, which must have space
  /// for them. They are numbered from 0 in the order in which they are sent: the blocks of A, then
  /// B, then C, each as one matrix by rows; those beyond a matrix (padding) are 0. Numbers below 0
  /// or from elements() on are left out and take no space in `buffer`.
  void pack(const Transfer& transfer, std::int64_t begin, std::int64_t end, void* buffer) const;
  /// Copies the elements [begin, end) of a transfer to the master, of type(), from `buffer`, which
  /// holds them without gaps, to C, or adds them to C if the transfer returns partial sums. They
  /// are numbered from 0 in the order of the blocks transfer.c as one matrix by rows; those beyond
  /// C (padding) are dropped. Numbers below 0 or from elements() on are left out and take no space
  /// in `buffer`.
  void unpack(const Transfer& transfer, std::int64_t begin, std::int64_t end, const void* buffer);
  /// Sets all elements of a rectangle of blocks of C (block rows and columns from 0; those beyond C
  /// are ignored) to 0. Call it after their values have been sent to a worker, which returns them
  /// as part of its partial sums, and before unpack() adds partial sums to them.
  void clear_c(const Rectangle& blocks);

 private:
  Problem problem_;
  std::uint64_t seed_;
  Matrix a_;
  Matrix b_;
  Matrix c_;
};

}  // namespace starport::mpi
