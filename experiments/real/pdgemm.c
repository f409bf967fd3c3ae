/* C += A.B by ScaLAPACK: mpirun -n P pdgemm M K N BLOCK REPETITIONS. Two figures for each: seconds of
 * pdgemm alone, on matrices that are distributed, and from and to matrices that rank 0 has, as
 * starport-mpi begins and ends. By columns, as ScaLAPACK wants them, which is a product as good. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void Cblacs_pinfo(int *rank, int *size);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cpdgemr2d(int m, int n, double *a, int ia, int ja, int *desc_a, double *b, int ib, int jb, int *desc_b,
               int context);
int numroc_(int *n, int *block, int *mine, int *first, int *all);
void descinit_(int *desc, int *m, int *n, int *mb, int *nb, int *row, int *column, int *context, int *lead,
               int *info);
void pdgemm_(char *ta, char *tb, int *m, int *n, int *k, double *alpha, double *a, int *ia, int *ja, int *desc_a,
             double *b, int *ib, int *jb, int *desc_b, double *beta, double *c, int *ic, int *jc, int *desc_c);

static int zero = 0, one = 1;

typedef struct {
  int rows, columns, whole_desc[9], desc[9];
  double *whole, *part;
} matrix;

static matrix make(int rows, int columns, int block, int all, int grid) {
  matrix x = {.rows = rows, .columns = columns};
  int grid_rows, grid_columns, row, column, info;
  Cblacs_gridinfo(grid, &grid_rows, &grid_columns, &row, &column);
  int mine = numroc_(&rows, &block, &row, &zero, &grid_rows);
  const int across = numroc_(&columns, &block, &column, &zero, &grid_columns);
  if (mine < 1) mine = 1;
  x.part = calloc((size_t)mine * (size_t)(across > 0 ? across : 1), sizeof *x.part);
  descinit_(x.desc, &rows, &columns, &block, &block, &zero, &zero, &grid, &mine, &info);
  x.whole_desc[1] = -1;
  if (all >= 0) { /* rank 0 */
    descinit_(x.whole_desc, &rows, &columns, &rows, &columns, &zero, &zero, &all, &rows, &info);
    x.whole = malloc((size_t)rows * (size_t)columns * sizeof *x.whole);
    for (long i = 0; i < (long)rows * columns; ++i) x.whole[i] = (double)(i % 7) - 3;
  }
  return x;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 6) return 2;
  int m = atoi(argv[1]), k = atoi(argv[2]), n = atoi(argv[3]);
  const int block = atoi(argv[4]);
  int rank, size, grid, all;
  Cblacs_pinfo(&rank, &size);
  int rows = 1; /* of the grid: as square as it gets */
  for (int r = 1; r * r <= size; ++r) rows = size % r == 0 ? r : rows;
  Cblacs_get(-1, 0, &grid);
  Cblacs_gridinit(&grid, "Row", rows, size / rows);
  Cblacs_get(-1, 0, &all);
  Cblacs_gridinit(&all, "Row", 1, 1);
  matrix a = make(m, k, block, rank == 0 ? all : -1, grid);
  matrix b = make(k, n, block, rank == 0 ? all : -1, grid);
  matrix c = make(m, n, block, rank == 0 ? all : -1, grid);
  char no = 'N';
  double alpha = 1;
  for (int repetition = 0; repetition <= atoi(argv[5]); ++repetition) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    matrix *const three[] = {&a, &b, &c};
    for (int i = 0; i < 3; ++i) {
      Cpdgemr2d(three[i]->rows, three[i]->columns, three[i]->whole, 1, 1, three[i]->whole_desc, three[i]->part, 1,
                1, three[i]->desc, grid);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double distributed = MPI_Wtime();
    pdgemm_(&no, &no, &m, &n, &k, &alpha, a.part, &one, &one, a.desc, b.part, &one, &one, b.desc, &alpha, c.part,
            &one, &one, c.desc);
    MPI_Barrier(MPI_COMM_WORLD);
    const double computed = MPI_Wtime();
    Cpdgemr2d(m, n, c.part, 1, 1, c.desc, c.whole, 1, 1, c.whole_desc, grid);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && repetition > 0) printf("%.6f %.6f\n", computed - distributed, MPI_Wtime() - begin);
  }
  int wrong = 0;
  if (rank == 0) { /* one element, of small integers, so that it is exact */
    const long last = (long)m * n - 1;
    double sum = 0;
    for (int i = 0; i < k; ++i) sum += a.whole[(long)i * m + m - 1] * b.whole[(long)(n - 1) * k + i];
    wrong = c.whole[last] != (double)(last % 7) - 3 + (atoi(argv[5]) + 1) * sum;
    if (wrong) fprintf(stderr, "pdgemm: C is wrong\n");
  }
  MPI_Finalize();
  return wrong;
}
