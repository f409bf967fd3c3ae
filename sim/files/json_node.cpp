#include "sim/files/json_node.hpp"

#include "sim/files/json_pointer.hpp"
#include "sim/files/output.hpp"
#include "sim/files/plural.hpp"
#include "sim/files/shipped.hpp"
#include "sim/files/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

namespace starport {
namespace {

using nlohmann::json;

/// The value as it is shown in an error: short, on one line.
std::string shown(const json& value) {
  constexpr std::size_t longest = 60;
  if (value.is_object()) return value.empty() ? "an empty object" : "an object";
  if (value.is_array() && value.empty()) return "an empty array";
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (value.is_array() && text.size() > longest) {
    return fmt::format("an array of {}", counted(std::ssize(value), "element"));
  }
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

/// The near miss among the names in the folder, or the platform of that name that we ship.
std::string near_file(const std::filesystem::path& path) {
  constexpr std::size_t most = 10'000;
  const std::filesystem::path folder = path.parent_path();
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end && names.size() < most; entry.increment(error)) {
    names.push_back((folder / entry->path().filename()).string());
  }
  std::ranges::sort(names);  // whatever order the system has them in
  const std::string platform = "platforms/" + path.stem().string() + ".json";
  if (std::filesystem::exists(shipped(platform), error)) {
    return fmt::format("did you mean '{}'?", platform);
  }
  return did_you_mean(path.string(), names);
}

}  // namespace

InputError unreadable(const std::string& path, int error) {
  if (error != ENOENT) return InputError("", "a readable file", std::strerror(error)).in_file(path);
  return InputError("", "a readable file", "none of that name", near_file(path)).in_file(path);
}

std::string read_file(const std::string& path, std::size_t largest) {
  const auto fail = [&](const char* expected, const char* found) -> InputError {
    return InputError("", expected, found).in_file(path);
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw fail("a file", "a directory");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(shipped(path).c_str(), "rb"),
                                                           std::fclose);
  if (!in) throw unreadable(path, errno);
  note_input(::fileno(in.get()));
  try {
    std::string content;
    std::vector<char> piece(1 << 16);
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), in.get())) {
      content.append(piece.data(), got);
      if (content.size() > largest) throw fail("a file of at most 1 GiB", "a larger one");
    }
    if (std::ferror(in.get()) != 0) throw fail("a readable file", std::strerror(errno));
    return content;
  } catch (const std::bad_alloc&) {
    throw fail("a file that fits in memory", "a larger one");
  }
}

void JsonNode::allow_only(std::initializer_list<std::string_view> known) const {
  if (!value_->is_object()) throw fault("an object");
  const std::vector<std::string> names(known.begin(), known.end());
  for (const auto& [key, ignored] : value_->items()) {
    if (std::find(names.begin(), names.end(), key) == names.end()) {
      throw InputError(pointer_ + "/" + escaped(key),
                       fmt::format("one of {}", fmt::join(names, ", ")),
                       "the unknown key '" + key + "'", did_you_mean(key, names));
    }
  }
}

bool JsonNode::is_array() const { return value_->is_array(); }
bool JsonNode::is_object() const { return value_->is_object(); }
bool JsonNode::is_text() const { return value_->is_string(); }

bool JsonNode::has(std::string_view key) const {
  return value_->is_object() && value_->contains(key);
}

JsonNode JsonNode::at(std::string_view key) const {
  if (auto child = find(key)) return *child;
  throw InputError(pointer_.empty() ? "/" : pointer_, fmt::format("the key '{}'", key), "none");
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  if (!value_->is_object()) throw fault("an object");
  const auto it = value_->find(key);
  if (it == value_->end()) return std::nullopt;
  return JsonNode(*it, pointer_ + "/" + escaped(key));
}

std::vector<JsonNode> JsonNode::elements() const {
  if (!value_->is_array()) throw fault("an array");
  std::vector<JsonNode> nodes;
  nodes.reserve(value_->size());
  for (const json& element : *value_) {
    nodes.emplace_back(element, fmt::format("{}/{}", pointer_, nodes.size()));
  }
  return nodes;
}

std::string JsonNode::text() const {
  check_comment();
  auto text = value_->get<std::string>();
  if (has_controls(text)) throw fault("a text on one line, without control characters");
  return text;
}

std::string JsonNode::lines() const {
  if (!is_array()) return text();
  std::string lines;
  for (const JsonNode& line : elements()) lines += (lines.empty() ? "" : " ") + line.text();
  return lines;
}

void JsonNode::check_comment() const {
  if (!value_->is_string()) throw fault("a string");
}

void JsonNode::check_version(std::int64_t version) const {
  const auto given = find("schema_version");
  if (given) {
    given->integer(version, version);
  } else {
    throw InputError("/", fmt::format("the key \"schema_version\": {}", version), "none");
  }
}

bool JsonNode::boolean() const {
  if (!value_->is_boolean()) throw fault("true or false");
  return value_->get<bool>();
}

double JsonNode::number() const {
  if (!value_->is_number()) throw fault("a number");
  const double number = value_->get<double>();
  if (!std::isfinite(number)) throw fault("a finite number");
  return number;
}

double JsonNode::positive_number() const {
  if (!value_->is_number() || number() <= 0) throw fault("a number greater than 0");
  return number();
}

double JsonNode::non_negative_number() const {
  if (!value_->is_number() || number() < 0) throw fault("a number, 0 or greater");
  return number();
}

std::int64_t JsonNode::integer(std::int64_t smallest, std::int64_t largest) const {
  const std::string expected = smallest == largest
                                   ? fmt::format("{}", smallest)
                                   : fmt::format("an integer from {} to {}", smallest, largest);
  // A whole number written as 1e3 or 1000.0 is an integer too.
  if (value_->is_number_float()) {
    const double number = value_->get<double>();
    if (number == std::floor(number) && number >= static_cast<double>(smallest) &&
        number <= static_cast<double>(largest) && std::abs(number) < 0x1p53) {
      return static_cast<std::int64_t>(number);
    }
    throw fault(expected);
  }
  if (!value_->is_number_integer()) throw fault(expected);
  if (value_->is_number_unsigned() &&
      value_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    throw fault(expected);
  }
  const auto number = value_->get<std::int64_t>();
  if (number < smallest || number > largest) throw fault(expected);
  return number;
}

double read_quantity(const JsonNode& node, Dimension dimension) {
  double value = 0;
  try {
    value = parse_quantity(node.is_text() ? node.text() : "", dimension);
  } catch (InputError& error) {
    if (!node.is_text()) throw node.fault(error.expected);
    throw InputError(node.pointer(), error.expected, error.found, error.hint);
  }
  if (value < 0) throw node.fault("a quantity that is not negative");
  if (value == 0 && dimension != Dimension::time) throw node.fault("a quantity greater than 0");
  if (value > 1e100 || (value > 0 && value < 1e-100)) {
    throw node.fault("a quantity between 1e-100 and 1e100");
  }
  return value;
}

InputError JsonNode::fault(std::string expected, std::string hint) const {
  return {pointer_.empty() ? "/" : pointer_, std::move(expected), shown(*value_), std::move(hint)};
}

std::optional<double> find_quantity(const JsonNode& node, std::string_view key,
                                    Dimension dimension) {
  const auto found = node.find(key);
  return found ? std::optional(read_quantity(*found, dimension)) : std::nullopt;
}

}  // namespace starport
