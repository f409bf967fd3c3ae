#include "sim/report/plots/instance_labels.hpp"

#include "sim/files/text.hpp"

#include <boost/algorithm/string.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

namespace starport {
namespace {

using Texts = std::vector<std::string>;

/// The values by which instances are identified, as text.
struct Identities {
  Texts columns;              ///< the most telling columns first
  std::vector<Texts> values;  ///< [instance][column]
};

std::string text_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{:.6g}", *real);
  return "none";
}

Texts split(const std::string& text, const char* separators) {
  Texts parts;
  boost::split(parts, text, boost::is_any_of(separators));
  return parts;
}

/// Drops the parts of a text up to its first `dropped` commas, but never the last part.
std::string tail_of(std::string text, std::size_t dropped) {
  for (std::size_t comma = text.find(", "); dropped-- > 0 && comma != std::string::npos;) {
    text.erase(0, comma + 2);
    comma = text.find(", ");
  }
  return text;
}

/// Drops the leading parts of names, up to a comma, that are not needed to distinguish them:
/// "PPoPP'08, heterogeneous links" becomes "heterogeneous links" beside "PPoPP'08, heterogeneous
/// memory". Returns the short names by name.
std::map<std::string, std::string> shorten_names(const std::set<std::string>& names) {
  std::map<std::string, std::string> best;
  for (const std::string& name : names) best[name] = name;
  for (std::size_t dropped = 1; dropped <= 4; ++dropped) {
    std::map<std::string, std::string> shorter;
    std::set<std::string> different;
    for (const std::string& name : names) {
      shorter[name] = tail_of(name, dropped);
      different.insert(shorter[name]);
    }
    if (names.size() < 2 || different.size() < names.size()) break;
    best = shorter;
  }
  return best;
}

/// Consecutive instances: the indices from `first` up to, but without, `last`.
struct Section {
  const Identities& all;
  std::size_t first;
  std::size_t last;

  std::set<std::string> values(std::size_t column) const {
    std::set<std::string> values;
    for (std::size_t i = first; i < last; ++i) values.insert(all.values[i][column]);
    return values;
  }
  /// True if all instances differ in these columns, given by their indices.
  bool distinguished_by(const std::vector<std::size_t>& columns) const {
    std::set<Texts> seen;
    for (std::size_t i = first; i < last; ++i) {
      Texts key;
      for (const std::size_t column : columns) key.push_back(all.values[i][column]);
      if (!seen.insert(key).second) return false;
    }
    return true;
  }
  /// Returns a minimal set of columns in which all instances differ; prefers the first columns.
  std::vector<std::size_t> distinguishing_columns() const {
    std::vector<std::size_t> needed;
    for (std::size_t column = 0; column < all.columns.size(); ++column) {
      if (values(column).size() > 1) needed.push_back(column);
    }
    for (std::size_t i = needed.size(); i-- > 0;) {
      std::vector<std::size_t> fewer = needed;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (distinguished_by(fewer)) needed = fewer;
    }
    return needed;
  }
};

/// Short names of problems "nAxnABxnB": if they differ in only one of the three sizes, this size.
struct ProblemNames {
  std::string size;        ///< name of the size in which they differ, such as "nB"; else empty
  std::size_t place = 0;   ///< its position in the name of a problem
  std::string same_sizes;  ///< the two equal sizes: "nA = 8, nAB = 8"

