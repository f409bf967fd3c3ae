// Strict parsing of JSON text into documents.
#include "sim/files/input_file.hpp"
#include "sim/files/json_node.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <functional>
#include <new>
#include <set>
#include <utility>

namespace starport {
namespace {

using nlohmann::json;

/// Returns "line L, column C" of a byte offset, both from 1.
std::string line_and_column(const std::string& text, std::size_t offset) {
  const std::string_view before(text.data(), std::min(offset, text.size()));
  return fmt::format("line {}, column {}", std::count(before.begin(), before.end(), '\n') + 1,
                     before.size() - (before.rfind('\n') + 1) + 1);
}

/// SAX handler that reports what the library does not: the JSON pointer of a repeated key (the
/// library keeps the last value) or of a number out of range, and the line of a syntax error.
class Scanner : public json::json_sax_t {
 public:
  explicit Scanner(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    levels_.back().key = name;
    if (!levels_.back().keys.insert(name).second) {
      throw InputError(pointer(), "each key once in an object", "this key twice").in_file(file_);
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    if (dynamic_cast<const json::out_of_range*>(&error) != nullptr) {
      throw InputError(pointer(), "a number that fits in a double", "a larger one").in_file(file_);
    }
    const std::size_t offset = position > 0 ? position - 1 : 0;
    std::string found = "a syntax error";
    if (offset >= text_.size()) {
      found = "the end of the file";
    } else if (std::isprint(static_cast<unsigned char>(text_[offset])) != 0) {
      found = fmt::format("a syntax error at '{}'", text_[offset]);
    }
    throw InputError(line_and_column(text_, offset), "JSON", found).in_file(file_);
  }

 private:
  struct Level {
    bool array;
    std::size_t index = 0;  ///< in an array
    std::string key = {};   ///< the current one of an object
    std::set<std::string> keys = {};
  };

  bool open(bool array) {
    // Copying a document recurses: deep nesting must not exhaust the stack.
    constexpr std::size_t deepest = 64;
    if (levels_.size() == deepest) {
      throw InputError(pointer(), fmt::format("at most {} levels of nesting", deepest),
                       "a deeper one")
          .in_file(file_);
    }
    levels_.push_back({.array = array});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return value();
  }
  bool value() {
    if (!levels_.empty() && levels_.back().array) ++levels_.back().index;
    return true;
  }
  std::string pointer() const {
    std::string path;
    for (const Level& level : levels_) {
      path += "/" + (level.array ? std::to_string(level.index) : escape_pointer_token(level.key));
    }
    return path;
  }

  const std::string& text_;
  const std::string& file_;
  std::vector<Level> levels_;
};

/// SAX handler that builds a document, except that it passes the elements of one top-level array to
/// a function instead of storing them. nlohmann's parser callback is not used for this, because it
/// scans the whole array for each element added (quadratic).
class DocumentBuilder final : public Scanner {
 public:
  using Visitor = std::function<void(const JsonNode&)>;

  DocumentBuilder(const std::string& text, const std::string& file, const std::string& key,
                  Visitor visit)
      : Scanner(text, file), key_(key), visit_(std::move(visit)) {}

  json& document() { return document_; }

  bool null() override { return Scanner::null() && put(nullptr); }
  bool boolean(bool value) override { return Scanner::boolean(value) && put(value); }
  bool number_integer(number_integer_t value) override {
    return Scanner::number_integer(value) && put(value);
  }
  bool number_unsigned(number_unsigned_t value) override {
    return Scanner::number_unsigned(value) && put(value);
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return Scanner::number_float(value, text) && put(value);
  }
  bool string(string_t& value) override { return Scanner::string(value) && put(value); }
  bool start_object(std::size_t size) override {
    return Scanner::start_object(size) && open(json::object());
  }
  bool start_array(std::size_t size) override {
    const bool elements = open_.size() == 1 && document_.is_object() && name_ == key_;
    const bool is_valid = Scanner::start_array(size) && open(json::array());
    if (elements) elements_ = open_.back();
    return is_valid;
  }
  bool key(string_t& name) override {
    name_ = name;
    return Scanner::key(name);
  }
  bool end_object() override { return Scanner::end_object() && close(); }
  bool end_array() override { return Scanner::end_array() && close(); }

 private:
  json& place(json value) {
    if (open_.empty()) return document_ = std::move(value);
    json& parent = *open_.back();
    if (!parent.is_array()) return parent[name_] = std::move(value);
    parent.push_back(std::move(value));
    return parent.back();
  }
  bool put(json value) {
    place(std::move(value));
    visit_complete_element();
    return true;
  }
  bool open(json value) {
    open_.push_back(&place(std::move(value)));
    return true;
  }
  bool close() {
    if (open_.back() == elements_) elements_ = nullptr;
    open_.pop_back();
    visit_complete_element();
    return true;
  }
  /// Passes on the last element of the streamed array if it is complete.
  void visit_complete_element() {
    if (open_.empty() || open_.back() != elements_) return;
    visit_(
        JsonNode(elements_->back(), fmt::format("/{}/{}", escape_pointer_token(key_), count_++)));
    elements_->clear();
  }

  const std::string& key_;
  Visitor visit_;
  json document_;
  std::vector<json*> open_;
  string_t name_;             ///< key of the next value in an object
  json* elements_ = nullptr;  ///< the streamed array while it is open
  std::size_t count_ = 0;
};

template <class Parse>
auto parse_strictly(const std::string& text, const std::string& file, Parse&& parse) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw InputError("", "a JSON document", "an empty file").in_file(file);
  }
  try {
    return parse();
  } catch (const std::bad_alloc&) {
    throw InputError("", "a document that fits in memory", "a larger one").in_file(file);
  }
}

}  // namespace

json parse_json(const std::string& text, const std::string& file) {
  return parse_strictly(text, file, [&] {
    Scanner scanner(text, file);
    json::sax_parse(text, &scanner);
    return json::parse(text);
  });
}

nlohmann::ordered_json parse_ordered_json(const std::string& text, const std::string& file) {
  return parse_strictly(text, file, [&] {
    Scanner scanner(text, file);
    json::sax_parse(text, &scanner);
    return nlohmann::ordered_json::parse(text);
  });
}

json parse_json_without_array(const std::string& text, const std::string& file,
                              const std::string& key) {
  return parse_strictly(text, file, [&] {
    DocumentBuilder builder(text, file, key, [](const JsonNode&) {});
    json::sax_parse(text, &builder);
    return std::move(builder.document());
  });
}

void for_each_element(const std::string& text, const std::string& key,
                      const std::function<void(const JsonNode&)>& visit) {
  const std::string file;
  DocumentBuilder builder(text, file, key, visit);
  json::sax_parse(text, &builder);
}

json load_json(const std::string& path) { return parse_json(read_file(path), path); }

}  // namespace starport
