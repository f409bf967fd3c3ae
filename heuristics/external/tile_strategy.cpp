#include "heuristics/external/tile_strategy.hpp"

#include "heuristics/external/checked_strategy.hpp"
#include "heuristics/external/conversation.hpp"
#include "heuristics/tiles/registry.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace starport::tiles {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const ProductSize& size, const Task& task) {
  return {size.row(task.target), size.column(task.target), task.k};
}

const Entry<TileAlgorithm>& find_entry(const std::string& name) {
  return *std::ranges::find(tile_registry(), name, &AlgorithmEntry::name);
}

constexpr const char* kStrategy = "strategy";
/// The built-in strategy that executes an allocation as it is.
constexpr const char* kNoStealing = "Static";

/// Returns a built-in algorithm with all parameters of the run-time system, and no others.
const Entry<TileAlgorithm>& plain_entry() { return find_entry("FirstDyn"); }

/// Appends the parameters of the run-time system to those of an external strategy and, if it
/// `allocates`, the one that names the built-in strategy which executes an allocation.
void add_parameters(AlgorithmEntry& about, bool allocates) {
  if (allocates) {
    about.parameters.push_back({kStrategy,
                                {kNoStealing, "RandSteal", "ChoiceSteal", "EffectiveSteal"},
                                kNoStealing,
                                "built-in strategy that executes an allocation"});
  }
  const auto& of_runtime = plain_entry().parameters;
  about.parameters.insert(about.parameters.end(), of_runtime.begin(), of_runtime.end());
}

/// Removes the parameters of the run-time system from `texts` and returns the options that they
/// give.
RuntimeOptions extract_runtime_options(ParameterTexts& texts) {
  ParameterTexts own;
  for (const Parameter& parameter : plain_entry().parameters) {
    if (auto text = texts.extract(parameter.key)) own.insert(std::move(text));
  }
  return plain_entry().make(own)->runtime_options();
}

/// Asks a program for each decision.
class ProgramStrategy final : public Strategy {
  /// Asks for a decision on `subject` and returns read(answer).
  template <class Read>
  auto ask(const char* key, ordered_json subject, Read read) {
    ordered_json question{{"now_s", now_s_}, {"events", std::exchange(events_, {})}};
    if (question["events"].is_null()) question["events"] = ordered_json::array();
    question[key] = std::move(subject);
    return program_->ask(question,
                         [&](const nlohmann::json& answer) { return read(JsonNode(answer)); });
  }