  explicit ProblemNames(const std::set<std::string>& problems) {
    constexpr std::array<const char*, 3> names{"nA", "nAB", "nB"};
    std::array<std::set<std::string>, 3> sizes;
    for (const std::string& problem : problems) {
      const Texts parts = split(problem, "x");
      if (parts.size() != 3) return;
      for (std::size_t k = 0; k < 3; ++k) sizes[k].insert(parts[k]);
    }
    const auto varies = [](const auto& values) { return values.size() > 1; };
    if (std::ranges::count_if(sizes, varies) != 1) return;
    for (std::size_t k = 0; k < 3; ++k) {
      if (varies(sizes[k])) {
        size = names[k];
        place = k;
      } else {
        same_sizes +=
            fmt::format("{}{} = {}", same_sizes.empty() ? "" : ", ", names[k], *sizes[k].begin());
      }
    }
  }
  std::string value(const std::string& problem) const {
    return size.empty() ? problem : split(problem, "x")[place];
  }
};

/// Makes the labels of the instances of a section.
class SectionLabels {
 public:
  explicit SectionLabels(const Section& section)
      : all_(section.all), columns_(section.distinguishing_columns()) {
    for (std::size_t column = 0; column < all_.columns.size(); ++column) {
      if (all_.columns[column] == "problem") problems_ = ProblemNames(section.values(column));
      if (all_.columns[column] == "platform") platforms_ = shorten_names(section.values(column));
    }
    for (std::size_t i = section.first; i < section.last; ++i)
      ++instances_of_[without_repetition(i)];
  }

  /// Returns the column that the labels show; empty if they show none or several.
  std::string column() const { return columns_.size() == 1 ? all_.columns[columns_[0]] : ""; }
  bool unlabelled() const { return columns_.empty(); }

  std::string caption() const {
    const std::string name = column();
    if (name == "problem") {
      return problems_.size.empty() ? "problem"
                                    : problems_.size + " (" + problems_.same_sizes + ")";
    }
    if (name == "block_size") return "block size q (elements)";
    return name == "repetition" ? "draw" : boost::replace_all_copy(name, "_", " ");
  }

  /// Returns the label of an instance; `bare` leaves out the names of columns, which a caption
  /// gives.
  std::string label(std::size_t instance, bool bare) const {
    std::string text;
    for (const std::size_t column : columns_) {
      if (all_.columns[column] == "repetition" &&
          instances_of_.at(without_repetition(instance)) == 1)
        continue;
      text += (text.empty() ? "" : ", ") + part(instance, column, bare);
    }
    return text;
  }

 private:
  std::string part(std::size_t instance, std::size_t column, bool bare) const {
    const std::string& name = all_.columns[column];
    const std::string& value = all_.values[instance][column];
    if (name == "platform") return platforms_.at(value);
    if (name == "problem") {
      const std::string shown = problems_.value(value);
      return bare || problems_.size.empty() ? shown : problems_.size + " = " + shown;
    }
    return (bare ? "" : label_prefix(name)) + value;
  }

  /// Returns what instances have in common that differ in their repetition only.
  Texts without_repetition(std::size_t instance) const {
    Texts values;
    for (const std::size_t column : columns_) {
      if (all_.columns[column] != "repetition") values.push_back(all_.values[instance][column]);
    }
    return values;
  }

  const Identities& all_;
  std::vector<std::size_t> columns_;
  std::map<Texts, int> instances_of_;  ///< by what they have in common without their repetition
  ProblemNames problems_{{}};
  std::map<std::string, std::string> platforms_;
};

/// Cuts the middle out of a name that is too long: beginnings are often the same.
std::string shorten_middle(const std::string& text, std::size_t longest) {
  const std::size_t length = character_count(text);
  if (length <= longest) return text;
  const std::size_t start = longest / 2;
  const std::size_t end = longest - 1 - start;  // the ellipsis is one character
  return truncate_characters(text, start) + "…" +
         text.substr(truncate_characters(text, length - end).size());
}

/// Returns the indices at which runs of equal values of a column start. Empty if a value has two
/// runs, if there is one run only, or if no run has several instances.
std::vector<std::size_t> find_runs(const Identities& all, std::size_t column) {
  std::vector<std::size_t> starts;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < all.values.size(); ++i) {
    if (i > 0 && all.values[i][column] == all.values[i - 1][column]) continue;
    if (!seen.insert(all.values[i][column]).second) return {};
    starts.push_back(i);
  }
  const bool useful = starts.size() > 1 && starts.size() < all.values.size();
  return useful ? starts : std::vector<std::size_t>{};
}

