// The type of the matrix elements, which determines the size of a block in bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace starport {

struct PlatformFile;

/// The type of the elements of A, B and C: double (8 bytes) or float (4 bytes).
enum class ElementType : std::uint8_t { float64, float32 };

/// Returns the size of one matrix element in bytes: 8 or 4.
constexpr std::int64_t bytes_of(ElementType type) { return type == ElementType::float64 ? 8 : 4; }
/// Returns "doubles" or "floats", for messages.
const char* plural_name(ElementType type);
/// Returns the name of an element type in files and options: "float64" or "float32".
const char* to_string(ElementType type);

/// Parses the name of an element type, "float64" or "float32". Throws InputError at `place` (an
/// option or JSON pointer, for the message) for any other text.
ElementType parse_element_type(const std::string& text, const std::string& place);

/// Returns `file` with `type` as the type of the matrix elements. nullopt leaves the type of the
/// file, or doubles if it has none. Throws InputError naming the file when its figures were
/// measured with another type.
PlatformFile with_element_type(PlatformFile file, std::optional<ElementType> type);
/// Returns the element type that the figures of a platform file are for: the one in the file, or
/// double when it has none.
ElementType element_type_of(const PlatformFile& file);
/// Returns the platform of doubles that takes as long as this one with its element type, since the
/// models count in doubles. With floats, the bandwidths of links and port and the memories of
/// workers are doubled, because twice as many elements are sent in the same time and fit; speeds,
/// raw figures (which are per block) and the devices of a worker stay the same. The result has no
/// element type.
PlatformFile convert_to_doubles(PlatformFile file);

}  // namespace starport
