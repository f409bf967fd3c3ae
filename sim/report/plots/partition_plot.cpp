#include "sim/report/plots/partition_plot.hpp"

#include "sim/files/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace starport {
namespace {

using namespace partition;

constexpr std::int32_t kOutside = -1;

/// A square of the figure: a face of the cube, or the square itself.
struct Face {
  std::size_t across;  ///< index of the horizontal axis
  std::size_t up;      ///< index of the vertical axis
  double x_direction;  ///< 1: the horizontal axis points to the right, -1: to the left
  double y_direction;  ///< 1: the vertical axis points upwards, -1: downwards
};

/// Returns the faces around the corner (0, 0, 0): i points to the right, j upwards, k to the left
/// and downwards.
template <std::size_t D>
std::vector<Face> faces() {
  if (D == 2) return {{0, 1, 1, 1}};
  return {{0, 1, 1, 1}, {2, 1, -1, 1}, {0, 2, 1, -1}};
}

/// A grid of cells in a face, each owned by a processor or by none (kOutside).
struct Cells {
  std::vector<double> x;  ///< edges, ascending
  std::vector<double> y;
  std::vector<std::int32_t> owner;  ///< row by row, from below

  std::int64_t columns() const { return static_cast<std::int64_t>(x.size()) - 1; }
  std::int64_t rows() const { return static_cast<std::int64_t>(y.size()) - 1; }
  std::int32_t at(std::int64_t column, std::int64_t row) const {
    if (column < 0 || row < 0 || column >= columns() || row >= rows()) return kOutside;
    return owner[static_cast<std::size_t>(row * columns() + column)];
  }
  /// Gives the cells of a box to a processor. The edges of the box must be edges of the grid.
  void fill(const Box<2>& box, std::int32_t processor) {
    const auto place = [](const std::vector<double>& edges, double edge) {
      return std::ranges::lower_bound(edges, edge) - edges.begin();
    };
    for (auto row = place(y, box.sides[1].from); row < place(y, box.sides[1].to); ++row) {
      for (auto column = place(x, box.sides[0].from); column < place(x, box.sides[0].to);
           ++column) {
        owner[static_cast<std::size_t>(row * columns() + column)] = processor;
      }
    }
  }
};

/// Collects the rows that draw_partition() of plots/figure.py reads: zones, outlines, names.
class Sheet {
 public:
  void add(const Cells& cells, const Face& face) {
    for (std::int64_t row = 0; row < cells.rows(); ++row) fill(cells, face, row);
    outline(cells, face);
  }
  /// Adds the name of a processor and its share (0 to 1), to stand within a rectangle.
  void name(std::int32_t processor, double share, const Box<2>& box, const Face& face,
            const WorkerNames& names = {}) {
    placed("name", processor, face, box.sides[0].from, box.sides[0].to, box.sides[1].from,
           box.sides[1].to, names[static_cast<std::size_t>(processor)], share);
  }
  /// Adds the name of an axis, outside the square.
  void axis(const std::string& text, double x, double y) { row("axis", 0, text, 0, x, x, y, y); }

  const std::string& data() const { return data_; }

 private:
  /// Adds a row of cells as rectangles, each as long as the processor stays the same.
  void fill(const Cells& cells, const Face& face, std::int64_t at) {
    for (std::int64_t first = 0, last = 0; first < cells.columns(); first = last) {
      const std::int32_t owner = cells.at(first, at);
      while (last < cells.columns() && cells.at(last, at) == owner) ++last;
      if (owner == kOutside) continue;
      placed("zone", owner, face, cells.x[index(first)], cells.x[index(last)], cells.y[index(at)],
             cells.y[index(at + 1)]);
    }
  }
  /// Adds the lines where two processors meet; straight lines are joined.
  void outline(const Cells& cells, const Face& face) {
    for (std::int64_t row = 0; row <= cells.rows(); ++row) {
      runs(
          cells.columns(),
          [&](std::int64_t column) { return cells.at(column, row - 1) != cells.at(column, row); },
          [&](std::int64_t first, std::int64_t last) {
            const double y = cells.y[index(row)];
            placed("edge", 0, face, cells.x[index(first)], cells.x[index(last)], y, y);
          });
    }
    for (std::int64_t column = 0; column <= cells.columns(); ++column) {
      runs(
          cells.rows(),
          [&](std::int64_t row) { return cells.at(column - 1, row) != cells.at(column, row); },
          [&](std::int64_t first, std::int64_t last) {
            const double x = cells.x[index(column)];
            placed("edge", 0, face, x, x, cells.y[index(first)], cells.y[index(last)]);
          });
    }
  }
  template <class Is, class Visit>
  static void runs(std::int64_t size, Is is, Visit visit) {
    for (std::int64_t first = 0; first < size;) {
      std::int64_t last = first;
      while (last < size && is(last)) ++last;
      if (last > first) visit(first, last);
      first = last + 1;
    }
  }
  static std::size_t index(std::int64_t at) { return static_cast<std::size_t>(at); }

