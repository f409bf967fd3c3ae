#include "sim/platform/port.hpp"

#include "sim/files/units.hpp"

#include <fmt/format.h>

namespace starport {

const char* to_string(Port::Kind kind) {
  switch (kind) {
    case Port::Kind::one:
      return "one-port";
    case Port::Kind::two:
      return "two-port";
    case Port::Kind::multi:
      return "multi-port";
  }
  return "";
}

std::string describe(const Port& port) {
  std::string text = to_string(port.kind);
  if (port.most_transfers > 0) {
    text += fmt::format(", {} transfer{} at once", port.most_transfers,
                        port.most_transfers > 1 ? "s" : "");
  }
  if (port.c_s > 0) text += fmt::format(", {} a block in all", format_seconds(port.c_s));
  return text;
}

}  // namespace starport
