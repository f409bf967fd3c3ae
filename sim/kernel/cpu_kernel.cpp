// The CPU's kernel: dgemm or sgemm of the BLAS of the build, on panels. It is part of the programs,
// and also built as a shared library, as the example of a kernel.
#include "sim/kernel/starport_kernel.h"

#include <cblas.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

struct starport_store {
  starport_store_setup setup;
  void* memory;
  std::size_t bytes;
};

namespace {

/// A matrix of doubles or floats by rows, as arguments of the BLAS.
template <class Element>
struct Panel {
  Element* first;
  std::int64_t stride;
};

/// Returns a stride of at least `width`, as the BLAS requires. The stride of blocks of one element
/// that lie beside each other can be smaller.
template <class Element>
std::int64_t stride_of(const Panel<Element>& panel, std::int64_t width) {
  return std::max(panel.stride, width);
}

void gemm(const Panel<double>& a, const Panel<double>& b, const Panel<double>& c, std::int64_t m,
          std::int64_t n, std::int64_t k) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a.first, a.stride, b.first,
              stride_of(b, n), 1, c.first, stride_of(c, n));
}
void gemm(const Panel<float>& a, const Panel<float>& b, const Panel<float>& c, std::int64_t m,
          std::int64_t n, std::int64_t k) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a.first, a.stride, b.first,
              stride_of(b, n), 1, c.first, stride_of(c, n));
}

/// Returns whether block `below` continues block `above` downwards in the same matrix.
bool lies_below(const starport_place& above, const starport_place& below, std::int64_t q) {
  return below.first == above.first + q * above.stride && below.stride == above.stride;
}
/// Returns whether block `right` continues block `left` to the right in the same matrix.
bool lies_beside(const starport_place& left, const starport_place& right, std::int64_t q) {
  return right.first == left.first + q && right.stride == left.stride;
}

/// Returns where the ranges of joined indexes below `count` begin, then `count`. `joined(n)` says
/// whether index n belongs to the same range as n - 1.
template <class Joined>
std::vector<std::int64_t> cuts(std::int64_t count, Joined&& joined) {
  std::vector<std::int64_t> begins{0};
  for (std::int64_t n = 1; n < count; ++n) {
    if (!joined(n)) begins.push_back(n);
  }
  begins.push_back(count);
  return begins;
}

/// Computes C += A.B for block column k of A and block row k of B: one gemm for each rectangle of
/// blocks that lie together as one matrix. The result does not depend on how they lie.
template <class Element>
void compute_step(const starport_store& store, const starport_update& update, std::int64_t k) {
  const std::int64_t q = store.setup.block_size;
  const auto a = [&](std::int64_t i) { return update.a[i * update.inner + k]; };
  const auto b = [&](std::int64_t j) { return update.b[k * update.columns + j]; };
  const auto c = [&](std::int64_t i, std::int64_t j) { return update.c[i * update.columns + j]; };
  const auto panel = [&](const starport_place& place) {
    return Panel<Element>{static_cast<Element*>(store.memory) + place.first, place.stride};
  };
  const auto row_cuts = cuts(update.rows, [&](std::int64_t i) {
    bool joined = lies_below(a(i - 1), a(i), q);
    for (std::int64_t j = 0; j < update.columns && joined; ++j) {
      joined = lies_below(c(i - 1, j), c(i, j), q);
    }
    return joined;
  });
  for (std::size_t row = 0; row + 1 < row_cuts.size(); ++row) {
    const std::int64_t i = row_cuts[row];
    // Rows of one range have the same layout, so the first decides for all.
    const auto column_cuts = cuts(update.columns, [&](std::int64_t j) {
      return lies_beside(b(j - 1), b(j), q) && lies_beside(c(i, j - 1), c(i, j), q);
    });
    for (std::size_t column = 0; column + 1 < column_cuts.size(); ++column) {
      const std::int64_t j = column_cuts[column];
      gemm(panel(a(i)), panel(b(j)), panel(c(i, j)), (row_cuts[row + 1] - i) * q,
           (column_cuts[column + 1] - j) * q, q);
    }
  }
}

