#include "sim/star/validator/residency.hpp"

#define BOOST_ALLOW_DEPRECATED_HEADERS  // Boost 1.74 includes some of its own
#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>

#include <algorithm>
#include <iterator>

namespace starport {
namespace {

namespace geometry = boost::geometry;

using Point = geometry::model::point<std::int32_t, 2, geometry::cs::cartesian>;
using Box = geometry::model::box<Point>;
using Value = std::pair<Box, std::size_t>;

/// Boxes have their borders, ranges lack their ends.
Box box_of(const Rectangle& blocks) {
  return {{blocks.rows.begin, blocks.columns.begin}, {blocks.rows.end - 1, blocks.columns.end - 1}};
}
Value value_of(const RectangleIndex::Entry& entry) { return {box_of(entry.first), entry.second}; }

std::vector<Value> values_of(const std::vector<RectangleIndex::Entry>& entries) {
  std::vector<Value> values;
  for (const auto& entry : entries) values.push_back(value_of(entry));
  return values;
}

}  // namespace

struct RectangleIndex::Tree {
  explicit Tree(const std::vector<Value>& all) : values(all) {}

  geometry::index::rtree<Value, geometry::index::quadratic<16>> values;
};

RectangleIndex::RectangleIndex(const std::vector<Entry>& entries)
    : tree_(new Tree(values_of(entries))) {}
RectangleIndex::~RectangleIndex() = default;

void RectangleIndex::insert(const Entry& entry) { tree_->values.insert(value_of(entry)); }
void RectangleIndex::erase(const Entry& entry) { tree_->values.remove(value_of(entry)); }

std::vector<std::size_t> RectangleIndex::meeting(const Rectangle& blocks) const {
  std::vector<std::size_t> numbers;
  if (blocks.empty()) return numbers;
  for (auto found = tree_->values.qbegin(geometry::index::intersects(box_of(blocks)));
       found != tree_->values.qend(); ++found) {
    numbers.push_back(found->second);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace starport
