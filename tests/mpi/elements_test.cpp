// Real runs with floats, and with kernels from shared libraries.
#include "sim/files/json.hpp"
#include "sim/mpi/matrices/matrix_files.hpp"
#include "sim/mpi/matrices/product.hpp"
#include "sim/mpi/matrices/product_check.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/platform/problem.hpp"
#include "tests/mpi/mpi_support.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace starport::mpi {
namespace {

using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

constexpr const char* kLibraries = STARPORT_PLUGINS "/lib";

std::string raw_floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), sizeof(float) * values.size()};
}

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Elements, TwiceAsManyFloatsFitAndGoOverALink) {
  PlatformFile file{.entries = {{.worker = PlatformFile::Physical{.bandwidth_bytes_per_s = 8e6,
                                                                  .speed_flops = 1e9,
                                                                  .memory_bytes = 8e5,
                                                                  .latency_s = 1e-3},
                                 .count = 1,
                                 .pointer = "/workers/0"}}};
  const Worker doubles = with_element_type(file, ElementType::float64).at_block_size(10).workers[0];
  const Worker floats = with_element_type(file, ElementType::float32).at_block_size(10).workers[0];
  EXPECT_EQ(doubles.c_s, 1e-4);
  EXPECT_EQ(floats.c_s, 0.5e-4);
  EXPECT_EQ(doubles.m_blocks, 1000);
  EXPECT_EQ(floats.m_blocks, 2000);
  EXPECT_EQ(floats.w_s, doubles.w_s);
  EXPECT_EQ(floats.latency_s, doubles.latency_s);
}

constexpr const char* kMeasuredWithFloats =
    R"({"schema_version": 1, "name": "f", "element_type": "float32", "workers": [
        {"bandwidth": "8MBps", "speed": "1Gf", "memory": "800kB"}]})";

TEST(Elements, AFileCountsTheBytesOfThoseThatItWasMeasuredWith) {
  const TemporaryFile file(kMeasuredWithFloats);
  const PlatformFile platform = load_platform(file.path());
  EXPECT_EQ(element_type_of(platform), ElementType::float32);
  const Worker worker = platform.at_block_size(10).workers[0];
  EXPECT_EQ(worker.c_s, 0.5e-4);
  EXPECT_EQ(worker.m_blocks, 2000);
  const TemporaryFile again(to_json(platform));
  EXPECT_EQ(load_platform(again.path()).at_block_size(10).workers[0], worker);
  EXPECT_EQ(to_json(load_platform(again.path())), to_json(platform));
  EXPECT_EQ(shell("starport validate " + file.path()).status, 0);
}

TEST(Elements, OthersThanThoseMeasuredWithAreRefused) {
  const TemporaryFile file(kMeasuredWithFloats);
  const std::string product = " --problem 160x160x160 --block-size 10 ";
  for (const std::string& command :
       {"starport run " + file.path() + product + "--engine analytic ",
        "starport plan " + file.path() + product + "--heuristics Het -o /dev/null "}) {
    EXPECT_EQ(shell(command).status, 0);  // the file's own
    EXPECT_EQ(shell(command + "--element-type float32").status, 0);
    const auto refused = shell(command + "--element-type float64");
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.err,
              "starport: " + file.path() +
                  ": /element_type: expected float64, the elements of the product, found figures "
                  "measured with float32 (--element-type float32, or calibrate with float64)\n");
  }
  const auto real = test::mpi(2, "execute " + file.path() + product + "--element-type float64");
  EXPECT_EQ(real.status, 2);
  EXPECT_NE(real.err.find("/element_type: expected float64"), std::string::npos) << real.err;
  const auto own = test::mpi(2, "execute " + file.path() + product + "--heuristics Het");
  EXPECT_EQ(own.status, 0) << own.err;
}

TEST(Elements, ThePredictionIsThatOfTheirSize) {
  const std::string run =
      "starport run platforms/first-try.json --problem 800x800x800 --heuristics Het --engine "
      "analytic --json";
  const auto of = [&](const std::string& options) {
    const auto outcome = shell(run + options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return test::json_of(outcome.out).at("results").at(0).at("makespan_s").get<double>();
  };
  EXPECT_EQ(of(" --element-type float64"), of(""));
  EXPECT_LT(of(" --element-type float32"), of(""));
  const auto wrong = shell(run + " --element-type float16");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.err, "starport: --element-type: expected float64 or float32, found 'float16'\n");
}

TEST(Elements, FloatsAreCheckedByTheirOwnRounding) {
  const Problem problem{.r = 2, .s = 2, .t = 3, .block_size = 3};
  Product product(problem, {.height = 5, .depth = 7, .width = 4},
                  {.seed = 1, .type = ElementType::float32});
  const ProductCheck check(product, 1);
  EXPECT_NE(check.check(product.c()).error, "");
  const auto a = product.a().values<float>();
  const auto b = product.b().values<float>();
  const auto c = product.c().values<float>();
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t k = 0; k < 7; ++k) c[i * 4 + j] += a[i * 7 + k] * b[k * 4 + j];
    }
  }
  EXPECT_EQ(check.check(product.c()).error, "");
  c[5] += 1e-4F;
  EXPECT_EQ(check.check(product.c()).error.substr(0, 27), "C is wrong: element (1, 1) ");
}

