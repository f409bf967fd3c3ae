#include "sim/kernel/block_kernel.hpp"

#include "sim/files/error.hpp"

#include <cblas.h>
#include <dlfcn.h>

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

}  // namespace

void update_block(double* c, const double* a, const double* b, std::int64_t q) {
  dgemm(a, b, c, q, q, q);
}

void add_block(double* c, const double* x, std::int64_t q) {
  for (std::int64_t row = 0; row < q; ++row) {
    cblas_daxpy(q, 1, x + row * q, 1, c + row * q, 1);
  }
}

void compute(const BlockProduct& product, std::int64_t q) {
  for (std::size_t k = 0; k < product.inner; ++k) {
    for (std::size_t i = 0; i < product.rows; ++i) {
      for (std::size_t j = 0; j < product.columns; ++j) {
        update_block(product.c[i * product.columns + j], product.a[i * product.inner + k],
                     product.b[k * product.columns + j], q);
      }
    }
  }
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
