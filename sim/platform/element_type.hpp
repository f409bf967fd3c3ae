// What the elements of the matrices are: the sizes of blocks in bytes follow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace starport {

struct PlatformFile;

enum class ElementType : std::uint8_t { float64, float32 };

constexpr std::int64_t bytes_of(ElementType type) { return type == ElementType::float64 ? 8 : 4; }
/// "doubles", "floats".
const char* plural(ElementType type);
const char* to_string(ElementType type);

/// "float64" or "float32". Throws InputError.
ElementType parse_element_type(const std::string& text, const std::string& place);

/// The file for products of such elements; unless given, of those that it was measured with, else
/// of doubles. Throws InputError when it was measured with others.
PlatformFile for_elements(PlatformFile file, std::optional<ElementType> type);
/// Of the products that the file is for.
ElementType elements_of(const PlatformFile& file);
/// The same platform with bytes counted in doubles, as the models do: of smaller elements more go
/// over a link, and more fit into a memory, in the same time and room. Speeds are those of the
/// file, and so is what it says of blocks: raw figures.
PlatformFile in_doubles(PlatformFile file);

}  // namespace starport
