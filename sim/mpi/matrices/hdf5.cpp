#include "sim/mpi/matrices/hdf5.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#ifdef STARPORT_HAS_HDF5
#include <hdf5.h>

#include <array>
#include <bit>
#include <utility>
#endif

namespace starport::mpi {
namespace {

InputError input_error(const MatrixLocation& location, const std::string& option,
                       const std::string& expected, const std::string& found,
                       const std::string& hint = {}) {
  return InputError(option, expected, found, hint).in_file(location.file);
}

}  // namespace

MatrixLocation parse_matrix_path(const std::string& path) {
  for (const char* ending : {".h5", ".hdf5"}) {
    const std::string before = std::string(ending) + ":/";
    const std::size_t at = path.find(before);
    if (at == std::string::npos) continue;
    const std::size_t colon = at + before.size() - 2;
    return {.file = path.substr(0, colon), .dataset = path.substr(colon + 1)};
  }
  return {.file = path};
}

#ifndef STARPORT_HAS_HDF5

DatasetLayout find_dataset(const MatrixLocation& location, const MatrixShape& /*shape*/,
                           const std::string& option) {
  throw input_error(location, option,
                    "raw elements or an .npy file, since this program was built without HDF5 "
                    "(libhdf5-dev)",
                    "the dataset " + location.dataset);
}

DatasetLayout create_dataset(const std::string& /*name*/, const MatrixLocation& location,
                             const MatrixShape& shape, const std::string& option) {
  return find_dataset(location, shape, option);
}

#else

namespace {

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

DatasetLayout layout_of(hid_t dataset, const MatrixLocation& location, const MatrixShape& shape,
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

}  // namespace

DatasetLayout find_dataset(const MatrixLocation& location, const MatrixShape& shape,
                           const std::string& option) {
  disable_error_output();
  const Handle file(H5Fopen(location.file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.open())
    throw input_error(location, option, "an HDF5 file", "none, or one that is open for writing");
  const Handle dataset(H5Dopen2(file, location.dataset.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.open())
    throw input_error(location, option, "the dataset " + location.dataset, "none");
  return layout_of(dataset, location, shape, option);
}

DatasetLayout create_dataset(const std::string& name, const MatrixLocation& location,
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
