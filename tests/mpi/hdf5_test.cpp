// Datasets of HDF5 files as matrices.
#include "sim/files/error.hpp"
#include "sim/mpi/matrices/matrix_files.hpp"
#include "sim/mpi/matrices/product.hpp"
#include "tests/mpi/mpi_support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <filesystem>

namespace starport::mpi {
namespace {

using test::TemporaryDirectory;
using test::TemporaryFile;

/// A dataset as another program writes it.
struct Dataset {
  std::string name;
  std::vector<hsize_t> sides;
  std::vector<double> values;
  hid_t type = H5T_IEEE_F64LE;
  bool chunked = false;
};

void write(const std::string& path, const Dataset& dataset) {
  const bool there = std::filesystem::exists(path);
  const hid_t file = there ? H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                           : H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const int rank = static_cast<int>(dataset.sides.size());
  const hid_t space = H5Screate_simple(rank, dataset.sides.data(), nullptr);
  const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  if (dataset.chunked) H5Pset_chunk(how, rank, dataset.sides.data());
  const hid_t made =
      H5Dcreate2(file, dataset.name.c_str(), dataset.type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  if (!dataset.values.empty()) {
    H5Dwrite(made, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, dataset.values.data());
  }
  H5Dclose(made);
  H5Pclose(how);
  H5Sclose(space);
  H5Fclose(file);
}

std::vector<double> read(const std::string& path, const std::string& name, std::size_t count) {
  std::vector<double> values(count);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  EXPECT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Dclose(dataset);
  H5Fclose(file);
  return values;
}

const std::vector<double> kSix{0, 1, 2, 3, 4, 5};

TEST(Hdf5, NamesAreFilesAndDatasets) {
  EXPECT_EQ(parse_matrix_path("x/a.h5:/g/a").file, "x/a.h5");
  EXPECT_EQ(parse_matrix_path("x/a.h5:/g/a").dataset, "/g/a");
  EXPECT_EQ(parse_matrix_path("a.hdf5:/a").dataset, "/a");
  EXPECT_EQ(parse_matrix_path("x:/a.h5:/b.h5:/c").file, "x:/a.h5");
  EXPECT_EQ(parse_matrix_path("x:/a.h5:/b.h5:/c").dataset, "/b.h5:/c");
  EXPECT_EQ(parse_matrix_path("a.hdf5:/b.h5:/c").file, "a.hdf5");
  for (const char* file : {"a.h5", "a.npy", "a.bin:/b", "/tmp/a.h5x:/b"}) {
    EXPECT_EQ(parse_matrix_path(file).file, file);
    EXPECT_EQ(parse_matrix_path(file).dataset, "");
  }
}

TEST(Hdf5, BothOrdersOfBytesAreRead) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "a.h5").string();
  write(path, {.name = "/little", .sides = {2, 3}, .values = kSix});
  write(path, {.name = "/big", .sides = {2, 3}, .values = kSix, .type = H5T_IEEE_F64BE});
  for (const char* name : {":/little", ":/big"}) {
    const Matrix matrix(2, 3, path + name, "--a", FileAccess::read);
    EXPECT_EQ(std::vector<double>(matrix.values().begin(), matrix.values().end()), kSix) << name;
  }
}

// (0 1 2; 3 4 5) (0 1; 2 3; 4 5) + (0 1; 2 3), all three in one file.
TEST(Hdf5, TheProductReplacesItsDataset) {
  const TemporaryFile platform(test::kTwoWorkers);
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "all.h5").string();
  write(path, {.name = "/a", .sides = {2, 3}, .values = kSix});
  write(path, {.name = "/b", .sides = {3, 2}, .values = kSix});
  write(path, {.name = "/c", .sides = {2, 2}, .values = {0, 1, 2, 3}});
  const auto outcome = test::mpi(3, "execute " + platform.path() + " --problem 2x3x2 --a " + path +
                                        ":/a --b " + path + ":/b --c " + path + ":/c");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read(path, "/c", 4), (std::vector<double>{10, 14, 30, 43}));
  EXPECT_EQ(read(path, "/a", 6), kSix);
  EXPECT_EQ(read(path, "/b", 6), kSix);
}

TEST(Hdf5, CIsMadeWhereThereIsNoFile) {
  const TemporaryFile platform(test::kTwoWorkers);
  const TemporaryDirectory folder;
  const std::string a = (folder.path() / "a.h5").string();
  const std::string c = (folder.path() / "c.h5").string();
  write(a, {.name = "/a", .sides = {2, 3}, .values = kSix, .type = H5T_IEEE_F32LE});
  write(a, {.name = "/b", .sides = {3, 2}, .values = kSix, .type = H5T_IEEE_F32BE});
  const auto outcome =
      test::mpi(3, "execute " + platform.path() + " --problem 2x3x2 --element-type float32 --a " +
                       a + ":/a --b " + a + ":/b --c " + c + ":/new/c");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read(c, "/new/c", 4), (std::vector<double>{10, 13, 28, 40}));
  EXPECT_EQ(std::filesystem::status(c).permissions(), std::filesystem::status(a).permissions());
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder.path())) {
    ++files;
  }
  EXPECT_EQ(files, 2U);  // no copy is left behind
}

