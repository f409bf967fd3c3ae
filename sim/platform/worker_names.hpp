// The names of the workers of a platform in messages, tables and charts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace starport {

/// The names of the workers: those of the platform file, else P1, P2, ... Copies share the names.
/// Workers are numbered from 0.
class WorkerNames {
 public:
  WorkerNames() = default;
  /// Takes one name per worker, empty for a worker without a name. Throws InputError when two are
  /// equal, or one is a number or of the form P1, which workers without names have.
  explicit WorkerNames(std::vector<std::string> names);

  /// Returns whether any worker has a name in the file.
  bool has_given_names() const { return names_ != nullptr; }
  /// Returns the name of a worker in the file; "" when it has none.
  std::string name_in_file(std::size_t worker) const;
  /// Returns the name of a worker in the file, else "P" and its number from 1.
  std::string operator[](std::size_t worker) const;
  /// Names the workers first <= i < end, at least one, in one text: "P2", "P1..P4", "gpu-1..gpu-4",
  /// "anna, bert".
  std::string format_range(std::size_t first, std::size_t end) const;

 private:
  std::shared_ptr<const std::vector<std::string>> names_;
};

}  // namespace starport
