#include "sim/starpu/policy/policy.hpp"

#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/starpu/policy/product.hpp"
#include "sim/starpu/policy/update_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace starport::starpu {
namespace {

/// A program that has submitted and finished nothing for so long is taken to wait for its tasks. It
/// may do so in ways of which StarPU does not notify the policy, such as starpu_data_acquire().
constexpr double kQuietTime_us = 50e3;

/// A policy and its settings. StarPU copies `policy`, but not the text of its name, by which
/// init_policy() finds the settings.
struct LoadablePolicy {
  PolicySettings settings;
  std::string description;
  struct starpu_sched_policy policy {};
};

std::mutex policies_mutex;
std::deque<LoadablePolicy>& policies() {
  static std::deque<LoadablePolicy> made;
  return made;
}

/// The state of a policy in one scheduling context of StarPU.
class Policy {
 public:
  Policy(const PolicySettings& settings, unsigned context)
      : settings_(settings), context_(context) {}
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  ~Policy() {
    if (has_scheduled_ || plain_tasks_ == 0) return;
    report(
        fmt::format("{} has scheduled none of the {} tasks: none has the form C_ij += A_ik . B_kj "
                    "(three different tiles, one of them written, without STARPU_COMMUTE)",
                    settings_.name, plain_tasks_));
  }

  void add_workers(const int* workers, unsigned count) {
    const std::lock_guard lock(mutex_);
    prepared_.reset();
    workers_.insert(workers_.end(), workers, workers + count);
    std::sort(workers_.begin(), workers_.end());
  }
  void remove_workers(const int* workers, unsigned count) {
    const std::lock_guard lock(mutex_);
    prepared_.reset();
    for (unsigned i = 0; i < count; ++i) std::erase(workers_, workers[i]);
    abandon_product("a worker has been removed from the scheduling context");
  }

  /// Counts the updates that have been submitted and have not ended, by tile of C.
  void on_submit(struct starpu_task* task) {
    const auto tiles = find_update_tiles(task);
    const std::lock_guard lock(mutex_);
    note_activity();
    program_waits_ = false;
    if (tiles) ++submitted_[tiles->c];
  }

  /// Makes the strategy of the next product. If that fails, start_product() fails again.
  void prepare(struct starpu_task* sample, std::size_t tile_bytes) {
    const std::lock_guard lock(mutex_);
    try {
      if (!settings_.size || !settings_.durations) return;  // StarPU's depend on the tiles
      prepared_ = make_product(*settings_.size, sample, tile_bytes);
    } catch (const std::exception&) {
      prepared_.reset();
    }
  }

  void push(struct starpu_task* task) {
    const auto tiles = find_update_tiles(task);
    {
      const std::lock_guard lock(mutex_);
      note_activity();
      guard([&] { push_locked(task, tiles); }, task);
      starpu_push_task_end(task);
    }
    wake_workers();
  }

  struct starpu_task* pop(int worker) {
    bool has_assigned = false;
    struct starpu_task* task = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (!waiting_.empty() && starpu_timing_now() - last_activity_us_ > kQuietTime_us) {
        const bool others_depend = has_only_waiting_tasks();
        if (others_depend || (!product_ && !program_waits_)) {
          has_assigned = program_waits_ = true;
          guard([&] {
            if (!product_) return start_product(others_depend);
            abandon_product("a product depends on one that has not started");
          });
        }
      }
      guard([&] {
        if (!product_ || !product_->assign_without_next(worker)) return;
        has_assigned = true;
        release_if_stuck();
      });
      if (product_) task = product_->pop(worker);
      if (task == nullptr) task = pop_plain(worker);
    }
    if (has_assigned) wake_workers();
    return task;
  }

  void on_start(struct starpu_task* task) {
    const std::lock_guard lock(mutex_);
    guard([&] {
      if (!product_) return;
      const auto stolen = product_->on_start(task);
      if (stolen && settings_.on_start) settings_.on_start(task, *stolen);
    });
  }

  void on_end(struct starpu_task* task) {
    std::optional<starpu_data_handle_t> going_home;
    {
      const std::lock_guard lock(mutex_);
      note_activity();
      guard([&] { going_home = on_end_locked(task); });
    }
    wake_workers();
    // Without the lock, since StarPU may push a task that waits for this tile.
    if (going_home) starpu_data_prefetch_on_node(*going_home, STARPU_MAIN_RAM, 1);
  }

  /// The program waits for its tasks.
  void do_schedule() {
    {
      const std::lock_guard lock(mutex_);
      program_waits_ = true;
      guard([&] { start_product(); });
    }
    wake_workers();
  }

 private:
  /// Runs `action`. If it throws, the current product goes on without the strategy; `task`, if
  /// given, then must not be lost.
  template <class Action>
  void guard(const Action& action, struct starpu_task* task = nullptr) {
    try {
      action();
    } catch (const std::exception& error) {
      const std::size_t known = plain_.size();
      abandon_product(error.what());
      const auto added = plain_.begin() + static_cast<std::ptrdiff_t>(known);
      if (task != nullptr && std::find(added, plain_.end(), task) == plain_.end() &&
          std::none_of(waiting_.begin(), waiting_.end(),
                       [&](const Product::Update& update) { return update.task == task; })) {
        plain_.push_back(task);
      }
    }
  }

