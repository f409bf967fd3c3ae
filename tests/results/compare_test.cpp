// Comparisons: failures become records, and requirements are checked before the runs.
#include "sim/files/error.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/results/comparison.hpp"
#include "sim/results/figure.hpp"
#include "sim/results/timeline.hpp"
#include "sim/sweep/row_file.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <functional>
#include <new>
#include <stdexcept>

namespace starport {
namespace {

TEST(Compare, FailuresAreRowsAndTheOthersAreReported) {
  std::vector<NamedAlgorithm> heuristics;
  const auto plans = [&](const char* name, std::function<Plan()> plan) {
    heuristics.push_back({.name = name,
                          .algorithm = std::make_shared<Heuristic>(
                              memory_for(kOptimizedOverlapped),
                              [plan](const Platform&, const Problem&) { return plan(); })});
  };
  const auto decides = [&](const char* name, std::function<test::Choice(const MasterView&)> next) {
    plans(name, [next] { return test::function_plan(next); });
  };
  const auto crash = [] {
    std::signal(SIGABRT, SIG_DFL);
    std::raise(SIGABRT);
  };
  decides("crash", [&](const MasterView&) -> test::Choice {
    crash();
    return Done{};
  });
  decides("waits for nothing", [](const MasterView&) -> test::Choice { return Wait{}; });
  decides("idle", [](const MasterView&) -> test::Choice { return Done{}; });
  plans("crash in planning", [&] {
    crash();
    return Plan{};
  });
  plans("planning without memory", []() -> Plan { throw std::bad_alloc(); });
  for (NamedAlgorithm& named : model_registry().read_algorithms("HoLM,ODDOML", "--heuristics")) {
    heuristics.push_back(std::move(named));
  }
  const Platform platform = test::star({{1, 2, 12, 0}, {2, 3, 21, 0}});
  const Problem problem{4, 6, 3, 1};
  std::vector<std::string> traced;
  const auto run = [&](double time_limit_s) {
    return compare(
               heuristics, test::case_of(platform, problem), model_registry().models,
               {.engine = EngineKind::simgrid,
                .limits = {.time_limit_s = time_limit_s},
                .on_timeline = [&](const Timeline& timeline) { traced.push_back(timeline.name); }})
        .records;
  };
  const auto row = [](const Record& record) {
    return std::string(to_string(record.status)) + ": " + record.error;
  };
  const auto records = run(600);
  ASSERT_EQ(records.size(), 7U);
  EXPECT_EQ(row(records[0]), "error: crashed: Aborted");
  EXPECT_EQ(row(records[1]), "error: the dispatcher waits though no update is in progress");
  EXPECT_EQ(row(records[2]),
            "error: the trace breaks the model at transfer 1: only 0 of the 24 blocks of C are "
            "returned");
  EXPECT_EQ(row(records[3]), "error: crashed: Aborted");
  EXPECT_EQ(row(records[4]), "error: not enough memory");
  EXPECT_EQ(row(records[5]), "not applicable: the workers are not all alike");
  EXPECT_EQ(row(records[6]), "ok: ");
  EXPECT_EQ(records[6].figures.real(kMakespan), 198);
  EXPECT_EQ(traced, std::vector<std::string>{"ODDOML"});

  const auto endless = [] {
    for (volatile int forever = 1; forever != 0;) {
    }
  };
  heuristics.clear();
  decides("endless", [&](const MasterView&) -> test::Choice {
    endless();
    return Done{};
  });
  plans("endless planning", [&] {
    endless();
    return Plan{};
  });
  for (const Record& record : run(0.2)) EXPECT_EQ(row(record), "error: timed out after 0.2 s");
}

/// The star model whose bounds fail.
class WithoutBounds : public Model {
 public:
  std::string_view name() const override { return star_.name(); }
  const FigureList& figures() const override { return star_.figures(); }
  const Presentation& presentation() const override { return star_.presentation(); }
  std::optional<InputError> find_obstacle(
      const Case& instance, const RunOptions& options,
      std::span<const NamedAlgorithm> algorithms) const override {
    return star_.find_obstacle(instance, options, algorithms);
  }
  Figures bounds(const Case& /*instance*/, const Noise& /*noise*/) const override {
    throw std::bad_alloc();
  }
  Record run(const NamedAlgorithm& algorithm, const Case& instance,
             const RunOptions& options) const override {
    Record record = star_.run(algorithm, instance, options);
    record.model = this;
    return record;
  }
  std::string find_difference(const NamedAlgorithm& algorithm, const Case& instance,
                              const RunOptions& options, EngineKind reference) const override {
    return star_.find_difference(algorithm, instance, options, reference);
  }

