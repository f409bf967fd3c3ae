#include "sim/platform/port.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/units.hpp"
#include "sim/platform/platform.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

namespace starport {
namespace {
Port::Kind read_kind(const JsonNode& node) {
  const std::string name = node.text();
  std::vector<std::string> names;
  for (const auto kind : {Port::Kind::one, Port::Kind::two, Port::Kind::multi}) {
    if (name == to_string(kind)) return kind;
    names.emplace_back(to_string(kind));
  }
  throw node.fault("one-port, two-port or multi-port", did_you_mean(name, names));
}

}  // namespace

const char* to_string(Port::Kind kind) {
  constexpr std::array<const char*, 3> names{"one-port", "two-port", "multi-port"};
  return names[static_cast<std::size_t>(kind)];
}

std::string describe(const Port& port) {
  std::string text = to_string(port.kind);
  if (port.max_transfers > 0) {
    text += fmt::format(", {} transfer{} at once", port.max_transfers,
                        port.max_transfers > 1 ? "s" : "");
  }
  if (port.c_s > 0) text += fmt::format(", {} a block in all", format_seconds(port.c_s));
  return text;
}

PortFile read_port(const JsonNode& node) {
  PortFile port;
  if (!node.is_object()) {
    if (!node.is_text()) {
      throw node.fault(
          "one-port, two-port, multi-port, or an object such as {\"kind\": "
          "\"multi-port\", \"transfers\": 4}");
    }
    port.kind = read_kind(node);
    return port;
  }
  node.allow_only_keys({"kind", "transfers", "bandwidth", "c_s"});
  port.kind = read_kind(node.at("kind"));
  for (const char* key : {"transfers", "bandwidth", "c_s"}) {
    if (port.kind != Port::Kind::multi && node.has(key)) {
      throw InputError(node.pointer() + "/" + key, "this key for a multi-port only",
                       std::string("a ") + to_string(port.kind));
    }
  }
  if (node.has("bandwidth") && node.has("c_s")) {
    throw InputError(node.pointer(), "either bandwidth or c_s", "both");
  }
  if (const auto transfers = node.find("transfers")) {
    port.max_transfers = transfers->integer(1, kMaxWorkers);
  }
  if (const auto bandwidth = node.find("bandwidth")) {
    port.bandwidth_bytes_per_s = read_quantity(*bandwidth, Dimension::bandwidth);
  }
  if (const auto c = node.find("c_s")) port.c_s = c->positive_number();
  return port;
}

Port PortFile::at_block_size(std::int64_t q, std::optional<std::int64_t> block_size) const {
  Port port{.kind = kind, .max_transfers = max_transfers, .c_s = c_s.value_or(0)};
  if (c_s && q != block_size) {
    throw InputError("/block_size", fmt::format("{}, the block size asked for", q),
                     fmt::format("raw figures for {}", block_size.value_or(0)));
  }
  if (bandwidth_bytes_per_s) {
    const auto side = static_cast<double>(q);
    port.c_s = 8 * side * side / *bandwidth_bytes_per_s;
  }
  if (port.c_s != 0 && !(port.c_s >= 1e-100 && port.c_s <= 1e100)) {
    throw InputError(c_s ? "/port/c_s" : "/port/bandwidth", "between 1e-100 and 1e100 s a block",
                     fmt::format("{:g} s", port.c_s));
  }
  return port;
}

std::string PortFile::text() const {
  std::string parameters;
  const auto add = [&](const std::string& parameter) {
    parameters += (parameters.empty() ? "" : ",") + parameter;
  };
  if (max_transfers > 0) add(fmt::format("transfers={}", max_transfers));
  if (bandwidth_bytes_per_s) add(fmt::format("bandwidth={}Bps", *bandwidth_bytes_per_s));
  if (c_s) add(fmt::format("c_s={}", *c_s));
  return to_string(kind) + (parameters.empty() ? "" : "[" + parameters + "]");
}

nlohmann::ordered_json to_json(const PortFile& port) {
  nlohmann::ordered_json json{{"kind", to_string(port.kind)}};
  if (port.max_transfers > 0) json["transfers"] = port.max_transfers;
  if (port.bandwidth_bytes_per_s) {
    json["bandwidth"] = fmt::format("{}Bps", *port.bandwidth_bytes_per_s);
  }
  if (port.c_s) json["c_s"] = *port.c_s;
  return json;
}

nlohmann::ordered_json to_json(const Port& port) {
  PortFile file{.kind = port.kind, .max_transfers = port.max_transfers};
  if (port.c_s > 0) file.c_s = port.c_s;
  return to_json(file);
}

}  // namespace starport
