// How a figure names the instances that it shows: by what tells them apart, and no more.
#pragma once

#include "sim/report/database/result_table.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace starport {

struct InstanceLabels {
  struct Instance {
    std::string section;  ///< what it shares with its neighbours; empty when there are no sections
    std::string label;    ///< what tells it from them
  };
  std::vector<Instance> instances;                ///< in the order of the results
  std::map<std::int64_t, std::int64_t> place_of;  ///< of a `_rowid_`, counted from 1
  std::string caption;  ///< what the labels are, when they are all of one column
};

/// The rows of an instance are those of the same file and `instance`; without that column, those
/// that only differ in the heuristic. Sections are runs of the same experiment, platform or file,
/// given that their names fit: `room` is how many characters there are for each of so many
/// instances.
InstanceLabels label_instances(const ResultTable& results,
                               const std::function<double(std::size_t)>& room);

/// The columns that say what an instance is, overrides included, of those that the results have.
std::vector<std::string> identity_columns(const ResultTable& results);

}  // namespace starport
