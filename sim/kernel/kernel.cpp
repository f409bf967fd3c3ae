#include "sim/kernel/kernel.hpp"

#include "sim/files/error.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>

namespace starport {

const starport_kernel& load_kernel(const std::string& path) {
  if (path.empty()) return *starport_kernel_of_version_1();
  // Without a slash, dlopen() would search the system's libraries only.
  void* const library = ::dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw InputError("--kernel", "a shared library with a kernel", ::dlerror()).in_file(path);
  }
  constexpr const char* name = "starport_kernel_of_version_1";
  auto* const kernel =
      reinterpret_cast<decltype(&starport_kernel_of_version_1)>(::dlsym(library, name));
  if (kernel == nullptr) {
    throw InputError("--kernel", fmt::format("the function {} in it", name), "none").in_file(path);
  }
  return *kernel();
}

KernelStore::KernelStore(const starport_kernel& kernel, const starport_store_setup& setup)
    : kernel_(kernel), setup_(setup), store_(nullptr), address_(nullptr) {
  std::array<char, 512> message{};
  store_ = kernel_.create(&setup_, message.data(), message.size() - 1);
  if (store_ == nullptr) throw SimulationError(message.data());
  address_ = static_cast<std::byte*>(kernel_.address(store_));
}

void KernelStore::check(int status) const {
  if (status == 0) return;
  throw SimulationError(fmt::format("the kernel '{}': {}", kernel_.name, kernel_.error(store_)));
}

void KernelStore::put(std::int64_t first, std::int64_t count, const void* values) {
  check(kernel_.put(store_, first, count, values));
}

void KernelStore::get(std::int64_t first, std::int64_t count, void* values) const {
  check(kernel_.get(store_, first, count, values));
}

void KernelStore::clear(std::int64_t first, std::int64_t count) {
  check(kernel_.clear(store_, first, count));
}

void KernelStore::add(const BlockPlace& c, const BlockPlace& x) {
  check(kernel_.add(store_, c, x));
}

void KernelStore::update(const BlockProduct& product) {
  const starport_update update{.rows = product.rows,
                               .columns = product.columns,
                               .inner = product.inner,
                               .c = product.c.data(),
                               .a = product.a.data(),
                               .b = product.b.data()};
  check(kernel_.update(store_, &update));
}

}  // namespace starport
