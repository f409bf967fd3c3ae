// The scheduling policies, in programs that use StarPU. Sessions of this process have two CPU
// workers; the example runs on a CPU and an OpenCL device.
#include "sim/starpu/policy/policy.hpp"

#include "heuristics/tiles/registry.hpp"
#include "sim/starpu/policy/update_tasks.hpp"
#include "sim/starpu/starport_starpu.h"
#include "tests/paths.hpp"
#include "tests/starpu/starpu_support.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <starpu.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace starport {
namespace {

using test::contains;
using test::kStarpuEnvironment;
using test::shell;

/// Stores the product of the first elements of the two tiles that a task reads in the third.
void assign(void* buffers[], void* /*argument*/) {
  const auto* a = reinterpret_cast<const double*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
  const auto* b = reinterpret_cast<const double*>(STARPU_VARIABLE_GET_PTR(buffers[1]));
  *reinterpret_cast<double*>(STARPU_VARIABLE_GET_PTR(buffers[2])) = *a * *b;
}
/// Adds the product of the first elements of the two tiles that a task reads to that of the third.
void update(void* buffers[], void* /*argument*/) {
  const auto* a = reinterpret_cast<const double*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
  const auto* b = reinterpret_cast<const double*>(STARPU_VARIABLE_GET_PTR(buffers[1]));
  *reinterpret_cast<double*>(STARPU_VARIABLE_GET_PTR(buffers[2])) += *a * *b;
}
void increment(void* buffers[], void* /*argument*/) {
  *reinterpret_cast<double*>(STARPU_VARIABLE_GET_PTR(buffers[0])) += 1;
}

struct starpu_codelet make_codelet(starpu_cpu_func_t function, std::vector<int> modes) {
  struct starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = static_cast<int>(modes.size());
  for (std::size_t i = 0; i < modes.size(); ++i) {
    codelet.modes[i] = static_cast<starpu_data_access_mode>(modes[i]);
  }
  return codelet;
}

void increment_slowly(void* buffers[], void* argument) {
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  increment(buffers, argument);
}
void increment_both(void* buffers[], void* argument) {
  increment(buffers, argument);
  increment(buffers + 1, argument);
}

/// StarPU with CPU workers and a policy; ends with the object.
class Session {
 public:
  explicit Session(const char* strategy) : Session(starport_starpu_policy(strategy), 2) {}
  Session(struct starpu_sched_policy* policy, int workers) {
    starpu_conf_init(&conf_);
    conf_.ncpus = workers;
    conf_.nopencl = 0;
    conf_.sched_policy = policy;
    EXPECT_NE(conf_.sched_policy, nullptr);
    EXPECT_EQ(starpu_init(&conf_), 0);
  }
  ~Session() { starpu_shutdown(); }

 private:
  struct starpu_conf conf_ {};
};

/// Matrices of rows x depth, depth x columns and rows x columns tiles of one element each. A can be
/// matrix C of `factor`, with the value that it has after the tasks that have been submitted;
/// check() must then be called before that of `factor`.
class Matrices {
 public:
  Matrices(int rows, int columns, int depth, const Matrices* factor = nullptr)
      : rows_(rows),
        columns_(columns),
        depth_(depth),
        a_(rows * depth),
        b_(depth * columns),
        c_(rows * columns),
        owned_{&b_, &c_} {
    if (factor != nullptr) {
      a_ = factor->c_;
      a_.values = factor->expected_;
    } else {
      owned_.push_back(&a_);
    }
    for (Matrix* matrix : owned_) {
      for (std::size_t i = 0; i < matrix->values.size(); ++i) {
        matrix->values[i] = double((i * 7) % 5) - 2;
        starpu_variable_data_register(&matrix->handles[i], STARPU_MAIN_RAM,
                                      reinterpret_cast<uintptr_t>(&matrix->values[i]),
                                      sizeof(double));
      }
    }
    expected_ = c_.values;
  }

