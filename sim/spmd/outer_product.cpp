#include "sim/spmd/outer_product.hpp"

#include <algorithm>
#include <iterator>

namespace starport::spmd {
namespace {

void sort_unique(std::vector<std::int64_t>& cuts) {
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
}

/// The interval of ascending cuts that holds a block.
std::size_t interval(const std::vector<std::int64_t>& cuts, std::int64_t block) {
  const auto after = std::upper_bound(cuts.begin(), cuts.end(), block);
  return static_cast<std::size_t>(std::distance(cuts.begin(), after)) - 1;
}

}  // namespace

OuterProduct::OuterProduct(const Arrangement& arrangement, Multicast multicast)
    : arrangement_(arrangement), multicast_(multicast) {
  row_cuts_ = {0, arrangement.side};
  for (const NodeRectangle& rectangle : arrangement.rectangles) row_cuts_.push_back(rectangle.row);
  sort_unique(row_cuts_);
  for (const Nodes& column : arrangement.columns) {
    column_cuts_.push_back(arrangement.rectangles[column.front()].column);
  }
  column_cuts_.push_back(arrangement.side);

  across_.resize(row_cuts_.size() - 1);
  for (const Nodes& column : arrangement.columns) {
    for (const std::int64_t i : column) {
      const NodeRectangle& mine = arrangement.rectangles[i];
      const std::size_t end = interval(row_cuts_, mine.row + mine.m - 1) + 1;
      for (std::size_t e = interval(row_cuts_, mine.row); e < end; ++e) across_[e].push_back(i);
    }
  }

  std::vector<std::int64_t> changes = row_cuts_;
  changes.insert(changes.end(), column_cuts_.begin(), column_cuts_.end());
  sort_unique(changes);
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    stages_.push_back({.pivot = changes[i], .count = changes[i + 1] - changes[i]});
  }
}

void OuterProduct::spread(Hop piece, const Nodes& nodes, std::size_t owner,
                          std::vector<Hop>& hops) const {
  piece.from = nodes[owner];
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    if (place == owner) continue;
    piece.to = nodes[place];
    hops.push_back(piece);
    if (multicast_ == Multicast::chain) piece.from = piece.to;
  }
}

void OuterProduct::list(std::int64_t pivot, Messages& messages) const {
  const std::size_t owner = interval(column_cuts_, pivot);
  messages.same_a = messages.owner_of_a == owner;
  messages.owner_of_a = owner;
  if (!messages.same_a) {
    messages.a.clear();
    for (std::size_t e = 0; e < across_.size(); ++e) {
      const Hop piece{.matrix = Hop::Matrix::a,
                      .first = row_cuts_[e],
                      .blocks = row_cuts_[e + 1] - row_cuts_[e]};
      spread(piece, across_[e], owner, messages.a);
    }
  }
  messages.b.clear();
  const Nodes& owners = across_[interval(row_cuts_, pivot)];
  for (std::size_t c = 0; c < arrangement_.columns.size(); ++c) {
    const Nodes& column = arrangement_.columns[c];
    const auto place = std::find(column.begin(), column.end(), owners[c]);
    const Hop piece{.matrix = Hop::Matrix::b,
                    .first = column_cuts_[c],
                    .blocks = column_cuts_[c + 1] - column_cuts_[c]};
    spread(piece, column, static_cast<std::size_t>(std::distance(column.begin(), place)),
           messages.b);
  }
}

void OuterProduct::list_hops(std::int64_t pivot, std::vector<Hop>& hops) const {
  Messages messages;
  list(pivot, messages);
  hops = std::move(messages.a);
  hops.insert(hops.end(), messages.b.begin(), messages.b.end());
}

std::int64_t blocks_moved(const Arrangement& arrangement) {
  std::int64_t blocks = 0;
  for (const NodeRectangle& r : arrangement.rectangles) {
    blocks += r.m * (arrangement.side - r.n) + r.n * (arrangement.side - r.m);
  }
  return blocks;
}

void Loads::count(const Messages& messages) {
  const auto recount = [](const std::vector<Hop>& hops, PerWorker<Load>& loads) {
    std::fill(loads.begin(), loads.end(), Load{});
    for (const Hop& hop : hops) {
      loads[hop.from].sent += hop.blocks;
      loads[hop.to].received += hop.blocks;
    }
  };
  if (!messages.same_a) recount(messages.a, a_);
  recount(messages.b, b_);
}

}  // namespace starport::spmd
