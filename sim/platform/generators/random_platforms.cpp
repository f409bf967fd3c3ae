#include "sim/platform/generators/random_platforms.hpp"

#include "sim/files/error.hpp"
#include "sim/files/text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace starport {
namespace {

double read_value(const JsonNode& node, std::optional<Dimension> dimension) {
  return dimension ? read_quantity(node, *dimension) : node.positive_number();
}

std::vector<double> read_values(const JsonNode& node, std::optional<Dimension> dimension,
                                std::size_t min_size, std::size_t max_size,
                                const std::string& expected) {
  const auto elements = node.elements();
  if (elements.size() < min_size || elements.size() > max_size) throw node.fault(expected);
  std::vector<double> values;
  for (const JsonNode& element : elements) values.push_back(read_value(element, dimension));
  return values;
}

std::pair<double, double> read_range(const JsonNode& node, std::optional<Dimension> dimension) {
  const auto values = read_values(node, dimension, 2, 2, "[low, high]");
  if (values[0] > values[1]) {
    throw InputError(node.pointer(), "low <= high",
                     fmt::format("{:g} > {:g}", values[0], values[1]));
  }
  return {values[0], values[1]};
}

/// Returns the cumulative probabilities of weighted choices, up to 1.
std::vector<double> cumulate(const std::vector<double>& weights) {
  double total = 0;
  for (const double weight : weights) total += weight;
  std::vector<double> shares;
  double sum = 0;
  for (const double weight : weights) {
    sum += weight;
    shares.push_back(sum / total);
  }
  return shares;
}

}  // namespace

Distribution Distribution::read_choice(const JsonNode& node, std::optional<Dimension> dimension) {
  if (const auto two = node.find("two_valued")) {
    node.allow_only_keys({"two_valued", "share"});
    const auto values = read_values(*two, dimension, 2, 2, "the two values");
    const auto given = node.find("share");
    const double share = given ? given->non_negative_number() : 0.5;
    if (share > 1) throw given->fault("a share from 0 to 1, that of the first value");
    return Distribution(Choice{.values = values, .cumulated = {share, 1}});
  }
  node.allow_only_keys({"choice", "weights"});
  const auto values = read_values(node.at("choice"), dimension, 1, SIZE_MAX, "at least one value");
  std::vector<double> weights(values.size(), 1);
  if (const auto given = node.find("weights")) {
    const std::string expected =
        format_count(std::ssize(values), "weight") + ", one for each value";
    weights = read_values(*given, std::nullopt, values.size(), values.size(), expected);
  }
  return Distribution(Choice{.values = values, .cumulated = cumulate(weights)});
}

Distribution Distribution::read(const JsonNode& node, std::optional<Dimension> dimension) {
  if (!node.is_object()) return Distribution(read_value(node, dimension));
  if (node.has("divide")) {
    node.allow_only_keys({"divide", "by"});
    Distribution divided = read(node.at("by"), std::nullopt);
    if (divided.dividend_) throw node.at("by").fault("a distribution that is no division");
    divided.dividend_ = read_value(node.at("divide"), dimension);
    return divided;
  }
  if (node.has("two_valued") || node.has("choice")) return read_choice(node, dimension);
  node.allow_only_keys(
      {"uniform", "log_uniform", "two_valued", "share", "choice", "weights", "divide", "by"});
  if (const auto uniform = node.find("uniform")) {
    node.allow_only_keys({"uniform"});
    const auto [low, high] = read_range(*uniform, dimension);
    return Distribution(Uniform{.low = low, .high = high});
  }
  if (const auto log_uniform = node.find("log_uniform")) {
    node.allow_only_keys({"log_uniform"});
    const auto [low, high] = read_range(*log_uniform, dimension);
    if (low <= 0) throw log_uniform->fault("a range above 0");
    return Distribution(LogUniform{.low = low, .high = high});
  }
  throw InputError(node.pointer(),
                   "a value, or an object with uniform, log_uniform, two_valued, choice or divide",
                   "none of these keys");
}

std::optional<std::pair<double, double>> Distribution::range() const {
  std::pair<double, double> ends;
  if (const auto* constant = std::get_if<double>(&kind_)) {
    ends = {*constant, *constant};
  } else if (const auto* uniform = std::get_if<Uniform>(&kind_)) {
    ends = {uniform->low, uniform->high};
  } else if (const auto* log_uniform = std::get_if<LogUniform>(&kind_)) {
    ends = {log_uniform->low, log_uniform->high};
  } else {
    return std::nullopt;
  }
  if (!dividend_) return ends;
  return std::pair(*dividend_ / ends.second, *dividend_ / ends.first);
}

double Distribution::draw(Random& random) const {
  struct Draw {
    Random& random;
    double operator()(double constant) const { return constant; }
    double operator()(const Uniform& range) const { return random.real(range.low, range.high); }
    double operator()(const LogUniform& range) const {
      return range.low * std::exp(random.real(0, 1) * std::log(range.high / range.low));
    }
    double operator()(const Choice& choice) const {
      const double at = random.real(0, 1);
      std::size_t i = 0;
      while (i + 1 < choice.values.size() && at >= choice.cumulated[i]) ++i;
      return choice.values[i];
    }
  };
  double value = std::visit(Draw{random}, kind_);
  const bool is_given =
      std::holds_alternative<double>(kind_) || std::holds_alternative<Choice>(kind_);
  if (is_given && !dividend_) return value;
  if (dividend_) value = *dividend_ / value;
  // Round to ten significant digits.
  std::array<char, 32> text{};
  const auto written =
      std::to_chars(text.begin(), text.end(), value, std::chars_format::scientific, 9);
  std::from_chars(text.begin(), written.ptr, value);
  return value;
}

}  // namespace starport
