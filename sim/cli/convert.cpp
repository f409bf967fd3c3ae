// `starport convert`: writes a platform in another format, or reads one from another format.
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/platform/simgrid_xml.hpp"
#include "sim/platform/starpu_models.hpp"

namespace starport {
namespace {

/// Writes a text to the file of --output, or to standard output.
void write_result(const CommandLine& line, const std::string& text) {
  if (const auto path = line.find("output")) {
    OutputFile output(*path, "--output");
    output.write(text);
    output.commit();
  } else {
    print(text);
  }
}

/// Returns the platform file of a machine that StarPU has measured.
std::string convert_from_starpu(const CommandLine& line) {
  const std::string host = line.text("PLATFORM");
  const auto directory = line.find("models");
  const PlatformFile file = read_starpu_models(directory ? *directory : find_starpu_models(host),
                                               host, line.integer("block-size", 1, kMaxBlockSize));
  return to_json(file);
}

}  // namespace

int convert_command(const std::vector<std::string>& arguments) {
  CommandLine line(
      "convert", {"PLATFORM"},
      "Writes the platform in another format: simgrid-xml, a SimGrid 3.32 platform. "
      "With --from starpu, PLATFORM is the name of a machine that the StarPU runtime "
      "has measured, and the result is a platform file for tile tasks.",
      "starport convert platforms/ppopp08-memory.json --to simgrid-xml -o memory.xml\n  "
      "starport convert sirocco --from starpu -o sirocco.json");
  line.add("to", "FORMAT", "format to write: simgrid-xml")
      .add("from", "FORMAT", "format to read instead of a platform file: starpu")
      .add("models", "DIR",
           "with --from starpu, directory of StarPU's models (default: as StarPU, that is, "
           "$STARPU_PERF_MODEL_DIR, .starpu/sampling in $XDG_CACHE_HOME, $STARPU_HOME or ~, or "
           "those of "
           "starpu-examples)")
      .add("output,o", "FILE", "file to write (default: standard output)");
  line.add_block_size();
  if (!line.parse(arguments)) return kSuccess;

  if (const auto from = line.find("from")) {
    if (*from != "starpu") throw InputError("--from", "starpu", "'" + *from + "'");
    if (line.find("to")) throw InputError("--to", "no such option with --from", "one");
    write_result(line, convert_from_starpu(line));
    return kSuccess;
  }
  if (line.find("models")) throw InputError("--models", "--from starpu", "none");
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
  write_result(line, xml);
  return kSuccess;
}

}  // namespace starport