 private:
  const StarModel& star_ = star_model();
};

// In a process of their own, and in that of the runs, as in sweeps.
TEST(Compare, BoundsThatFailLeaveTheirColumnsEmpty) {
  const WithoutBounds model;
  for (const bool isolated : {true, false}) {
    testing::internal::CaptureStderr();
    const Comparison comparison = compare(
        model_registry().read_algorithms("ODDOML", "--heuristics"),
        test::case_of(test::star({{1, 2, 12, 0}, {2, 3, 21, 0}}), {4, 6, 3, 1}), {&model},
        {.engine = EngineKind::analytic, .limits = {.time_limit_s = 60}, .isolated = isolated});
    EXPECT_NE(testing::internal::GetCapturedStderr().find(
                  "The bounds of the model star cannot be computed: not enough memory. Their "
                  "columns stay empty"),
              std::string::npos);
    EXPECT_EQ(comparison.records.at(0).figures.real(kMakespan), 198);
    EXPECT_TRUE(is_none(comparison.bounds_of(&model)[kAnyScheduleBound]));
    const std::string csv = to_csv(comparison);
    EXPECT_TRUE(csv.ends_with("no_bounds=not enough memory\r\n")) << csv;
    EXPECT_EQ(nlohmann::json::parse(to_json(comparison))
                  .at("results")
                  .at(0)
                  .at("details")
                  .at("no_bounds"),
              "not enough memory");
  }
}

// Four blocks suffice for the layouts of DDOML and BMM only. Members of a group then do not apply;
// a heuristic requested by name is an error.
TEST(Compare, OneOfAGroupThatNoWorkerHasTheMemoryForDoesNotApply) {
  const Case instance =
      test::case_of(test::star({{1, 2, 4, 0}, {1, 2, 3, 0}}), {2, 3, 2, 1}, "x.json");
  const auto read = [](const std::string& list) {
    return model_registry().read_algorithms(list, "--heuristics");
  };
  const auto heuristics = read("BMM,all");
  const RunOptions options{.engine = EngineKind::analytic};
  check(heuristics, instance, model_registry().models, options);
  for (const Record& record :
       compare(heuristics, instance, model_registry().models, options).records) {
    if (record.algorithm == "BMM") {
      EXPECT_EQ(record.status, Status::ok) << record.error;
      continue;
    }
    EXPECT_EQ(record.status, Status::not_applicable) << record.algorithm;
    EXPECT_EQ(record.error,
              "it needs a worker with memory for at least 5 blocks of 8 bytes (optimized, "
              "overlapped layout), there is at most 4");
  }
  const auto refused = [&](const std::string& list, const Platform& platform) {
    try {
      check(read(list), test::case_of(platform, instance.problem, "x.json"),
            model_registry().models, options);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused("all,Het", make_star(instance)),
            "x.json: /workers: expected a worker with memory for at least 5 blocks of 8 bytes "
            "(optimized, overlapped layout), found at most 4 (Het needs it)");
  EXPECT_EQ(refused("all", test::star({{1, 2, 2, 0}})),
            "x.json: /workers: expected a worker with memory for at least 3 blocks of 8 bytes "
            "(Toledo layout), found at most 2 (BMM needs it)");
  EXPECT_EQ(refused("all", test::star({{1, 2, 5, 0}})), "accepted");
}

TEST(Compare, EveryAlgorithmNeedsItsModel) {
  const auto algorithms = model_registry().read_algorithms("ODDOML,FPM", "--heuristics");
  const Models star{&star_model()};
  EXPECT_EQ(models_of({algorithms.front()}, star), star);
  EXPECT_EQ(models_of(algorithms, model_registry().models).size(), 2U);
  EXPECT_THROW(models_of(algorithms, star), std::logic_error);
}

TEST(Compare, FewestTransfersAreThoseOfEqualChunks) {
  // One memory size: r = 6 and s = 10 in chunks of side 2 make 3 x 5 chunks of 1 + 4 + 1 transfers.
  const Platform platform = test::star({{1, 2, 12, 0}, {2, 3, 12, 0}});
  const Problem problem{6, 10, 4, 1};
  EXPECT_EQ(fewest_transfers(memory_for(kOptimizedOverlapped), platform, problem), 3 * 5 * 6);
  EXPECT_EQ(test::simulate("ODDOML", platform, problem).size(), 90U);
  // A plug-in may demand less than its layout needs: 240 updates, 2 / sqrt(4) blocks each, 4 at
  // once.
  Requirements small = memory_for(kOptimizedOverlapped);
  small.blocks = 1;
  EXPECT_EQ(fewest_transfers(small, test::star({{1, 2, 4, 0}}), problem), 60);
}

}  // namespace
}  // namespace starport
