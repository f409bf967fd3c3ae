/* C += A.B by the BLAS in one process: dgemm M K N REPETITIONS, seconds of each. */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double *matrix(long elements) {
  double *values = malloc((size_t)elements * sizeof *values);
  for (long i = 0; i < elements; ++i) values[i] = (double)(i % 7) - 3;
  return values;
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  const int m = atoi(argv[1]), k = atoi(argv[2]), n = atoi(argv[3]);
  double *a = matrix((long)m * k), *b = matrix((long)k * n), *c = matrix((long)m * n);
  for (int repetition = 0; repetition <= atoi(argv[4]); ++repetition) {
    const double begin = now_s();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 1, c, n);
    if (repetition > 0) printf("%.6f\n", now_s() - begin); /* the first one warms up */
  }
  return 0;
}
