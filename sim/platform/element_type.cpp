#include "sim/platform/element_type.hpp"

#include "sim/files/error.hpp"

namespace starport {

const char* plural(ElementType type) { return type == ElementType::float64 ? "doubles" : "floats"; }

const char* to_string(ElementType type) {
  return type == ElementType::float64 ? "float64" : "float32";
}

ElementType parse_element_type(const std::string& text, const std::string& place) {
  for (const ElementType type : {ElementType::float64, ElementType::float32}) {
    if (text == to_string(type)) return type;
  }
  throw InputError(place, "float64 or float32", "'" + text + "'");
}

PlatformFile for_elements(PlatformFile file, ElementType type) {
  // A power of two: what follows is rounded no more than without.
  const double more = 8.0 / static_cast<double>(bytes_of(type));
  for (PlatformFile::Entry& entry : file.entries) {
    auto* const physical = std::get_if<PlatformFile::Physical>(&entry.worker);
    if (physical == nullptr) continue;
    physical->bandwidth_bytes_per_s *= more;
    physical->memory_bytes *= more;
    if (physical->return_bandwidth_bytes_per_s) *physical->return_bandwidth_bytes_per_s *= more;
  }
  if (file.port.bandwidth_bytes_per_s) *file.port.bandwidth_bytes_per_s *= more;
  return file;
}

}  // namespace starport
