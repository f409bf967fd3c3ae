// --engine, apart from the other options: what does not simulate need not link SimGrid.
#include "sim/cli/command.hpp"
#include "sim/files/error.hpp"
#include "sim/star/engine/analytic_engine.hpp"
#include "sim/star/engine/simgrid/simgrid_engine.hpp"

namespace starport {

std::unique_ptr<Engine> CommandLine::engine(const Platform* platform) const {
  const std::string name = text("engine");
  if (name == "analytic" && platform != nullptr && platform->port.kind == Port::Kind::multi) {
    throw InputError("--engine", "simgrid: the recurrence is that of one-port and two-port masters",
                     "analytic, on a multi-port platform");
  }
  if (name == "simgrid") return std::make_unique<SimgridEngine>(limits());
  if (name == "analytic") return std::make_unique<AnalyticEngine>(limits());
  const std::vector<std::string> names{"simgrid", "analytic"};
  throw InputError("--engine", "simgrid or analytic", "'" + name + "'", did_you_mean(name, names));
}

}  // namespace starport