TEST(Hdf5, WhatIsNoSuchMatrixIsRefused) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "a.h5").string();
  write(path, {.name = "/a", .sides = {2, 3}, .values = kSix});
  write(path, {.name = "/cube", .sides = {2, 3, 1}, .values = kSix});
  write(path, {.name = "/chunks", .sides = {2, 3}, .values = kSix, .chunked = true});
  write(path, {.name = "/whole", .sides = {2, 3}, .values = kSix, .type = H5T_STD_I64LE});
  write(path, {.name = "/never", .sides = {2, 3}});
  write(path, {.name = "/big", .sides = {2, 3}, .values = kSix, .type = H5T_IEEE_F64BE});
  const auto fault = [&](const std::string& name, bool writable) -> std::string {
    try {
      const Matrix matrix(2, 3, name, writable ? "--c" : "--a",
                          writable ? FileAccess::replace : FileAccess::read);
      return "none";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  const auto expect = [&](const std::string& dataset, const std::string& message) {
    EXPECT_EQ(fault(path + dataset, false).find(path + ": --a: expected " + message), 0U)
        << fault(path + dataset, false);
  };
  expect(":/b", "the dataset /b, but there is none");
  expect(":/b.h5:/c",
         "the dataset /b.h5:/c, but there is none (the name of the file ends before the first ':/' "
         "after .h5 or .hdf5, and /b.h5:/c is the dataset)");
  expect(":/cube", "2 x 3 elements as /cube, found 2 x 3 x 1");
  expect(":/chunks", "contiguous elements as /chunks, found chunks");
  expect(":/whole", "doubles of 8 bytes as /whole, found another type");
  expect(":/never", "elements as /never, found none, since it has never been written");
  EXPECT_EQ(fault(path + ":/a", false), "none");
  EXPECT_NE(fault(path + ":/big", true).find("in this machine's byte order"), std::string::npos);
  // A link to a dataset of another file, at another place there.
  const std::string other = (folder.path() / "other.h5").string();
  const hid_t file = H5Fcreate(other.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external("a.h5", "/a", file, "link", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  for (const bool writable : {false, true}) {
    EXPECT_EQ(fault(other + ":/link", writable),
              fmt::format("{}: {}: expected /link in this file, found an external link to {}",
                          other, writable ? "--c" : "--a", path));
  }
  const TemporaryFile raw(test::raw(kSix), ".h5");
  EXPECT_NE(fault(raw.path() + ":/a", false).find("--a: expected an HDF5 file"), std::string::npos);
}

// Each is a valid HDF5 file that leads a naive reader to bytes that are no elements of this file.
TEST(Hdf5, WhatLeadsElsewhereIsRefused) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "a.h5").string();
  write(path, {.name = "/a", .sides = {2, 3}, .values = kSix});
  write(path, {.name = "/huge", .sides = {hsize_t{1} << 40, hsize_t{1} << 40}});
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const std::array<hsize_t, 2> sides{2, 3};
  const hid_t space = H5Screate_simple(2, sides.data(), nullptr);
  const hid_t scalar = H5Screate(H5S_SCALAR);
  const auto make = [&](const char* name, hid_t type, hid_t shape, hid_t how) {
    H5Dclose(H5Dcreate2(file, name, type, shape, H5P_DEFAULT, how, H5P_DEFAULT));
  };
  const hid_t outside = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(outside, "/etc/passwd", 0, 48);
  make("/outside", H5T_IEEE_F64LE, space, outside);
  const hid_t composed = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_virtual(composed, space, "a.h5", "/a", space);
  make("/composed", H5T_IEEE_F64LE, space, composed);
  const hid_t biased = H5Tcopy(H5T_IEEE_F64LE);
  H5Tset_ebias(biased, 1000);
  make("/biased", biased, space, H5P_DEFAULT);
  make("/scalar", H5T_IEEE_F64LE, scalar, H5P_DEFAULT);
  H5Gclose(H5Gcreate2(file, "/group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Lcreate_soft("/loop", file, "/loop", H5P_DEFAULT, H5P_DEFAULT);
  for (const hid_t how : {outside, composed}) H5Pclose(how);
  for (const hid_t shape : {space, scalar}) H5Sclose(shape);
  H5Tclose(biased);
  H5Fclose(file);
  const auto fault = [&](const std::string& dataset) -> std::string {
    try {
      const Matrix matrix(2, 3, path + ":" + dataset, "--a", FileAccess::read);
      return "none";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  for (const auto& [dataset, found] : std::initializer_list<std::pair<const char*, const char*>>{
           {"/huge", "found 1099511627776 x 1099511627776"},
           {"/outside", "found chunks or external storage"},
           {"/composed", "found chunks or external storage"},
           {"/biased", "found another type"},
           {"/scalar", "found no array"},
           {"/group", "expected the dataset /group, but there is none"},
           {"/loop", "expected the dataset /loop, but there is none"}}) {
    EXPECT_NE(fault(dataset).find(found), std::string::npos) << fault(dataset);
  }
  EXPECT_EQ(fault("/a"), "none");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 8);
  EXPECT_NE(fault("/a").find("--a: expected "), std::string::npos) << fault("/a");
}

TEST(Hdf5, CReplacesNoOperand) {
  const TemporaryFile platform(test::kTwoWorkers);
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "a.h5").string();
  write(path, {.name = "/a", .sides = {2, 2}, .values = {1, 2, 3, 4}});
  const auto outcome = test::mpi(
      3, "execute " + platform.path() + " --problem 2x2x2 --a " + path + ":/a --c " + path + ":/a");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("--c: expected another file than --a"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(read(path, "/a", 4), (std::vector<double>{1, 2, 3, 4}));
  // The same dataset under another name.
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Lcreate_hard(file, "/a", file, "/alias", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  const auto alias = test::mpi(3, "execute " + platform.path() + " --problem 2x2x2 --b " + path +
                                      ":/a --c " + path + ":/alias");
  EXPECT_EQ(alias.status, 2);
  EXPECT_NE(alias.err.find("--c: expected other elements than those of --b"), std::string::npos)
      << alias.err;
  EXPECT_EQ(read(path, "/a", 4), (std::vector<double>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace starport::mpi
