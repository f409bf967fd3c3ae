// Figures: the numbers that are reported of a run, each declared once. Tables, JSON, CSV, SQL, plot
// axes, HTML pages, the JSON Schema of results and `starport explain` use these declarations.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace starport {

/// The value of a figure; monostate when the figure has none.
using Value = std::variant<std::monostate, std::int64_t, double>;

inline bool is_none(const Value& value) { return value.index() == 0; }
/// Returns the value as a real number; NaN when there is none.
double real(const Value& value);
/// Returns the shortest decimal text that reads back as the same number, as in CSV; empty when
/// there is no value.
std::string format_exact(const Value& value);

/// The number format of a figure in text for people.
enum class Form : std::uint8_t {
  text,        ///< all digits
  yes_no,      ///< "yes" for 1, "no" for 0
  count,       ///< an integer: 334000
  date,        ///< seconds with six digits: 1835.13
  duration,    ///< with a scaled unit: 37.22 us; "-" for 0
  ratio,       ///< three decimals: 1.133
  per_update,  ///< four decimals: 0.0418
  share,       ///< a fraction as a percentage: 93.2%
  mean,        ///< two decimals: 1.87
  speed        ///< Tflop/s, with a scaled unit: 5.141 Gflop/s for 0.005141
};

inline constexpr std::array<std::string_view, 10> kForms{
    "text", "yes_no", "count", "date", "duration", "ratio", "per_update", "share", "mean", "speed"};
/// Returns the name of the format as in JSON.
inline std::string_view to_string(Form form) { return kForms[static_cast<std::size_t>(form)]; }

/// For a table; "-" when there is none.
std::string format_value(Form form, const Value& value);

/// The object that a figure describes.
enum class Scope : std::uint8_t {
  label,     ///< a column of results that identifies the run, such as the platform
  run,       ///< one algorithm on one instance
  instance,  ///< one platform and product: equal in all rows of an instance
  heading,   ///< one instance, but shown above the table only
  worker     ///< one worker in one run
};

struct RecordContext;

/// The declaration of a figure: its key, meaning and format. All are constants with static storage,
/// and code refers to them by address.
struct Figure {
  std::string_view key;    ///< name in JSON, CSV and SQL; ends with the unit if there is one
  std::string_view label;  ///< column heading in tables
  std::string_view unit;   ///< "s", "blocks"; empty for a pure number
  Form form = Form::text;  ///< number format for people
  Scope scope = Scope::run;
  std::string_view meaning;      ///< one line, with the formula; shown by `starport explain`
  std::string_view source = {};  ///< paper and section; empty: defined by Starport
  std::string_view axis = {};    ///< caption of a plot axis; empty: made from the key
  bool wall_clock = false;       ///< depends on this machine; not in results.csv
  bool repeated = false;         ///< only for runs repeated under noise
  /// For a ratio to a bound: the name of the bound in plots of the makespan; otherwise empty.
  std::string_view bound = {};
  /// For a figure that depends on the other records of the instance, such as the relative cost:
  /// computes it when all runs are done. Otherwise nullptr.
  Value (*compute)(const RecordContext&) = nullptr;
};

/// Makes a figure from its common fields; the functions below add the others.
constexpr Figure figure(std::string_view key, std::string_view label, std::string_view unit,
                        Form form, Scope scope, std::string_view meaning,
                        std::string_view source = {}, std::string_view axis = {}) {
  return {key, label, unit, form, scope, meaning, source, axis};
}
/// Marks a figure as a wall-clock time of this machine.
constexpr Figure wall_clock(Figure figure) {
  figure.wall_clock = true;
  return figure;
}
/// Marks a figure as one of runs that are repeated under noise.
constexpr Figure repeated(Figure figure) {
  figure.repeated = true;
  return figure;
}
/// Marks a figure as the ratio of the makespan to the bound of this name.
constexpr Figure over_bound(Figure figure, std::string_view bound) {
  figure.bound = bound;
  return figure;
}
/// Marks a figure as one that `compute` derives from all records of the instance.
constexpr Figure relative(Figure figure, Value (*compute)(const RecordContext&)) {
  figure.compute = compute;
  return figure;
}

/// The values of figures for one run, one instance or one worker. A figure that was not set has no
/// value.
class Figures {
 public:
  Figures() = default;
  Figures(std::initializer_list<std::pair<const Figure*, Value>> values) : values_(values) {}

  /// Sets or replaces the value of a figure, which must have static storage.
  void set(const Figure& figure, Value value);
  /// Returns the value of a figure; monostate when it was not set.
  Value operator[](const Figure& figure) const;
  /// Returns the value of a figure as a real number; NaN when there is none.
  double real(const Figure& figure) const { return starport::real((*this)[figure]); }

 private:
  std::vector<std::pair<const Figure*, Value>> values_;
};

/// A list of figures, in the order of the columns of results.
using FigureList = std::vector<const Figure*>;

/// Returns the figures of both lists, each once: those of `first`, then the others of `second`.
FigureList merge_figures(FigureList first, const FigureList& second);

/// Returns the caption of a plot axis for a column of results, such as "relative cost" or
/// "makespan (s)". The caption of a column that is not in `figures` is made from its name.
std::string axis_caption(const FigureList& figures, std::string_view column);

/// Throws InputError located at `pointer` unless `name` is a column name that R and SQL accept
/// without quotes: letters, digits and _, no digit first.
void check_column_name(const std::string& name, const std::string& pointer);

}  // namespace starport
