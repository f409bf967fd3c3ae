#include "tests/report/pixels.hpp"

#include "tests/support.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace starport::test {
namespace {

std::size_t big_endian(const std::string& text, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(text.at(at + i));
  return value;
}

/// What the bytes on the left, above, and on the left above predict (PNG specification, section 9).
int predicted(int filter, int left, int above, int corner) {
  const int paeth = left + above - corner;
  const int to_left = std::abs(paeth - left);
  const int to_above = std::abs(paeth - above);
  const int to_corner = std::abs(paeth - corner);
  switch (filter) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) / 2;
    case 4:
      return to_left <= to_above && to_left <= to_corner ? left
             : to_above <= to_corner                     ? above
                                                         : corner;
    default:
      throw std::runtime_error("no PNG filter");
  }
}

Pixels read_png(const std::string& png) {
  Pixels pixels{big_endian(png, 16), big_endian(png, 20), {}};
  const std::size_t samples = png.at(25) == 2 ? 3 : 4;
  if (png.at(24) != 8 || (png[25] != 2 && png[25] != 6)) throw std::runtime_error("another PNG");
  std::string packed;
  for (std::size_t at = 8; at < png.size(); at += 12 + big_endian(png, at)) {
    if (png.substr(at + 4, 4) == "IDAT") packed += png.substr(at + 8, big_endian(png, at));
  }
  const std::size_t row = pixels.width * samples;
  std::vector<unsigned char> bytes((row + 1) * pixels.height);
  uLongf size = bytes.size();
  if (uncompress(bytes.data(), &size, reinterpret_cast<const Bytef*>(packed.data()),
                 packed.size()) != Z_OK) {
    throw std::runtime_error("a damaged PNG");
  }
  std::vector<unsigned char> above(row);
  for (std::size_t y = 0; y < pixels.height; ++y) {
    unsigned char* const line = bytes.data() + y * (row + 1) + 1;
    for (std::size_t i = 0; i < row; ++i) {
      const bool first = i < samples;
      line[i] += static_cast<unsigned char>(predicted(line[-1], first ? 0 : line[i - samples],
                                                      above[i], first ? 0 : above[i - samples]));
    }
    above.assign(line, line + row);
    for (std::size_t i = 0; i < row; i += samples) {
      pixels.colours.push_back({line[i], line[i + 1], line[i + 2]});
    }
  }
  return pixels;
}

Pixels read_ppm(const std::string& ppm) {
  std::istringstream header(ppm);
  std::string magic;
  std::size_t width = 0;
  std::size_t height = 0;
  int most = 0;
  header >> magic >> width >> height >> most;
  if (magic != "P6" || most != 255) throw std::runtime_error("another PPM");
  Pixels pixels{width, height, {}};
  const std::size_t begin = ppm.size() - 3 * width * height;
  for (std::size_t i = begin; i < ppm.size(); i += 3) {
    const auto byte = [&](std::size_t k) { return static_cast<std::uint8_t>(ppm[i + k]); };
    pixels.colours.push_back({byte(0), byte(1), byte(2)});
  }
  return pixels;
}

std::string output_of(const std::string& command) {
  const Outcome outcome = shell(command);
  if (outcome.status != 0) throw std::runtime_error(command + ": " + outcome.err);
  return outcome.out;
}

}  // namespace

Pixels pixels_of(const std::string& path, int dots_per_inch) {
  if (path.ends_with(".png")) return read_png(output_of("cat " + path));
  if (path.ends_with(".svg")) {
    return read_png(
        output_of(fmt::format("rsvg-convert --zoom {} {}", dots_per_inch / 96.0, path)));
  }
  return read_ppm(output_of(fmt::format("pdftoppm -r {} {}", dots_per_inch, path)));
}

}  // namespace starport::test
