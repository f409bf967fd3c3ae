// A vector with one value per worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport {

/// A vector indexed by the number of a worker, from 0, of any integer type (without sign warnings).
template <class Value>
/// A std::vector with one value per worker, indexed by the worker's index from 0. The index may be
/// of any integer type (no sign warnings); an index out of range is undefined behaviour.
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
