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

/// The value of a figure (a number that is reported of a run, an instance or a worker) in the unit
/// that Figure::unit names: an integer (counts, and 0 or 1 for no or yes), a real number, or
/// monostate when there is none.
using Value = std::variant<std::monostate, std::int64_t, double>;

/// Returns true if there is no value (monostate); false for any number, NaN included.
inline bool is_none(const Value& value) { return value.index() == 0; }
/// Returns the value, an integer or a real number, as a real number (large integers rounded); NaN
/// when there is none.
double real(const Value& value);
/// Returns the shortest decimal text that reads back as the same number, as CSV output has it, such
/// as "0.1", "nan" or "inf"; an empty text when there is no value.
std::string format_exact(const Value& value);

/// Format of a reported number in tables and text for people: how many digits, and whether with a
/// scaled unit (format_value()).
enum class Form : std::uint8_t {
  text,        ///< as format_exact(): as many digits as read back the same number
  yes_no,      ///< "no" for 0, "yes" for any other number
  count,       ///< an integer, without separators: 334000
  date,        ///< seconds with six significant digits: 1835.13
  duration,    ///< with a scaled unit: 37.22 us; "-" for 0
  ratio,       ///< three decimals: 1.133
  per_update,  ///< four decimals: 0.0418
  share,       ///< a fraction as a percentage: 93.2%
  mean,        ///< two decimals: 1.87
  speed        ///< Tflop/s, with a scaled unit: 5.141 Gflop/s for 0.005141
};

/// Names, in JSON output, of the formats of numbers, in the order of Form: as many digits as read
/// back the same number; no or yes; integer; seconds; duration with a scaled unit; three decimals;
/// four decimals; percentage; two decimals; speed with a scaled unit.
inline constexpr std::array<std::string_view, 10> kForms{
    "text", "yes_no", "count", "date", "duration", "ratio", "per_update", "share", "mean", "speed"};
/// Returns the name of a number format as JSON output has it, such as "date" for Form::date; a
/// string literal.
inline std::string_view to_string(Form form) { return kForms[static_cast<std::size_t>(form)]; }

/// Returns the value as text for people in the given format, without its unit, except that a
/// duration (value in seconds) and a speed (in Tflop/s) get a scaled unit and a share (a fraction)
/// becomes a percentage. "-" when there is no value (monostate, not NaN), and for a duration that
/// is not above 0.
std::string format_value(Form form, const Value& value);

/// Kind of object that a figure (a reported value) describes: `run`, one algorithm on one instance;
/// `instance`, one platform and product; `heading`, an instance too, but without a column: shown
/// above the table and in JSON; `worker`, one worker in one run. A `label` is no result of a run
/// but a column that identifies or describes a row of results, such as the platform.
enum class Scope : std::uint8_t {
  label,     ///< a column that identifies or describes a row of results, such as the platform
  run,       ///< one algorithm on one instance
  instance,  ///< one platform and product: equal in all rows of an instance
  heading,   ///< one instance, but no column: shown above the table and in JSON
  worker     ///< one worker in one run
};

struct RecordContext;

/// The declaration of a figure, that is, of a number or label reported of a run, an instance or a
/// worker (see Scope): its key, meaning, unit and format, but no value (class Figures holds those).
/// Its texts are not copied and must have static storage. Two figures are the same if their
/// addresses are, so declare each as a constant with static storage and do not copy it.
struct Figure {
  /// Name of the reported value in JSON, CSV and SQL, such as "makespan_s"; unique within a model.
  std::string_view key;
  /// Name of the reported value for people, such as "rel. cost", as in headings of tables, where
  /// the unit may follow.
  std::string_view label;
  /// Unit of the reported value, such as "s", "blocks" or "GiB"; empty for a pure number.
  std::string_view unit;
  /// Format of the reported value in tables and text for people; by default as many digits as read
  /// back the same number.
  Form form = Form::text;
  /// Kind of object that the reported value describes: a run, an instance (platform and product) or
  /// a worker; or Scope::label for a column that identifies or describes a row of results.
  Scope scope = Scope::run;
  /// Description of the reported value in one line, with its formula, as `starport explain` prints
  /// it. Not copied: the text must have static storage.
  std::string_view meaning;
  /// Definition of the reported value: paper and section, or the path of a document of Starport;
  /// empty: by `meaning` alone.
  std::string_view source = {};
  /// Caption of a plot axis that shows the reported value; empty: axis_caption() makes one from
  /// `key`.
  std::string_view axis = {};
  /// True if the reported value is a wall-clock time, which depends on this machine and is written
  /// to timings.csv instead of results.csv.
  bool wall_clock = false;
  /// True if only runs that are repeated under noise have the reported value.
  bool repeated = false;
  /// Name of a lower bound on the makespan, such as "tightest bound", if the reported value is the
  /// makespan divided by that bound; otherwise empty. Line plots of the makespan draw that bound
  /// (makespan / value), with this name in the legend. Not copied: the text must have static
  /// storage.
  std::string_view bound = {};
  /// Function that computes the reported value of a run if it depends on the other runs or the
  /// bounds of the comparison, such as the relative cost; compute_relative_figures() calls it for
  /// each successful run when all are done. Returns monostate or NaN for no value. nullptr for
  /// other figures.
  Value (*compute)(const RecordContext&) = nullptr;
};

