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

/// A column of the comparison table that people read: one figure, or several of the same kind,
/// shown side by side as "a+b".
struct Column {
  std::string heading;
  FigureList figures;
  Form form;              ///< number format of every cell
  bool repeated = false;  ///< also shown when runs are repeated under noise
  bool optional = false;  ///< omitted when no record has any of the figures
};

/// A partition of C among workers as a set of rectangles, for drawings. A worker may own several
/// rectangles, or none.
struct Division {
  /// A rectangle of C. Edges are fractions (0 to 1) of the sides of C, from its upper left corner.
  struct Part {
    std::int64_t worker;  ///< its index, from 0
    double left;
    double right;
    double top;
    double bottom;
  };
  std::vector<Part> parts;
  std::string about;  ///< summary in a few words, such as "4 workers in 2 node columns"
};

/// Text and tables of one model. Stateless: each model owns a single static object, which
/// Model::presentation() returns. The records passed in must be of that model.
class Presentation {
 public:
  virtual ~Presentation() = default;
  /// Returns the columns of the table for an instance, from left to right.
  virtual std::vector<Column> columns(const Case& instance) const = 0;
  /// Returns the lines above the table: the instance as the model sees it, and its bounds. Throws
  /// InputError when the platform does not fit the model.
  virtual std::string heading(const Case& instance, const Figures& bounds) const = 0;
  /// Returns one line without a full stop: the assumptions of the model that matter when its
  /// makespans are compared with those of other models.
  virtual std::string caveat(const Case& instance) const = 0;
  /// Returns explanatory lines to print below the table, or an empty string. `bounds` are those of
  /// this model in the comparison.
  virtual std::string footnote(const Comparison&, const Figures& /*bounds*/) const { return ""; }
  /// Returns how near a complete run is to the lower bound, as a phrase that continues
  /// "1835 s, ...", or an empty string when there is no bound.
  virtual std::string bound_distance(const Record& record, const Figures& bounds) const = 0;
  /// Returns a sentence about which resources (bandwidth, speed, memory) limit the bound of a run,
  /// or an empty string when the model cannot say. Computes the bound again for each resource.
  virtual std::string bottleneck(const Case&, const Record&) const { return ""; }
  /// Returns the worker figure that measures each worker's share of the work, or nullptr when the
  /// model has none.
  virtual const Figure* work_figure() const { return nullptr; }
  /// Returns the figures of each worker that are known before any run; may be empty.
  virtual std::vector<Figures> worker_facts(const Case&) const { return {}; }
  /// Returns the parts of C that each worker computes, for algorithms that decide this before the
  /// start. Throws NotApplicable for all others.
  virtual Division divide(const NamedAlgorithm& algorithm, const Case& instance) const;
};

}  // namespace starport
