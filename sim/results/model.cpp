#include "sim/results/model.hpp"

#include "sim/files/error.hpp"
#include "sim/process/isolation.hpp"
#include "sim/results/figure.hpp"
#include "sim/results/timeline.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>
#include <set>
#include <stdexcept>
#include <type_traits>

namespace nlohmann {

template <class T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& node, const std::optional<T>& value) {
    node = value ? json(*value) : json();
  }
  static void from_json(const json& node, std::optional<T>& value) {
    value = node.is_null() ? std::nullopt : std::optional(node.get<T>());
  }
};

/// Slices as they are in memory, for the same build: there may be many.
template <>
struct adl_serializer<std::vector<starport::Slice>> {
  static_assert(std::is_trivially_copyable_v<starport::Slice>);
  static void to_json(json& node, const std::vector<starport::Slice>& slices) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(slices.data());
    node = json::binary({bytes, bytes + slices.size() * sizeof(starport::Slice)});
  }
  static void from_json(const json& node, std::vector<starport::Slice>& slices) {
    const auto& bytes = node.get_binary();
    if (bytes.size() % sizeof(starport::Slice) != 0) starport::throw_damaged_pipe();
    slices.resize(bytes.size() / sizeof(starport::Slice));
    if (!slices.empty()) std::memcpy(slices.data(), bytes.data(), bytes.size());
  }
};

}  // namespace nlohmann

namespace starport {

// Timelines as JSON, from a child process to its parent.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SliceArgument, name, axes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SliceKind, name, what, role, direction, arguments)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaneGroup, name, worker, memory_blocks, wait_label)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Lane, name, group)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Timeline, name, port, kinds, groups, lanes, labels, slices,
                                   values, removals, makespan_s, bound_s)

namespace {

using nlohmann::json;

/// Converts figures to pairs of an index in `declared` and a value.
json to_json(const Figures& figures, const FigureList& declared) {
  json pairs = json::array();
  for (std::size_t place = 0; place < declared.size(); ++place) {
    const Value value = figures[*declared[place]];
    if (const auto* integer = std::get_if<std::int64_t>(&value)) pairs.push_back({place, *integer});
    if (const auto* number = std::get_if<double>(&value)) pairs.push_back({place, *number});
  }
  return pairs;
}

Figures to_figures(const json& pairs, const FigureList& declared) {
  Figures figures;
  for (const json& pair : pairs) {
    const Figure& figure = *declared.at(pair.at(0).get<std::size_t>());
    const json& value = pair.at(1);
    figures.set(figure, value.is_number_integer() ? Value(value.get<std::int64_t>())
                                                  : Value(value.get<double>()));
  }
  return figures;
}

void send(const json& message, FrameWriter& out) {
  const auto bytes = json::to_cbor(message);
  out.write(std::as_bytes(std::span(bytes)));
}

}  // namespace

const char* to_string(EngineKind engine) {
  return engine == EngineKind::simgrid ? "simgrid" : "analytic";
}

EngineKind parse_engine(const std::string& name, const std::string& where) {
  std::vector<std::string> names;
  for (const EngineKind kind : {EngineKind::simgrid, EngineKind::analytic}) {
    if (name == to_string(kind)) return kind;
    names.emplace_back(to_string(kind));
  }
  throw InputError(where, "simgrid or analytic", "'" + name + "'", did_you_mean(name, names));
}

const char* to_string(Status status) {
  return status == Status::ok ? "ok" : status == Status::error ? "error" : "not applicable";
}

std::string details_text(const Details& details) {
  std::string text;
  for (const auto& [key, value] : details) text += (text.empty() ? "" : "; ") + key + "=" + value;
  return text;
}

Record Record::failed(std::string algorithm, const Model* model, Status status, std::string why,
                      FailureCause cause) {
  Record record;
  record.algorithm = std::move(algorithm);
  record.model = model;
  record.status = status;
  record.error = std::move(why);
  record.cause = cause;
  return record;
}