template <class Element>
void compute(const starport_store& store, const starport_update& update) {
  if (update.rows == 0 || update.columns == 0) return;
  for (std::int64_t k = 0; k < update.inner; ++k) compute_step<Element>(store, update, k);
}

template <class Element>
void add_block(const starport_store& store, const starport_place& c, const starport_place& x) {
  auto* const elements = static_cast<Element*>(store.memory);
  for (std::int64_t row = 0; row < store.setup.block_size; ++row) {
    Element* const to = elements + c.first + row * c.stride;
    const Element* const from = elements + x.first + row * x.stride;
    for (std::int64_t i = 0; i < store.setup.block_size; ++i) to[i] += from[i];
  }
}

/// Calls `visit` with a value of the element type.
template <class Visit>
void by_type(const starport_store& store, Visit&& visit) {
  store.setup.element_bytes == sizeof(double) ? visit(double{}) : visit(float{});
}

std::size_t bytes_of(const starport_store* store, std::int64_t elements) {
  return static_cast<std::size_t>(elements * store->setup.element_bytes);
}
char* element(const starport_store* store, std::int64_t number) {
  return static_cast<char*>(store->memory) + bytes_of(store, number);
}

starport_store* create(const starport_store_setup* setup, char* message, std::size_t size) {
  const auto block_bytes =
      static_cast<std::size_t>(setup->block_size * setup->block_size * setup->element_bytes);
  const std::size_t bytes = block_bytes * static_cast<std::size_t>(setup->blocks);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::snprintf(message, size, "no memory for %lld blocks of %lld x %lld %s (%.3g GiB)",
                  static_cast<long long>(setup->blocks), static_cast<long long>(setup->block_size),
                  static_cast<long long>(setup->block_size),
                  setup->element_bytes == sizeof(double) ? "doubles" : "floats",
                  static_cast<double>(bytes) / 0x1p30);
    return nullptr;
  }
  ::madvise(memory, bytes, MADV_HUGEPAGE);  // rows of blocks lie far apart
  // Touch the memory, so that the system allocates it now.
  std::memset(memory, 0, block_bytes * static_cast<std::size_t>(setup->expected_blocks));
  return new starport_store{*setup, memory, bytes};
}

void destroy(starport_store* store) {
  ::munmap(store->memory, store->bytes);
  delete store;
}

const char* error(const starport_store* /*store*/) { return "unknown error"; }

void* address([[maybe_unused]] starport_store* store) {
#ifdef STARPORT_KERNEL_APART  // as a device with its own memory, for tests
  return nullptr;
#else
  return store->memory;
#endif
}

int put(starport_store* store, std::int64_t first, std::int64_t count, const void* values) {
  std::memcpy(element(store, first), values, bytes_of(store, count));
  return 0;
}

int get(starport_store* store, std::int64_t first, std::int64_t count, void* values) {
  std::memcpy(values, element(store, first), bytes_of(store, count));
  return 0;
}

int clear(starport_store* store, std::int64_t first, std::int64_t count) {
  std::memset(element(store, first), 0, bytes_of(store, count));
  return 0;
}

int add(starport_store* store, starport_place c, starport_place x) {
  by_type(*store, [&]<class Element>(Element) { add_block<Element>(*store, c, x); });
  return 0;
}

int update(starport_store* store, const starport_update* update) {
  by_type(*store, [&]<class Element>(Element) { compute<Element>(*store, *update); });
  return 0;
}

}  // namespace

const starport_kernel* starport_kernel_of_version_1(void) {
  static const starport_kernel kernel{.name = "the CPU's",
                                      .create = create,
                                      .destroy = destroy,
                                      .error = error,
                                      .address = address,
                                      .put = put,
                                      .get = get,
                                      .clear = clear,
                                      .add = add,
                                      .update = update};
  return &kernel;
}
