#include "sim/study/comparison.hpp"

#include "sim/study/common_figures.hpp"

#include <algorithm>
#include <limits>

namespace starport {
namespace {

/// Compares the records that have repetitions with the one of the smallest mean.
void relate_repetitions(Comparison& comparison) {
  const Repetitions* best = nullptr;
  for (const Record& record : comparison.records) {
    if (record.status != Status::ok || !record.repetitions) continue;
    if (best == nullptr || record.repetitions->mean_s < best->mean_s) best = &*record.repetitions;
  }
  if (best == nullptr) return;
  for (Record& record : comparison.records) {
    if (record.status != Status::ok || !record.repetitions) continue;
    const Repetitions& repetitions = *record.repetitions;
    const Interval apart = paired_interval(repetitions.makespans_s, best->makespans_s);
    Figures& figures = record.figures;
    figures.set(kRepetitionCount, static_cast<std::int64_t>(repetitions.makespans_s.size()));
    figures.set(kMedianMakespan, repetitions.median_s);
    figures.set(kLowMakespan, repetitions.interval_s.low);
    figures.set(kHighMakespan, repetitions.interval_s.high);
    figures.set(kLowAboveBest, apart.low / best->mean_s);
    figures.set(kHighAboveBest, apart.high / best->mean_s);
    figures.set(kWithinNoise, std::int64_t{apart.has(0)});
  }
}

}  // namespace

const Figures& Comparison::bounds_of(const Model* model) const {
  static const Figures none;
  const auto found = std::find(models.begin(), models.end(), model);
  const auto place = static_cast<std::size_t>(found - models.begin());
  return place < bounds.size() ? bounds[place] : none;
}

bool Comparison::repeated() const {
  return std::any_of(records.begin(), records.end(),
                     [](const Record& record) { return record.repetitions.has_value(); });
}

double Related::operator[](const Figure& figure) const {
  return figure.scope == Scope::run ? record.figures.real(figure)
                                    : comparison.bounds_of(record.model).real(figure);
}

double Related::least(const std::function<double(const Related&)>& figure) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Record& other : comparison.records) {
    if (other.status == Status::ok) least = std::min(least, figure({comparison, other}));
  }
  return least;
}

void relate(Comparison& comparison) {
  relate_repetitions(comparison);
  for (Record& record : comparison.records) {
    if (record.status != Status::ok) continue;
    for (const Figure* figure : record.model->figures()) {
      if (figure->relate == nullptr) continue;
      record.figures.set(*figure, figure->relate({comparison, record}));
    }
  }
}

std::vector<std::pair<std::string, std::string>> pairs_within_noise(const Comparison& comparison) {
  std::vector<const Record*> rows;
  for (const Record& record : comparison.records) {
    if (record.status == Status::ok && record.repetitions) rows.push_back(&record);
  }
  std::vector<std::pair<std::string, std::string>> pairs;
  for (auto x = rows.begin(); x != rows.end(); ++x) {
    for (auto y = x + 1; y != rows.end(); ++y) {
      const Interval apart =
          paired_interval((*x)->repetitions->makespans_s, (*y)->repetitions->makespans_s);
      if (apart.has(0)) pairs.emplace_back((*x)->algorithm, (*y)->algorithm);
    }
  }
  return pairs;
}

}  // namespace starport