/// Makes the declaration of a figure (a reported value) from the members of Figure that have the
/// names of the parameters; the others get their defaults and can be set with wall_clock(),
/// repeated(), over_bound() and relative(). The texts are not copied and must have static storage.
constexpr Figure figure(std::string_view key, std::string_view label, std::string_view unit,
                        Form form, Scope scope, std::string_view meaning,
                        std::string_view source = {}, std::string_view axis = {}) {
  return {key, label, unit, form, scope, meaning, source, axis};
}
/// Returns a copy of the declaration of a reported value, marked as a wall-clock time of this
/// machine, which is left out of results.csv.
constexpr Figure wall_clock(Figure figure) {
  figure.wall_clock = true;
  return figure;
}
/// Returns a copy of the declaration of a reported value, marked as one that only runs repeated
/// under noise have.
constexpr Figure repeated(Figure figure) {
  figure.repeated = true;
  return figure;
}
/// Returns a copy of the declaration of a reported value, marked as the makespan divided by the
/// lower bound named `bound`, a text with static storage. Line plots of the makespan show the bound
/// under this name.
constexpr Figure over_bound(Figure figure, std::string_view bound) {
  figure.bound = bound;
  return figure;
}
/// Returns a copy of the declaration of a reported value, marked as one that `compute` derives from
/// the runs and bounds of a comparison. compute_relative_figures() stores its result in the record
/// of each successful run of a model whose Model::figures() list the declaration.
constexpr Figure relative(Figure figure, Value (*compute)(const RecordContext&)) {
  figure.compute = compute;
  return figure;
}

/// A map from figures (declarations of reported values, such as the makespan) to their values, for
/// one run, one instance (platform and product) or one worker. Identifies a figure by its address,
/// so that figures must have static storage; one that was not set has no value. Look-up takes
/// linear time. Copies are independent.
class Figures {
 public:
  Figures() = default;
  /// Makes a map of these figures (declarations of reported values) and values. The figures must
  /// have static storage, and each be named once (not checked: only its first value counts).
  Figures(std::initializer_list<std::pair<const Figure*, Value>> values) : values_(values) {}

  /// Sets or replaces the value of a figure. The figure is stored by address and must outlive this
  /// object, as a constant with static storage does.
  void set(const Figure& figure, Value value);
  /// Returns the value of a figure (a reported value) in the unit of its declaration; monostate
  /// when it was not set.
  Value operator[](const Figure& figure) const;
  /// Returns the value of a figure (a reported value) as a real number, in the unit of its
  /// declaration; NaN when there is none.
  double real(const Figure& figure) const { return starport::real((*this)[figure]); }

 private:
  std::vector<std::pair<const Figure*, Value>> values_;
};

/// A list of pointers to declarations of reported values (figures), which have static storage; none
/// null.
using FigureList = std::vector<const Figure*>;

/// Returns the figures (declarations of reported values) of both lists: `first` unchanged, then
/// those of `second` that it lacks, in their order. Figures are the same if their addresses are,
/// whatever their keys.
FigureList merge_figures(FigureList first, const FigureList& second);

/// Returns the caption of a plot axis for a column of results: Figure::axis of the figure in
/// `figures` whose key is `column`. Without such a figure or caption it is made from `column`:
/// "makespan_s" gives "makespan (s)"; "cv" gives "coefficient of variation of the noise".
std::string axis_caption(const FigureList& figures, std::string_view column);

/// Checks that `name` is a column name of ASCII letters, digits and _, no digit first, not empty,
/// as SQL and (unless it begins with _) R accept without quotes; reserved words are not refused.
/// Throws InputError otherwise, with `pointer`, the JSON pointer of the name in its file, as the
/// place.
void check_column_name(const std::string& name, const std::string& pointer);

