#include "sim/platform/problem.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/platform_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <string>

namespace starport {

const char* plural_name(ElementType type) {
  return type == ElementType::float64 ? "doubles" : "floats";
}

const char* to_string(ElementType type) {
  return type == ElementType::float64 ? "float64" : "float32";
}

ElementType parse_element_type(const std::string& text, const std::string& place) {
  for (const ElementType type : {ElementType::float64, ElementType::float32}) {
    if (text == to_string(type)) return type;
  }
  throw InputError(place, "float64 or float32", "'" + text + "'");
}

PlatformFile with_element_type(PlatformFile file, std::optional<ElementType> type) {
  if (!type || type == element_type_of(file)) return file;
  if (file.element_type) {
    throw InputError("/element_type",
                     fmt::format("{}, the elements of the product", to_string(*type)),
                     fmt::format("figures measured with {}", to_string(*file.element_type)),
                     fmt::format("--element-type {}, or calibrate with {}",
                                 to_string(*file.element_type), to_string(*type)))
        .in_file(file.path);
  }
  file.element_type = type;
  return file;
}

ElementType element_type_of(const PlatformFile& file) {
  return file.element_type.value_or(ElementType::float64);
}

PlatformFile convert_to_doubles(PlatformFile file) {
  const double scale =
      8 / static_cast<double>(bytes_of(element_type_of(file)));  // a power of two: exact
  file.element_type.reset();
  const auto convert = [&](std::optional<double>& bytes) {
    if (bytes) *bytes *= scale;
  };
  for (PlatformFile::Entry& entry : file.entries) {
    if (auto* const physical = std::get_if<PlatformFile::Physical>(&entry.worker)) {
      physical->bandwidth_bytes_per_s *= scale;
      physical->memory_bytes *= scale;
      convert(physical->return_bandwidth_bytes_per_s);
      convert(physical->memory_bandwidth_bytes_per_s);
    } else if (auto* const sharing = std::get_if<PlatformFile::MemorySharing>(&entry.worker)) {
      convert(sharing->memory_bandwidth_bytes_per_s);
    }
    for (Device& device : entry.devices) {
      convert(device.bus_bytes_per_s);
      convert(device.memory_bytes);
    }
  }
  convert(file.port.bandwidth_bytes_per_s);
  for (Bus& bus : file.buses) {
    convert(bus.bandwidth_bytes_per_s);
    convert(bus.return_bandwidth_bytes_per_s);
    convert(bus.total_bandwidth_bytes_per_s);
  }
  for (PeerLink& link : file.peer_links) link.bandwidth_bytes_per_s *= scale;
  return file;
}

void check_problem(const Problem& problem, std::string_view place) {
  const std::string found = fmt::format("r={}, s={}, t={}", problem.r, problem.s, problem.t);
  for (const std::int64_t blocks : {problem.r, problem.s, problem.t}) {
    if (blocks < 1 || blocks > INT32_MAX) {
      throw InputError(std::string(place), fmt::format("between 1 and {} blocks a side", INT32_MAX),
                       found);
    }
  }
  std::int64_t updates = 0;
  if (__builtin_mul_overflow(problem.r * problem.s, problem.t, &updates) ||
      updates > std::int64_t{1} << 60) {
    throw InputError(std::string(place), "at most 2^60 block updates", found);
  }
}

Problem parse_problem(std::string_view text, std::int64_t block_size, std::string_view place) {
  const auto fail = [&](const char* expected) -> InputError {
    return {std::string(place), expected, "'" + std::string(text) + "'"};
  };
  std::array<std::int64_t, 3> blocks{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t side = 0; side < blocks.size(); ++side) {
    std::int64_t elements = 0;
    const auto [rest, error] = std::from_chars(at, end, elements);
    if (error == std::errc::result_out_of_range) throw fail("sizes that fit in 63 bits");
    const bool last = side + 1 == blocks.size();
    if (error == std::errc{} && side == 0 && rest == end) {
      if (elements < 1) throw fail("sizes greater than 0");
      blocks.fill(elements / block_size + (elements % block_size != 0));
      break;
    }
    if (error != std::errc{} || (last ? rest != end : rest == end || *rest != 'x')) {
      throw fail("nAxnABxnB, the three matrix sizes in elements, such as 8000x8000x64000, or N");
    }
    if (elements < 1) throw fail("sizes greater than 0");
    blocks[side] = elements / block_size + (elements % block_size != 0);
    at = rest + 1;
  }
  const Problem problem{.r = blocks[0], .s = blocks[2], .t = blocks[1], .block_size = block_size};
  check_problem(problem, place);
  return problem;
}

nlohmann::ordered_json to_json(const Problem& problem) {
  return {{"r", problem.r}, {"s", problem.s}, {"t", problem.t}, {"block_size", problem.block_size}};
}

}  // namespace starport
