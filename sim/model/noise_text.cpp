#include "sim/model/noise_text.hpp"

#include "sim/model/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

namespace starport {
namespace {

constexpr std::int64_t kLargestSeed = std::int64_t{1} << 53;
constexpr double kSmallestFactor = 1e-3;
constexpr double kLargestFactor = 1e6;
constexpr const char* kCvRange = "a coefficient of variation from 0 to 2, such as 0.06 or 6%";
constexpr const char* kFactorRange = "a factor from 0.001 to 1e6";

bool good_cv(double cv) { return cv >= 0 && cv <= kLargestCv; }
bool good_factor(double factor) { return factor >= kSmallestFactor && factor <= kLargestFactor; }

/// A number that is the whole text.
std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good =
      error == std::errc{} && rest == text.data() + text.size() && std::isfinite(value);
  return good ? std::optional(value) : std::nullopt;
}

std::optional<double> date_of(std::string_view text) {
  if (const auto number = number_of(text)) return number;
  try {
    return parse_quantity(text, Dimension::time);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

void set_cv(Noise& noise, std::string_view key, double cv) {
  if (key != "update_cv") noise.transfers.cv = cv;
  if (key != "transfer_cv") noise.updates.cv = cv;
}

void add_slow_down(Noise& noise, int worker, std::string_view of, double from_s, double factor) {
  if (of != "compute") noise.slow_downs.push_back({worker, Activity::transfer, from_s, factor});
  if (of != "link") noise.slow_downs.push_back({worker, Activity::update, from_s, factor});
}

/// What no one value shows: the same thing given twice. Returns what is.
std::optional<std::string> contradiction(const Noise& noise) {
  for (auto x = noise.slow_downs.begin(); x != noise.slow_downs.end(); ++x) {
    if (std::any_of(noise.slow_downs.begin(), x, [&](const SlowDown& y) {
          return y.worker == x->worker && y.activity == x->activity && y.from_s == x->from_s;
        })) {
      return fmt::format("worker {} slows down twice at {} s", x->worker + 1, x->from_s);
    }
  }
  for (auto x = noise.stops.begin(); x != noise.stops.end(); ++x) {
    if (std::any_of(noise.stops.begin(), x, [&](const Stop& y) { return y.worker == x->worker; })) {
      return fmt::format("worker {} stops twice", x->worker + 1);
    }
  }
  for (const auto& [variation, what] :
       {std::pair(&noise.transfers, "transfers"), std::pair(&noise.updates, "updates")}) {
    if (variation->cv > 0 && !variation->ratios.empty()) {
      return fmt::format("both a coefficient of variation and samples of {}", what);
    }
  }
  return std::nullopt;
}

constexpr const char* kItems = "items such as cv=6%,slow=3@120:x2,stop=2@300,seed=1";
constexpr const char* kConsistent = "each worker and date once, and a CV or samples";

/// The items of --noise.
class TextReader {
 public:
  TextReader(std::string_view text, std::string place, std::uint64_t default_seed)
      : rest_(text), place_(std::move(place)) {
    noise_.seed = default_seed;
  }

  Noise read() {
    if (rest_.empty()) throw fault(kItems, "nothing");
    while (!rest_.empty()) item(take(','));
    if (const auto found = contradiction(noise_)) throw fault(kConsistent, *found);
    return std::move(noise_);
  }

 private:
  static constexpr std::array<const char*, 9> kKeys{"cv",           "transfer_cv", "update_cv",
                                                    "samples",      "slow",        "slow_link",
                                                    "slow_compute", "stop",        "seed"};

  /// Up to a separator, behind which the rest then begins.
  std::string_view take(char separator) {
    const std::size_t end = std::min(rest_.find(separator), rest_.size());
    const std::string_view piece = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return piece;
  }

  InputError fault(const std::string& expected, std::string_view found,
                   const std::string& hint = {}) const {
    return {place_, expected, std::string(found), hint};
  }
  static std::string quoted(std::string_view text) { return fmt::format("'{}'", text); }

  void item(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string key(text.substr(0, equals));
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
      throw fault(kItems, quoted(text), did_you_mean(key, kKeys));
    }
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view{} : text.substr(equals + 1);
    if (key.ends_with("cv")) return cv(key, value);
    if (key == "samples") return samples(value);
    if (key == "stop") return stop(value);
    if (key == "seed") return seed(value);
    slow(value, key == "slow" ? "" : key.substr(std::string_view("slow_").size()));
  }

  void cv(std::string_view key, std::string_view value) {
    const bool percent = value.ends_with('%');
    const auto number = number_of(percent ? value.substr(0, value.size() - 1) : value);
    if (!number || !good_cv(percent ? *number / 100 : *number)) {
      throw fault(kCvRange, quoted(value));
    }
    set_cv(noise_, key, percent ? *number / 100 : *number);
  }

  void samples(std::string_view value) {
    const std::string path(value);
    try {
      const nlohmann::json document = load_json(path);
      read_samples(JsonNode(document), noise_);
    } catch (const InputError& error) {
      if (!error.file.empty()) throw;
      throw error.in_file(path);
    }
    noise_.samples_file = path;
  }

  void seed(std::string_view value) {
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || rest != value.data() + value.size() || number < 0 ||
        number > kLargestSeed) {
      throw fault(fmt::format("a seed, an integer from 0 to {}", kLargestSeed), quoted(value));
    }
    noise_.seed = static_cast<std::uint64_t>(number);
  }

  /// WORKER@DATE, and what follows behind a colon.
  struct Event {
    int worker;
    double date_s;
    std::optional<std::string_view> effect;
  };
  Event event(std::string_view value, const char* form) const {
    const std::size_t colon = value.find(':');
    const std::size_t at = value.find('@');
    std::int64_t worker = 0;
    const std::string_view number = value.substr(0, at);
    const auto [rest, error] =
        std::from_chars(number.data(), number.data() + number.size(), worker);
    const bool counted = error == std::errc{} && rest == number.data() + number.size() &&
                         worker >= 1 && worker <= kMostWorkers;
    const auto date_s = at < colon && at != std::string_view::npos
                            ? date_of(value.substr(at + 1, colon - at - 1))
                            : std::nullopt;
    if (!counted || !date_s || *date_s < 0) throw fault(form, quoted(value));
    return {.worker = static_cast<int>(worker) - 1,
            .date_s = *date_s,
            .effect = colon == std::string_view::npos ? std::nullopt
                                                      : std::optional(value.substr(colon + 1))};
  }

  void slow(std::string_view value, std::string_view of) {
    constexpr const char* form = "WORKER@DATE:xFACTOR, such as 3@120:x2 (from 120 s on)";
    const Event change = event(value, form);
    if (!change.effect || !change.effect->starts_with('x')) throw fault(form, quoted(value));
    const auto factor = number_of(change.effect->substr(1));
    if (!factor || !good_factor(*factor)) throw fault(kFactorRange, quoted(*change.effect));
    add_slow_down(noise_, change.worker, of, change.date_s, *factor);
  }

  void stop(std::string_view value) {
    constexpr const char* form = "WORKER@DATE, such as 2@300";
    const Event end = event(value, form);
    if (end.effect) throw fault(form, quoted(value));
    noise_.stops.push_back({.worker = end.worker, .at_s = end.date_s});
  }

  std::string_view rest_;
  std::string place_;
  Noise noise_;
};

/// Ratios of the durations in a list to their median.
void add_ratios(const JsonNode& list, std::vector<double>& ratios) {
  std::vector<double> durations;
  for (const JsonNode& element : list.elements()) durations.push_back(element.positive_number());
  if (durations.empty()) throw list.fault("at least one duration");
  std::vector<double> sorted = durations;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  const double median =
      sorted.size() % 2 == 1 ? sorted[half] : sorted[half - 1] / 2 + sorted[half] / 2;
  for (const double duration : durations) ratios.push_back(duration / median);
  if (!std::all_of(ratios.begin(), ratios.end(), good_factor)) {
    throw list.fault("durations from 0.001 to 1e6 times their median");
  }
}

std::vector<double> read_ratios(const JsonNode& node) {
  std::vector<double> ratios;
  const auto elements = node.elements();
  if (!elements.empty() && elements.front().is_array()) {
    for (const JsonNode& list : elements) add_ratios(list, ratios);
  } else {
    add_ratios(node, ratios);
  }
  return ratios;
}

std::string place_of(const JsonNode& node) { return node.pointer().empty() ? "/" : node.pointer(); }

int read_worker(const JsonNode& node) {
  return static_cast<int>(node.integer(1, kMostWorkers)) - 1;
}

void read_slow_downs(const JsonNode& list, Noise& noise) {
  for (const JsonNode& node : list.elements()) {
    node.allow_only({"worker", "from_s", "factor", "of"});
    const double factor = node.at("factor").positive_number();
    if (!good_factor(factor)) throw node.at("factor").fault(kFactorRange);
    const auto of = node.find("of");
    const std::string what = of ? of->text() : "";
    if (of && what != "link" && what != "compute") throw of->fault("link or compute");
    add_slow_down(noise, read_worker(node.at("worker")), what,
                  node.at("from_s").non_negative_number(), factor);
  }
}

}  // namespace

