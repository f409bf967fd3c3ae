// What the workers of a platform are called wherever people see them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace starport {

/// Those that the platform's file gives; else P1, P2, ... Copies are cheap.
class WorkerNames {
 public:
  WorkerNames() = default;
  /// One for each worker; empty where it has none. Throws InputError where two are alike, or one
  /// is what a worker without is called.
  explicit WorkerNames(std::vector<std::string> names);

  bool given() const { return names_ != nullptr; }  ///< of any worker
  /// Empty where the file gives none.
  std::string of_file(std::size_t worker) const;
  /// From 0.
  std::string operator[](std::size_t worker) const;
  /// Of the workers first <= i < end in one text: "P2", "P1..P4", "gpu-1..gpu-4", "anna, bert".
  std::string of_range(std::size_t first, std::size_t end) const;

 private:
  std::shared_ptr<const std::vector<std::string>> names_;
};

}  // namespace starport
