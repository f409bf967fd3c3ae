// The product as the master holds it: three matrices in memory or in raw files, seen as blocks and
// as what transfers carry.
#pragma once

#include "sim/mpi/matrices/matrix.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/schedule.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace starport::mpi {

/// The sizes of C += A.B in matrix elements: A is height x depth, B is depth x width.
struct ProductSize {
  std::int64_t height;
  std::int64_t depth;
  std::int64_t width;
};

/// Where the matrices come from: files, or else seeded.
struct MatrixSources {
  std::optional<std::string> a{};
  std::optional<std::string> b{};
  std::optional<std::string> c{};  ///< read, and replaced by the product
  std::uint64_t seed = 1;
  ElementType type = ElementType::float64;
};

/// Or the memory of a caller.
struct MatrixMemory {
  MatrixMemory(const void* a_, const void* b_, void* c_, ElementType type_)
      : a(a_), b(b_), c(c_), type(type_) {}

  const void* a;
  const void* b;
  void* c;
  ElementType type;
};

/// Throws SimulationError when this machine lacks the memory for the seeded matrices and the check.
void check_memory(const ProductSize& size, const MatrixSources& sources);

class Product {
 public:
  /// Throws InputError about a file, SimulationError when there is no memory.
  Product(const Problem& problem, const ProductSize& size, const MatrixSources& sources);
  Product(const Problem& problem, const ProductSize& size, const MatrixMemory& memory);

  const Problem& problem() const { return problem_; }
  ElementType type() const { return a_.type(); }
  const Matrix& a() const { return a_; }
  const Matrix& b() const { return b_; }
  const Matrix& c() const { return c_; }
  Matrix& c() { return c_; }

  /// Throws SimulationError when a file has changed during the run.
  void check_unchanged() const {
    for (const Matrix* matrix : {&a_, &b_, &c_}) matrix->check_unchanged();
  }
  /// C is right: where it is a file, that is what it holds from now on.
  void keep_c() { c_.keep(); }
  /// C as it was before a run, when it is seeded.
  void restore_c();

  /// How many elements a transfer carries: A, then B, then C, each of them one matrix by rows.
  std::int64_t elements(const Transfer& transfer) const;
  /// Those from `begin` to before `end`.
  void pack(const Transfer& transfer, std::int64_t begin, std::int64_t end, void* buffer) const;
  /// The same of C, from a transfer to the master.
  void unpack(const Transfer& transfer, std::int64_t begin, std::int64_t end, const void* buffer);

 private:
  Problem problem_;
  std::uint64_t seed_;
  Matrix a_;
  Matrix b_;
  Matrix c_;
};

}  // namespace starport::mpi
