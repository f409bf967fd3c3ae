// The run-time system as a state machine without a clock. It is told what ends and says what
// starts; an engine gives the dates (ICPP'18, section 4; StarPU 1.3 where the paper is silent).
#pragma once

#include "sim/tiles/copies.hpp"
#include "sim/tiles/directions.hpp"
#include "sim/tiles/memory.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/strategy.hpp"
#include "sim/tiles/work.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace starport::tiles {

struct Rules {
  int planned_tasks = 2;  ///< behind the current one; their transfers start when they are planned
  bool relay = false;     ///< from GPU to GPU through the hub
  bool limited_memory = false;  ///< to what the platform says

  bool operator==(const Rules&) const = default;
};

/// What an engine times: the task that a worker runs, the transfer that a direction carries, or the
/// time until a worker stops, which nobody starts.
struct Activity {
  enum class Kind : std::uint8_t { task, transfer, stop };
  Kind kind = Kind::task;
  std::int32_t place = 0;  ///< the worker, or the direction
};

/// A task that a worker has been given.
struct Choice {
  Task task{};
  bool stolen = false;
};

/// A copy that left a GPU to make room, or because it is home.
struct Departure {
  Tile tile = 0;
  std::int32_t node = 0;

  bool operator==(const Departure&) const = default;
};

class Runtime {
 public:
  /// Platform and work outlive it.
  Runtime(const Platform& platform, const Work& work, const StrategyMaker& strategy,
          const Rules& rules, std::uint64_t seed);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Pushes the first tasks; the workers that have stopped before get none.
  void begin(double now_s, const std::vector<int>& stopped = {});
  void end(const Activity& activity, double now_s);

  /// What has happened since the engine last cleared it, in order.
  std::vector<Activity> started{};
  std::vector<Departure> departures{};

  const Choice& task(int worker) const { return station(worker).tasks.front(); }
  const Transfer& transfer(int direction) const { return directions_.carried(direction); }
  bool complete() const { return progress_.left() == 0 && directions_.under_way() == 0; }
  /// Why nothing goes on though it is not complete.
  std::string obstacle() const;

 private:
  struct Station {
    std::deque<Choice> tasks{};  ///< the current one, then the planned ones
    bool running = false;
    bool stopped = false;
  };

  void push(const Task& task, double now_s);
  void serve();
  using Hook = std::optional<Task> (Strategy::*)(int);
  bool serve_one(Hook hook);
  void plan(int worker, const Choice& choice);
  void gather(int worker, const Task& task);
  void start_current(int worker);
  void end_task(int worker, double now_s);
  void end_transfer(int direction);
  void stop(int worker, double now_s);

  void become_absent(int node, Tile tile);
  void become_in_flight(int node, Tile tile);
  void request(int node, Tile tile);
  void fetch(int node, Tile tile);
  void bring_home(int node, Tile tile);
  void add_transfer(const Transfer& transfer);
  void start_transfers();

  void pin(int node, const Needs& needs);
  void unpin(int node, const Needs& needs);
  bool find_room(int node);
  void serve_requests(int node);
  void leave_room(Tile tile);
  Memory* memory(int node) { return memories_[static_cast<std::size_t>(node)].get(); }

  /// Tasks of a worker, the current one and the planned ones.
  std::size_t window() const { return static_cast<std::size_t>(1 + rules_.planned_tasks); }
  Station& station(int worker) { return stations_[static_cast<std::size_t>(worker)]; }
  const Station& station(int worker) const { return stations_[static_cast<std::size_t>(worker)]; }

  const Platform& platform_;
  const Work& work_;
  Rules rules_;
  Copies copies_;
  Progress progress_;
  Directions directions_;
  std::vector<Station> stations_;
  std::vector<std::vector<int>> workers_of_node_;
  std::vector<std::unique_ptr<Memory>> memories_;  ///< none where there is no limit
  std::vector<Transfer> onward_;                   ///< second hops that wait for the first
  std::unique_ptr<Strategy> strategy_;
};

}  // namespace starport::tiles
