// The type of the matrix elements, which determines the size of a block in bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace starport {

struct PlatformFile;

/// The type of the elements of A, B and C: double or float.
enum class ElementType : std::uint8_t { float64, float32 };

/// Returns the size of an element in bytes.
constexpr std::int64_t bytes_of(ElementType type) { return type == ElementType::float64 ? 8 : 4; }
/// Returns "doubles" or "floats", for messages.
const char* plural_name(ElementType type);
/// Returns "float64" or "float32", as files and options have it.
const char* to_string(ElementType type);

/// Parses "float64" or "float32". Throws InputError at `place` for any other text.
ElementType parse_element_type(const std::string& text, const std::string& place);

/// Returns the platform for products of elements of the given type. Without a type, `file` is
/// returned as it is: the type that it was measured with, else doubles. Throws InputError when it
/// was measured with another type.
PlatformFile with_element_type(PlatformFile file, std::optional<ElementType> type);
/// Returns the element type that a platform file is for: double unless it says otherwise.
ElementType element_type_of(const PlatformFile& file);
/// Returns the equivalent platform for doubles, which the models count in: with floats, twice as
/// many elements go over a link in the same time and fit into the same memory, so bandwidths and
/// memories are doubled. Speeds and raw figures, which are per block, stay the same.
PlatformFile convert_to_doubles(PlatformFile file);

}  // namespace starport
