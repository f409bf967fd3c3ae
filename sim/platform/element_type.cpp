#include "sim/platform/element_type.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/platform_file.hpp"

#include <fmt/format.h>

namespace starport {

const char* plural_name(ElementType type) {
  return type == ElementType::float64 ? "doubles" : "floats";
}

const char* to_string(ElementType type) {
  return type == ElementType::float64 ? "float64" : "float32";
}

ElementType parse_element_type(const std::string& text, const std::string& place) {
  for (const ElementType type : {ElementType::float64, ElementType::float32}) {
    if (text == to_string(type)) return type;
  }
  throw InputError(place, "float64 or float32", "'" + text + "'");
}

PlatformFile with_element_type(PlatformFile file, std::optional<ElementType> type) {
  if (!type || type == element_type_of(file)) return file;
  if (file.element_type) {
    throw InputError("/element_type",
                     fmt::format("{}, the elements of the product", to_string(*type)),
                     fmt::format("figures measured with {}", to_string(*file.element_type)),
                     fmt::format("--element-type {}, or calibrate with {}",
                                 to_string(*file.element_type), to_string(*type)))
        .in_file(file.path);
  }
  file.element_type = type;
  return file;
}

ElementType element_type_of(const PlatformFile& file) {
  return file.element_type.value_or(ElementType::float64);
}

PlatformFile convert_to_doubles(PlatformFile file) {
  const double scale =
      8 / static_cast<double>(bytes_of(element_type_of(file)));  // a power of two: exact
  file.element_type.reset();
  for (PlatformFile::Entry& entry : file.entries) {
    auto* const physical = std::get_if<PlatformFile::Physical>(&entry.worker);
    if (physical == nullptr) continue;
    physical->bandwidth_bytes_per_s *= scale;
    physical->memory_bytes *= scale;
    if (physical->return_bandwidth_bytes_per_s) *physical->return_bandwidth_bytes_per_s *= scale;
  }
  if (file.port.bandwidth_bytes_per_s) *file.port.bandwidth_bytes_per_s *= scale;
  return file;
}

}  // namespace starport