  void push_locked(struct starpu_task* task, const std::optional<UpdateTiles>& tiles) {
    if (!tiles) ++plain_tasks_;
    if (!tiles || refused_.contains(tiles->c)) {
      plain_.push_back(task);
      return;
    }
    const Product::Update update{.task = task, .tiles = *tiles};
    if (product_ && product_->contains(update)) {
      product_->push(update);
      release_if_stuck();
      return;
    }
    waiting_.push_back(update);
    start_product();
  }

  std::optional<starpu_data_handle_t> on_end_locked(struct starpu_task* task) {
    const auto tiles = find_update_tiles(task);
    if (!tiles) return std::nullopt;
    const auto submitted = submitted_.find(tiles->c);
    if (submitted != submitted_.end() && --submitted->second == 0) {
      submitted_.erase(submitted);
      refused_.erase(tiles->c);
    }
    if (!product_) {
      start_product();
      return std::nullopt;
    }
    const auto going_home = product_->on_end(task);
    release_if_stuck();
    if (product_ && product_->is_complete()) {
      product_.reset();
      start_product();
    }
    return going_home;
  }

  /// Returns true if all tasks of the scheduling context that are ready or run are the first
  /// updates in `waiting_`. StarPU counts a task until the tasks that depend on it have been
  /// pushed.
  bool has_only_waiting_tasks() const {
    return std::cmp_equal(starpu_sched_ctx_get_nready_tasks(context_), waiting_.size());
  }

  /// Starts the next product once the first update of each of its tiles of C is ready. Its tiles of
  /// C are those of the updates that wait if all other submitted updates depend on these
  /// (`others_depend`), otherwise those of all submitted updates.
  void start_product(bool others_depend = false) {
    if (product_ || waiting_.empty()) return;
    const auto& expected = settings_.size;
    const bool is_expected =
        expected && waiting_.size() == static_cast<std::size_t>(expected->cells());
    const bool is_all = program_waits_ && (others_depend || waiting_.size() >= submitted_.size());
    if (!is_expected && !is_all) return;
    std::vector<UpdateTiles> updates;
    for (const Product::Update& update : waiting_) updates.push_back(update.tiles);
    const auto places = place_tiles_of_c(updates);
    if (!places) {
      abandon_product(fmt::format(
          "{} tasks with three tiles are not the first updates of the tiles of a product",
          waiting_.size()));
      return;
    }
    const std::int64_t depth = is_expected ? expected->t : submitted_.at(updates.front().c);
    for (const UpdateTiles& tiles : updates) {
      const std::int64_t count = is_expected ? depth : submitted_.at(tiles.c);
      if (count == depth) continue;
      abandon_product(fmt::format("a tile of C has {} updates, another one has {}", depth, count));
      return;
    }
    const tiles::ProductSize size(places->rows, places->columns, static_cast<std::int32_t>(depth));
    if (std::max({std::int64_t{size.cells()}, std::int64_t{size.r} * size.t,
                  std::int64_t{size.t} * size.s}) > tiles::kMaxTilesPerMatrix) {
      abandon_product(
          fmt::format("a product of {} x {} x {} tiles is too large", size.r, size.s, size.t));
      return;
    }
    product_ = is_expected && prepared_
                   ? std::move(prepared_)
                   : make_product(size, waiting_.front().task,
                                  starpu_data_get_size(waiting_.front().tiles.c));
    const auto first = std::exchange(waiting_, {});
    has_scheduled_ = true;
    product_->start(first, places->numbers);
    release_if_stuck();
  }

  /// Makes the strategy of a product whose updates are like `sample`. Throws NotApplicable or
  /// InputError if it cannot schedule that product.
  std::unique_ptr<Product> make_product(const tiles::ProductSize& size, struct starpu_task* sample,
                                        std::size_t tile_bytes) {
    Machine machine = find_machine(workers_, sample);
    if (machine.workers.empty())
      throw NotApplicable("no worker of the scheduling context can execute the tasks");
    const auto bytes = static_cast<double>(tile_bytes);
    if (settings_.durations) {
      settings_.durations(machine, sample, bytes);
    } else {
      add_measured_durations(machine, sample, bytes, context_);
    }
    if (!machine.unknown.empty() && !std::exchange(has_reported_unknown_, true)) {
      report(machine.unknown);
    }
    return std::make_unique<Product>(std::move(machine), *settings_.algorithm, size,
                                     settings_.seed);
  }

  /// Static waits for ever for the workers of a memory node that has none.
  void release_if_stuck() {
    if (product_ && product_->is_stuck()) abandon_product("it assigns ready tasks to no worker");
  }

