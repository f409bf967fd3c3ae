#include "sim/mpi/matrices/matrix_files.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"

#include <fmt/format.h>

#include <bit>
#include <string>

#ifdef STARPORT_HAS_HDF5
#include <hdf5.h>

#include <array>
#include <utility>
#endif

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

InputError input_error(const MatrixLocation& location, const std::string& option,
                       const std::string& expected, const std::string& found,
                       const std::string& hint = {}) {
  return InputError(option, expected, found, hint).in_file(location.file);
}

#ifdef STARPORT_HAS_HDF5

/// Owns an identifier of the HDF5 library, which it closes.
class Handle {
 public:
  using Close = herr_t(hid_t);
  Handle(hid_t id, Close* close) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  bool open() const { return id_ >= 0; }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  Close* close_;
};

/// Stops the library from printing errors, which are reported as exceptions.
void disable_error_output() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

hid_t type_of(ElementType type, std::endian order) {
  const bool little = order == std::endian::little;
  if (type == ElementType::float64) return little ? H5T_IEEE_F64LE : H5T_IEEE_F64BE;
  return little ? H5T_IEEE_F32LE : H5T_IEEE_F32BE;
}

std::string dimensions_of(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank <= 0) return "no array";
  std::array<hsize_t, H5S_MAX_RANK> sides{};
  H5Sget_simple_extent_dims(space, sides.data(), nullptr);
  std::string text;
  for (int i = 0; i < rank; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : " x ", sides[static_cast<std::size_t>(i)]);
  }
  return text;
}

/// Returns true if the elements of type `type` are not in this machine's byte order; nullopt if the
/// dataset has elements of another type.
std::optional<bool> is_swapped(hid_t dataset, ElementType type) {
  const Handle found(H5Dget_type(dataset), H5Tclose);
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    if (H5Tequal(found, type_of(type, order)) > 0) return order != std::endian::native;
  }
  return std::nullopt;
}

/// Returns the name under which the file was opened that has the dataset: of another one if an
/// external link leads there.
std::string file_of(hid_t dataset) {
  const ssize_t length = H5Fget_name(dataset, nullptr, 0);
  std::string name(static_cast<std::size_t>(std::max<ssize_t>(length, 0)), '\0');
  H5Fget_name(dataset, name.data(), name.size() + 1);
  return name;
}

ElementLayout layout_of(hid_t dataset, const MatrixLocation& location, const MatrixShape& shape,
                        const std::string& option) {
  const std::string sides = fmt::format("{} x {}", shape.rows, shape.columns);
  const auto fail = [&](const std::string& expected, const std::string& found,
                        const std::string& hint = {}) {
    return input_error(location, option, fmt::format("{} as {}", expected, location.dataset), found,
                       hint);
  };
  if (const std::string found = dimensions_of(dataset); found != sides) {
    throw fail(sides + " elements", found);
  }
  const auto swapped = is_swapped(dataset, shape.type);
  if (!swapped) {
    throw fail(fmt::format("{} of {} bytes", plural_name(shape.type), bytes_of(shape.type)),
               "another type", "--element-type");
  }
  const Handle made(H5Dget_create_plist(dataset), H5Pclose);
  if (H5Pget_layout(made) != H5D_CONTIGUOUS || H5Pget_external_count(made) != 0) {
    throw fail(
        "contiguous elements", "chunks or external storage",
        fmt::format("h5repack -l {}:CONTI -f {}:NONE IN OUT", location.dataset, location.dataset));
  }
  const haddr_t begin = H5Dget_offset(dataset);
  if (begin == HADDR_UNDEF) throw fail("elements", "none, since it has never been written");
  return {.offset_bytes = begin, .swapped = *swapped};
}

#endif

}  // namespace

char native_byte_order() { return std::endian::native == std::endian::little ? '<' : '>'; }

