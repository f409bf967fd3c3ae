// A kernel whose updates fail after a while, so that others wait behind them. Each call adds a byte
// to the file KERNEL_CALLS. With KERNEL_HANGS set, updates never end instead.
#define starport_kernel_of_version_1 cpu_kernel
#include "sim/kernel/cpu_kernel.cpp"
#undef starport_kernel_of_version_1

#include <unistd.h>

#include <cstdlib>
#include <fstream>

extern "C" const starport_kernel* starport_kernel_of_version_1(void);

const starport_kernel* starport_kernel_of_version_1(void) {
  static const starport_kernel kernel = [] {
    starport_kernel failing = *cpu_kernel();
    failing.name = "one that fails";
    failing.error = [](const starport_store*) { return "it is out of order"; };
    failing.update = [](starport_store*, const starport_update*) {
      while (std::getenv("KERNEL_HANGS") != nullptr) ::pause();
      std::ofstream(std::getenv("KERNEL_CALLS"), std::ios::app) << '.';
      ::usleep(300'000);
      return 1;
    };
    return failing;
  }();
  return &kernel;
}
