// The product as the master holds it: its three matrices, seen as what transfers carry.
#pragma once

#include "sim/mpi/matrix.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/schedule.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport::mpi {

/// The sizes of C += A.B in matrix elements: A is height x depth, B is depth x width.
struct ProductSize {
  std::int64_t height;
  std::int64_t depth;
  std::int64_t width;
};

/// Where the matrices come from: raw files, or else seeded.
struct MatrixSources {
  std::optional<std::string> a{};
  std::optional<std::string> b{};
  std::optional<std::string> c{};  ///< read, and written in place
  std::uint64_t seed = 1;
};

/// Throws SimulationError when this machine lacks the memory for the seeded matrices and the check.
void check_memory(const ProductSize& size, const MatrixSources& sources);

class Product {
 public:
  /// Throws InputError about a file, SimulationError when there is no memory.
  Product(const Problem& problem, const ProductSize& size, const MatrixSources& sources);

  const Problem& problem() const { return problem_; }
  const Matrix& a() const { return a_; }
  const Matrix& b() const { return b_; }
  const Matrix& c() const { return c_; }

  /// C as it was before a run, when it is seeded.
  void restore_c();

  /// The blocks that a transfer carries, packed: A, then B, then C, each by rows.
  void pack(const Transfer& transfer, std::vector<double>& buffer) const;
  /// The blocks of C of a transfer to the master.
  void unpack(const Transfer& transfer, const std::vector<double>& buffer);

 private:
  Problem problem_;
  std::uint64_t seed_;
  Matrix a_;
  Matrix b_;
  Matrix c_;
};

}  // namespace starport::mpi