  void submit(struct starpu_codelet& codelet) {
    for (int i = 0; i < rows_; ++i) {
      for (int j = 0; j < columns_; ++j) {
        for (int k = 0; k < depth_; ++k) submit_one(codelet, i, j, k);
      }
    }
  }
  void submit_one(struct starpu_codelet& codelet, int i = 0, int j = 0, int k = 0) {
    const std::size_t a = index(i * depth_ + k);
    const std::size_t b = index(k * columns_ + j);
    const std::size_t c = index(i * columns_ + j);
    starpu_task_insert(&codelet, codelet.modes[0], a_.handles[a], codelet.modes[1], b_.handles[b],
                       codelet.modes[2], c_.handles[c], 0);
    expected_[c] += a_.values[a] * b_.values[b];
  }
  void submit_step(struct starpu_codelet& codelet, int k) {
    for (int i = 0; i < rows_; ++i) {
      for (int j = 0; j < columns_; ++j) submit_one(codelet, i, j, k);
    }
  }
  /// Takes the content from C, which no task uses yet: the first task must write it.
  void discard_c() {
    for (starpu_data_handle_t handle : c_.handles) starpu_data_invalidate(handle);
    expected_.assign(expected_.size(), 0);
  }
  /// Submits a task of StarPU itself, which copies a tile of C.
  void copy_tile_of_c(int from, int to) {
    starpu_data_cpy(tile_of_c(to), tile_of_c(from), 1, nullptr, nullptr);
    expected_[index(to)] = expected_[index(from)];
  }
  const starpu_data_handle_t& tile_of_c(int cell = 0) const { return c_.handles[index(cell)]; }
  /// Adds what `increment` adds to a tile of C.
  void expect_increment(int cell = 0) { expected_[index(cell)] += 1; }
  /// Waits for the tasks on the tiles and compares C.
  void check() {
    for (Matrix* matrix : owned_) {
      for (starpu_data_handle_t handle : matrix->handles) starpu_data_unregister(handle);
    }
    EXPECT_EQ(c_.values, expected_);
  }

