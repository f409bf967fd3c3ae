#include "sim/study/model.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace starport {

Case::Case(PlatformFile of_file, const Problem& product)
    : file(std::move(of_file)), problem(product) {
  try {
    platform = file.at_block_size(product.block_size);
  } catch (const InputError& error) {
    platform.name = file.name;
    not_a_star = error;
  }
}

const char* to_string(EngineKind engine) {
  return engine == EngineKind::simgrid ? "simgrid" : "analytic";
}

const char* to_string(Status status) {
  return status == Status::ok ? "ok" : status == Status::error ? "error" : "not applicable";
}

std::string details_text(const Details& details) {
  std::string text;
  for (const auto& [key, value] : details) text += (text.empty() ? "" : "; ") + key + "=" + value;
  return text;
}

Record Record::failed(std::string algorithm, const Model* model, Status status, std::string why,
                      Cause cause) {
  Record record;
  record.algorithm = std::move(algorithm);
  record.model = model;
  record.status = status;
  record.error = std::move(why);
  record.cause = cause;
  return record;
}

Division Model::divide(const NamedAlgorithm& algorithm, const Case&) const {
  throw NotApplicable(algorithm.name + " does not divide C before the start");
}

const Model& model_of(const Algorithm& algorithm, const Models& models) {
  const auto model = std::ranges::find_if(
      models, [&](const Model* candidate) { return candidate->name() == algorithm.model(); });
  if (model != models.end()) return **model;
  throw std::logic_error(fmt::format("no model '{}' in this program", algorithm.model()));
}

Models models_of(const std::vector<NamedAlgorithm>& algorithms, const Models& models) {
  Models used;
  for (const Model* model : models) {
    if (std::ranges::any_of(algorithms, [&](const NamedAlgorithm& named) {
          return &model_of(*named.algorithm, models) == model;
        })) {
      used.push_back(model);
    }
  }
  return used;
}

FigureList figures_of(const Models& models) {
  FigureList all;
  for (const Model* model : models) all = merged(std::move(all), model->figures());
  return all;
}

}  // namespace starport
