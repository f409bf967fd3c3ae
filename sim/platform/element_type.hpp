// What the elements of the matrices are: the sizes of blocks in bytes follow.
#pragma once

#include "sim/platform/platform.hpp"

#include <cstdint>
#include <string>

namespace starport {

enum class ElementType : std::uint8_t { float64, float32 };

constexpr std::int64_t bytes_of(ElementType type) { return type == ElementType::float64 ? 8 : 4; }
/// "doubles", "floats".
const char* plural(ElementType type);
const char* to_string(ElementType type);

/// "float64" or "float32". Throws InputError.
ElementType parse_element_type(const std::string& text, const std::string& place);

/// The file for products of such elements. A platform counts in doubles (platform.hpp): of smaller
/// elements more go over a link, and more fit into a memory, in the same time and room. Speeds are
/// those of the file, and so is what it says of blocks: raw figures.
PlatformFile for_elements(PlatformFile file, ElementType type);

}  // namespace starport
