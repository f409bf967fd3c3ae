// The matrices of a real product on the master.
#pragma once

#include "sim/mpi/matrices/matrix.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/schedule.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace starport::mpi {

/// The sizes of C += A.B in elements: A is height x depth, B is depth x width.
struct ProductSize {
  std::int64_t height;
  std::int64_t depth;
  std::int64_t width;
};

/// The sources of the matrices. Each is read from a file, if one is given, or filled from the seed.
struct MatrixSources {
  std::optional<std::string> a{};
  std::optional<std::string> b{};
  std::optional<std::string> c{};  ///< read, and replaced by the product
  std::uint64_t seed = 1;
  ElementType type = ElementType::float64;
};

/// Matrices by rows in memory of a caller, which must outlive the product.
struct MatrixMemory {
  MatrixMemory(const void* a_, const void* b_, void* c_, ElementType type_)
      : a(a_), b(b_), c(c_), type(type_) {}

  const void* a;
  const void* b;
  void* c;
  ElementType type;
};

/// Throws SimulationError if this machine does not have enough free memory for the matrices that
/// are not files and for the check of C.
void check_memory(const ProductSize& size, const MatrixSources& sources);

/// The three matrices of C += A.B. It owns them, except for memory of a caller, and copies the
/// blocks of transfers to and from message buffers. Blocks that reach beyond a matrix are padded
/// with zeros.
class Product {
 public:
  /// Opens or fills the matrices. Throws InputError naming the option and the file if a file cannot
  /// be used, SimulationError if there is not enough memory.
  Product(const Problem& problem, const ProductSize& size, const MatrixSources& sources);
  /// Refers to memory of a caller.
  Product(const Problem& problem, const ProductSize& size, const MatrixMemory& memory);

  const Problem& problem() const { return problem_; }
  ElementType type() const { return a_.type(); }
  const Matrix& a() const { return a_; }
  const Matrix& b() const { return b_; }
  const Matrix& c() const { return c_; }
  Matrix& c() { return c_; }

  /// Throws SimulationError if another program has modified one of the files.
  void check_unchanged() const {
    for (const Matrix* matrix : {&a_, &b_, &c_}) matrix->check_unchanged();
  }
  /// Replaces the file of C, if there is one, by the product. Call it once C has been checked.
  void commit_c() { c_.commit(); }
  /// Fills C from the seed again, as before the first run. Must not be called if C is a file or
  /// memory of a caller.
  void restore_c();

  /// Returns the number of elements that a transfer carries.
  std::int64_t elements(const Transfer& transfer) const;
  /// Copies the elements [begin, end) of a transfer to `buffer`. They are numbered in the order in
  /// which they are sent: the blocks of A, then B, then C, each as one matrix by rows.
  void pack(const Transfer& transfer, std::int64_t begin, std::int64_t end, void* buffer) const;
  /// Copies the elements [begin, end) of a transfer to the master from `buffer` to C.
  void unpack(const Transfer& transfer, std::int64_t begin, std::int64_t end, const void* buffer);

 private:
  Problem problem_;
  std::uint64_t seed_;
  Matrix a_;
  Matrix b_;
  Matrix c_;
};

}  // namespace starport::mpi
