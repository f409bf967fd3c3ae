// Loaded before the BLAS library: its dgemm adds 1 to an element of each product of 32 x 32
// matrices.
#include <dlfcn.h>

extern "C" void cblas_dgemm(int layout, int transpose_a, int transpose_b, int m, int n, int k,
                            double alpha, const double* a, int lda, const double* b, int ldb,
                            double beta, double* c, int ldc) {
  static const auto dgemm =
      reinterpret_cast<decltype(&cblas_dgemm)>(::dlsym(RTLD_NEXT, "cblas_dgemm"));
  dgemm(layout, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  if (m == 32 && n == 32 && k == 32) c[0] += 1;
}
