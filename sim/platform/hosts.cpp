#include "sim/platform/hosts.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"

#include <nlohmann/json.hpp>

namespace starport {

std::vector<std::string> read_hosts(const std::string& path) {
  return named_by_file(path, [&] {
    const nlohmann::json document = load_json(path);
    std::vector<std::string> hosts;
    if (const auto list = JsonNode(document).find("hosts")) {
      for (const JsonNode& host : list->elements()) hosts.push_back(host.text());
    }
    return hosts;
  });
}

std::string with_hosts(const std::string& platform, const std::vector<std::string>& hosts) {
  if (hosts.empty()) return platform;
  auto json = nlohmann::ordered_json::parse(platform);
  json["hosts"] = hosts;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace starport
