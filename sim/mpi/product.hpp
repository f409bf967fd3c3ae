// The product as the master holds it: its three matrices, and whether C came out right.
#pragma once

#include "sim/model/problem.hpp"
#include "sim/model/schedule.hpp"
#include "sim/mpi/matrix.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace starport {

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

class Product {
 public:
  /// Throws InputError about a file, SimulationError when there is no memory.
  Product(const Problem& problem, const ProductSize& size, const MatrixSources& sources);
  ~Product();

  const Problem& problem() const { return problem_; }

  /// The blocks that a transfer carries, packed: A, then B, then C, each by rows.
  void pack(const Transfer& transfer, std::vector<double>& buffer) const;
  /// The blocks of C of a transfer to the master.
  void unpack(const Transfer& transfer, const std::vector<double>& buffer);

  /// Compares C with C0 + A.B, after the run: against one dgemm when the product is small, else by
  /// Freivalds' test. Empty when right, else what is wrong.
  std::string find_fault() const;
  /// How find_fault does it: "against one dgemm", "by Freivalds' test, which misses a wrong C with
  /// probability 2^-20".
  std::string check_name() const;

 private:
  struct Check;

  Problem problem_;
  Matrix a_;
  Matrix b_;
  Matrix c_;
  std::unique_ptr<Check> check_;
};

}  // namespace starport