 private:
  struct Matrix {
    explicit Matrix(int tiles) : values(index(tiles)), handles(index(tiles)) {}
    std::vector<double> values;
    std::vector<starpu_data_handle_t> handles;
  };
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  int rows_, columns_, depth_;
  Matrix a_, b_, c_;
  std::vector<Matrix*> owned_;
  std::vector<double> expected_;
};

/// Runs `program` under a policy and returns what it prints on the standard error stream.
std::string messages_of(const char* strategy, const std::function<void()>& program) {
  testing::internal::CaptureStderr();
  {
    const Session session(strategy);
    program();
  }
  return testing::internal::GetCapturedStderr();
}

class StarpuPolicy : public testing::Test {
 protected:
  static void SetUpTestSuite() { test::set_starpu_environment(); }
};

TEST_F(StarpuPolicy, EveryStrategyExecutesProductsInARow) {
  for (const auto& entry : tiles::tile_registry()) {
    const std::string messages = messages_of(entry.name.c_str(), [] {
      struct starpu_codelet codelet = make_codelet(update, {STARPU_R, STARPU_R, STARPU_RW});
      Matrices matrices(3, 2, 4);
      matrices.submit(codelet);
      matrices.submit(codelet);
      starpu_task_wait_for_all();
      matrices.submit(codelet);
      starpu_task_wait_for_all();
      matrices.check();
    });
    // ZoneGrowth divides C among devices, of which there are none here.
    if (entry.name != "ZoneGrowth") {
      EXPECT_FALSE(contains(messages, "does not schedule")) << entry.name << messages;
    }
  }
}

TEST_F(StarpuPolicy, MixesProductsWithOtherTasks) {
  const std::string messages = messages_of("EffectiveSteal", [] {
    struct starpu_codelet codelet = make_codelet(update, {STARPU_R, STARPU_R, STARPU_RW});
    struct starpu_codelet other = make_codelet(increment, {STARPU_RW});
    Matrices first(2, 2, 2);
    Matrices second(4, 4, 4);
    starpu_task_insert(&other, STARPU_RW, first.tile_of_c(), 0);
    first.expect_increment();
    first.submit(codelet);
    starpu_task_insert(&other, STARPU_RW, first.tile_of_c(), 0);
    first.expect_increment();
    starpu_task_wait_for_all();
    second.submit(codelet);
    starpu_task_wait_for_all();
    first.check();
    second.check();
  });
  EXPECT_FALSE(contains(messages, "does not schedule")) << messages;
}

/// Two tasks of the program that stand between the updates of two tiles each: after the first
/// update of a tile, each worker has to take one of another tile.
TEST_F(StarpuPolicy, MixesUpdatesOfTilesWithOtherTasks) {
  const std::string messages = messages_of("FirstDyn[prefetch=0]", [] {
    struct starpu_codelet codelet = make_codelet(update, {STARPU_R, STARPU_R, STARPU_RW});
    struct starpu_codelet other = make_codelet(increment_both, {STARPU_RW, STARPU_RW});
    Matrices matrices(4, 1, 2);
    for (int i = 0; i < 4; ++i) matrices.submit_one(codelet, i, 0, 0);
    for (const int i : {0, 1}) {
      starpu_task_insert(&other, STARPU_RW, matrices.tile_of_c(i), STARPU_RW,
                         matrices.tile_of_c(i + 2), 0);
      matrices.expect_increment(i);
      matrices.expect_increment(i + 2);
    }
    for (int i = 0; i < 4; ++i) matrices.submit_one(codelet, i, 0, 1);
    starpu_task_wait_for_all();
    matrices.check();
  });
  EXPECT_FALSE(contains(messages, "does not schedule")) << messages;
}

/// FirstDyn that counts the decisions made between the end of an update and the moment at which the
/// next update of the tile is ready, of which there are none in simulations.
class HastyDecisions : public tiles::Strategy {
 public:
  HastyDecisions(const tiles::StrategyContext& context, int& count)
      : updates_(context.graph.numbering().t), count_(count) {}

  std::optional<int> push(const tiles::Task& task, double /*now_s*/) override {
    tasks_.push_back(task);
    next_is_due_ = false;
    return std::nullopt;
  }
  std::optional<tiles::Task> pop(int /*worker*/) override {
    count_ += int{next_is_due_};
    if (tasks_.empty()) return std::nullopt;
    const tiles::Task task = tasks_.front();
    tasks_.pop_front();
    return task;
  }
  void on_task_end(int /*worker*/, const tiles::Task& task, double /*now_s*/) override {
    next_is_due_ = task.k + 1 < updates_;
  }

