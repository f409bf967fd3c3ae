#include "sim/kernel/block_kernel.hpp"

#include "sim/files/error.hpp"

#include <cblas.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <string_view>

namespace starport {
namespace {

/// A function that the library of the dgemm may have: not another one that happens to be loaded.
template <class Function>
Function* optional_function(const char* name) {
  Dl_info library{};
  if (::dladdr(reinterpret_cast<const void*>(&cblas_dgemm), &library) == 0) return nullptr;
  void* const handle = ::dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return handle == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(handle, name));
}

void dgemm(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n,
           std::int64_t k) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 1, c, n);
}

bool lies_below(const BlockPlace& above, const BlockPlace& below, std::int64_t q) {
  return below.first == above.first + q * above.stride && below.stride == above.stride;
}
bool lies_beside(const BlockPlace& left, const BlockPlace& right, std::int64_t q) {
  return right.first == left.first + q && right.stride == left.stride;
}

/// Where pieces begin, and behind the last: `joined` says whether n continues what n - 1 is in.
template <class Joined>
std::vector<std::size_t> cuts(std::size_t count, Joined&& joined) {
  std::vector<std::size_t> begins{0};
  for (std::size_t n = 1; n < count; ++n) {
    if (!joined(n)) begins.push_back(n);
  }
  begins.push_back(count);
  return begins;
}

/// C += A.B for one column k of blocks of A, one row of B.
void compute_step(const BlockProduct& product, std::size_t k, std::int64_t q) {
  const auto a = [&](std::size_t i) { return product.a[i * product.inner + k]; };
  const auto b = [&](std::size_t j) { return product.b[k * product.columns + j]; };
  const auto c = [&](std::size_t i, std::size_t j) { return product.c[i * product.columns + j]; };
  const auto row_cuts = cuts(product.rows, [&](std::size_t i) {
    bool joined = lies_below(a(i - 1), a(i), q);
    for (std::size_t j = 0; j < product.columns && joined; ++j) {
      joined = lies_below(c(i - 1, j), c(i, j), q);
    }
    return joined;
  });
  const auto column_cuts = cuts(product.columns, [&](std::size_t j) {
    bool joined = lies_beside(b(j - 1), b(j), q);
    for (std::size_t i = 0; i < product.rows && joined; ++i) {
      joined = lies_beside(c(i, j - 1), c(i, j), q);
    }
    return joined;
  });
  for (std::size_t row = 0; row + 1 < row_cuts.size(); ++row) {
    for (std::size_t column = 0; column + 1 < column_cuts.size(); ++column) {
      const std::size_t i = row_cuts[row];
      const std::size_t j = column_cuts[column];
      const auto height = static_cast<std::int64_t>(row_cuts[row + 1] - i) * q;
      const auto width = static_cast<std::int64_t>(column_cuts[column + 1] - j) * q;
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, height, width, q, 1, a(i).first,
                  a(i).stride, b(j).first, b(j).stride, 1, c(i, j).first, c(i, j).stride);
    }
  }
}

}  // namespace

void update_block(double* c, const double* a, const double* b, std::int64_t q) {
  dgemm(a, b, c, q, q, q);
}

void add_block(const BlockPlace& c, const BlockPlace& x, std::int64_t q) {
  for (std::int64_t row = 0; row < q; ++row) {
    cblas_daxpy(q, 1, x.first + row * x.stride, 1, c.first + row * c.stride, 1);
  }
}

void compute(const BlockProduct& product, std::int64_t q) {
  if (product.rows == 0 || product.columns == 0) return;
  for (std::size_t k = 0; k < product.inner; ++k) compute_step(product, k, q);
}

void multiply(std::span<const double> a, std::span<const double> b, std::span<double> c,
              std::int64_t m, std::int64_t n, std::int64_t k) {
  dgemm(a.data(), b.data(), c.data(), m, n, k);
}

std::string blas_name() {
  if (auto* config = optional_function<const char*()>("openblas_get_config")) return config();
  if (auto* version = optional_function<const char*()>("bli_info_get_version_str")) {
    return std::string("BLIS ") + version();
  }
  return "a BLAS that does not tell its name";
}

std::string blas_core() {
  if (auto* core = optional_function<const char*()>("openblas_get_corename")) return core();
  return "";
}

std::string unsuitable_kernel(const std::string& core, const std::string& flags) {
  const auto has = [&](std::string_view flag) {
    std::istringstream words(flags);
    return std::find(std::istream_iterator<std::string>(words), {}, flag) !=
           std::istream_iterator<std::string>();
  };
  // Those of OpenBLAS for x86 that have none of AVX2's instructions.
  constexpr std::array old{"Katmai", "Coppermine",  "Northwood",    "Prescott",   "Banias",
                           "Atom",   "Core2",       "Penryn",       "Dunnington", "Nehalem",
                           "Athlon", "Opteron",     "Opteron_SSE3", "Barcelona",  "Bobcat",
                           "Nano",   "Sandybridge", "Bulldozer"};
  const bool slow = std::any_of(old.begin(), old.end(), [&](std::string_view one) {
    return one.size() == core.size() && ::strncasecmp(one.data(), core.data(), one.size()) == 0;
  });
  if (!slow || !has("avx2")) return "";
  const char* const better = has("avx512f") ? "SKYLAKEX" : "HASWELL";
  return fmt::format(
      "the dgemm of OpenBLAS is that for {}, which knows nothing of this processor's AVX2 and "
      "takes "
      "several times as long (export OPENBLAS_CORETYPE={})",
      core, better);
}

void set_blas_threads(int threads) {
  if (auto* set = optional_function<void(int)>("openblas_set_num_threads")) {
    set(threads);
  } else if (auto* set = optional_function<void(std::int64_t)>("bli_thread_set_num_threads")) {
    set(threads);
  } else if (threads > 1) {
    throw InputError("--threads", "1, since this BLAS cannot be told while it runs",
                     std::to_string(threads));
  }
}

}  // namespace starport
