// Recommendations: their sentences agree with the figures of the comparison.
#include "sim/app/model_registry.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/results/figure.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace starport {
namespace {

Comparison compared(const char* heuristics, const Noise& noise = {}, std::int64_t repetitions = 1) {
  const PlatformFile file =
      load_platform(STARPORT_SOURCE_DIR "/platforms/ppopp08-memory-small.json");
  const RunOptions options{.engine = EngineKind::analytic, .noise = noise, .worker_figures = true};
  return compare(model_registry().read_algorithms(heuristics, "heuristics"),
                 {file, {12, 24, 12, 16}}, model_registry().models, options, repetitions);
}

bool says(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

TEST(Recommendation, IsTheFirstOfTheTableAndWhatItWins) {
  const Comparison comparison = compared("BMM,OMMOML,ODDOML");
  const std::string text = recommendation_text(comparison);
  std::vector<const Record*> order;
  for (const Record& record : comparison.records) order.push_back(&record);
  std::ranges::sort(order, {}, [](const Record* r) { return r->figures.real(kMakespan); });
  const Record& best = *order[0];
  EXPECT_TRUE(says(text, fmt::format("\nRun {}: {:.6g} s, {:.1f}% above", best.algorithm,
                                     best.figures.real(kMakespan),
                                     100 * best.figures.real(kTimesTightest) - 100)))
      << text;
  EXPECT_TRUE(says(text, fmt::format("{}, the next, takes {:.1f}% longer", order[1]->algorithm,
                                     100 * order[1]->figures.real(kRelativeCost) - 100)))
      << text;
  EXPECT_FALSE(says(text, order[2]->algorithm)) << text;
  EXPECT_TRUE(says(text, fmt::format("It enrols {} of {} workers",
                                     best.figures.real(kEnrolledWorkers), best.workers.size())))
      << text;
  EXPECT_TRUE(says(text, "\n10% more of one resource lowers the bound: ")) << text;
}

// The port counts although one worker has no link, and so does what all transfers share.
TEST(Recommendation, ImprovesWhateverResourceThereIs) {
  constexpr const char* workers = R"("block_size": 80, "workers": [
      {"count": 4, "bandwidth": "10MBps", "speed": "1.365Gf", "memory": "64MiB"},
      {"shares_memory": true, "speed": "0.1Gf"}]})";
  for (const auto& [port, resource] : std::map<std::string, std::string>{
           {"", "bandwidth of the master's port by "},
           {R"("port": {"kind": "multi-port", "bandwidth": "4MBps"}, )",
            "bandwidth that all transfers share by "}}) {
    const test::TemporaryFile file(R"({"schema_version": 1, "name": "p", )" + port + workers);
    const RunOptions options{.engine = EngineKind::analytic, .worker_figures = true};
    const std::string text = recommendation_text(compare(
        model_registry().read_algorithms("Het,ODDOML", "heuristics"),
        {load_platform(file.path()), {100, 200, 100, 80}}, model_registry().models, options));
    EXPECT_TRUE(says(text, "lowers the bound: " + resource)) << text;
  }
}

TEST(Recommendation, NamesWhatIsAsFastAndWhatIsWithinNoise) {
  EXPECT_TRUE(says(recommendation_text(compared("ODDOML,ODDOML[serve=earliest],BMM")),
                   " As fast: ODDOML[serve=earliest]. BMM, the next, takes "));
  for (const char* noise : {"cv=90%", "cv=1%"}) {
    const Comparison comparison = compared("ODDOML,ORROML,BMM", parse_noise(noise, "noise"), 4);
    const std::string text = recommendation_text(comparison);
    for (const Record& record : comparison.records) {
      const bool best = says(text, "Run " + record.algorithm + ":");
      const bool within_noise = record.figures.real(kWithinNoise) == 1;
      const std::size_t behind = std::min(text.find("Within noise of it: "), text.size());
      const std::string named = text.substr(behind, text.find('.', behind) - behind);
      EXPECT_EQ(says(named, record.algorithm), within_noise && !best)
          << record.algorithm << " in " << text;
    }
  }
}

// No worker has room for a chunk with overlap: there is no steady state, but a bound.
TEST(Recommendation, OfTinyMemories) {
  PlatformFile file = load_platform(STARPORT_SOURCE_DIR "/platforms/ppopp08-memory-small.json");
  for (PlatformFile::Entry& entry : file.entries) {
    std::get<PlatformFile::Raw>(entry.worker).m_blocks = 4;
  }
  const std::string text = recommendation_text(
      compare(model_registry().read_algorithms("BMM,Polaris", "heuristics"), {file, {4, 4, 4, 16}},
              model_registry().models, {.engine = EngineKind::analytic, .worker_figures = true}));
  EXPECT_TRUE(says(text, "Run Polaris: ")) << text;
  EXPECT_TRUE(says(text, "lowers the bound: bandwidth of the master's port by ")) << text;
  EXPECT_FALSE(says(text, "nan")) << text;
}

std::string advice_for(double c_s, double w_s) {
  PlatformFile file;
  file.name = "one";
  file.block_size = 16;
  file.entries = {{.worker = PlatformFile::Raw{.c_s = c_s, .w_s = w_s, .m_blocks = 60},
                   .count = 1,
                   .pointer = ""}};
  return recommendation_text(compare(model_registry().read_algorithms("ODDOML,BMM", "heuristics"),
                                     {file, {60, 60, 60, 16}}, model_registry().models,
                                     {.engine = EngineKind::analytic, .worker_figures = true}));
}

// A tenth more of the only thing that counts is an eleventh of the time less.
TEST(Recommendation, PricesWhatIsScarce) {
  const std::string computing = advice_for(1e-6, 1);
  EXPECT_TRUE(says(computing, "lowers the bound: speed of the worker by 9.1%.")) << computing;
  const std::string sending = advice_for(1, 1e-6);
  EXPECT_TRUE(says(sending,
                   "lowers the bound: bandwidth of the master's port by 9.1%, memory of "
                   "the worker by "))
      << sending;
  EXPECT_FALSE(says(sending, "speed")) << sending;
}

// Distributed products have shares, too.
TEST(Recommendation, SharesOfDistributedProducts) {
  const std::string text = recommendation_text(compare(
      model_registry().read_algorithms("FPM,multiple-CPM", "heuristics"),
      {load_platform(STARPORT_SOURCE_DIR "/platforms/ppopp08-memory.json"), {20, 20, 20, 80}},
      model_registry().models, {.engine = EngineKind::analytic, .worker_figures = true}));
  EXPECT_TRUE(says(text, "their shares of the elements of C: P")) << text;
}

TEST(Recommendation, NeedsTwoToCompare) { EXPECT_EQ(recommendation_text(compared("Het")), ""); }

}  // namespace
}  // namespace starport
