#include "sim/platform/noise/noise_json.hpp"

#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"
#include "sim/files/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace starport {
namespace {

using nlohmann::json;

/// Largest accepted coefficient of variation (standard deviation over mean).
constexpr double kMaxCv = 2;
/// The value of update_cv that stands for the deviations in the platform file.
constexpr const char* kMeasured = "measured";
/// Largest accepted seed: every accepted seed is exact in a double.
constexpr std::int64_t kMaxSeed = std::int64_t{1} << 53;

/// Returns whether a factor on durations is accepted; false for NaN.
bool is_valid_factor(double factor) { return factor >= 1e-3 && factor <= 1e6; }

double read_factor(const JsonNode& node) {
  const double factor = node.positive_number();
  if (!is_valid_factor(factor)) throw node.fault("a factor from 0.001 to 1e6");
  return factor;
}

/// Appends the durations of a list, divided by their median.
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
  for (const JsonNode& element : node.elements()) factors.push_back(read_factor(element));
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

/// Reads measured durations from an object, or from the file, relative to `directory`, that a text
/// names; without a directory the path is used as it is written.
DurationRatios read_samples(const JsonNode& node, const std::string& directory) {
  if (!node.is_text()) return read_duration_ratios(node, "");
  const std::string path = node.text();
  if (path.empty()) throw node.fault("a file of measured durations");
  return load_duration_ratios(
      directory.empty() ? path
                        : (std::filesystem::path(directory) / path).lexically_normal().string());
}

/// Reads the random variation of transfers and updates, each of which may be given by one key.
void read_variations(const JsonNode& node, const std::string& directory, Noise& noise) {
  std::map<const Variation*, std::string> given_by;
  const auto set = [&](Variation& variation, const std::string& key) -> Variation& {
    const auto [before, is_first] = given_by.emplace(&variation, key);
    if (is_first) return variation;
    throw InputError(place_of(node),
                     fmt::format("one of cv, {0}_cv, samples and {0}_factors for {0}s",
                                 &variation == &noise.transfers ? "transfer" : "update"),
                     before->second + " and " + key);
  };
  if (const auto cv = node.find("cv")) {
    set(noise.transfers, "cv").cv = read_cv(*cv);
    set(noise.updates, "cv").cv = noise.transfers.cv;
  }
  for (const auto& [activity, variation] :
       {std::pair("transfer", &noise.transfers), std::pair("update", &noise.updates)}) {
    const std::string cv_key = fmt::format("{}_cv", activity);
    if (const auto cv = node.find(cv_key)) {
      Variation& chosen = set(*variation, cv_key);
      chosen.measured = variation == &noise.updates && cv->is_text() && cv->text() == kMeasured;
      if (!chosen.measured) chosen.cv = read_cv(*cv);
    }
    const std::string factors_key = fmt::format("{}_factors", activity);
    if (const auto list = node.find(factors_key)) {
      set(*variation, factors_key).ratios = read_factors(*list);
    }
  }
  if (const auto samples = node.find("samples")) {
    DurationRatios measured = read_samples(*samples, directory);
    for (auto [ratios, variation] : {std::pair(&measured.transfers, &noise.transfers),
                                     std::pair(&measured.updates, &noise.updates)}) {
      if (ratios->empty()) continue;
      set(*variation, "samples").ratios = std::move(*ratios);
      variation->file = measured.file;
    }
  }
}

void add_slow_down(const SlowDown& change, const std::string& place, Noise& noise) {
  if (std::ranges::any_of(noise.slow_downs, [&](const SlowDown& other) {
        return other.worker == change.worker && other.activity == change.activity &&
               other.from_s == change.from_s;
      })) {
    throw InputError(
        place, "one slow-down of a worker at a date",
        fmt::format("worker {} slows down twice at {} s", change.worker + 1, change.from_s));
  }
  noise.slow_downs.push_back(change);
}

void read_slow_downs(const JsonNode& list, Noise& noise) {
  for (const JsonNode& node : list.elements()) {
    node.allow_only_keys({"worker", "from_s", "factor", "of"});
    const double factor = read_factor(node.at("factor"));
    const auto of = node.find("of");
    const std::string what = of ? of->text() : "";
    if (of && what != "link" && what != "compute") throw of->fault("link or compute");
    const int worker = read_worker_number(node.at("worker"));
    const double from_s = node.at("from_s").non_negative_number();
    for (const auto& [activity, name] :
         {std::pair(Activity::transfer, "link"), std::pair(Activity::update, "compute")}) {
      if (of && what != name) continue;
      add_slow_down({worker, activity, from_s, factor}, node.pointer(), noise);
    }
  }
}

void read_stops(const JsonNode& list, Noise& noise) {
  for (const JsonNode& node : list.elements()) {
    node.allow_only_keys({"worker", "at_s"});
    const Stop stop{.worker = read_worker_number(node.at("worker")),
                    .at_s = node.at("at_s").non_negative_number()};
    if (std::ranges::find(noise.stops, stop.worker, &Stop::worker) != noise.stops.end()) {
      throw InputError(node.pointer(), "one stop of a worker",
                       fmt::format("worker {} stops twice", stop.worker + 1));
    }
    noise.stops.push_back(stop);
  }
}

/// Parses a date in seconds, with or without a unit.
std::optional<double> parse_date(std::string_view text) {
  if (const auto number = parse_number<double>(text)) return number;
  try {
    return parse_quantity(text, Dimension::time);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Returns the path of the file that measured durations come from; "" when they come from none.
const std::string& samples_file(const Noise& noise) {
  return noise.transfers.file.empty() ? noise.updates.file : noise.transfers.file;
}

/// Returns the content of the file that measured durations come from, with its path. Returns
/// nullopt when there is none, or when it cannot be read or has other durations, for instance
/// because the samples were given together with the name of a file that is elsewhere.
std::optional<nlohmann::ordered_json> read_samples_again(const Noise& noise) {
  const std::string& path = samples_file(noise);
  if (path.empty()) return std::nullopt;
  try {
    const DurationRatios read = load_duration_ratios(path);
    for (const auto& [variation, ratios] :
         {std::pair(&noise.transfers, &read.transfers), std::pair(&noise.updates, &read.updates)}) {
      if (*ratios != (variation->file == path ? variation->ratios : std::vector<double>()))
        return std::nullopt;
    }
    auto samples = parse_ordered_json(read_file(path), path);
    samples["file"] = path;
    return samples;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

constexpr const char* kItems = "items such as cv=6%,slow=3@120:x2,stop=2@300,seed=1";

/// Returns a text that is a number as that number, and any other text as it is.
json to_number_or_text(std::string_view text) {
  if (const auto integer = parse_number<std::int64_t>(text)) return *integer;
  if (const auto number = parse_number<double>(text)) return *number;
  return text;
}

/// Translator of the items of --noise into the JSON object of noise, whose reader checks the
/// values.
class ItemTranslator {
 public:
  ItemTranslator(const std::string& place, const PlatformFile* platform)
      : place_(place), platform_(platform) {}

  json translate(std::string_view items) {
    if (items.empty()) throw fault(kItems, "nothing");
    while (!items.empty()) translate_item(next_token(items, ','));
    return std::move(noise_);
  }

 private:
  static constexpr auto kKeys = std::to_array<const char*>(
      {"cv", "transfer_cv", "update_cv", "samples", "transfer_factors", "update_factors", "slow",
       "slow_link", "slow_compute", "stop", "seed"});

  InputError fault(const std::string& expected, std::string_view found,
                   const std::string& hint = {}) const {
    return {place_, expected, std::string(found), hint};
  }
  static std::string quoted(std::string_view text) { return fmt::format("'{}'", text); }

  void translate_item(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string key(text.substr(0, equals));
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
      const std::string near = did_you_mean(key, kKeys);
      const std::string keys = fmt::format("; keys are {}", fmt::join(kKeys, ", "));
      throw fault(kItems + (near.empty() ? keys : ""), quoted(text), near);
    }
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view{} : text.substr(equals + 1);
    if (key == "stop") return add_stop(value);
    if (key.starts_with("slow")) return add_slow_down(key, value);
    if (noise_.contains(key)) throw fault("each item once", key + " twice");
    if (key.ends_with("_factors")) {
      noise_[key] = to_list(value);
    } else if (key == "samples") {
      noise_[key] = value;
    } else {
      noise_[key] = to_number_or_text(value);
    }
  }

  /// Returns the values with colons between them; an empty text is one empty value.
  static json to_list(std::string_view values) {
    json list = json::array();
    for (bool more = true; more;) {
      more = values.find(':') != std::string_view::npos;
      list.push_back(to_number_or_text(next_token(values, ':')));
    }
    return list;
  }

  /// Returns the number, from 1, of the worker with a name or number; nullopt when there is none.
  std::optional<int> worker_called(std::string_view name) const {
    const std::int64_t named =
        platform_ && platform_->names.has_given_names() ? platform_->size() : 0;
    for (std::int64_t i = 0; i < named; ++i) {
      if (platform_->names[static_cast<std::size_t>(i)] == name) return static_cast<int>(i) + 1;
    }
    if (name.starts_with('P')) name.remove_prefix(1);  // default names
    return parse_number<int>(name);
  }

  void check_called(std::string_view name) const {
    if (name.empty() || worker_called(name)) return;
    if (!platform_ || !platform_->names.has_given_names()) {
      throw fault("a worker's number, such as 3 or P3, since no names are known here",
                  quoted(name));
    }
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < platform_->size(); ++i) {
      names.push_back(platform_->names[static_cast<std::size_t>(i)]);
    }
    constexpr std::size_t max_listed = 8;
    const std::string near = did_you_mean(std::string(name), names);
    const char* more = names.size() > max_listed ? ", ..." : "";
    if (names.size() > max_listed) names.resize(max_listed);
    throw fault(fmt::format("a worker: its number, or {}{}", fmt::join(names, ", "), more),
                quoted(name), near);
  }

  /// The parts of an item WORKER@DATE or WORKER@DATE:EFFECT; the worker is numbered from 1.
  struct Event {
    int worker;
    double date_s;
    std::optional<std::string_view> effect;
  };
  Event split_event(std::string_view value, const char* form) const {
    const std::size_t at = value.rfind('@');  // names may contain both characters
    const std::size_t colon = value.find(':', at == std::string_view::npos ? 0 : at);
    check_called(value.substr(0, at));
    const auto worker = worker_called(value.substr(0, at));
    const auto date_s = at < colon && at != std::string_view::npos
                            ? parse_date(value.substr(at + 1, colon - at - 1))
                            : std::nullopt;
    if (!worker || !date_s) throw fault(form, quoted(value));
    return {.worker = *worker,
            .date_s = *date_s,
            .effect = colon == std::string_view::npos ? std::nullopt
                                                      : std::optional(value.substr(colon + 1))};
  }

  void add_slow_down(std::string_view key, std::string_view value) {
    constexpr const char* form = "WORKER@DATE:xFACTOR, such as 3@120:x2 (from 120 s on)";
    const Event event = split_event(value, form);
    if (!event.effect || !event.effect->starts_with('x')) throw fault(form, quoted(value));
    json change{{"worker", event.worker},
                {"from_s", event.date_s},
                {"factor", to_number_or_text(event.effect->substr(1))}};
    if (key != "slow") change["of"] = key.substr(std::string_view("slow_").size());
    noise_["slow"].push_back(std::move(change));
  }

  void add_stop(std::string_view value) {
    constexpr const char* form = "WORKER@DATE, such as 2@300";
    const Event event = split_event(value, form);
    if (event.effect) throw fault(form, quoted(value));
    noise_["stop"].push_back({{"worker", event.worker}, {"at_s", event.date_s}});
  }

  const std::string& place_;
  const PlatformFile* platform_;
  json noise_ = json::object();
};

}  // namespace

double read_cv(const JsonNode& node) {
  const double cv = !node.is_text()              ? node.non_negative_number()
                    : node.text().ends_with('%') ? parse_share(node.text()).value_or(-1)
                                                 : -1;
  if (!(cv >= 0 && cv <= kMaxCv)) {
    throw node.fault("a coefficient of variation from 0 to 2, such as 0.06 or 6%");
  }
  return cv;
}

DurationRatios load_duration_ratios(const std::string& path) {
  const json document = load_json(path);
  return with_file_in_errors(path, [&] { return read_duration_ratios(JsonNode(document), path); });
}

Noise read_noise(const JsonNode& node, std::uint64_t default_seed, const std::string& directory) {
  node.allow_only_keys({"comment", "cv", "transfer_cv", "update_cv", "samples", "transfer_factors",
                        "update_factors", "slow", "stop", "seed"});
  if (const auto comment = node.find("comment")) comment->require_string();
  Noise noise{.seed = default_seed};
  read_variations(node, directory, noise);
  if (const auto slow = node.find("slow")) read_slow_downs(*slow, noise);
  if (const auto stops = node.find("stop")) read_stops(*stops, noise);
  if (const auto seed = node.find("seed")) {
    noise.seed = static_cast<std::uint64_t>(seed->integer(0, kMaxSeed));
  }
  return noise;
}

nlohmann::ordered_json to_json(const Noise& noise) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto samples = read_samples_again(noise);
  const auto vary = [&](const Variation& variation, const std::string& noun) {
    if (variation.cv > 0) json[noun + "_cv"] = variation.cv;
    if (variation.measured) json[noun + "_cv"] = kMeasured;
    if (!variation.file.empty() && samples) {
      json["samples"] = *samples;
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

Noise parse_noise(std::string_view text, const std::string& place, std::uint64_t default_seed,
                  const PlatformFile* platform) {
  if (!text.ends_with(".json") || text.find('=') != std::string_view::npos) {
    const json object = ItemTranslator(place, platform).translate(text);
    try {
      return read_noise(JsonNode(object), default_seed, "");
    } catch (const InputError& error) {
      if (!error.file.empty()) throw;  // of measured durations
      throw InputError(place, error.expected, error.found, error.hint);
    }
  }
  const std::string path(text);
  const json document = load_json(path);
  return with_file_in_errors(path, [&] {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    return read_noise(JsonNode(document), default_seed, folder.empty() ? "." : folder);
  });
}

std::string to_text(const Noise& noise) {
  if (noise.is_none()) return "";
  std::string text;
  const auto cv = [&](const char* key, double value) {
    if (value > 0) text += fmt::format("{}={},", key, value);
  };
  if (noise.transfers.cv == noise.updates.cv) {
    cv("cv", noise.transfers.cv);
  } else {
    cv("transfer_cv", noise.transfers.cv);
    cv("update_cv", noise.updates.cv);
  }
  if (noise.updates.measured) text += fmt::format("update_cv={},", kMeasured);
  const std::string& file = samples_file(noise);
  const bool names_file = !file.empty() && file.find(',') == file.npos;  // commas separate items
  if (names_file) text += fmt::format("samples={},", file);
  const auto factors = [&](const char* key, const Variation& variation) {
    if (variation.ratios.empty() || (names_file && !variation.file.empty())) return;
    text += fmt::format("{}={},", key, fmt::join(variation.ratios, ":"));
  };
  factors("transfer_factors", noise.transfers);
  factors("update_factors", noise.updates);
  for (const SlowDown& change : noise.slow_downs) {
    text += fmt::format("{}={}@{}:x{},",
                        change.activity == Activity::transfer ? "slow_link" : "slow_compute",
                        change.worker + 1, change.from_s, change.factor);
  }
  for (const Stop& stop : noise.stops)
    text += fmt::format("stop={}@{},", stop.worker + 1, stop.at_s);
  return text + fmt::format("seed={}", noise.seed);
}

}  // namespace starport
