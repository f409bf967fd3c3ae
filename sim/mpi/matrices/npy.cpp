#include "sim/mpi/matrices/npy.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"

#include <fmt/format.h>

#include <bit>

namespace starport::mpi {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte) {
    value = value << 8 | static_cast<unsigned char>(*byte);
  }
  return value;
}

/// Returns the text after `key` and its colon in the header, a Python dictionary, up to its end;
/// empty if the key does not occur.
std::string_view value_of(std::string_view dictionary, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = fmt::format("{0}{1}{0}", quote, key);
    std::size_t place = dictionary.find(quoted);
    if (place == std::string_view::npos) continue;
    place = dictionary.find(':', place + quoted.size());
    if (place == std::string_view::npos) return {};
    place = dictionary.find_first_not_of(' ', place + 1);
    return place == std::string_view::npos ? std::string_view{} : dictionary.substr(place);
  }
  return {};
}

/// Returns a tuple at the start of `value`, such as "(3, 4)", without what follows it.
std::string_view leading_tuple(std::string_view value) {
  const std::size_t end = value.find(')');
  return end == std::string_view::npos ? value : value.substr(0, end + 1);
}

std::string without_spaces(std::string_view text) {
  std::string result(text);
  std::erase(result, ' ');
  return result;
}

}  // namespace

char native_byte_order() { return std::endian::native == std::endian::little ? '<' : '>'; }

std::optional<NpyHeader> parse_npy_header(std::string_view start, std::int64_t rows,
                                          std::int64_t columns, const std::string& option,
                                          ElementType type) {
  if (!start.starts_with(kMagic)) return std::nullopt;
  const auto fail = [&](const std::string& expected, std::string_view found,
                        const std::string& hint = {}) {
    return InputError(option, expected, std::string(found), hint);
  };
  constexpr std::size_t fixed = 8;  // the magic string and two bytes with the version
  const int version = start.size() > kMagic.size() ? start[kMagic.size()] : 0;
  if (version < 1 || version > 3) {
    throw fail("an .npy file of version 1, 2 or 3", fmt::format("version {}", version));
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t length =
      little_endian(start.substr(std::min(fixed, start.size()), length_bytes));
  NpyHeader header{.size_bytes = fixed + length_bytes + length};
  if (start.size() < header.size_bytes) {
    throw fail(fmt::format("the header of an .npy file, {} bytes", header.size_bytes),
               fmt::format("{} bytes", start.size()));
  }
  const std::string_view dictionary = start.substr(fixed + length_bytes, length);
  const std::string_view described = value_of(dictionary, "descr");
  const std::string_view name = described.substr(0, std::min<std::size_t>(5, described.size()));
  const std::string wanted = fmt::format("f{}", bytes_of(type));
  if (name.size() < 5 || (name[1] != '<' && name[1] != '>') || name.substr(2, 2) != wanted) {
    throw fail(fmt::format("{0}, '<{1}' or '>{1}'", plural_name(type), wanted), name,
               fmt::format("numpy.asarray(x, dtype=numpy.{})", to_string(type)));
  }
  header.byte_order_offset = static_cast<std::size_t>(name.data() + 1 - start.data());
  header.swapped = name[1] != native_byte_order();
  if (!value_of(dictionary, "fortran_order").starts_with("False")) {
    throw fail("a matrix by rows, 'fortran_order': False", "a matrix by columns",
               "numpy.ascontiguousarray(x)");
  }
  const std::string_view shape = leading_tuple(value_of(dictionary, "shape"));
  if (without_spaces(shape) != fmt::format("({},{})", rows, columns)) {
    throw fail(fmt::format("the shape ({}, {})", rows, columns), shape);
  }
  return header;
}

std::string make_npy_header(std::int64_t rows, std::int64_t columns, ElementType type) {
  std::string dictionary =
      fmt::format("{{'descr': '{}f{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                  native_byte_order(), bytes_of(type), rows, columns);
  constexpr std::size_t alignment = 64;
  const std::size_t before = kMagic.size() + 4;
  dictionary.resize(ceil_div(before + dictionary.size() + 1, alignment) * alignment - before - 1,
                    ' ');
  dictionary += '\n';
  const auto length = static_cast<unsigned>(dictionary.size());
  return std::string(kMagic) + '\x01' + '\0' + static_cast<char>(length & 0xff) +
         static_cast<char>(length >> 8) + dictionary;
}

}  // namespace starport::mpi