 private:
  std::int32_t updates_;
  int& count_;
  std::deque<tiles::Task> tasks_;
  bool next_is_due_ = false;
};

TEST_F(StarpuPolicy, DecidesOnceTheNextUpdateOfTheTileIsReady) {
  int decisions = 0;
  const auto algorithm = std::make_shared<tiles::TileAlgorithm>(
      [&](const tiles::StrategyContext& context) {
        return std::make_unique<HastyDecisions>(context, decisions);
      },
      tiles::RuntimeOptions{});
  {
    const Session session(starpu::make_policy({.name = "HastyDecisions", .algorithm = algorithm}),
                          1);
    struct starpu_codelet codelet = make_codelet(update, {STARPU_R, STARPU_R, STARPU_RW});
    Matrices matrices(3, 2, 4);
    matrices.submit(codelet);
    starpu_task_wait_for_all();
    matrices.check();
  }
  EXPECT_EQ(decisions, 0);
}

/// Without a call that tells the policy that the program waits.
TEST_F(StarpuPolicy, StartsWhenTheProgramHasBecomeQuiet) {
  const std::string messages = messages_of("FirstDyn", [] {
    struct starpu_codelet codelet = make_codelet(update, {STARPU_R, STARPU_R, STARPU_RW});
    Matrices matrices(3, 3, 3);
    matrices.submit(codelet);
    matrices.check();
  });
  EXPECT_FALSE(contains(messages, "does not schedule")) << messages;
}

/// Without a wait between them.
TEST_F(StarpuPolicy, SchedulesProductsThatDependOnEachOther) {
  for (const char* strategy : {"EffectiveSteal", "DMDA"}) {
    const std::string messages = messages_of(strategy, [] {
      struct starpu_codelet codelet = make_codelet(update, {STARPU_R, STARPU_R, STARPU_RW});
      starpu_pause();  // until all is submitted, however long that takes
      Matrices first(3, 2, 4);
      first.copy_tile_of_c(1, 0);
      first.submit(codelet);
      Matrices second(3, 4, 2, &first);
      second.submit(codelet);
      Matrices third(3, 3, 4, &second);
      third.submit(codelet);
      starpu_resume();
      starpu_task_wait_for_all();
      third.check();
      second.check();
      first.check();
    });
    EXPECT_FALSE(contains(messages, "does not schedule")) << messages;
  }
}

/// The other first updates are ready long before that of the last tile.
TEST_F(StarpuPolicy, WaitsForAllFirstUpdatesOfAProduct) {
  const std::string messages = messages_of("EffectiveSteal", [] {
    struct starpu_codelet codelet = make_codelet(update, {STARPU_R, STARPU_R, STARPU_RW});
    struct starpu_codelet other = make_codelet(increment_slowly, {STARPU_RW});
    starpu_pause();
    Matrices first(2, 2, 2);
    starpu_task_insert(&other, STARPU_RW, first.tile_of_c(3), 0);
    first.expect_increment(3);
    first.submit(codelet);
    Matrices second(2, 2, 2, &first);
    second.submit(codelet);
    starpu_resume();
    starpu_task_wait_for_all();
    second.check();
    first.check();
  });
  EXPECT_FALSE(contains(messages, "does not schedule")) << messages;
}

/// The second updates of the first product wait for those of the second product, which read C.
TEST_F(StarpuPolicy, ExecutesProductsThatDependOnEachOtherInTurn) {
  const std::string messages = messages_of("EffectiveSteal", [] {
    struct starpu_codelet codelet = make_codelet(update, {STARPU_R, STARPU_R, STARPU_RW});
    starpu_pause();
    Matrices first(2, 2, 2);
    first.submit_step(codelet, 0);
    Matrices second(2, 2, 2, &first);
    second.submit(codelet);
    first.submit_step(codelet, 1);
    starpu_resume();
    starpu_task_wait_for_all();
    second.check();
    first.check();
  });
  EXPECT_TRUE(contains(messages, "a product depends on one that has not started")) << messages;
}

TEST_F(StarpuPolicy, EveryStrategyExecutesProductsThatOverwriteC) {
  for (const auto& entry : tiles::tile_registry()) {
    const std::string messages = messages_of(entry.name.c_str(), [] {
      struct starpu_codelet first = make_codelet(assign, {STARPU_R, STARPU_R, STARPU_W});
      struct starpu_codelet codelet = make_codelet(update, {STARPU_R, STARPU_R, STARPU_RW});
      Matrices matrices(3, 2, 2);
      matrices.discard_c();
      matrices.submit_step(first, 0);
      matrices.submit_step(codelet, 1);
      starpu_task_wait_for_all();
      matrices.check();
    });
    // ZoneGrowth divides C among devices, of which there are none here.
    if (entry.name != "ZoneGrowth") {
      EXPECT_FALSE(contains(messages, "does not schedule")) << entry.name << messages;
    }
  }
}

TEST_F(StarpuPolicy, ExecutesAllOtherTasksAndSaysSoOnce) {
  struct Case {
    int rows, columns, depth;
    int more;  ///< 1: another update of the first tile of C, 2: another product at the same time
    int mode_of_c;
    const char* message;
  };
  for (const Case& one : {
           Case{2, 3, 2, 1, STARPU_RW, "another one has"},
           Case{2, 2, 2, 2, STARPU_RW, "not the first updates of the tiles of a product"},
           Case{3, 3, 3, 0, STARPU_RW | STARPU_COMMUTE, "none has the form"},
       }) {
    const std::string messages = messages_of("EffectiveSteal", [&] {
      struct starpu_codelet codelet = make_codelet(update, {STARPU_R, STARPU_R, one.mode_of_c});
      Matrices matrices(one.rows, one.columns, one.depth);
      Matrices more(2, 2, 2);
      matrices.submit(codelet);
      if (one.more == 1) matrices.submit_one(codelet);
      if (one.more > 1) more.submit(codelet);
      starpu_task_wait_for_all();
      matrices.check();
      more.check();
    });
    EXPECT_TRUE(contains(messages, one.message)) << messages;
    EXPECT_EQ(test::matches(messages, "does not schedule|has scheduled none").size(), 1U)
        << messages;
  }
}

/// Reductions are tasks that the program would have to submit.
TEST_F(StarpuPolicy, ExecutesWhatTheStrategyCannotDivide) {
  const std::string messages = messages_of("Static[partition=NRRP3D,redux=yes]", [] {
    struct starpu_codelet codelet = make_codelet(update, {STARPU_R, STARPU_R, STARPU_RW});
    Matrices matrices(3, 3, 3);
    matrices.submit(codelet);
    starpu_task_wait_for_all();
    matrices.check();
  });
  EXPECT_TRUE(contains(messages, "redux=yes needs tasks")) << messages;
}

TEST_F(StarpuPolicy, AnUnknownStrategyLeavesStarpuItsOwn) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(starport_starpu_policy("EffectiveStealing"), nullptr);
  EXPECT_EQ(starport_starpu_policy("Static,DMDA"), nullptr);
  EXPECT_EQ(starport_starpu_policy(nullptr), nullptr);
  const std::string messages = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(contains(messages, "'EffectiveStealing'.*EffectiveSteal")) << messages;
  EXPECT_TRUE(contains(messages, "the name of one strategy")) << messages;
}

