#include "sim/starpu/execution/fault.hpp"

#include <atomic>
#include <mutex>

namespace starport::starpu {
namespace {

std::mutex mutex;
std::string first_fault;
std::atomic<bool> has_failed = false;

}  // namespace

void report_fault(const std::string& message) {
  const std::lock_guard lock(mutex);
  if (!has_failed.exchange(true)) first_fault = message;
}

bool has_fault() { return has_failed; }

std::string fault_message() {
  const std::lock_guard lock(mutex);
  return first_fault;
}

}  // namespace starport::starpu