Record Record::of_run(const std::string& algorithm, const Model* model,
                      const std::function<void(Record&)>& run) {
  const auto fail = [&](Status outcome, const char* why,
                        FailureCause reason = FailureCause::model) {
    return Record::failed(algorithm, model, outcome, why, reason);
  };
  try {
    Record record{.algorithm = algorithm, .model = model};
    run(record);
    return record;
  } catch (const NotApplicable& reason) {
    return fail(Status::not_applicable, reason.what());
  } catch (const MachineError& error) {
    return fail(Status::error, error.what(), error.cause());
  } catch (const SimulationError& error) {
    return fail(Status::error, error.what());
  } catch (const InputError& error) {  // no worker has the memory, say
    return fail(Status::error, error.what());
  } catch (const std::bad_alloc&) {
    return fail(Status::error, "not enough memory", FailureCause::memory);
  }
}

Record Record::of_run_in_child(const std::string& algorithm, const Model* model,
                               const std::function<void(Record&)>& run, double time_limit_s,
                               std::optional<Timeline>& timeline) {
  const FigureList& declared = model->figures();
  return of_run(algorithm, model, [&](Record& record) {
    const auto run_and_send = [&](FrameWriter& out) {
      const Record own = of_run(algorithm, model, run);
      json of_workers = json::array();
      for (const Figures& worker : own.workers) of_workers.push_back(to_json(worker, declared));
      send({{"status", own.status},
            {"error", own.error},
            {"cause", own.cause},
            {"figures", to_json(own.figures, declared)},
            {"workers", of_workers},
            {"details", own.details},
            {"timeline", timeline}},
           out);
    };
    const auto receive = [&](std::span<const std::byte> frame) {
      const json message = json::from_cbor(frame);
      message.at("status").get_to(record.status);
      message.at("error").get_to(record.error);
      message.at("cause").get_to(record.cause);
      record.figures = to_figures(message.at("figures"), declared);
      for (const json& pairs : message.at("workers"))
        record.workers.push_back(to_figures(pairs, declared));
      message.at("details").get_to(record.details);
      message.at("timeline").get_to(timeline);
    };
    run_in_child(run_and_send, receive, time_limit_s);
  });
}

Figures Model::bounds_within(const Case& instance, const RunOptions& options) const {
  const double limit_s = options.limits.time_limit_s;
  if (!options.isolated || limit_s == 0) return bounds(instance, options.noise);
  Figures found;
  run_in_single_child(
      [&](FrameWriter& out) { send(to_json(bounds(instance, options.noise), figures()), out); },
      [&](std::span<const std::byte> frame) {
        found = to_figures(json::from_cbor(frame), figures());
      },
      limit_s);
  return found;
}

std::vector<Record> Model::run_batch(const NamedAlgorithm& algorithm,
                                     std::span<const RunInput> runs,
                                     const RunOptions& options) const {
  std::vector<Record> records;
  RunOptions run_options = options;
  for (const RunInput& input : runs) {
    run_options.noise = input.noise;
    records.push_back(run(algorithm, input.instance, run_options));
  }
  return records;
}

Division Presentation::divide(const NamedAlgorithm&, const Case&) const {
  throw NotApplicable("it gives no division of C before the start that could be drawn");
}

const Model& model_of(const Algorithm& algorithm, const Models& models) {
  const auto model = std::ranges::find_if(
      models, [&](const Model* candidate) { return candidate->name() == algorithm.model(); });
  if (model != models.end()) return **model;
  throw std::logic_error(fmt::format("no model '{}' in this program", algorithm.model()));
}

Models models_of(const std::vector<NamedAlgorithm>& algorithms, const Models& models) {
  std::set<const Model*> wanted;
  for (const NamedAlgorithm& named : algorithms) wanted.insert(&model_of(*named.algorithm, models));
  Models used;
  std::ranges::copy_if(models, std::back_inserter(used),
                       [&](const Model* model) { return wanted.contains(model); });
  return used;
}

FigureList figures_of(const Models& models) {
  FigureList figures;
  for (const Model* model : models) figures = merge_figures(std::move(figures), model->figures());
  return figures;
}

}  // namespace starport
