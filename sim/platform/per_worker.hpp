// One value for each worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport {

/// A vector whose index is the number of a worker, from 0, whatever integer holds it.
template <class Value>
struct PerWorker : std::vector<Value> {
  using std::vector<Value>::vector;

  decltype(auto) operator[](std::int64_t worker) {
    return std::vector<Value>::operator[](static_cast<std::size_t>(worker));
  }
  decltype(auto) operator[](std::int64_t worker) const {
    return std::vector<Value>::operator[](static_cast<std::size_t>(worker));
  }
};

}  // namespace starport
