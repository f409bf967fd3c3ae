// Short names for the instances in a figure, made of what distinguishes them.
#pragma once

#include "sim/report/database/result_table.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace starport {

/// Short labels of the instances in a plot (an instance is a platform with a product, on which
/// several heuristics run), made of what distinguishes them. Made by label_instances(); refers to
/// nothing.
struct InstanceLabels {
  /// The label of one instance (a platform with a product) on an axis: a section shared with its
  /// neighbours, and a text of its own.
  struct Instance {
    /// Name of the section of the axis (consecutive instances, such as those of one experiment)
    /// that the instance belongs to; empty if there are no sections. Parts at its start, up to a
    /// comma, are left out if the names of all sections differ without them.
    std::string section;
    /// Text that distinguishes the instance from the others in its section, such as "q = 128", or
    /// "128" if InstanceLabels::caption names the column; empty if there are no others. A text of
    /// more than 32 characters has its middle replaced by "…" and is then 32 long.
    std::string label;
  };
  /// The labels, one per instance (platform with a product), in the order in which instances first
  /// occur in the results.
  std::vector<Instance> instances;
  /// For each row of the results the position of its instance in `instances`, from 1; the key is
  /// the row's number `_rowid_`, from 1.
  std::map<std::int64_t, std::int64_t> position_of;
  /// Caption of the axis, such as "block size q (elements)", if all labels show the same column of
  /// results, with this caption in all sections; empty otherwise.
  std::string caption;
};

/// Returns the number of instances (platforms with a product) in a table of results, as
/// label_instances() tells them apart. Throws SQLite::Exception if no file was read into it.
std::int64_t count_instances(const ResultTable& results);

/// Makes short labels for the instances (platforms with a product) in a table of results, of the
/// values in which the instances of a section differ. Rows with the same file and `instance` belong
/// to one instance; without that column, rows that agree in the file and in all identity_columns().
/// The sections are the experiments, else the platforms, else the files: the first of these of
/// which there are several, each with consecutive instances and at least one with more than one
/// instance. If none is suitable, there is one section without a name. A table without rows gives
/// no labels; throws SQLite::Exception if no file was read into it.
InstanceLabels label_instances(const ResultTable& results);

/// Returns the names of the columns of the results that identify an instance, most telling ones
/// first: those between `seed` and `workers`, which hold the overrides of a sweep, then those that
/// exist of platform, problem, block_size, workers, repetition, experiment, r, s, t, engine, seed.
/// Empty if none exists.
std::vector<std::string> identity_columns(const ResultTable& results);

}  // namespace starport
