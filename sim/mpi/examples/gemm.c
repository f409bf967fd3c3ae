/* C += A.B by Starport, of matrices of ones: mpirun -n RANKS gemm platform.json [SIDE]
 *
 *     mpicc gemm.c $(pkg-config --cflags --libs starport-gemm) -o gemm
 */
#include <starport_gemm.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char *platform = argc > 1 ? argv[1] : "platform.json";
  const int64_t side = argc > 2 ? atoll(argv[2]) : 1000;

  double *a = NULL, *b = NULL, *c = NULL; /* rank 0 has them */
  if (rank == 0) {
    const size_t elements = (size_t)(side * side);
    a = malloc(elements * sizeof *a);
    b = malloc(elements * sizeof *b);
    c = calloc(elements, sizeof *c);
    for (size_t i = 0; i < elements; ++i) a[i] = b[i] = 1;
  }
  char message[512] = "";
  const double begin = MPI_Wtime();
  const int code = starport_gemm(MPI_COMM_WORLD, platform, side, side, side, a, b, c, NULL, message,
                                 sizeof message);
  if (rank == 0 && code == STARPORT_OK) {
    printf("C[0][0] is %g, after %.3g s\n", c[0], MPI_Wtime() - begin);
  } else if (rank == 0) {
    fprintf(stderr, "gemm: %s\n", message);
  }
  free(a);
  free(b);
  free(c);
  MPI_Finalize();
  return code;
}