double read_cv(const JsonNode& node) {
  if (node.is_text()) {
    const std::string text = node.text();
    const auto percent = text.ends_with('%')
                             ? number_of(std::string_view(text).substr(0, text.size() - 1))
                             : std::nullopt;
    if (!percent || !good_cv(*percent / 100)) throw node.fault(kCvRange);
    return *percent / 100;
  }
  const double cv = node.non_negative_number();
  if (!good_cv(cv)) throw node.fault(kCvRange);
  return cv;
}

void read_samples(const JsonNode& node, Noise& noise) {
  node.allow_only({"schema_version", "comment", "file", "transfers_s", "updates_s"});
  if (const auto version = node.find("schema_version")) version->integer(1, 1);
  if (const auto comment = node.find("comment")) comment->text();
  if (const auto file = node.find("file")) noise.samples_file = file->text();
  const auto transfers = node.find("transfers_s");
  const auto updates = node.find("updates_s");
  if (!transfers && !updates) {
    throw InputError(place_of(node), "transfers_s, updates_s or both", "neither");
  }
  if (transfers) noise.transfers.ratios = read_ratios(*transfers);
  if (updates) noise.updates.ratios = read_ratios(*updates);
}

Noise read_noise(const JsonNode& node, std::uint64_t default_seed, const std::string& directory) {
  node.allow_only({"comment", "cv", "transfer_cv", "update_cv", "samples", "slow", "stop", "seed"});
  if (const auto comment = node.find("comment")) comment->text();
  Noise noise;
  noise.seed = default_seed;
  for (const char* key : {"cv", "transfer_cv", "update_cv"}) {
    if (const auto cv = node.find(key)) set_cv(noise, key, read_cv(*cv));
  }
  if (const auto samples = node.find("samples"); samples && samples->is_text()) {
    noise.samples_file = (std::filesystem::path(directory) / samples->text()).lexically_normal();
    const nlohmann::json document = load_json(noise.samples_file);
    try {
      read_samples(JsonNode(document), noise);
    } catch (const InputError& error) {
      throw error.in_file(noise.samples_file);
    }
  } else if (samples) {
    read_samples(*samples, noise);
  }
  if (const auto slow = node.find("slow")) read_slow_downs(*slow, noise);
  if (const auto stops = node.find("stop")) {
    for (const JsonNode& stop : stops->elements()) {
      stop.allow_only({"worker", "at_s"});
      noise.stops.push_back({.worker = read_worker(stop.at("worker")),
                             .at_s = stop.at("at_s").non_negative_number()});
    }
  }
  if (const auto seed = node.find("seed")) {
    noise.seed = static_cast<std::uint64_t>(seed->integer(0, kLargestSeed));
  }
  if (const auto found = contradiction(noise)) {
    throw InputError(place_of(node), kConsistent, *found);
  }
  return noise;
}

Noise parse_noise(std::string_view text, const std::string& place, std::uint64_t default_seed) {
  if (!text.ends_with(".json") || text.find('=') != std::string_view::npos) {
    return TextReader(text, place, default_seed).read();
  }
  const std::string path(text);
  const nlohmann::json document = load_json(path);
  try {
    return read_noise(JsonNode(document), default_seed, std::filesystem::path(path).parent_path());
  } catch (const InputError& error) {
    if (!error.file.empty()) throw;
    throw error.in_file(path);
  }
}

nlohmann::ordered_json to_json(const Noise& noise) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (noise.transfers.cv > 0) json["transfer_cv"] = noise.transfers.cv;
  if (noise.updates.cv > 0) json["update_cv"] = noise.updates.cv;
  if (!noise.samples_file.empty()) {
    json["samples"] = parse_ordered_json(read_file(noise.samples_file), noise.samples_file);
    json["samples"]["file"] = noise.samples_file;
  }
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

std::string to_text(const Noise& noise) {
  if (noise.none()) return "";
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
  const bool samples = !noise.transfers.ratios.empty() || !noise.updates.ratios.empty();
  if (samples) text += fmt::format("samples={},", noise.samples_file);
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
