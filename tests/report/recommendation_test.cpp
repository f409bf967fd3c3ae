// What a comparison comes to: the words hold what the figures say.
#include "sim/report/recommendation.hpp"

#include "sim/cli/known.hpp"
#include "sim/platform/noise_text.hpp"
#include "sim/star/star_figures.hpp"
#include "sim/study/common_figures.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace starport {
namespace {

Comparison compared(const char* heuristics, const Noise& noise = {}, std::int64_t repetitions = 1) {
  const PlatformFile file =
      load_platform(STARPORT_SOURCE_DIR "/platforms/ppopp08-memory-small.json");
  const RunOptions options{.engine = EngineKind::analytic, .noise = noise, .worker_figures = true};
  return compare(known().read_algorithms(heuristics, "heuristics"), {file, {12, 24, 12, 16}},
                 known().models, options, repetitions);
}

bool says(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

TEST(Recommendation, IsTheFirstOfTheTableAndWhatItWins) {
  const Comparison comparison = compared("BMM,OMMOML,ODDOML");
  const std::string text = recommendation(comparison);
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
  EXPECT_TRUE(says(text, "1% more ")) << text;
}

TEST(Recommendation, NamesWhatIsAsFastAndWhatIsWithinNoise) {
  EXPECT_TRUE(says(recommendation(compared("ODDOML,ODDOML[serve=earliest],BMM")),
                   "As fast: ODDOML[serve=earliest].\n"));
  for (const char* noise : {"cv=90%", "cv=1%"}) {
    const Comparison comparison = compared("ODDOML,ORROML,BMM", parse_noise(noise, "noise"), 4);
    const std::string text = recommendation(comparison);
    for (const Record& record : comparison.records) {
      const bool best = says(text, "Run " + record.algorithm + ":");
      const bool within_noise = record.figures.real(kWithinNoise) == 1;
      const std::size_t behind = text.find("Within noise of it: ");
      EXPECT_EQ(text.find(record.algorithm, behind) != std::string::npos, within_noise && !best)
          << record.algorithm << " in " << text;
    }
  }
}

// No worker has room for a chunk with overlap: there is no steady state, nothing has a price.
TEST(Recommendation, OfTinyMemoriesHasNoPrices) {
  PlatformFile file = load_platform(STARPORT_SOURCE_DIR "/platforms/ppopp08-memory-small.json");
  for (PlatformFile::Entry& entry : file.entries) {
    std::get<PlatformFile::Raw>(entry.worker).m_blocks = 4;
  }
  const std::string text = recommendation(
      compare(known().read_algorithms("BMM,Polaris", "heuristics"), {file, {4, 4, 4, 16}},
              known().models, {.engine = EngineKind::analytic, .worker_figures = true}));
  EXPECT_TRUE(says(text, "Run Polaris: ")) << text;
  EXPECT_FALSE(says(text, "1% more")) << text;
  EXPECT_FALSE(says(text, "nan")) << text;
}

TEST(Recommendation, NeedsTwoToCompare) { EXPECT_EQ(recommendation(compared("Het")), ""); }

}  // namespace
}  // namespace starport