TEST(Elements, EveryHeuristicGetsAProductOfFloatsRight) {
  const TemporaryFile platform(test::kTwoWorkers);
  const auto outcome = test::mpi(3, "execute " + platform.path() +
                                        " --problem 15x13x22 --heuristics all,Polaris --json "
                                        "--element-type float32");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(test::json_of(outcome.out).at("results").size(), 8U);
}

// (0 1 2; 3 4 5) (0 1; 2 3; 4 5) + (0 1; 2 3), from raw files and NumPy's.
TEST(Elements, FilesOfFloatsAreReadAndWritten) {
  const TemporaryFile platform(test::kTwoWorkers);
  const std::vector<float> six{0, 1, 2, 3, 4, 5};
  std::string swapped = raw_floats(six);
  for (std::size_t i = 0; i < swapped.size(); i += 4) {
    std::reverse(swapped.begin() + static_cast<std::ptrdiff_t>(i),
                 swapped.begin() + static_cast<std::ptrdiff_t>(i + 4));
  }
  std::string header = make_npy_header({.rows = 2, .columns = 3, .type = ElementType::float32});
  EXPECT_NE(header.find("<f4"), std::string::npos);
  header.replace(header.find("<f4"), 1, ">");
  const TemporaryFile a(header + swapped, ".npy");
  const TemporaryFile b(raw_floats(six), ".bin");
  const std::string head = make_npy_header({.rows = 2, .columns = 2, .type = ElementType::float32});
  const TemporaryFile c(head + raw_floats({0, 1, 2, 3}), ".npy");
  const std::string run = "execute " + platform.path() + " --problem 2x3x2 --a " + a.path() +
                          " --b " + b.path() + " --c " + c.path();
  const auto doubles = test::mpi(3, run);
  EXPECT_EQ(doubles.status, 2);
  EXPECT_NE(doubles.err.find("expected doubles, '<f8' or '>f8', found '>f4'"), std::string::npos)
      << doubles.err;
  const auto outcome = test::mpi(3, run + " --element-type float32");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(content(c.path()), head + raw_floats({10, 14, 30, 43}));
}

TEST(Elements, AKernelOfOthersServesCalibrateAndExecute) {
  const TemporaryDirectory directory;
  const std::string file = (directory.path() / "platform.json").string();
  for (const char* library : {"cpu_kernel", "kernel_apart"}) {
    const std::string kernel = std::string(" --kernel ") + kLibraries + library + ".so";
    const std::string type = library[0] == 'c' ? " --element-type float32" : "";
    const auto measured = test::mpi(
        2, "calibrate --block-sizes 8 --memory 1MiB --seconds 0.05 -o " + file + kernel + type);
    ASSERT_EQ(measured.status, 0) << measured.err;
    EXPECT_NE(measured.out.find(library), std::string::npos) << measured.out;
    const auto run = test::mpi(
        2, "execute " + file + " --problem 60x41x77 --heuristics Het,ODDOML" + kernel + type);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_NE(run.out.find("C is right, checked against one dgemm"), std::string::npos) << run.out;
  }
}

// The reason is told at once, and the updates in the queue are not computed: they would add to a
// wrong C.
TEST(Elements, AfterAnUpdateThatFailsNoneIsComputed) {
  const TemporaryFile platform(
      R"({"schema_version": 1, "name": "one", "block_size": 4,
          "workers": [{"c_s": 0.0002, "w_s": 0.0004, "m_blocks": 60}]})");
  const TemporaryFile calls("");
  const auto outcome =
      shell(test::kMpiEnvironment + "export KERNEL_CALLS=" + calls.path() + "; " + test::kGuard +
            "mpirun -n 2 '" STARPORT_MPI_PROGRAM "' execute " + platform.path() +
            " --problem 40x40x80 --heuristics ODDOML --kernel " + kLibraries + "failing_kernel.so");
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_NE(outcome.err.find("worker 1: the kernel 'one that fails': it is out of order"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(std::filesystem::file_size(calls.path()), 1U);
}

TEST(Elements, WhatCannotBeIsRefusedBeforeTheRun) {
  const TemporaryFile platform(test::kTwoWorkers);
  const std::string execute = "execute " + platform.path() + " --problem 16x12x24";
  for (const auto& [options, message] : std::initializer_list<std::pair<const char*, const char*>>{
           {" --kernel nowhere.so", "nowhere.so: --kernel: expected a shared library"},
           {" --kernel nowhere.so --heuristics homogeneous",
            "--kernel: expected a heuristic for the star with this option"},
           {" --element-type float32 --heuristics homogeneous",
            "--element-type: expected a heuristic for the star with this option"}}) {
    const auto outcome = test::mpi(3, execute + options);
    EXPECT_EQ(outcome.status, 2) << options;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_EQ(test::count(outcome.err, "starport-mpi: "), 1U) << outcome.err;
  }
}

}  // namespace
}  // namespace starport::mpi