TEST(StarpuUpdates, NumbersRowsAndColumnsInTheOrderOfTheTasks) {
  const auto handle = [](std::uintptr_t i) { return reinterpret_cast<starpu_data_handle_t>(i); };
  std::vector<starpu::UpdateTiles> updates{{.c = handle(1), .a = handle(11), .b = handle(21)},
                                           {.c = handle(2), .a = handle(12), .b = handle(21)},
                                           {.c = handle(3), .a = handle(12), .b = handle(22)},
                                           {.c = handle(4), .a = handle(11), .b = handle(22)}};
  const auto places = starpu::place_tiles_of_c(updates);
  ASSERT_TRUE(places);
  EXPECT_EQ(places->rows, 2);
  EXPECT_EQ(places->columns, 2);
  EXPECT_EQ(places->numbers, (std::vector<std::int32_t>{0, 2, 3, 1}));
  auto changed = updates;
  changed[3].c = handle(3);
  EXPECT_FALSE(starpu::place_tiles_of_c(changed));
  changed = updates;
  changed[3].b = handle(21);  // C_00 twice
  EXPECT_FALSE(starpu::place_tiles_of_c(changed));
  updates.pop_back();
  EXPECT_FALSE(starpu::place_tiles_of_c(updates));
}

/// A program in the manner of StarPU's documentation, with one line changed.
TEST(StarpuExample, MultipliesOnACpuAndADevice) {
  for (const char* strategy : {"", "EffectiveSteal", "DMDA", "ZoneGrowth"}) {
    const auto outcome =
        shell(kStarpuEnvironment + ("'" STARPORT_STARPU_EXAMPLE "' 5 16 ") + strategy);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "5 x 5 x 5 tiles of 16: 0 wrong elements\n");
    EXPECT_FALSE(contains(outcome.err, "does not schedule")) << outcome.err;
  }
}

}  // namespace
}  // namespace starport
