#include "sim/report/plots/instance_labels.hpp"

#include "sim/report/plots/figure_text.hpp"

#include <boost/algorithm/string.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

namespace starport {
namespace {

using Texts = std::vector<std::string>;

/// What the instances are, as text: a column of values for each column of the results.
struct Identities {
  Texts columns;              ///< those that tell most about an instance first
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

/// The end of a text, behind its first `dropped` commas; the last part stays.
std::string tail_of(std::string text, std::size_t dropped) {
  for (std::size_t comma = text.find(", "); dropped-- > 0 && comma != std::string::npos;) {
    text.erase(0, comma + 2);
    comma = text.find(", ");
  }
  return text;
}

/// Names without the leading parts (up to a comma, or a slash) that are not needed to tell them
/// apart: "PPoPP'08, heterogeneous links" is "heterogeneous links" beside "..., heterogeneous
/// memory".
std::map<std::string, std::string> shortened(const std::set<std::string>& names) {
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

/// The instances of a section, from the first to before the last.
struct Section {
  const Identities& all;
  std::size_t first;
  std::size_t last;

  std::set<std::string> values(std::size_t column) const {
    std::set<std::string> values;
    for (std::size_t i = first; i < last; ++i) values.insert(all.values[i][column]);
    return values;
  }
  /// Whether the columns, given by their index, tell the instances apart.
  bool distinguished_by(const std::vector<std::size_t>& columns) const {
    std::set<Texts> seen;
    for (std::size_t i = first; i < last; ++i) {
      Texts key;
      for (const std::size_t column : columns) key.push_back(all.values[i][column]);
      if (!seen.insert(key).second) return false;
    }
    return true;
  }
  /// The columns that differ, without those that are not needed to tell the instances apart: the
  /// last ones of the list go first.
  std::vector<std::size_t> telling_columns() const {
    std::vector<std::size_t> kept;
    for (std::size_t column = 0; column < all.columns.size(); ++column) {
      if (values(column).size() > 1) kept.push_back(column);
    }
    for (std::size_t i = kept.size(); i-- > 0;) {
      std::vector<std::size_t> fewer = kept;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (distinguished_by(fewer)) kept = fewer;
    }
    return kept;
  }
};

/// Products "nAxnABxnB" that differ in one of the three sizes are named by it.
struct ProblemNames {
  std::string size;  ///< "nB" when that one alone differs
  std::size_t place = 0;
  std::string others;  ///< the two that do not

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
        others += fmt::format("{}{} = {}", others.empty() ? "" : ", ", names[k], *sizes[k].begin());
      }
    }
  }
  std::string value(const std::string& problem) const {
    return size.empty() ? problem : split(problem, "x")[place];
  }
};

/// The labels of a section, and the column that they are all of, if there is one.
class SectionLabels {
 public:
  explicit SectionLabels(const Section& section)
      : section_(section), all_(section.all), columns_(section.telling_columns()) {
    for (std::size_t column = 0; column < all_.columns.size(); ++column) {
      if (all_.columns[column] == "problem") problems_ = ProblemNames(section.values(column));
      if (all_.columns[column] == "platform") platforms_ = shortened(section.values(column));
    }
  }

  /// "" when the section needs no label.
  std::string column() const { return columns_.size() == 1 ? all_.columns[columns_[0]] : ""; }
  bool unlabelled() const { return columns_.empty(); }

  std::string caption() const {
    const std::string name = column();
    if (name == "problem") {
      return problems_.size.empty() ? "problem" : problems_.size + " (" + problems_.others + ")";
    }
    if (name == "block_size") return "block size q (elements)";
    return boost::replace_all_copy(name, "_", " ");
  }

  /// Bare when a caption says what the label is.
  std::string label(std::size_t instance, bool bare) const {
    std::string text;
    for (const std::size_t column : columns_) {
      if (all_.columns[column] == "repetition" && !repeated(instance, column)) continue;
      const bool number = all_.columns[column] == "repetition";
      text += (text.empty() ? "" : number ? " " : ", ") + part(instance, column, bare);
    }
    return text;
  }

 private:
  std::string part(std::size_t instance, std::size_t column, bool bare) const {
    const std::string& name = all_.columns[column];
    const std::string& value = all_.values[instance][column];
    if (name == "platform") return platforms_.at(value);
    if (name == "experiment" || name == "engine" || name == "_file") return value;
    if (name == "problem") {
      const std::string shown = problems_.value(value);
      return bare || problems_.size.empty() ? shown : problems_.size + "=" + shown;
    }
    if (bare) return value;
    return (name == "repetition" ? "#" : name == "block_size" ? "q=" : name + " ") + value;
  }

