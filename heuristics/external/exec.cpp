#include "heuristics/external/exec.hpp"

#include "heuristics/external/conversation.hpp"
#include "heuristics/external/distribution.hpp"
#include "heuristics/external/tile_strategy.hpp"
#include "heuristics/star/registry.hpp"
#include "sim/files/json.hpp"
#include "sim/files/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace starport {
namespace {

Plan plan_exec(const ExternalProgram& program, const Platform& platform, const Problem& problem) {
  const auto conversation = std::make_shared<Conversation>(program);
  PlanAnswer answer = conversation->ask(
      to_json(platform, problem, program.parameters),
      [&](const nlohmann::json& plan) { return read_plan(plan, platform, problem); });
  return make_plan(std::move(answer), platform, problem, [conversation](const RequestView& view) {
    return conversation->ask(
        to_json(view), [&](const nlohmann::json& choice) { return read_choice(choice, view); });
  });
}

using nlohmann::ordered_json;

constexpr std::array<const MemoryLayout*, 4> kLayouts{&kOptimizedOverlapped, &kOptimized, &kToledo,
                                                      &kToledoOverlapped};

ordered_json date_json(double date_s) {
  return date_s == kUnknown ? ordered_json(nullptr) : ordered_json(date_s);
}

const MemoryLayout* read_layout(const JsonNode& node) {
  std::string names;
  for (const MemoryLayout* layout : kLayouts) {
    if (node.text() == layout->name) return layout;
    names += fmt::format("{}\"{}\"", names.empty() ? "" : " or ", layout->name);
  }
  throw node.fault(names);
}

/// Replays a list of transfers that it owns.
class OwnedListDispatcher final : public Dispatcher {
 public:
  explicit OwnedListDispatcher(std::vector<Transfer> transfers)
      : transfers_(std::move(transfers)), list_(transfers_), dispatcher_(list_) {}
  Decision next(const MasterView& master) override { return dispatcher_.next(master); }
  Transfer transfer() const override { return dispatcher_.transfer(); }

 private:
  const std::vector<Transfer> transfers_;
  const TransferList list_;
  ListDispatcher dispatcher_;
};

}  // namespace

const std::vector<Entry<Algorithm>>& exec_registry() {
  static const std::vector<Entry<Algorithm>> registry{
      {describe_program("exec", "a program of yours, in any language"),
       [](const ParameterTexts& parameters) {
         return std::make_unique<Heuristic>(Requirements{.blocks = 3},
                                            std::bind_front(plan_exec, read_program(parameters)),
                                            Origin::external);
       }},
      upcast_entry<Algorithm>(tiles::make_program_entry()),
      upcast_entry<Algorithm>(spmd::make_program_entry())};
  return registry;
}

ordered_json to_json(const Platform& platform, const Problem& problem,
                     const ParameterTexts& parameters) {
  return {{"protocol", kProtocolVersion},
          {"platform", to_json(platform)},
          {"problem", to_json(problem)},
          {"parameters", ordered_json(parameters)}};
}

PlanAnswer read_plan(const nlohmann::json& answer, const Platform& platform,
                     const Problem& problem) {
  const JsonNode root(answer);
  root.allow_only_keys({"protocol", "transfers", "decides", "layout", "not_applicable", "details"});
  check_first_answer(root);
  if (root.has("transfers") == root.has("decides")) {
    throw root.fault(R"("transfers" or "decides", one of them)");
  }
  PlanAnswer plan;
  if (const auto details = root.find("details")) {
    if (!details->is_object()) throw details->fault("an object of texts");
    for (const auto& [key, value] : details->value().items()) {
      if (key.empty() || has_control_characters(key))
        throw details->fault("keys of one line that are not empty");
      plan.details.emplace_back(key, details->at(key).text());
    }
  }
  if (const auto transfers = root.find("transfers")) {
    plan.transfers.emplace();
    for (const JsonNode& node : transfers->elements()) {
      plan.transfers->push_back(read_transfer(node, problem, std::ssize(platform.workers)));
    }
    return plan;
  }
  if (const JsonNode what = root.at("decides"); what.text() != "requests") {
    throw what.fault("\"requests\"");
  }
  const auto layout = root.find("layout");
  plan.layout = layout ? read_layout(*layout) : &kOptimizedOverlapped;
  return plan;
}

ordered_json to_json(const RequestView& view) {
  ordered_json requests = ordered_json::array();
  for (const OpenRequest& request : view.requests) {
    requests.push_back({{"worker", request.worker + 1},
                        {"kind", kRequestKindNames[static_cast<std::size_t>(request.kind)]},
                        {"date_s", date_json(request.date_s)},
                        {"works_until_s", date_json(request.works_until_s)},
                        {"blocks", request.blocks},
                        {"updates", request.updates}});
  }
  return {{"now_s", view.now_s},
          {"columns_left", view.columns_left},
          {"requests", std::move(requests)}};
}

std::optional<std::size_t> read_choice(const nlohmann::json& answer, const RequestView& view) {
  const JsonNode root(answer);
  root.allow_only_keys({"serve"});
  const JsonNode serve = root.at("serve");
  if (serve.value().is_null()) return std::nullopt;
  const std::int64_t worker = serve.integer(1, INT32_MAX) - 1;
  const auto chosen = std::ranges::find(view.requests, worker, &OpenRequest::worker);
  if (chosen == view.requests.end()) throw serve.fault("a worker of the requests, or null");
  return static_cast<std::size_t>(chosen - view.requests.begin());
}

Plan make_plan(PlanAnswer answer, const Platform& platform, const Problem& problem,
               ChooseRequest choose) {
  Plan plan =
      answer.transfers
          ? Plan{.dispatcher = std::make_unique<OwnedListDispatcher>(std::move(*answer.transfers))}
          : plan_requests(platform, problem, *answer.layout, std::move(choose));
  plan.details = std::move(answer.details);
  return plan;
}

}  // namespace starport
