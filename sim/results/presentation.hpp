// The presentation of the results of a model to people: table columns, headings, notes, drawings.
#pragma once

#include "sim/results/record.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport {

struct Case;
struct Comparison;
struct NamedAlgorithm;

/// A column of the comparison table that people read, which has one row per algorithm. A cell shows
/// one figure (a reported value of the run), or several of the same kind side by side as "a+b".
struct Column {
  /// Heading of the column, with the unit of its values if there is one. Columns of several models
  /// with the same heading are shown as one.
  std::string heading;
  /// Declarations of the reported values that a cell shows, at least one.
  FigureList figures;
  /// Number format of every value in the column.
  Form form;
  /// True if the column is also shown when runs are repeated under noise; false: for single runs
  /// only.
  bool repeated = false;
  /// True if the column is omitted when no run has any of its values. A comparison of several
  /// models omits every column without values.
  bool optional = false;
};

/// A division of the matrix C among workers into rectangles, for drawings. A worker may own several
/// rectangles, or none. Made by Presentation::divide(); refers to nothing.
struct Division {
  /// A rectangle of C that one worker owns. Edges are fractions (0 to 1) of the sides of C: left
  /// and right are measured from its left edge, top and bottom downwards from its upper edge.
  struct Part {
    /// Index of the worker that owns the rectangle, from 0.
    std::int64_t worker;
    double left;
    double right;
    double top;
    double bottom;
  };
  /// The rectangles of C that the workers own, with edges as fractions (0 to 1) of the sides of C,
  /// not in blocks. They do not overlap and cover C. A worker without work has no rectangle or an
  /// empty one. In the model of tile tasks, the rectangles of a memory node (main memory or a GPU)
  /// belong to its first worker; its other workers have none.
  std::vector<Part> parts;
  /// Summary of the division in a few words, such as "4 workers in 2 node columns".
  std::string about;
};

/// Interface that formats the results of one model for people: texts, table columns and drawings.
/// Stateless: each model has a single static object, which Model::presentation() returns. The
/// records and bounds passed in must be of that model.
class Presentation {
 public:
  virtual ~Presentation() = default;
  /// Returns the columns of the comparison table of this model's algorithms on an instance
  /// (platform and product), from left to right, without that of the algorithms' names.
  virtual std::vector<Column> columns(const Case& instance) const = 0;
  /// Returns the lines above the comparison table: the platform and the product as the model sees
  /// them, and `bounds`, the result of Model::bounds() (without values if it could not be
  /// computed). Ends with a newline. Throws InputError when the platform does not fit the model.
  virtual std::string heading(const Case& instance, const Figures& bounds) const = 0;
  /// Returns one line, without full stop and newline: the assumptions of the model that matter when
  /// its makespans are compared with those of other models. May throw InputError when the platform
  /// does not fit the model.
  virtual std::string caveat(const Case& instance) const = 0;
  /// Returns explanatory lines to print below the comparison table, ending with a newline, or an
  /// empty string (the default). compute_relative_figures() must have been called for the
  /// comparison; `bounds` are its bounds by this model.
  virtual std::string footnote(const Comparison&, const Figures& /*bounds*/) const { return ""; }
  /// Returns how near the makespan or speed of a successful run (status ok) is to the bounds that
  /// hold for it, as a phrase that continues "1835 s, ...", without newline: "3.2% above the lower
  /// bound ...". Empty when there is no bound. `bounds` is the result of Model::bounds(), maybe
  /// without values. compute_relative_figures() must have been called for the comparison of the
  /// record.
  virtual std::string bound_distance(const Record& record, const Figures& bounds) const = 0;
  /// Returns a sentence about which resources (bandwidth, speed, memory) limit the bound on the
  /// makespan or speed of a run, or an empty string when the model cannot say (the default). The
  /// record must be of a successful run on the instance, after compute_relative_figures(). Slow:
  /// computes the bound again for each resource. Throws InputError when the platform does not fit
  /// the model.
  virtual std::string bottleneck(const Case&, const Record&) const { return ""; }
  /// Returns the declaration of the value in Record::workers that tells how much of the work a
  /// worker did, such as its block updates, a constant with static storage; nullptr (the default)
  /// when the model has none.
  virtual const Figure* work_figure() const { return nullptr; }
  /// Returns the reported values of each worker that are known before any run, by worker index from
  /// 0, such as the side in blocks of the chunks (rectangles of C) that it holds. An empty list
  /// when there are none (the default) or the platform does not fit the model.
  virtual std::vector<Figures> worker_facts(const Case&) const { return {}; }
  /// Returns the rectangles of C that each worker computes, with edges as fractions (0 to 1) of the
  /// sides of C, for algorithms that decide this before the start; plans the product to find them.
  /// Throws NotApplicable for all other algorithms (the default) and when the algorithm does not
  /// fit the instance, InputError when the platform or the product does not fit the model, and
  /// SimulationError when an algorithm that is not built in fails or, in the spmd model, plans for
  /// more than an hour. Such an algorithm runs in a child process: call it from a process with one
  /// thread then. There is no other time limit. The algorithm must be of this model (otherwise
  /// throws std::bad_cast or NotApplicable).
  virtual Division divide(const NamedAlgorithm& algorithm, const Case& instance) const;
};

}  // namespace starport