  /// Whether another instance differs in this column alone.
  bool repeated(std::size_t instance, std::size_t column) const {
    for (std::size_t other = section_.first; other < section_.last; ++other) {
      const bool same = std::ranges::all_of(columns_, [&](std::size_t one) {
        return one == column || all_.values[other][one] == all_.values[instance][one];
      });
      if (other != instance && same) return true;
    }
    return false;
  }

  Section section_;
  const Identities& all_;
  std::vector<std::size_t> columns_;
  ProblemNames problems_{{}};
  std::map<std::string, std::string> platforms_;
};

/// How many bytes the first `count` characters take.
std::size_t bytes_of(const std::string& text, std::size_t count) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool starts = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
    if (starts && count-- == 0) break;
  }
  return end;
}

/// Names that are too long lose their middle: beginnings are often the same.
std::string cut(const std::string& text, std::size_t longest) {
  const std::size_t length = characters(text);
  if (length <= longest) return text;
  const std::size_t half = longest / 2;
  return text.substr(0, bytes_of(text, half)) + "…" + text.substr(bytes_of(text, length - half));
}

/// Where runs of the same value of a column start; {} when one of them comes twice, or when there
/// is one run only, or none of several instances.
std::vector<std::size_t> runs_of(const Identities& all, std::size_t column) {
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

struct Sections {
  std::vector<std::size_t> starts{0};
  Texts names;  ///< none: there is one section, without a name

  std::size_t end(std::size_t section, const Identities& all) const {
    return section + 1 < starts.size() ? starts[section + 1] : all.values.size();
  }
};

/// The first column that cuts the instances into runs whose names find room.
Sections find_sections(const Identities& all, double characters_per_instance) {
  for (const char* name : {"experiment", "platform", "_file"}) {
    const auto found = std::ranges::find(all.columns, name);
    if (found == all.columns.end()) continue;
    const auto column = static_cast<std::size_t>(found - all.columns.begin());
    Sections sections{.starts = runs_of(all, column)};
    if (sections.starts.empty()) continue;
    const auto short_names = shortened(Section{all, 0, all.values.size()}.values(column));
    bool fits = true;
    for (std::size_t k = 0; k < sections.starts.size(); ++k) {
      const double room =
          static_cast<double>(sections.end(k, all) - sections.starts[k]) * characters_per_instance;
      sections.names.push_back(
          wrapped(short_names.at(all.values[sections.starts[k]][column]), room));
      const Texts lines = split(sections.names.back(), "\n");
      fits = fits && lines.size() <= 3 && std::ranges::all_of(lines, [&](const std::string& line) {
               return static_cast<double>(characters(line)) <= room + 0.5;
             });
    }
    if (fits) return sections;
  }
  return {};
}

}  // namespace

std::vector<std::string> identity_columns(const ResultTable& results) {
  const Texts& columns = results.columns();
  // Overrides stand between the seed and the workers.
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

InstanceLabels label_instances(const ResultTable& results,
                               const std::function<double(std::size_t)>& room) {
  Identities all;
  all.columns = identity_columns(results);
  all.columns.emplace_back("_file");
  const std::size_t file = all.columns.size() - 1;
  const bool numbered = results.has("instance");
  if (numbered) all.columns.emplace_back("instance");
  std::string columns = "_rowid_";
  for (const std::string& column : all.columns) columns += ", " + sql_name(column);

  InstanceLabels labels;
  std::map<Texts, std::size_t> places;
  for (const Row& row : results.query("SELECT " + columns + " FROM results ORDER BY _rowid_")) {
    Texts values;
    std::transform(row.begin() + 1, row.end(), std::back_inserter(values), text_of);
    values[file] = "file " + values[file];
    const Texts key = numbered ? Texts{values.end() - 2, values.end()} : values;
    const auto [place, added] = places.try_emplace(key, places.size() + 1);
    labels.place_of[std::get<std::int64_t>(row[0])] = static_cast<std::int64_t>(place->second);
    if (added) all.values.push_back(values);
  }

  const Sections sections = find_sections(all, room(all.values.size()));
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
                                .label = cut(parts[k].label(i, bare), 32)});
  }
  return labels;
}

}  // namespace starport
