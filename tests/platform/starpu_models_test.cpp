// The import of machines that StarPU has measured, from models in its format.
#include "sim/platform/starpu_models.hpp"

#include "sim/files/error.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace starport {
namespace {

using test::TemporaryDirectory;

/// The model of one device: entries of size, flops and microseconds.
std::string device(int type, int number, const std::string& entries, int count) {
  return "# COMB\n1\n" + std::to_string(type) + "\n" + std::to_string(number) +
         "\n1\n# versions\n1\n" + std::to_string(count) +
         "\n# regressions\n0 0 0 0 nan nan 0 0 0\nnan nan nan\n0\n" + entries;
}

/// A machine of three cores and one CUDA device, with tiles of 320 and 960 and k four times as
/// large.
class StarpuModels : public ::testing::Test {
 protected:
  StarpuModels() {
    const std::string small = "0b0b0ce8 7372800 2.62144e8 ";
    const std::string large = "492beed5 66355200 7.077888e9 ";
    const std::string rest = " 1 10 100 9\n";
    files_ = {
        {"bus/box.config",
         "# Current configuration\n3 # Number of CPUs\n1 # CUDA\n1 # OpenCL\n0\n"},
        {"bus/box.bandwidth", "# to 0 to 1 to 2\n0 4000 1\n5000 0 1\n1 1 0\n"},
        {"bus/box.latency", "# to 0 to 1 to 2\n0 10 1\n20 0 1\n1 1 0\n"},
        {"bus/box.platform.xml",
         "<host id=\"CUDA0\" power=\"1\">\n<prop id=\"memsize\" value=\"737280000\"/>\n</host>\n"},
        {"codelets/45/starpu_dgemm_gemm.box",
         "# Version\n45\n# COMBs\n2\n" +
             device(0, 0, small + "10000" + rest + large + "280000" + rest, 2) +
             device(1, 0, small + "280" + rest + large + "6400" + rest, 2)}};
  }

  /// Writes the files, with `text` replaced in one of them, or without it if `text` is empty.
  PlatformFile read(const std::string& name = {}, const std::string& text = {},
                    const std::string& other = {}) {
    for (const auto& [file, content] : files_) {
      const auto path = directory_.path() / file;
      std::filesystem::create_directories(path.parent_path());
      std::string changed = content;
      if (file == name && !text.empty()) changed.replace(changed.find(text), text.size(), other);
      if (file == name && text.empty()) {
        std::filesystem::remove(path);
      } else {
        std::ofstream(path) << changed;
      }
    }
    return read_starpu_models(directory_.path().string(), "box", std::nullopt);
  }

  /// Returns the message of the error, without the directory.
  std::string error(const std::string& name, const std::string& text = {},
                    const std::string& other = {}) {
    try {
      read(name, text, other);
    } catch (const InputError& error) {
      const std::string message = error.what();
      const std::string directory = directory_.path().string() + "/";
      return message.starts_with(directory) ? message.substr(directory.size()) : message;
    }
    return "accepted";
  }

  TemporaryDirectory directory_;
  std::map<std::string, std::string> files_;
};

TEST_F(StarpuModels, GiveAPlatform) {
  const PlatformFile file = read();
  EXPECT_EQ(file.block_size, 960);
  ASSERT_EQ(file.entries.size(), 2U);
  EXPECT_EQ(file.entries[0].count, 2);  // one core drives the CUDA device
  const auto& core = std::get<PlatformFile::MemorySharing>(file.entries[0].worker);
  EXPECT_DOUBLE_EQ(core.speed_flops, 2.0 * 960 * 960 * 960 / 0.07);
  const auto& gpu = std::get<PlatformFile::Physical>(file.entries[1].worker);
  EXPECT_DOUBLE_EQ(gpu.speed_flops, 2.0 * 960 * 960 * 960 / 0.0016);
  EXPECT_EQ(gpu.bandwidth_bytes_per_s, 4e9);
  EXPECT_EQ(gpu.return_bandwidth_bytes_per_s, 5e9);
  EXPECT_DOUBLE_EQ(gpu.latency_s, 10e-6);
  EXPECT_EQ(gpu.memory_bytes, 737280000);
  ASSERT_EQ(file.entries[1].speed_function.size(), 2U);
  EXPECT_EQ(file.entries[1].speed_function[0].block_size, 320);
  EXPECT_EQ(file.entries[1].speed_function[0].inner, 4);
  EXPECT_DOUBLE_EQ(file.entries[1].speed_function[0].seconds, 280e-6);
}

TEST_F(StarpuModels, UseASizeThatAllDevicesHave) {
  const PlatformFile file = read("codelets/45/starpu_dgemm_gemm.box", "66355200 7.077888e9 6400",
                                 "149299200 2.388787e10 21000");
  EXPECT_EQ(file.block_size, 320);
  EXPECT_EQ(file.entries[1].speed_function[1].block_size, 1440);
}

/// A task that is no product of whole tiles is left out, and no search for its tiles takes long.
TEST_F(StarpuModels, LeaveOutOtherTasks) {
  const PlatformFile file =
      read("codelets/45/starpu_dgemm_gemm.box", "66355200 7.077888e9 6400", "66355201 7e300 6400");
  EXPECT_EQ(file.entries[1].speed_function.size(), 1U);
  EXPECT_THROW(find_starpu_models("none"), InputError);
  EXPECT_THROW(find_starpu_models(std::string(5000, 'a')), InputError);
}

TEST_F(StarpuModels, WithFaultsAreRefusedWithTheirPlace) {
  const std::string model = "codelets/45/starpu_dgemm_gemm.box";
  EXPECT_EQ(error(model, "45", "44"),
            model +
                ": line 3: expected version 45, of StarPU 1.2 to 1.4, found another version "
                "(calibrate again with one of these)");
  EXPECT_TRUE(error(model, "280000", "fast").starts_with(model + ": line "));
  EXPECT_TRUE(error(model, "# COMBs\n2", "# COMBs\n1").starts_with(model + ": CUDA device 0: "));
  EXPECT_TRUE(error("bus/box.bandwidth", "4000", "nan")
                  .starts_with("bus/box.bandwidth: row 1, column 2: expected a bandwidth in MB/s"));
  EXPECT_TRUE(error("bus/box.latency", "20 0 1", "20 0")
                  .starts_with("bus/box.latency: line 2: expected a square matrix"));
  EXPECT_TRUE(error("bus/box.platform.xml", "memsize", "size")
                  .starts_with("bus/box.platform.xml: CUDA0: "));
  EXPECT_TRUE(error("bus/box.config", "3 #", "-3 #").starts_with("bus/box.config: line 2: "));
  EXPECT_TRUE(error(model).ends_with("there is no such file")) << error(model);
  EXPECT_TRUE(error("bus/box.platform.xml").ends_with("there is no such file"));
}

}  // namespace
}  // namespace starport
