// The import of machines that StarPU has measured, from models in its format.
#include "sim/platform/starpu_models.hpp"

#include "sim/files/error.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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
         "<host id=\"CUDA0\" power=\"1\">\n<prop id=\"memsize\" value=\"737280000\"/>\n</host>\n"
         "<route src=\"CUDA0\" dst=\"RAM\" symmetrical=\"NO\"><link_ctn id=\"Host\"/></route>"},
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

/// StarPU 1.3 counts the memories of CPUs, too.
TEST_F(StarpuModels, SkipsTheMemoriesOfCpus) {
  const PlatformFile file =
      read("bus/box.config", "1 # CUDA", "1 # Number of NUMA nodes\n1 # CUDA");
  EXPECT_EQ(file.size(), 3);
  read("bus/box.config", "1 # CUDA", "2 # Number of NUMA nodes\n1 # CUDA");
  EXPECT_TRUE(error("bus/box.config", "1 # CUDA", "4 # Number of NUMA nodes\n1 # CUDA")
                  .ends_with("expected a square matrix for 5 memory nodes, found 9 numbers"));
}

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

/// Three devices: two behind one bridge, which hangs from a root, and one behind a bridge of its
/// own.
class StarpuTopology : public StarpuModels {
 protected:
  StarpuTopology() {
    files_["bus/box.config"] = "4\n3\n0\n";
    files_["bus/box.bandwidth"] =
        "0 4000 4100 4200\n5000 0 901 902\n5000 910 0 912\n5000 920 921 0\n";
    files_["bus/box.latency"] = "0 10 10 10\n20 0 1 2\n20 3 0 4\n20 5 6 0\n";
    std::string& xml = files_["bus/box.platform.xml"];
    xml.clear();
    for (const char* bridge : {"[1]", "[2]", "root"}) {
      for (const char* way : {" up", " down", " through"}) {
        xml += std::string("<link id=\"PCI:") + bridge + way + "\" bandwidth=\"6.5e9\"/>\n";
      }
    }
    for (int device = 0; device < 3; ++device) {
      const std::string name = "CUDA" + std::to_string(device);
      const std::string bridge = device < 2 ? "PCI:[1]" : "PCI:[2]";
      xml += "<host id=\"" + name + "\">\n<prop id=\"memsize\" value=\"737280000\"/>\n</host>\n";
      xml += "<route src=\"" + name + "\" dst=\"RAM\">\n<link_ctn id=\"" + name +
             "-RAM\"/>\n<link_ctn id=\"" + bridge + " through\"/><link_ctn id=\"" + bridge +
             " up\"/>\n<link_ctn id=\"PCI:root up\"/>\n<link_ctn id=\"Host\"/>\n</route>\n";
    }
    std::string& model = files_["codelets/45/starpu_dgemm_gemm.box"];
    model = "45\n4\n";
    for (const auto& [type, number] :
         {std::pair(0, 0), std::pair(1, 0), std::pair(1, 1), std::pair(1, 2)})
      model += device(type, number, "492beed5 66355200 7.077888e9 6400 640 10 100 9\n", 1);
  }
};

TEST_F(StarpuTopology, GivesBusesLinksAndDeviations) {
  const PlatformFile file = read();
  ASSERT_EQ(file.buses.size(), 2U);  // a bridge with one device shares nothing
  EXPECT_EQ(file.buses[0], (Bus{"PCI:[1]", "PCI:root", 6.5e9, 6.5e9, 6.5e9}));
  EXPECT_EQ(file.buses[1].name, "PCI:root");
  EXPECT_EQ(file.entries[1].bus, "PCI:[1]");
  EXPECT_EQ(file.entries[3].bus, "PCI:root");
  ASSERT_EQ(file.peer_links.size(), 6U);
  EXPECT_EQ(file.names[3], "CUDA2");
  EXPECT_EQ(file.peer_links[1],
            (PeerLink{.from = 1, .to = 3, .bandwidth_bytes_per_s = 902e6, .latency_s = 2e-6}));
  EXPECT_DOUBLE_EQ(*file.entries[1].speed_function[0].deviation_s, 640e-6);
  const PlatformFile again = parse_platform(nlohmann::json::parse(to_json(file)), "y.json");
  EXPECT_EQ(again.buses, file.buses);
  EXPECT_EQ(again.peer_links, file.peer_links);
}