/// Computes the value of the figure kRelativeCost, a ratio: the makespan of the run divided by the
/// smallest makespan among the runs of the same comparison with status ok; 1 for the fastest. NaN
/// when the run has no makespan.
Value relative_cost(const RecordContext& row);
/// Computes the value of the figure kRelativeWork, a ratio, 1 for the least work: makespan x
/// enrolled workers of the run, divided by the smallest such product among the runs of the
/// comparison with status ok. Counts only runs of models that list this figure; for a run of
/// another model the result is meaningless (infinite or NaN). NaN when the run has no makespan. The
/// models of `row.record` and of the runs with status ok must not be null (undefined behaviour
/// otherwise).
Value relative_work(const RecordContext& row);

inline constexpr Figure kMakespan =
    figure("makespan_s", "makespan", "s", Form::date, Scope::run,
           "when the last block of C is home; under noise, the mean over the repetitions",
           "PPoPP'08, section 6.3");
inline constexpr Figure kRepetitionCount =
    repeated(figure("repetitions", "repetitions", "", Form::count, Scope::run,
                    "runs under noise that the makespan is the mean of"));
inline constexpr Figure kMedianMakespan =
    repeated(figure("makespan_median_s", "median", "s", Form::date, Scope::run,
                    "median makespan of the repetitions"));
inline constexpr Figure kLowMakespan =
    repeated(figure("makespan_low_s", "95% interval, low", "s", Form::date, Scope::run,
                    "lower end of the 95% confidence interval (Student) of the mean makespan"));
inline constexpr Figure kHighMakespan =
    repeated(figure("makespan_high_s", "95% interval, high", "s", Form::date, Scope::run,
                    "upper end of the 95% confidence interval (Student) of the mean makespan"));
inline constexpr Figure kLowAboveBest = repeated(
    figure("above_best_low", "above the best, low", "", Form::share, Scope::run,
           "lower end of the 95% confidence interval of the mean paired difference from the "
           "best algorithm / the best mean"));
inline constexpr Figure kHighAboveBest = repeated(
    figure("above_best_high", "above the best, high", "", Form::share, Scope::run,
           "upper end of the 95% confidence interval of the mean paired difference from the "
           "best algorithm / the best mean"));
inline constexpr Figure kWithinNoise = repeated(
    figure("within_noise_of_best", "within noise", "", Form::yes_no, Scope::run,
           "whether the 95% confidence interval of the difference from the best contains 0, "
           "so that the algorithm may be as fast as the best"));
inline constexpr Figure kDecision = wall_clock(figure(
    "decision_s", "decision", "s", Form::duration, Scope::run,
    "wall-clock time of planning; what a tile strategy tries in advance counts as simulation"));
inline constexpr Figure kSimulation = wall_clock(figure(
    "simulation_s", "simulation", "s", Form::duration, Scope::run,
    "wall-clock time of the simulation; for tile tasks and distributed products, with validation"));
inline constexpr Figure kEnrolledWorkers =
    figure("enrolled_workers", "enrolled", "workers", Form::count, Scope::run,
           "workers that receive work", "PPoPP'08, section 6.3");
inline constexpr Figure kVolume =
    figure("volume_gib", "volume", "GiB", Form::mean, Scope::run,
           "data moved over the links in both directions, without workers that share the master's "
           "memory",
           "ICPP'18, section 5.2", "communication (GiB)");
inline constexpr Figure kRelativeCost =
    relative(figure("relative_cost", "rel. cost", "", Form::ratio, Scope::run,
                    "makespan / the smallest makespan of the instance", "PPoPP'08, section 6.3"),
             relative_cost);
inline constexpr Figure kRelativeWork =
    relative(figure("relative_work", "rel. work", "", Form::ratio, Scope::run,
                    "makespan x enrolled workers / the smallest such product of the instance",
                    "PPoPP'08, section 6.3"),
             relative_work);

/// Returns the declarations of the values that every model reports of runs, among them the
/// wall-clock times (decision_s, simulation_s), as pointers to static constants, the makespan
/// first. Model::figures() starts with them.
FigureList common_figures();

/// Returns the declarations of the columns of results.csv that identify and describe a run instead
/// of measuring it (instance, platform, problem, heuristic, status, error, ...), in the order of
/// the file. The last one, "details", comes after the columns of measured values. The list is a
/// static object.
const FigureList& label_columns();

}  // namespace starport