  void placed(const char* kind, std::int32_t processor, const Face& face, double x0, double x1,
              double y0, double y1, const std::string& text = {}, double share = 0) {
    row(kind, processor, text, share, face.x_direction * x0, face.x_direction * x1,
        face.y_direction * y0, face.y_direction * y1);
  }
  /// Adds a row. Adding 0.0 turns a negative zero, in a face to the left, into 0.
  void row(const char* kind, std::int32_t processor, const std::string& text, double share,
           double x0, double x1, double y0, double y1) {
    data_ += fmt::format("{},{},{},{:.4g},{:.9g},{:.9g},{:.9g},{:.9g}\n", kind, processor % 16 + 1,
                         quote_csv_field(text), share, std::min(x0, x1) + 0.0,
                         std::max(x0, x1) + 0.0, std::min(y0, y1) + 0.0, std::max(y0, y1) + 0.0);
  }

  std::string data_ = "kind,colour,text,share,x0,x1,y0,y1\n";
};

template <std::size_t D>
void name_axes(Sheet& sheet) {
  constexpr bool square = D == 2;
  sheet.axis("i \u2192", 0.5, square ? -0.05 : 1.05);
  sheet.axis("j \u2191", square ? -0.05 : 1.05, 0.5);
  if (!square) {
    sheet.axis("\u2190 k", -0.5, -0.05);
    sheet.axis("k \u2193", -0.05, -0.5);
  }
}

Drawing drawing(const Sheet& sheet, const std::string& title) {
  return {.kind = "partition", .data = sheet.data(), .settings = {{"title", title}}};
}

/// Projects the boxes of a zone that touch a face onto it; in the square, returns all of them.
template <std::size_t D>
std::vector<Box<2>> shown(const Zone<D>& zone, const Face& face) {
  std::vector<Box<2>> boxes;
  for (const Box<D>& box : zone) {
    bool touches = true;
    for (std::size_t axis = 0; axis < D; ++axis) {
      touches = touches && (axis == face.across || axis == face.up || box.sides[axis].from == 0);
    }
    if (touches) boxes.push_back({{box.sides[face.across], box.sides[face.up]}});
  }
  return boxes;
}

std::vector<double> edges_along(const std::vector<Box<2>>& boxes, std::size_t axis) {
  std::vector<double> edges;
  for (const Box<2>& box : boxes) {
    edges.push_back(box.sides[axis].from);
    edges.push_back(box.sides[axis].to);
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

/// Returns the grid of the edges of some rectangles, without owners.
Cells make_grid(const std::vector<Box<2>>& boxes) {
  Cells cells{.x = edges_along(boxes, 0), .y = edges_along(boxes, 1), .owner = {}};
  cells.owner.resize(static_cast<std::size_t>(cells.columns() * cells.rows()), kOutside);
  return cells;
}

Cells cells_of(const std::vector<Box<2>>& boxes, std::int32_t processor) {
  Cells cells = make_grid(boxes);
  for (const Box<2>& box : boxes) cells.fill(box, processor);
  return cells;
}

template <std::size_t D>
Cells cells_of(const TileAssignment<D>& tiling, const Face& face) {
  Cells cells;
  const std::int64_t n = tiling.counts[0];
  for (std::int64_t edge = 0; edge <= n; ++edge) {
    cells.x.push_back(static_cast<double>(edge) / static_cast<double>(n));
  }
  cells.y = cells.x;
  std::array<std::int64_t, D> stride;
  stride[D - 1] = 1;
  for (std::size_t axis = D - 1; axis > 0; --axis) stride[axis - 1] = stride[axis] * n;
  for (std::int64_t row = 0; row < n; ++row) {
    for (std::int64_t column = 0; column < n; ++column) {
      const auto tile =
          static_cast<std::size_t>(column * stride[face.across] + row * stride[face.up]);
      cells.owner.push_back(tiling.owner[tile]);
    }
  }
  return cells;
}

/// Returns the largest square of cells of each processor, where its name has most room.
std::vector<Box<2>> largest_squares(const Cells& cells, std::size_t processors) {
  std::vector<Box<2>> largest(processors, {{Interval{0, 0}, Interval{0, 0}}});
  // By cell, the side of the largest square whose upper right corner it is.
  std::vector<std::int64_t> side(cells.owner.size(), 1);
  const auto at = [&](std::int64_t column, std::int64_t row) {
    return static_cast<std::size_t>(row * cells.columns() + column);
  };
  for (std::int64_t row = 0; row < cells.rows(); ++row) {
    for (std::int64_t column = 0; column < cells.columns(); ++column) {
      const std::int32_t owner = cells.at(column, row);
      if (cells.at(column - 1, row) == owner && cells.at(column, row - 1) == owner &&
          cells.at(column - 1, row - 1) == owner) {
        side[at(column, row)] += std::min(
            {side[at(column - 1, row)], side[at(column, row - 1)], side[at(column - 1, row - 1)]});
      }
      const auto cell = [&](std::int64_t one) { return static_cast<std::size_t>(one); };
      const std::int64_t length = side[at(column, row)];
      const Box<2> square{{Interval{cells.x[cell(column + 1 - length)], cells.x[cell(column + 1)]},
                           Interval{cells.y[cell(row + 1 - length)], cells.y[cell(row + 1)]}}};
      Box<2>& best = largest[static_cast<std::size_t>(owner)];
      if (square.length(0) > best.length(0) + 1e-9) best = square;
    }
  }
  return largest;
}

template <std::size_t D>
Sheet zones_of(const Partition<D>& partition) {
  Sheet sheet;
  for (const Face& face : faces<D>()) {
    for (std::size_t p = 0; p < partition.zones.size(); ++p) {
      const std::vector<Box<2>> boxes = shown(partition.zones[p], face);
      if (!boxes.empty()) sheet.add(cells_of(boxes, static_cast<std::int32_t>(p)), face);
    }
    for (std::size_t p = 0; p < partition.zones.size(); ++p) {
      const std::vector<Box<2>> boxes = shown(partition.zones[p], face);
      if (boxes.empty()) continue;
      const auto roomiest = [](const Box<2>& one, const Box<2>& other) {
        return std::min(one.length(0), one.length(1)) < std::min(other.length(0), other.length(1));
      };
      sheet.name(static_cast<std::int32_t>(p), volume(partition.zones[p]),
                 *std::ranges::max_element(boxes, roomiest), face);
    }
  }
  return sheet;
}

}  // namespace

template <std::size_t D>
Drawing draw_partition(const Partition<D>& partition, const std::string& title) {
  Sheet sheet = zones_of(partition);
  name_axes<D>(sheet);
  return drawing(sheet, title);
}

Drawing draw_division(const Division& division, const std::string& title,
                      const WorkerNames& names) {
  std::vector<Box<2>> boxes;
  std::map<std::int64_t, double> shares;
  std::map<std::int64_t, Box<2>> roomiest;  // of each worker
  const auto room = [](const Box<2>& box) { return std::min(box.length(0), box.length(1)); };
  for (const Division::Part& part : division.parts) {
    const Box<2> box{{Interval{part.left, part.right}, Interval{1 - part.bottom, 1 - part.top}}};
    boxes.push_back(box);
    shares[part.worker] += box.length(0) * box.length(1);
    const auto [best, first] = roomiest.try_emplace(part.worker, box);
    if (!first && room(box) > room(best->second)) best->second = box;
  }
  Cells cells = make_grid(boxes);
  for (std::size_t p = 0; p < boxes.size(); ++p) {
    cells.fill(boxes[p], static_cast<std::int32_t>(division.parts[p].worker));
  }
  Sheet sheet;
  const Face face = faces<2>().front();
  sheet.add(cells, face);
  for (const auto& [worker, box] : roomiest) {
    sheet.name(static_cast<std::int32_t>(worker), shares[worker], box, face, names);
  }
  sheet.axis("j \u2192", 0.5, 1.05);
  sheet.axis("i \u2193", -0.05, 0.5);
  return drawing(sheet, title);
}

template <std::size_t D>
Drawing draw_tiles(const TileAssignment<D>& tiling, const std::string& title) {
  Sheet sheet;
  const auto all = static_cast<double>(tiling.owner.size());
  for (const Face& face : faces<D>()) {
    const Cells cells = cells_of(tiling, face);
    sheet.add(cells, face);
    const std::vector<Box<2>> squares = largest_squares(cells, tiling.tiles.size());
    for (std::size_t p = 0; p < squares.size(); ++p) {
      sheet.name(static_cast<std::int32_t>(p), static_cast<double>(tiling.tiles[p]) / all,
                 squares[p], face);
    }
  }
  name_axes<D>(sheet);
  return drawing(sheet, title);
}

template Drawing draw_partition(const Partition<2>&, const std::string&);
template Drawing draw_partition(const Partition<3>&, const std::string&);
template Drawing draw_tiles(const TileAssignment<2>&, const std::string&);
template Drawing draw_tiles(const TileAssignment<3>&, const std::string&);

}  // namespace starport
