#include "sim/platform/platform.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

namespace starport {

bool Worker::operator==(const Worker& other) const {
  const bool same_speeds = speeds == other.speeds ||
                           (speeds && other.speeds && speeds->points() == other.speeds->points());
  return same_speeds && std::tie(c_s, w_s, m_blocks, latency_s) ==
                            std::tie(other.c_s, other.w_s, other.m_blocks, other.latency_s);
}

bool Platform::is_homogeneous() const {
  return std::all_of(workers.begin(), workers.end(),
                     [&](const Worker& worker) { return worker == workers.front(); });
}

namespace {

/// Returns the name of a worker without one.
std::string default_name(std::size_t worker) { return fmt::format("P{}", worker + 1); }

/// Returns a name without the digits at its end: "gpu-" for "gpu-12".
std::string_view stem_of(std::string_view name) {
  return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

/// Returns whether traces and charts use this name for something else: for a worker without a name,
/// or for what the master sends through.
bool is_taken_name(std::string_view name) {
  constexpr std::array ports = {"port", "sends", "returns", "link"};
  if (std::ranges::find(ports, name) != ports.end()) return true;
  const std::string_view stem = stem_of(name);
  return stem.empty() || (stem == "P" && name != stem);
}

}  // namespace

WorkerNames::WorkerNames(std::vector<std::string> names) {
  std::vector<std::size_t> named;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    named.push_back(i);
    if (is_taken_name(names[i])) {
      throw InputError(
          "/workers",
          "names other than numbers, P1, P2, ... (workers without a name), port, sends, returns "
          "and link (what the master sends through)",
          fmt::format("'{}' for worker {}", names[i], i + 1));
    }
  }
  if (named.empty()) return;
  const auto name_of = [&](std::size_t i) -> const std::string& { return names[i]; };
  std::ranges::stable_sort(named, {}, name_of);
  const auto duplicate = std::ranges::adjacent_find(named, {}, name_of);
  if (duplicate != named.end()) {
    throw InputError("/workers", "a name of its own for each worker",
                     fmt::format("'{}' for workers {} and {}", names[*duplicate], *duplicate + 1,
                                 duplicate[1] + 1));
  }
  names_ = std::make_shared<const std::vector<std::string>>(std::move(names));
}

std::string WorkerNames::name_in_file(std::size_t worker) const {
  return names_ == nullptr || worker >= names_->size() ? "" : (*names_)[worker];
}

std::string WorkerNames::operator[](std::size_t worker) const {
  const std::string name = name_in_file(worker);
  return name.empty() ? default_name(worker) : name;
}

std::string WorkerNames::format_range(std::size_t first, std::size_t end) const {
  constexpr std::size_t max_listed = 3;
  const std::string from = (*this)[first];
  if (end == first + 1) return from;
  const std::string to = (*this)[end - 1];
  bool is_series = !stem_of(from).empty();
  for (std::size_t i = first + 1; is_series && i < end; ++i)
    is_series = stem_of((*this)[i]) == stem_of(from);
  if (is_series) return from + ".." + to;
  std::string text = from;
  if (end - first > max_listed) return fmt::format("{}..{} ({})", from, to, end - first);
  for (std::size_t i = first + 1; i < end; ++i) text += ", " + (*this)[i];
  return text;
}

}  // namespace starport