TEST_F(StarpuTopology, IsTakenFromAffinitiesWithoutBridges) {
  std::string& xml = files_["bus/box.platform.xml"];
  for (std::size_t at = xml.find("PCI:"); at != std::string::npos; at = xml.find("PCI:"))
    xml.replace(at, 4, "ISA:");
  files_["bus/box.affinity"] = "# GPU CPU0\n0\t0 1\n1\t0 1\n2\t1 0\n0\t1 0\n";
  const PlatformFile file = read();
  ASSERT_EQ(file.buses.size(), 1U);
  EXPECT_EQ(file.buses[0].bandwidth_bytes_per_s, std::nullopt);
  EXPECT_EQ(file.buses[0].total_bandwidth_bytes_per_s, 5e9);  // the fastest way back
  EXPECT_EQ(file.entries[2].bus, file.buses[0].name);
  EXPECT_EQ(file.entries[3].bus, "");
}

TEST_F(StarpuTopology, WithFaultsIsRefused) {
  const std::string xml = "bus/box.platform.xml";
  EXPECT_EQ(error(xml, "dst=\"RAM\"", "dst=\"DISK\""),
            xml + ": CUDA0: expected a route to RAM, but there is none");
  EXPECT_EQ(error(xml, "PCI:root up\"/>\n<link_ctn", "PCI:[1] up\"/>\n<link_ctn"),
            xml +
                ": CUDA0: expected bridges that lead to main memory, found a cycle through "
                "PCI:[1]");
  EXPECT_EQ(error(xml, "PCI:root up\"/>\n<link_ctn", "PCI:[2] up\"/>\n<link_ctn"),
            xml + ": CUDA1: expected PCI:[1] behind 'PCI:[2]', found behind 'PCI:root'");
  EXPECT_EQ(error(xml, "6.5e9", "fast"),
            xml + ": PCI:[1] up: expected a bandwidth in bytes/s, found 'fast'");
}

TEST_F(StarpuModels, UseASizeThatAllDevicesHave) {
  const PlatformFile file = read("codelets/45/starpu_dgemm_gemm.box", "66355200 7.077888e9 6400",
                                 "149299200 2.388787e10 21000");
  EXPECT_EQ(file.block_size, 320);
  EXPECT_EQ(file.entries[1].speed_function[1].block_size, 1440);
}

/// Devices that were measured once but are not used now do not count.
TEST_F(StarpuModels, DevicesThatAreNotUsedLeaveTheSizesAlone) {
  const std::string second = "2\n0\n0\n";
  const PlatformFile file = read("codelets/45/starpu_dgemm_gemm.box", "# COMBs\n2\n",
                                 "# COMBs\n3\n" + device(1, 1, "0b0b0ce8 100 2e3 1 1 1 1 1\n", 1));
  EXPECT_EQ(file.block_size, 960);
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
  EXPECT_EQ(error(model), model +
                              ": expected measured durations of dgemm, found no such file "
                              "(calibrate StarPU's example mult/dgemm on this machine)");
  EXPECT_EQ(error("bus/box.bandwidth"), "bus/box.bandwidth: there is no such file");
  EXPECT_TRUE(error(model, "280000", "fast").starts_with(model + ": line "));
  EXPECT_TRUE(error(model, "# COMBs\n2", "# COMBs\n1").starts_with(model + ": CUDA device 0: "));
  EXPECT_TRUE(error("bus/box.config", "1 # CUDA", "4 # Number of NUMA nodes\n1 # CUDA")
                  .ends_with("expected a square matrix for 5 memory nodes, found 9 numbers"));
}

TEST_F(StarpuTopology, GivesNothingThatAPlatformFileMustNotHave) {
  const std::string what = "StarPU's models of box, as a platform file: ";
  const std::string model = "codelets/45/starpu_dgemm_gemm.box";
  const std::string xml = "bus/box.platform.xml";
  const auto place = [](const std::string& message) {
    return message.substr(0, message.find(": expected"));
  };
  EXPECT_EQ(place(error("bus/box.bandwidth", "4000", "4e305")), what + "/workers/1/bandwidth");
  EXPECT_EQ(place(error("bus/box.latency", "10", "1e290")), what + "/workers/1/latency");
  EXPECT_EQ(place(error(model, "6400", "1e-320")), what + "/workers/0/speed_function/0/seconds");
  EXPECT_EQ(place(error(xml, "737280000", "1e200")), what + "/workers/1/memory");
  for (const char* bridge : {"\x1b", "\xff"}) {  // the second is no UTF-8
    EXPECT_EQ(place(error(xml, "PCI:[1] up\"/>\n<link_ctn",
                          "PCI:" + std::string(bridge) + " up\"/>\n<link_ctn")),
              xml + ": CUDA0");
  }
}

TEST(FindStarpuModels, NamesThePackageOfTheExamplesWhereItIsMissing) {
  const bool has_examples = std::filesystem::exists("/usr/share/starpu/perfmodels/sampling");
  try {
    find_starpu_models("no-such-machine");
    ADD_FAILURE() << "found";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find("sudo apt install starpu-examples") == std::string::npos, has_examples)
        << message;
    EXPECT_NE(message.find("--models names another directory"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace starport