std::optional<ElementLayout> parse_npy_header(std::string_view start, const MatrixShape& shape,
                                              const std::string& option) {
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
  ElementLayout layout{.offset_bytes = fixed + length_bytes + length};
  if (start.size() < layout.offset_bytes) {
    throw fail(fmt::format("the header of an .npy file, {} bytes", layout.offset_bytes),
               fmt::format("{} bytes", start.size()));
  }
  const std::string_view dictionary = start.substr(fixed + length_bytes, length);
  const std::string_view described = value_of(dictionary, "descr");
  const std::string_view name = described.substr(0, std::min<std::size_t>(5, described.size()));
  const std::string wanted = fmt::format("f{}", bytes_of(shape.type));
  if (name.size() < 5 || (name[1] != '<' && name[1] != '>') || name.substr(2, 2) != wanted) {
    throw fail(fmt::format("{0}, '<{1}' or '>{1}'", plural_name(shape.type), wanted), name,
               fmt::format("numpy.asarray(x, dtype=numpy.{})", to_string(shape.type)));
  }
  layout.byte_order_offset = static_cast<std::size_t>(name.data() + 1 - start.data());
  layout.swapped = name[1] != native_byte_order();
  if (!value_of(dictionary, "fortran_order").starts_with("False")) {
    throw fail("a matrix by rows, 'fortran_order': False", "a matrix by columns",
               "numpy.ascontiguousarray(x)");
  }
  const std::string_view found = leading_tuple(value_of(dictionary, "shape"));
  if (without_spaces(found) != fmt::format("({},{})", shape.rows, shape.columns)) {
    throw fail(fmt::format("the shape ({}, {})", shape.rows, shape.columns), found);
  }
  return layout;
}

std::string make_npy_header(const MatrixShape& shape) {
  std::string dictionary =
      fmt::format("{{'descr': '{}f{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                  native_byte_order(), bytes_of(shape.type), shape.rows, shape.columns);
  constexpr std::size_t alignment = 64;
  const std::size_t before = kMagic.size() + 4;
  dictionary.resize(ceil_div(before + dictionary.size() + 1, alignment) * alignment - before - 1,
                    ' ');
  dictionary += '\n';
  const auto length = static_cast<unsigned>(dictionary.size());
  return std::string(kMagic) + '\x01' + '\0' + static_cast<char>(length & 0xff) +
         static_cast<char>(length >> 8) + dictionary;
}

MatrixLocation parse_matrix_path(const std::string& path) {
  for (std::size_t colon = path.find(":/"); colon != std::string::npos;
       colon = path.find(":/", colon + 1)) {
    const std::string file = path.substr(0, colon);
    if (file.ends_with(".h5") || file.ends_with(".hdf5")) {
      return {.file = file, .dataset = path.substr(colon + 1)};
    }
  }
  return {.file = path};
}

std::string advice_on_path(const MatrixLocation& location) {
  if (parse_matrix_path(location.dataset).dataset.empty()) return "";
  return fmt::format(
      "the name of the file ends before the first ':/' after .h5 or .hdf5, and {} is the dataset",
      location.dataset);
}

#ifndef STARPORT_HAS_HDF5

ElementLayout find_dataset(const MatrixLocation& location, const MatrixShape& /*shape*/,
                           const std::string& option) {
  throw input_error(location, option,
                    "raw elements or an .npy file, since this program was built without HDF5 "
                    "(libhdf5-dev)",
                    "the dataset " + location.dataset);
}

ElementLayout create_dataset(const std::string& /*name*/, const MatrixLocation& location,
                             const MatrixShape& shape, const std::string& option) {
  return find_dataset(location, shape, option);
}

#else

ElementLayout find_dataset(const MatrixLocation& location, const MatrixShape& shape,
                           const std::string& option) {
  disable_error_output();
  const Handle file(H5Fopen(location.file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.open())
    throw input_error(location, option, "an HDF5 file", "none, or one that is open for writing",
                      advice_on_path(location));
  const Handle dataset(H5Dopen2(file, location.dataset.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.open())
    throw input_error(location, option, "the dataset " + location.dataset, "none",
                      advice_on_path(location));
  if (const std::string other = file_of(dataset); other != location.file) {
    throw input_error(location, option, location.dataset + " in this file",
                      "an external link to " + other);
  }
  return layout_of(dataset, location, shape, option);
}

ElementLayout create_dataset(const std::string& name, const MatrixLocation& location,
                             const MatrixShape& shape, const std::string& option) {
  disable_error_output();
  const std::array<hsize_t, 2> sides{static_cast<hsize_t>(shape.rows),
                                     static_cast<hsize_t>(shape.columns)};
  const Handle file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  const Handle space(H5Screate_simple(2, sides.data(), nullptr), H5Sclose);
  const Handle groups(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(groups, 1);
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);  // so that the elements have an offset now
  H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
  const Handle dataset(
      H5Dcreate2(file, location.dataset.c_str(), type_of(shape.type, std::endian::native), space,
                 groups, properties, H5P_DEFAULT),
      H5Dclose);
  if (!dataset.open())
    throw input_error(location, option, "a dataset that can be created", location.dataset);
  return layout_of(dataset, location, shape, option);
}

#endif

}  // namespace starport::mpi
