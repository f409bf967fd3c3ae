// Short names for the instances in a figure, made of what distinguishes them.
#pragma once

#include "sim/report/database/result_table.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace starport {

/// Short labels of the instances in a figure (a platform with a product, on which several
/// heuristics run), made of what distinguishes them.
struct InstanceLabels {
  /// The label of one instance, in two parts.
  struct Instance {
    /// Name of the section of consecutive instances to which it belongs, possibly of several lines;
    /// empty if there are no sections.
    std::string section;
    /// What distinguishes the instance from the others in its section, at most 32 characters; may
    /// be empty.
    std::string label;
  };
  /// The labels, one per instance, in the order in which instances first occur in the results.
  std::vector<Instance> instances;
  /// For each row of the results, by `_rowid_`, the position of its instance in `instances`,
  /// counted from 1.
  std::map<std::int64_t, std::int64_t> position_of;
  /// Name of the column whose value all labels show, for the axis; empty if they show several
  /// columns.
  std::string caption;
};

/// Labels the instances of results. Rows with the same file and `instance` belong together; without
/// that column, rows that differ only in the heuristic and its figures. Consecutive instances of
/// the same experiment, platform or file form a section if the names of the sections fit. `room`,
/// called once, returns the width available to each instance, in characters, for a number of
/// instances. Results without rows give no labels.
InstanceLabels label_instances(const ResultTable& results,
                               const std::function<double(std::size_t)>& room);

/// Returns the columns of the results that identify an instance, most telling ones first: the
/// columns of overrides, then platform, problem, block_size and others that exist; empty if none
/// exists.
std::vector<std::string> identity_columns(const ResultTable& results);

}  // namespace starport
