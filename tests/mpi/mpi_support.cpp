#include "tests/mpi/mpi_support.hpp"

#include "tests/paths.hpp"

namespace starport::test {

// Each run has a temporary directory of its own, since it removes it at its end. Leaks are ignored,
// since MPI does not free all its memory.
const std::string kMpiEnvironment =
    "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    "OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_rmaps_base_oversubscribe=1 "
    "OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_orte_tmpdir_base=$(mktemp -d) "
    "HWLOC_HIDE_ERRORS=2 ASAN_OPTIONS=detect_leaks=0; trap \"rm -rf $OMPI_MCA_orte_tmpdir_base\" "
    "EXIT; ";

const std::string kGuard = "timeout -k 5 900 ";

Outcome mpi(int ranks, const std::string& arguments) {
  const std::string mpirun = ranks == 1 ? "" : kGuard + "mpirun -n " + std::to_string(ranks) + " ";
  return shell(kMpiEnvironment + mpirun + "'" STARPORT_MPI_PROGRAM "' " + arguments);
}

std::string raw(const std::vector<double>& values) {
  return {reinterpret_cast<const char*>(values.data()), sizeof(double) * values.size()};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t occurrences = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++occurrences;
  }
  return occurrences;
}

}  // namespace starport::test