/// The sections into which instances are divided.
struct Sections {
  std::vector<std::size_t> starts{0};  ///< index of the first instance of each
  Texts names;                         ///< empty: there is one section, without a name

  std::size_t end(std::size_t section, const Identities& all) const {
    return section + 1 < starts.size() ? starts[section + 1] : all.values.size();
  }
};

/// Divides the instances by the first of some columns whose values have one run each.
Sections find_sections(const Identities& all) {
  for (const char* name : {"experiment", "platform", "_file"}) {
    const auto found = std::ranges::find(all.columns, name);
    if (found == all.columns.end()) continue;
    const auto column = static_cast<std::size_t>(found - all.columns.begin());
    Sections sections{.starts = find_runs(all, column)};
    if (sections.starts.empty()) continue;
    const auto short_names = shorten_names(Section{all, 0, all.values.size()}.values(column));
    for (const std::size_t start : sections.starts) {
      sections.names.push_back(short_names.at(all.values[start][column]));
    }
    return sections;
  }
  return {};
}

}  // namespace

std::vector<std::string> identity_columns(const ResultTable& results) {
  const Texts& columns = results.columns();
  // The columns of overrides stand between `seed` and `workers`.
  const auto seed = std::ranges::find(columns, "seed");
  const auto workers = std::find(seed, columns.end(), "workers");
  Texts found;
  if (workers != columns.end()) found.assign(seed + 1, workers);
  for (const char* name : {"platform", "problem", "block_size", "workers", "repetition",
                           "experiment", "r", "s", "t", "engine", "seed"}) {
    if (results.has(name)) found.emplace_back(name);
  }
  return found;
}

std::int64_t count_instances(const ResultTable& results) {
  Texts key{"_file"};
  if (results.has("instance")) {
    key.emplace_back("instance");
  } else {
    for (const std::string& column : identity_columns(results))
      key.push_back(label_value_sql(column));
  }
  return std::get<std::int64_t>(results.query(fmt::format(
      "SELECT count(*) FROM (SELECT DISTINCT {} FROM results)", fmt::join(key, ", ")))[0][0]);
}

InstanceLabels label_instances(const ResultTable& results) {
  Identities all;
  all.columns = identity_columns(results);
  all.columns.emplace_back("_file");
  const std::size_t file = all.columns.size() - 1;
  const bool numbered = results.has("instance");
  if (numbered) all.columns.emplace_back("instance");
  std::string columns = "_rowid_";
  for (const std::string& column : all.columns) columns += ", " + label_value_sql(column);

  InstanceLabels labels;
  std::map<Texts, std::size_t> places;
  for (const Row& row : results.query("SELECT " + columns + " FROM results ORDER BY _rowid_")) {
    Texts values;
    std::transform(row.begin() + 1, row.end(), std::back_inserter(values), text_of);
    values[file] = "file " + values[file];
    const Texts key = numbered ? Texts{values.end() - 2, values.end()} : values;
    const auto [place, added] = places.try_emplace(key, places.size() + 1);
    labels.position_of[std::get<std::int64_t>(row[0])] = static_cast<std::int64_t>(place->second);
    if (added) all.values.push_back(values);
  }

  const Sections sections = find_sections(all);
  std::vector<SectionLabels> parts;
  for (std::size_t k = 0; k < sections.starts.size(); ++k) {
    parts.emplace_back(Section{all, sections.starts[k], sections.end(k, all)});
  }
  std::set<std::string> captions;
  for (const SectionLabels& part : parts) {
    if (!part.unlabelled()) captions.insert(part.caption());
  }
  const bool bare = captions.size() == 1 && !captions.begin()->empty();
  if (bare) labels.caption = *captions.begin();
  for (std::size_t i = 0, k = 0; i < all.values.size(); ++i) {
    if (k + 1 < sections.starts.size() && sections.starts[k + 1] == i) ++k;
    labels.instances.push_back({.section = sections.names.empty() ? "" : sections.names[k],
                                .label = shorten_middle(parts[k].label(i, bare), 32)});
  }
  return labels;
}

}  // namespace starport
