// `starport convert`: writes a platform in another format.
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/platform/simgrid_xml.hpp"

namespace starport {

int convert_command(const std::vector<std::string>& arguments) {
  CommandLine line("convert", {"PLATFORM"},
                   "Writes the platform in another format: simgrid-xml, a SimGrid 3.32 platform.",
                   "starport convert platforms/ppopp08-memory.json --to simgrid-xml -o memory.xml");
  line.add("to", "FORMAT", "format to write: simgrid-xml")
      .add("output,o", "FILE", "file to write (default: standard output)");
  line.add_block_size();
  if (!line.parse(arguments)) return kSuccess;

  const std::string format = line.required("to", "simgrid-xml");
  if (format != "simgrid-xml") throw InputError("--to", "simgrid-xml", "'" + format + "'");
  const PlatformFile file = load_platform(line.text("PLATFORM"));
  for (const PlatformFile::Entry& entry : file.entries) {
    const bool shares = std::holds_alternative<PlatformFile::MemorySharing>(entry.worker);
    if (!shares && entry.devices.empty()) continue;
    throw InputError(entry.pointer, "a worker with a link and one speed, as SimGrid's format has",
                     shares ? "one that shares the master's memory" : "one with devices")
        .in_file(file.path);
  }
  const std::int64_t q = line.block_size(file);
  const std::string xml =
      to_simgrid_xml(with_constant_speeds(file).at_block_size(q), q, element_type_of(file));
  if (const auto path = line.find("output")) {
    OutputFile output(*path, "--output");
    output.write(xml);
    output.commit();
  } else {
    print(xml);
  }
  return kSuccess;
}

}  // namespace starport
