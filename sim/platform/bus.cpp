#include "sim/platform/bus.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/units.hpp"
#include "sim/platform/platform.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace starport {
namespace {

// Their parents are followed for each bus, and each pair of GPUs has a route over buses.
constexpr std::size_t kMaxBuses = 500;

std::size_t index_of(const std::vector<Bus>& buses, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(buses, name, &Bus::name) - buses.begin());
}

Bus read_bus(const JsonNode& node) {
  node.allow_only_keys(
      {"name", "parent", "bandwidth", "return_bandwidth", "total_bandwidth", "comment"});
  if (const auto comment = node.find("comment")) comment->require_string();
  Bus bus{
      .name = node.at("name").text(),
      .bandwidth_bytes_per_s = find_quantity(node, "bandwidth", Dimension::bandwidth),
      .return_bandwidth_bytes_per_s = find_quantity(node, "return_bandwidth", Dimension::bandwidth),
      .total_bandwidth_bytes_per_s = find_quantity(node, "total_bandwidth", Dimension::bandwidth)};
  if (bus.name.empty()) throw node.at("name").fault("a name");
  if (const auto parent = node.find("parent")) bus.parent = parent->text();
  if (!bus.return_bandwidth_bytes_per_s)
    bus.return_bandwidth_bytes_per_s = bus.bandwidth_bytes_per_s;
  if (bus.return_bandwidth_bytes_per_s || bus.total_bandwidth_bytes_per_s) return bus;
  throw InputError(node.pointer(), "bandwidth, return_bandwidth or total_bandwidth", "none");
}

std::int64_t read_worker(const JsonNode& node, const std::map<std::string, std::int64_t>& indices,
                         const std::vector<bool>& has_link) {
  const std::string name = node.text();
  const auto found = indices.find(name);
  if (found == indices.end()) {
    std::vector<std::string> names;
    for (const auto& [known, index] : indices) names.push_back(known);
    throw node.fault("the name of a worker", did_you_mean(name, names));
  }
  if (has_link[static_cast<std::size_t>(found->second)]) return found->second;
  throw node.fault("a worker with a link and a memory of its own");
}

}  // namespace

std::vector<std::size_t> path_to_master(const std::vector<Bus>& buses, const std::string& name) {
  std::vector<std::size_t> path;
  for (const std::string* next = &name; !next->empty(); next = &buses[path.back()].parent) {
    path.push_back(index_of(buses, *next));
  }
  return path;
}

std::string find_cycle(const std::vector<Bus>& buses, std::size_t index) {
  std::vector<std::size_t> path{index};
  while (!buses[path.back()].parent.empty()) {
    const std::size_t next = index_of(buses, buses[path.back()].parent);
    const bool is_closed = std::ranges::find(path, next) != path.end();
    path.push_back(next);
    if (!is_closed) continue;
    std::string cycle;
    for (auto at = std::ranges::find(path, next); at != path.end(); ++at) {
      cycle += (cycle.empty() ? "" : ", ") + buses[*at].name;
    }
    return cycle;
  }
  return "";
}

std::vector<Bus> read_buses(const JsonNode& node, const std::vector<std::string>& used) {
  std::vector<Bus> buses;
  const std::vector<JsonNode> elements = node.elements();
  if (elements.size() > kMaxBuses) {
    throw InputError(node.pointer(), fmt::format("at most {} buses", kMaxBuses),
                     fmt::format("{}", elements.size()));
  }
  std::vector<std::string> names;
  for (const JsonNode& element : elements) {
    buses.push_back(read_bus(element));
    if (std::ranges::find(names, buses.back().name) != names.end()) {
      throw element.at("name").fault("a name that no other bus has");
    }
    names.push_back(buses.back().name);
  }
  for (std::size_t i = 0; i < buses.size(); ++i) {
    const std::string& parent = buses[i].parent;
    if (!parent.empty() && index_of(buses, parent) == buses.size()) {
      throw elements[i].at("parent").fault("the name of another bus", did_you_mean(parent, names));
    }
  }
  for (std::size_t i = 0; i < buses.size(); ++i) {
    const std::string cycle = find_cycle(buses, i);
    if (cycle.empty()) continue;
    throw InputError(elements[i].pointer() + "/parent", "parents that lead to the master's memory",
                     "a cycle: " + cycle, "leave out 'parent' of the bus next to the master");
  }
  std::set<std::size_t> behind;
  for (const std::string& name : used) {
    if (index_of(buses, name) == buses.size()) continue;
    for (const std::size_t bus : path_to_master(buses, name)) behind.insert(bus);
  }
  for (std::size_t i = 0; i < buses.size(); ++i) {
    if (behind.contains(i)) continue;
    throw InputError(elements[i].pointer(), "a bus with workers behind it",
                     fmt::format("'{}', which no worker names", buses[i].name),
                     fmt::format("add \"bus\": \"{}\" to workers, or remove it", buses[i].name));
  }
  return buses;
}

nlohmann::ordered_json to_json(const std::vector<Bus>& buses) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Bus& bus : buses) {
    nlohmann::ordered_json json{{"name", bus.name}};
    if (!bus.parent.empty()) json["parent"] = bus.parent;
    for (const auto& [key, bandwidth] :
         {std::pair("bandwidth", bus.bandwidth_bytes_per_s),
          std::pair("return_bandwidth", bus.return_bandwidth_bytes_per_s),
          std::pair("total_bandwidth", bus.total_bandwidth_bytes_per_s)}) {
      if (bandwidth) json[key] = fmt::format("{}Bps", *bandwidth);
    }
    list.push_back(std::move(json));
  }
  return list;
}

std::vector<PeerLink> read_peer_links(const JsonNode& node, const WorkerNames& names,
                                      const std::vector<bool>& has_link) {
  std::map<std::string, std::int64_t> indices;
  for (std::size_t i = 0; i < has_link.size(); ++i)
    indices[names[i]] = static_cast<std::int64_t>(i);
  std::vector<PeerLink> links;
  std::set<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const JsonNode& element : node.elements()) {
    element.allow_only_keys({"from", "to", "bandwidth", "latency", "comment"});
    if (const auto comment = element.find("comment")) comment->require_string();
    const PeerLink& link = links.emplace_back(PeerLink{
        .from = read_worker(element.at("from"), indices, has_link),
        .to = read_worker(element.at("to"), indices, has_link),
        .bandwidth_bytes_per_s = read_quantity(element.at("bandwidth"), Dimension::bandwidth),
        .latency_s = find_quantity(element, "latency", Dimension::time).value_or(0)});
    if (link.from == link.to) throw element.at("to").fault("another worker than in 'from'");
    if (pairs.insert({link.from, link.to}).second) continue;
    throw InputError(element.pointer(), "each link between two workers once",
                     fmt::format("a second one from {} to {}", element.at("from").text(),
                                 element.at("to").text()));
  }
  return links;
}

nlohmann::ordered_json to_json(const std::vector<PeerLink>& links, const WorkerNames& names) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const PeerLink& link : links) {
    list.push_back({{"from", names[static_cast<std::size_t>(link.from)]},
                    {"to", names[static_cast<std::size_t>(link.to)]},
                    {"bandwidth", fmt::format("{}Bps", link.bandwidth_bytes_per_s)},
                    {"latency", fmt::format("{}s", link.latency_s)}});
  }
  return list;
}

}  // namespace starport
