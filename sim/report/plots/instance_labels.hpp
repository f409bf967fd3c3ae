// Short names for the instances in a figure, made of what distinguishes them.
#pragma once

#include "sim/report/database/result_table.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace starport {

/// The labels of the instances of a figure.
struct InstanceLabels {
  /// The label of one instance.
  struct Instance {
    std::string section;  ///< what it shares with its neighbours; empty if there are no sections
    std::string label;    ///< what distinguishes it from its neighbours
  };
  std::vector<Instance> instances;                   ///< in the order of the results
  std::map<std::int64_t, std::int64_t> position_of;  ///< by `_rowid_`: the instance, from 1
  std::string caption;  ///< name of the column that all labels show; empty if they show several
};

/// Labels the instances of results. Rows with the same file and `instance` belong together; without
/// that column, rows that differ only in the heuristic. Consecutive instances of the same
/// experiment, platform or file form a section if the names of the sections fit: `room` returns the
/// width of an instance, in characters, for a number of instances.
InstanceLabels label_instances(const ResultTable& results,
                               const std::function<double(std::size_t)>& room);

/// Returns the columns of the results that identify an instance: overrides, platform, problem, ...
std::vector<std::string> identity_columns(const ResultTable& results);

}  // namespace starport