 public:
  ProgramStrategy(const StrategyContext& context, std::shared_ptr<Conversation> program,
                  const StrategyAnswer& answer)
      : context_(context),
        size_(context.graph.numbering()),
        program_(std::move(program)),
        decides_(answer.decides),
        reports_copies_(answer.copies),
        workers_(context.platform.workers.size()) {
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      workers_[static_cast<std::size_t>(context.platform.workers[w].number)] = static_cast<int>(w);
    }
  }

  std::optional<int> push(const Task& task, double now_s) override {
    now_s_ = now_s;
    if (decides_ == DecisionPoint::idle) {
      ++stored_;
      events_.push_back({{"ready", to_json(size_, task)}});
      return std::nullopt;
    }
    return ask("ready", to_json(size_, task), [&](const JsonNode& root) {
      root.allow_only_keys({"worker"});
      const auto last = static_cast<std::int64_t>(workers_.size());
      return workers_[static_cast<std::size_t>(root.at("worker").integer(1, last) - 1)];
    });
  }
  std::optional<Task> pop(int worker) override {
    if (stored_ == 0) return std::nullopt;
    const auto task = ask("idle", number(worker), [&](const JsonNode& root) {
      root.allow_only_keys({"task"});
      return read_task(root.at("task"));
    });
    if (task) --stored_;
    return task;
  }
  void on_task_end(int worker, const Task& task, double now_s) override {
    now_s_ = now_s;
    events_.push_back({{"ended", to_json(size_, task)}, {"worker", number(worker)}});
  }
  void on_worker_stop(int worker) override { events_.push_back({{"stopped", number(worker)}}); }
  void on_copy_change(int node, Tile tile) override {
    if (!reports_copies_) return;
    const TileNumbering& numbering = context_.graph.numbering();
    ordered_json name;
    if (numbering.is_target(tile)) {
      const std::int32_t cell = tile - numbering.target(0);
      name = {"C", numbering.row(cell), numbering.column(cell)};
    } else {
      name = {numbering.is_of_a(tile) ? "A" : "B", numbering.operand_row(tile),
              numbering.operand_column(tile)};
    }
    events_.push_back({{"copy", std::move(name)},
                       {"node", node},
                       {"present", !context_.copies.is_absent(node, tile)}});
  }

 private:
  /// Returns the task of an answer; empty for null.
  std::optional<Task> read_task(const JsonNode& node) const {
    if (node.value().is_null()) return std::nullopt;
    const std::vector<JsonNode> indices = node.elements();
    if (indices.size() != 3) throw node.fault("[i, j, k], the indices of a task, or null");
    const auto index = [&](std::size_t place, std::int32_t end) {
      return static_cast<std::int32_t>(indices[place].integer(0, end - 1));
    };
    const std::int32_t row = index(0, size_.r);
    return Task{.target = row * size_.s + index(1, size_.s), .k = index(2, size_.t)};
  }

  int number(int worker) const { return context_.platform.worker(worker).number + 1; }

  StrategyContext context_;
  ProductSize size_;
  std::shared_ptr<Conversation> program_;
  DecisionPoint decides_;
  bool reports_copies_;
  std::vector<int> workers_;  ///< by number in the platform file, from 0
  double now_s_ = 0;
  std::int64_t stored_ = 0;  ///< ready tasks that no worker has
  ordered_json events_ = ordered_json::array();
};

ExternalPlan plan_by_program(const ExternalProgram& program, const Platform& platform,
                             const ProductSize& size) {
  const auto conversation = std::make_shared<Conversation>(program);
  StrategyAnswer answer = conversation->ask(
      make_question(platform, size, program.parameters),
      [&](const nlohmann::json& json) { return read_answer(json, platform, size); });
  if (answer.allocation) return {.allocation = std::move(answer.allocation)};
  return {.decisions = [conversation, answer](const StrategyContext& context) {
    return std::make_unique<ProgramStrategy>(context, conversation, answer);
  }};
}

/// Returns the algorithm of somebody else's plans. The built-in strategy called `named` executes an
/// allocation, one that steals nothing if the user names none.
std::unique_ptr<TileAlgorithm> make_external_algorithm(const MakeExternalPlan& plan,
                                                       const RuntimeOptions& runtime_options,
                                                       const std::optional<std::string>& named) {
  const std::string executor = named.value_or(kNoStealing);
  const StrategyMaker execute = find_entry(executor).make({})->strategy();
  const bool leaves_tasks = executor == kNoStealing && runtime_options.cpus == CpuRule::timely;
  return std::make_unique<TileAlgorithm>(
      [plan, execute](const StrategyContext& context) -> std::unique_ptr<Strategy> {
        if (context.graph.allocation() != nullptr) return execute(context);
        const ExternalPlan own = plan(context.platform, context.graph.numbering());
        if (own.allocation) {
          throw SimulationError("it gives an allocation now, and gave none before the run");
        }
        return std::make_unique<CheckedStrategy>(context, own.decisions(context));
      },
      runtime_options,
      [plan, leaves_tasks, is_named = named.has_value()](const Platform& platform,
                                                         const ProductSize& size) {
        auto allocation = plan(platform, size).allocation;
        if (!allocation && is_named) {
          throw NotApplicable(
              "it decides during the run, so that no strategy executes an allocation; leave "
              "strategy= out");
        }
        if (allocation) check_allocation(platform, size, *allocation);
        if (allocation && leaves_tasks) {
          throw NotApplicable(
              "with cpus=timely CPU workers leave tasks to others, which needs a strategy that "
              "steals, such as strategy=EffectiveSteal");
        }
        return allocation;
      },
      true);
}

}  // namespace

