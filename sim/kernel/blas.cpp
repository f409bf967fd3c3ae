#include "sim/kernel/blas.hpp"

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

/// Returns a function of the library that provides dgemm, or nullptr. Functions of other loaded
/// libraries are not considered.
template <class Function>
Function* optional_function(const char* name) {
  Dl_info library{};
  if (::dladdr(reinterpret_cast<const void*>(&cblas_dgemm), &library) == 0) return nullptr;
  void* const handle = ::dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return handle == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(handle, name));
}

}  // namespace

void multiply(std::span<const double> a, std::span<const double> b, std::span<double> c,
              std::int64_t m, std::int64_t n, std::int64_t k) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a.data(), k, b.data(), n, 1,
              c.data(), n);
}

std::string blas_name() {
  if (auto* config = optional_function<const char*()>("openblas_get_config")) return config();
  if (auto* version = optional_function<const char*()>("bli_info_get_version_str")) {
    return std::string("BLIS ") + version();
  }
  return "a BLAS of unknown name";
}

std::string blas_core() {
  if (auto* core = optional_function<const char*()>("openblas_get_corename")) return core();
  return "";
}

std::string kernel_mismatch_warning(const std::string& core, const std::string& flags) {
  const auto has = [&](std::string_view flag) {
    std::istringstream words(flags);
    return std::find(std::istream_iterator<std::string>(words), {}, flag) !=
           std::istream_iterator<std::string>();
  };
  // OpenBLAS cores for x86 without AVX2.
  constexpr std::array old{"Katmai", "Coppermine",  "Northwood",    "Prescott",   "Banias",
                           "Atom",   "Core2",       "Penryn",       "Dunnington", "Nehalem",
                           "Athlon", "Opteron",     "Opteron_SSE3", "Barcelona",  "Bobcat",
                           "Nano",   "Sandybridge", "Bulldozer"};
  const bool slow = std::any_of(old.begin(), old.end(), [&](std::string_view name) {
    return name.size() == core.size() && ::strncasecmp(name.data(), core.data(), name.size()) == 0;
  });
  if (!slow || !has("avx2")) return "";
  const char* const better = has("avx512f") ? "SKYLAKEX" : "HASWELL";
  return fmt::format(
      "OpenBLAS uses its dgemm for {}, which does not use the AVX2 instructions of this processor "
      "and is several times slower (export OPENBLAS_CORETYPE={}, and mpirun -x OPENBLAS_CORETYPE "
      "for other machines)",
      core, better);
}

int blas_threads() {
  if (auto* get = optional_function<int()>("openblas_get_num_threads")) return get();
  if (auto* get = optional_function<std::int64_t()>("bli_thread_get_num_threads")) {
    return static_cast<int>(get());
  }
  return 0;
}

void set_blas_threads(int threads) {
  if (auto* set_openblas = optional_function<void(int)>("openblas_set_num_threads")) {
    set_openblas(threads);
  } else if (auto* set_blis = optional_function<void(std::int64_t)>("bli_thread_set_num_threads")) {
    set_blis(threads);
  } else if (threads > 1) {
    throw InputError("--threads", "1, since this BLAS cannot change it at run time",
                     std::to_string(threads));
  }
}

}  // namespace starport
