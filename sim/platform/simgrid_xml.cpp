#include "sim/platform/simgrid_xml.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {
namespace {

/// Replaces characters that XML forbids (control characters, U+FFFE, U+FFFF) by spaces.
std::string allowed_text(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) < 0x20) text[i] = ' ';
    const bool forbidden = text.compare(i, 3, "\uFFFE") == 0 || text.compare(i, 3, "\uFFFF") == 0;
    if (forbidden) text.replace(i, 3, " ");
  }
  return text;
}

/// Returns `text` as the content of an XML comment, which must not contain "--".
std::string comment_text(const std::string& text) {
  std::string allowed = allowed_text(text);
  std::ranges::replace(allowed, '-', ' ');
  return allowed;
}

/// Returns `text` as the value of an XML attribute in double quotes.
std::string attribute_text(const std::string& text) {
  std::string escaped;
  for (const char c : allowed_text(text)) {
    const auto code = static_cast<int>(c);
    escaped += c == '&' || c == '<' || c == '"' ? fmt::format("&#{};", code) : std::string(1, c);
  }
  return escaped;
}

/// Returns the port as properties of the master, since SimGrid does not limit a host's transfers.
std::string port_properties(const Port& port) {
  std::string properties = fmt::format("<prop id=\"port\" value=\"{}\"/>", to_string(port.kind));
  if (port.max_transfers > 0) {
    properties += fmt::format("<prop id=\"transfers\" value=\"{}\"/>", port.max_transfers);
  }
  return properties;
}

}  // namespace

std::string to_simgrid_xml(const Platform& platform, std::int64_t block_size, ElementType type) {
  const auto q = static_cast<double>(block_size);
  const auto speed = [&](const Worker& worker) { return 2 * q * q * q / worker.w_s; };
  double fastest = 0;
  for (const Worker& worker : platform.workers) fastest = std::max(fastest, speed(worker));

  const double block_bytes = static_cast<double>(bytes_of(type)) * q * q;
  std::string xml = fmt::format(
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<!-- {}, for blocks of {} x {} {} -->\n"
      "<platform version=\"4.1\">\n"
      "  <config>\n"
      "    <prop id=\"network/model\" value=\"CM02\"/>\n"
      "    <prop id=\"network/crosstraffic\" value=\"0\"/>\n"
      "    <prop id=\"network/TCP-gamma\" value=\"0\"/>\n"
      "  </config>\n"
      "  <zone id=\"star\" routing=\"Full\">\n"
      "    <host id=\"master\" speed=\"{}f\">{}</host>\n",
      comment_text(platform.name), block_size, block_size, plural_name(type), fastest,
      port_properties(platform.port));
  const bool shared = platform.port.c_s > 0;
  if (shared) {
    xml += fmt::format("    <link id=\"shared\" bandwidth=\"{}Bps\" latency=\"0s\"/>\n",
                       block_bytes / platform.port.c_s);
  }
  std::size_t number = 0;
  for (const Worker& worker : platform.workers) {
    std::string name = platform.names.name_in_file(number++);
    if (!name.empty()) name = fmt::format("<prop id=\"name\" value=\"{}\"/>", attribute_text(name));
    xml += fmt::format(
        "    <host id=\"worker-{0}\" speed=\"{1}f\"><prop id=\"m_blocks\" "
        "value=\"{2}\"/>{5}</host>\n"
        "    <link id=\"link-{0}\" bandwidth=\"{3}Bps\" latency=\"{4}s\"/>\n",
        number, speed(worker), worker.m_blocks, block_bytes / worker.c_s, worker.latency_s, name);
  }
  for (std::size_t i = 1; i <= number; ++i) {
    xml += fmt::format(
        "    <route src=\"master\" dst=\"worker-{0}\">{1}<link_ctn id=\"link-{0}\"/></route>\n", i,
        shared ? "<link_ctn id=\"shared\"/>" : "");
  }
  return xml + "  </zone>\n</platform>\n";
}

}  // namespace starport
