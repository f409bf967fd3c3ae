#include "sim/platform/noise/noise_json.hpp"

#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/numbers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace starport {
namespace {
/// Ratios of the durations in a list to their median.
void add_ratios(const JsonNode& list, std::vector<double>& ratios) {
  std::vector<double> durations;
  for (const JsonNode& element : list.elements()) durations.push_back(element.positive_number());
  if (durations.empty()) throw list.fault("at least one duration");
  const double median = median_of(durations);
  for (const double duration : durations) ratios.push_back(duration / median);
  if (!std::all_of(ratios.begin(), ratios.end(), is_valid_factor)) {
    throw list.fault("durations from 0.001 to 1e6 times their median");
  }
}

std::vector<double> read_ratio_lists(const JsonNode& node) {
  std::vector<double> ratios;
  const auto elements = node.elements();
  if (!elements.empty() && elements.front().is_array()) {
    for (const JsonNode& list : elements) add_ratios(list, ratios);
  } else {
    add_ratios(node, ratios);
  }
  return ratios;
}

std::vector<double> read_factors(const JsonNode& node) {
  std::vector<double> factors;
  for (const JsonNode& element : node.elements()) {
    const double factor = element.positive_number();
    if (!is_valid_factor(factor)) throw element.fault(kFactorRange);
    factors.push_back(factor);
  }
  if (factors.empty()) throw node.fault("at least one factor");
  return factors;
}

std::string place_of(const JsonNode& node) { return node.pointer().empty() ? "/" : node.pointer(); }

int read_worker_number(const JsonNode& node) {
  return static_cast<int>(node.integer(1, kMaxWorkers)) - 1;
}

DurationRatios read_duration_ratios(const JsonNode& node, const std::string& path) {
  node.allow_only_keys({"schema_version", "comment", "file", "transfers_s", "updates_s"});
  if (const auto version = node.find("schema_version")) version->integer(1, 1);
  if (const auto comment = node.find("comment")) comment->require_string();
  DurationRatios ratios{.transfers = {}, .updates = {}, .file = path};
  if (const auto file = node.find("file")) ratios.file = file->text();
  const auto transfers = node.find("transfers_s");
  const auto updates = node.find("updates_s");
  if (!transfers && !updates) {
    throw InputError(place_of(node), "transfers_s, updates_s or both", "neither");
  }
  if (transfers) ratios.transfers = read_ratio_lists(*transfers);
  if (updates) ratios.updates = read_ratio_lists(*updates);
  return ratios;
}

void read_variations(const JsonNode& node, const std::string& directory, NoiseBuilder& builder) {
  const std::string place = place_of(node);
  for (const char* key : {"cv", "transfer_cv", "update_cv"}) {
    if (const auto cv = node.find(key)) builder.set_cv(key, read_cv(*cv), place);
  }
  for (const auto& [key, activity] : {std::pair("transfer_factors", Activity::transfer),
                                      std::pair("update_factors", Activity::update)}) {
    if (const auto list = node.find(key)) {
      builder.set_factors(activity, read_factors(*list), key, place);
    }
  }
  if (const auto samples = node.find("samples")) {
    const auto from = [&] { return std::filesystem::path(directory) / samples->text(); };
    builder.set_ratios(samples->is_text() ? load_duration_ratios(from().lexically_normal().string())
                                          : read_duration_ratios(*samples, ""),
                       place);
  }
}

void read_slow_downs(const JsonNode& list, NoiseBuilder& builder) {
  for (const JsonNode& node : list.elements()) {
    node.allow_only_keys({"worker", "from_s", "factor", "of"});
    const double factor = node.at("factor").positive_number();
    if (!is_valid_factor(factor)) throw node.at("factor").fault(kFactorRange);
    const auto of = node.find("of");
    const std::string what = of ? of->text() : "";
    if (of && what != "link" && what != "compute") throw of->fault("link or compute");
    builder.add_slow_down(read_worker_number(node.at("worker")), what,
                          node.at("from_s").non_negative_number(), factor, node.pointer());
  }
}

}  // namespace

bool is_valid_cv(double cv) { return cv >= 0 && cv <= kMaxCv; }

bool is_valid_factor(double factor) { return factor >= 1e-3 && factor <= 1e6; }

Variation& NoiseBuilder::vary(Activity activity, const std::string& key, const std::string& place) {
  const char* noun = activity == Activity::transfer ? "transfer" : "update";
  std::string& before = varied_by_[static_cast<std::size_t>(activity)];
  if (!before.empty()) {
    throw InputError(place,
                     fmt::format("one of cv, {0}_cv, samples and {0}_factors for {0}s", noun),
                     before == key ? key + " twice" : before + " and " + key);
  }
  before = key;
  return activity == Activity::transfer ? noise_.transfers : noise_.updates;
}

