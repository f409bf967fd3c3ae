// A figure: one number that is reported of a run, declared once. The tables, JSON, CSV, SQL, the
// axes of plots, the page, the JSON Schema of results and `starport explain` all read it here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace starport {

/// What a figure comes to; monostate: there is none.
using Value = std::variant<std::monostate, std::int64_t, double>;

inline bool is_none(const Value& value) { return value.index() == 0; }
/// As a real number; NaN when there is none.
double real(const Value& value);
/// In full, as CSV has it; empty when there is none.
std::string in_full(const Value& value);

/// How a figure is written for people.
enum class Form : std::uint8_t {
  text,        ///< as it is
  yes_no,      ///< 1 or 0
  count,       ///< 334000
  date,        ///< six digits, in seconds: 1835.13
  duration,    ///< with the unit that suits it: 37.22 us; "-" for 0
  ratio,       ///< three decimals: 1.133
  per_update,  ///< four decimals: 0.0418
  share,       ///< of a whole: 93.2%
  mean         ///< two decimals: 1.87
};

inline constexpr std::array<std::string_view, 9> kForms{
    "text", "yes_no", "count", "date", "duration", "ratio", "per_update", "share", "mean"};
inline std::string_view to_string(Form form) { return kForms[static_cast<std::size_t>(form)]; }

/// For a table; "-" when there is none.
std::string shown(Form form, const Value& value);

/// What a figure is a figure of.
enum class Scope : std::uint8_t {
  label,     ///< which run a row is about: a column of results that is no figure
  run,       ///< one algorithm on one instance
  instance,  ///< one platform and product: the same in all the rows of the instance
  heading,   ///< the same, told once, before the rows
  worker     ///< one worker in one run
};

struct RecordContext;

struct Figure {
  std::string_view key;    ///< in JSON, CSV and SQL; ends with its unit where it has one
  std::string_view label;  ///< of a column in a table
  std::string_view unit;   ///< "s", "blocks"; empty for a pure number
  Form form = Form::text;
  Scope scope = Scope::run;
  std::string_view meaning;      ///< one line, with the formula
  std::string_view source = {};  ///< paper and section; empty: ours
  std::string_view axis = {};    ///< of a plot; empty: the key, in words
  bool wall_clock = false;       ///< of this machine: not in the reproducible part of results
  bool repeated = false;         ///< only of runs that are repeated under noise
  /// Of a ratio to a bound: what plots of the makespan, which show it, call the bound.
  std::string_view bound = {};
  /// How it follows from the other rows of the instance, once all are there: over the best, say.
  Value (*relate)(const RecordContext&) = nullptr;
};

/// As most are declared; what is special of the others comes around it.
constexpr Figure figure(std::string_view key, std::string_view label, std::string_view unit,
                        Form form, Scope scope, std::string_view meaning,
                        std::string_view source = {}, std::string_view axis = {}) {
  return {key, label, unit, form, scope, meaning, source, axis};
}
constexpr Figure wall_clock(Figure figure) {
  figure.wall_clock = true;
  return figure;
}
constexpr Figure repeated(Figure figure) {
  figure.repeated = true;
  return figure;
}
constexpr Figure over_bound(Figure figure, std::string_view bound) {
  figure.bound = bound;
  return figure;
}
constexpr Figure related(Figure figure, Value (*relate)(const RecordContext&)) {
  figure.relate = relate;
  return figure;
}

/// Figures and what they come to, for one run, one instance or one worker. A figure that was not
/// set is none.
class Figures {
 public:
  Figures() = default;
  Figures(std::initializer_list<std::pair<const Figure*, Value>> values) : values_(values) {}

  void set(const Figure& figure, Value value);
  Value operator[](const Figure& figure) const;
  /// As a real number; NaN when there is none.
  double real(const Figure& figure) const { return starport::real((*this)[figure]); }

 private:
  std::vector<std::pair<const Figure*, Value>> values_;
};

/// A list of figures, in the order of the columns of results.
using FigureList = std::vector<const Figure*>;

/// The figures of both lists, those of the first before those that the second adds.
FigureList merged(FigureList first, const FigureList& second);

/// The caption of an axis: "relative cost", "makespan (s)". Columns that are no figures are read as
/// their names say.
std::string axis_caption(const FigureList& figures, std::string_view column);

}  // namespace starport
