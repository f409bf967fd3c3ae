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
#include <optional>
#include <vector>

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

/// Parses a date in seconds, with or without a unit.
std::optional<double> parse_date(std::string_view text) {
  if (const auto number = parse_number<double>(text)) return number;
  try {
    return parse_quantity(text, Dimension::time);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

constexpr const char* kItems = "items such as cv=6%,slow=3@120:x2,stop=2@300,seed=1";

/// Parser of the items of --noise.
class TextReader {
 public:
  TextReader(std::string_view text, std::string place, std::uint64_t default_seed,
             const PlatformFile* platform)
      : rest_(text), place_(std::move(place)), platform_(platform), builder_(default_seed) {}

  Noise read() {
    if (rest_.empty()) throw fault(kItems, "nothing");
    while (!rest_.empty()) item(next_token(rest_, ','));
    return builder_.build();
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

  void item(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string key(text.substr(0, equals));
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
      const std::string near = did_you_mean(key, kKeys);
      const std::string keys = fmt::format("; keys are {}", fmt::join(kKeys, ", "));
      throw fault(kItems + (near.empty() ? keys : ""), quoted(text), near);
    }
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view{} : text.substr(equals + 1);
    if (key.ends_with("cv")) return cv(key, value);
    if (key == "samples") return samples(value);
    if (key == "transfer_factors") return factors(key, Activity::transfer, value);
    if (key == "update_factors") return factors(key, Activity::update, value);
    if (key == "stop") return stop(value);
    if (key == "seed") return seed(value);
    slow(value, key == "slow" ? "" : key.substr(std::string_view("slow_").size()));
  }

  void cv(const std::string& key, std::string_view value) {
    const auto cv = parse_share(value);
    if (!cv || !is_valid_cv(*cv)) throw fault(kCvRange, quoted(value));
    builder_.set_cv(key, *cv, place_);
  }

  void samples(std::string_view value) {
    if (value.empty()) throw fault("a file of measured durations, as samples=FILE", "nothing");
    builder_.set_ratios(load_duration_ratios(std::string(value)), place_);
  }

  void factors(const std::string& key, Activity activity, std::string_view value) {
    std::vector<double> factors;
    bool more = true;
    while (more) {
      more = value.find(':') != std::string_view::npos;
      const std::string_view text = next_token(value, ':');
      const auto factor = parse_number<double>(text);
      if (!factor || !is_valid_factor(*factor)) {
        throw fault("factors from 0.001 to 1e6 with colons between, such as 0.9:1:1.1",
                    quoted(text));
      }
      factors.push_back(*factor);
    }
    builder_.set_factors(activity, std::move(factors), key, place_);
  }

  void seed(std::string_view value) {
    const auto number = parse_number<std::int64_t>(value);
    if (!number || *number < 0 || *number > kMaxSeed) {
      throw fault(fmt::format("a seed, an integer from 0 to {}", kMaxSeed), quoted(value));
    }
    builder_.set_seed(*number, place_);
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
    if (name.empty() || !platform_ || !platform_->names.has_given_names() || worker_called(name))
      return;
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

  /// An item WORKER@DATE or WORKER@DATE:EFFECT; the worker is numbered from 0.
  struct Event {
    int worker;
    double date_s;
    std::optional<std::string_view> effect;
  };
  Event event(std::string_view value, const char* form) const {
    const std::size_t colon = value.find(':');
    const std::size_t at = value.find('@');
    check_called(value.substr(0, at));
    const auto worker = worker_called(value.substr(0, at));
    const bool counted = worker && *worker >= 1 && *worker <= kMaxWorkers;
    const auto date_s = at < colon && at != std::string_view::npos
                            ? parse_date(value.substr(at + 1, colon - at - 1))
                            : std::nullopt;
    if (!counted || !date_s || *date_s < 0) throw fault(form, quoted(value));
    return {.worker = *worker - 1,
            .date_s = *date_s,
            .effect = colon == std::string_view::npos ? std::nullopt
                                                      : std::optional(value.substr(colon + 1))};
  }

  void slow(std::string_view value, std::string_view of) {
    constexpr const char* form = "WORKER@DATE:xFACTOR, such as 3@120:x2 (from 120 s on)";
    const Event change = event(value, form);
    if (!change.effect || !change.effect->starts_with('x')) throw fault(form, quoted(value));
    const auto factor = parse_number<double>(change.effect->substr(1));
    if (!factor || !is_valid_factor(*factor)) throw fault(kFactorRange, quoted(*change.effect));
    builder_.add_slow_down(change.worker, of, change.date_s, *factor, place_);
  }

  void stop(std::string_view value) {
    constexpr const char* form = "WORKER@DATE, such as 2@300";
    const Event end = event(value, form);
    if (end.effect) throw fault(form, quoted(value));
    builder_.add_stop({.worker = end.worker, .at_s = end.date_s}, place_);
  }

  std::string_view rest_;
  std::string place_;
  const PlatformFile* platform_;
  NoiseBuilder builder_;
};

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

Noise parse_noise(std::string_view text, const std::string& place, std::uint64_t default_seed,
                  const PlatformFile* platform) {
  if (!text.ends_with(".json") || text.find('=') != std::string_view::npos) {
    return TextReader(text, place, default_seed, platform).read();
  }
  const std::string path(text);
  const nlohmann::json document = load_json(path);
  return with_file_in_errors(path, [&] {
    return read_noise(JsonNode(document), default_seed, std::filesystem::path(path).parent_path());
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
  const Variation& from_file = noise.transfers.file.empty() ? noise.updates : noise.transfers;
  if (!from_file.file.empty()) text += fmt::format("samples={},", from_file.file);
  const auto factors = [&](const char* key, const Variation& variation) {
    if (variation.ratios.empty() || !variation.file.empty()) return;
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
