// The names of the workers of a platform in messages, tables and charts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace starport {

/// The names of the workers of a platform for messages: those given in its file, else P1, P2, ...
/// Workers are indexed from 0. Copies are cheap and share the names.
class WorkerNames {
 public:
  /// Makes an object in which no worker has a name of its own, for any number of workers.
  WorkerNames() = default;
  /// Takes one name per worker by index, empty for a worker without a name. Throws InputError, at
  /// "/workers" and without a file name, when two are equal, or one is a number or of the form P1,
  /// which workers without names have.
  explicit WorkerNames(std::vector<std::string> names);

  /// Returns whether any worker has a name in the platform file.
  bool has_given_names() const { return names_ != nullptr; }
  /// Returns the name of worker `worker` (index from 0) in the platform file; "" when it has none
  /// or there is no such worker.
  std::string name_in_file(std::size_t worker) const;
  /// Returns the name of worker `worker` (index from 0) in the platform file, else "P" and its
  /// number from 1, such as "P3" for index 2; also beyond the last worker.
  std::string operator[](std::size_t worker) const;
  /// Names the workers with indices first <= i < end in one text: "P2", "P1..P4", "gpu-1..gpu-4",
  /// "anna, bert", or "anna..zoe (7)" for more than three. Requires first < end (not checked).
  std::string format_range(std::size_t first, std::size_t end) const;

 private:
  std::shared_ptr<const std::vector<std::string>> names_;
};

}  // namespace starport