void NoiseBuilder::set_cv(const std::string& key, double cv, const std::string& place) {
  if (key != "update_cv") vary(Activity::transfer, key, place).cv = cv;
  if (key != "transfer_cv") vary(Activity::update, key, place).cv = cv;
}

void NoiseBuilder::set_factors(Activity activity, std::vector<double> factors,
                               const std::string& key, const std::string& place) {
  vary(activity, key, place).ratios = std::move(factors);
}

void NoiseBuilder::set_ratios(DurationRatios ratios, const std::string& place) {
  const auto set = [&](Activity activity, std::vector<double>& drawn_from) {
    if (drawn_from.empty()) return;
    Variation& variation = vary(activity, "samples", place);
    variation.ratios = std::move(drawn_from);
    variation.file = ratios.file;
  };
  set(Activity::transfer, ratios.transfers);
  set(Activity::update, ratios.updates);
}

void NoiseBuilder::add(const SlowDown& change, const std::string& place) {
  const auto& given = noise_.slow_downs;
  if (std::any_of(given.begin(), given.end(), [&](const SlowDown& other) {
        return other.worker == change.worker && other.activity == change.activity &&
               other.from_s == change.from_s;
      })) {
    throw InputError(
        place, "one slow-down of a worker at a date",
        fmt::format("worker {} slows down twice at {} s", change.worker + 1, change.from_s));
  }
  noise_.slow_downs.push_back(change);
}

void NoiseBuilder::add_slow_down(int worker, std::string_view of, double from_s, double factor,
                                 const std::string& place) {
  if (of != "compute") add({worker, Activity::transfer, from_s, factor}, place);
  if (of != "link") add({worker, Activity::update, from_s, factor}, place);
}

void NoiseBuilder::add_stop(const Stop& stop, const std::string& place) {
  const auto& given = noise_.stops;
  if (std::any_of(given.begin(), given.end(),
                  [&](const Stop& other) { return other.worker == stop.worker; })) {
    throw InputError(place, "one stop of a worker",
                     fmt::format("worker {} stops twice", stop.worker + 1));
  }
  noise_.stops.push_back(stop);
}

void NoiseBuilder::set_seed(std::int64_t seed, const std::string& place) {
  if (seeded_) throw InputError(place, "one seed", "two");
  seeded_ = true;
  noise_.seed = static_cast<std::uint64_t>(seed);
}

double read_cv(const JsonNode& node) {
  const double cv = !node.is_text()              ? node.non_negative_number()
                    : node.text().ends_with('%') ? parse_share(node.text()).value_or(-1)
                                                 : -1;
  if (!is_valid_cv(cv)) throw node.fault(kCvRange);
  return cv;
}

DurationRatios load_duration_ratios(const std::string& path) {
  const nlohmann::json document = load_json(path);
  return with_file_in_errors(path, [&] { return read_duration_ratios(JsonNode(document), path); });
}

Noise read_noise(const JsonNode& node, std::uint64_t default_seed, const std::string& directory) {
  node.allow_only_keys({"comment", "cv", "transfer_cv", "update_cv", "samples", "transfer_factors",
                        "update_factors", "slow", "stop", "seed"});
  if (const auto comment = node.find("comment")) comment->require_string();
  NoiseBuilder builder(default_seed);
  read_variations(node, directory, builder);
  if (const auto slow = node.find("slow")) read_slow_downs(*slow, builder);
  if (const auto stops = node.find("stop")) {
    for (const JsonNode& stop : stops->elements()) {
      stop.allow_only_keys({"worker", "at_s"});
      builder.add_stop({.worker = read_worker_number(stop.at("worker")),
                        .at_s = stop.at("at_s").non_negative_number()},
                       stop.pointer());
    }
  }
  if (const auto seed = node.find("seed")) {
    builder.set_seed(seed->integer(0, kMaxSeed), seed->pointer());
  }
  return builder.build();
}

nlohmann::ordered_json to_json(const Noise& noise) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto vary = [&](const Variation& variation, const std::string& noun) {
    if (variation.cv > 0) json[noun + "_cv"] = variation.cv;
    if (!variation.file.empty()) {
      json["samples"] = parse_ordered_json(read_file(variation.file), variation.file);
      json["samples"]["file"] = variation.file;
    } else if (!variation.ratios.empty()) {
      json[noun + "_factors"] = variation.ratios;
    }
  };
  vary(noise.transfers, "transfer");
  vary(noise.updates, "update");
  for (const SlowDown& change : noise.slow_downs) {
    json["slow"].push_back({{"worker", change.worker + 1},
                            {"from_s", change.from_s},
                            {"factor", change.factor},
                            {"of", change.activity == Activity::transfer ? "link" : "compute"}});
  }
  for (const Stop& stop : noise.stops) {
    json["stop"].push_back({{"worker", stop.worker + 1}, {"at_s", stop.at_s}});
  }
  json["seed"] = noise.seed;
  return json;
}

}  // namespace starport