  /// Executes the tasks of the current product, or of the one that was to start, without the
  /// strategy: those that are ready, and those submitted on the same tiles of C.
  void abandon_product(const std::string& reason) {
    if (!product_ && waiting_.empty()) return;
    if (!std::exchange(has_reported_refusal_, true)) {
      report(fmt::format(
          "{} does not schedule these tasks: {}. They run in the order in which they become ready.",
          settings_.name, reason));
    }
    for (const auto& [tile, count] : submitted_) refused_.insert(tile);
    if (product_) {
      for (struct starpu_task* task : product_->release()) plain_.push_back(task);
      product_.reset();
    }
    for (const Product::Update& update : waiting_) plain_.push_back(update.task);
    waiting_.clear();
  }

  /// Returns the first task of no product that the worker can execute.
  struct starpu_task* pop_plain(int worker) {
    const auto task =
        std::find_if(plain_.begin(), plain_.end(), [&](struct starpu_task* candidate) {
          return starpu_worker_can_execute_task_first_impl(static_cast<unsigned>(worker), candidate,
                                                           nullptr) != 0;
        });
    if (task == plain_.end()) return nullptr;
    struct starpu_task* const found = *task;
    plain_.erase(task);
    return found;
  }

  void note_activity() { last_activity_us_ = starpu_timing_now(); }

  void report(const std::string& text) const {
    if (settings_.report) {
      settings_.report(text);
    } else {
      print_notice(text, "starport-starpu");
    }
  }

  /// Wakes the workers that sleep, where StarPU was built so that they do.
  void wake_workers() {
#ifndef STARPU_NON_BLOCKING_DRIVERS
    std::unique_lock lock(mutex_);
    const std::vector<int> workers = workers_;  // others may join or leave meanwhile
    lock.unlock();
    for (const int worker : workers) starpu_wake_worker_relax_light(worker);
#endif
  }

  const PolicySettings& settings_;
  unsigned context_;
  std::mutex mutex_;
  std::vector<int> workers_;
  std::unique_ptr<Product> product_;
  std::unique_ptr<Product> prepared_;      ///< the next one, if its strategy was made before
  std::vector<Product::Update> waiting_;   ///< ready updates of the next product
  std::deque<struct starpu_task*> plain_;  ///< ready tasks of no product
  std::unordered_map<starpu_data_handle_t, std::int64_t> submitted_;  ///< updates by tile of C
  std::unordered_set<starpu_data_handle_t> refused_;  ///< tiles of C without a strategy
  bool program_waits_ = false;
  bool has_reported_unknown_ = false;
  bool has_reported_refusal_ = false;
  bool has_scheduled_ = false;
  std::int64_t plain_tasks_ = 0;  ///< that have not the form of an update
  double last_activity_us_ = 0;
};

Policy& policy_of(unsigned context) {
  return *static_cast<Policy*>(starpu_sched_ctx_get_policy_data(context));
}

/// Returns the settings of the policy whose name is at this address.
const PolicySettings& settings_of(const char* name) {
  const std::lock_guard lock(policies_mutex);
  for (const LoadablePolicy& made : policies()) {
    if (made.policy.policy_name == name) return made.settings;
  }
  return policies().front().settings;
}

void init_policy(unsigned context) {
  const struct starpu_sched_policy* const copy = starpu_sched_ctx_get_sched_policy(context);
  starpu_sched_ctx_set_policy_data(context, new Policy(settings_of(copy->policy_name), context));
}

void deinit_policy(unsigned context) { delete &policy_of(context); }

int push_task(struct starpu_task* task) {
  policy_of(task->sched_ctx).push(task);
  return 0;
}

struct starpu_task* pop_task(unsigned context) {
  return policy_of(context).pop(starpu_worker_get_id());
}

}  // namespace

struct starpu_sched_policy* make_policy(PolicySettings settings) {
  const std::lock_guard lock(policies_mutex);
  LoadablePolicy& made = policies().emplace_back();
  made.settings = std::move(settings);
  made.description = "strategy " + made.settings.name + " of Starport for tiled matrix products";
  struct starpu_sched_policy& policy = made.policy;
  policy.init_sched = init_policy;
  policy.deinit_sched = deinit_policy;
  policy.push_task = push_task;
  policy.pop_task = pop_task;
  policy.submit_hook = [](struct starpu_task* task) { policy_of(task->sched_ctx).on_submit(task); };
  policy.pre_exec_hook = [](struct starpu_task* task, unsigned context) {
    policy_of(context).on_start(task);
  };
  policy.post_exec_hook = [](struct starpu_task* task, unsigned context) {
    policy_of(context).on_end(task);
  };
  policy.do_schedule = [](unsigned context) { policy_of(context).do_schedule(); };
  policy.add_workers = [](unsigned context, int* workers, unsigned count) {
    policy_of(context).add_workers(workers, count);
  };
  policy.remove_workers = [](unsigned context, int* workers, unsigned count) {
    policy_of(context).remove_workers(workers, count);
  };
  policy.policy_name = made.settings.name.c_str();
  policy.policy_description = made.description.c_str();
  policy.worker_type = STARPU_WORKER_LIST;
  return &policy;
}

void prepare_product(struct starpu_task* sample, std::size_t tile_bytes) {
  policy_of(0).prepare(sample, tile_bytes);
}

}  // namespace starport::starpu