Entry<TileAlgorithm> make_external_entry(
    AlgorithmEntry about, std::function<MakeExternalPlan(const ParameterTexts&)> make_plan) {
  add_parameters(about, true);
  return {std::move(about), [make_plan](ParameterTexts texts) {
            const auto named = texts.extract(kStrategy);
            const RuntimeOptions options = extract_runtime_options(texts);
            return make_external_algorithm(
                make_plan(texts), options,
                named ? std::optional<std::string>(named.mapped()) : std::nullopt);
          }};
}

Entry<TileAlgorithm> make_external_entry(AlgorithmEntry about, MakeStrategy make,
                                         Allocate allocate) {
  add_parameters(about, false);
  if (allocate) {
    allocate = [allocate](const Platform& platform, const ProductSize& size) {
      auto allocation = allocate(platform, size);
      if (allocation) check_allocation(platform, size, *allocation);
      return allocation;
    };
  }
  return {std::move(about), [make, allocate](ParameterTexts texts) {
            const RuntimeOptions options = extract_runtime_options(texts);
            return std::make_unique<TileAlgorithm>(
                [make, texts](const StrategyContext& context) {
                  return std::make_unique<CheckedStrategy>(context, make(context, texts));
                },
                options, allocate, true);
          }};
}

Entry<TileAlgorithm> make_program_entry() {
  return make_external_entry(describe_program("exec-tiles", "a program of yours for tile tasks"),
                             [](const ParameterTexts& texts) -> MakeExternalPlan {
                               return std::bind_front(plan_by_program, read_program(texts));
                             });
}

ordered_json make_question(const Platform& platform, const ProductSize& size,
                           const ParameterTexts& parameters) {
  std::vector<const Worker*> sorted(platform.workers.size());
  for (const Worker& worker : platform.workers) {
    sorted[static_cast<std::size_t>(worker.number)] = &worker;
  }
  ordered_json workers = ordered_json::array();
  for (const Worker* worker : sorted) {
    workers.push_back({{"node", worker->node}, {"task_s", worker->update_s}});
  }
  ordered_json links = ordered_json::array();
  for (const Link& link : platform.links) {
    links.push_back({{"in_s", link.in_s}, {"out_s", link.out_s}, {"latency_s", link.latency_s}});
    if (link.memory_tiles) links.back()["memory_tiles"] = *link.memory_tiles;
  }
  return {{"protocol", kProtocolVersion},
          {"model", "tiles"},
          {"platform",
           {{"name", platform.name},
            {"start_up_s", platform.start_up_s},
            {"workers", std::move(workers)},
            {"links", std::move(links)}}},
          {"problem", {{"r", size.r}, {"s", size.s}, {"t", size.t}}},
          {"parameters", ordered_json(parameters)}};
}

StrategyAnswer read_answer(const nlohmann::json& answer, const Platform& platform,
                           const ProductSize& size) {
  const JsonNode root(answer);
  root.allow_only_keys({"protocol", "not_applicable", "allocation", "redux", "decides", "copies"});
  check_first_answer(root);
  if (root.has("allocation") == root.has("decides")) {
    throw root.fault(R"("allocation" or "decides", one of them)");
  }
  const auto flag = [&](const char* key) {
    const auto node = root.find(key);
    return node && node->boolean();
  };
  StrategyAnswer read{.copies = flag("copies")};
  if (const auto nodes = root.find("allocation")) {
    read.allocation = {.size = size, .nodes = {}, .redux = flag("redux")};
    for (const JsonNode& node : nodes->elements()) {
      read.allocation->nodes.push_back(
          static_cast<std::int32_t>(node.integer(0, platform.nodes() - 1)));
    }
    return read;
  }
  const JsonNode point = root.at("decides");
  if (point.text() != "idle" && point.text() != "ready") {
    throw point.fault(R"("idle" or "ready")");
  }
  read.decides = point.text() == "idle" ? DecisionPoint::idle : DecisionPoint::ready;
  return read;
}

}  // namespace starport::tiles
