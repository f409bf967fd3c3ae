#include "heuristics/star/polaris/options.hpp"

#include <algorithm>
#include <cstdint>

namespace starport::polaris {

OptionSpace::OptionSpace(const Platform& platform, const Features& features)
    : features_(features),
      latencies_(std::ranges::any_of(platform.workers,
                                     [](const Worker& worker) { return worker.latency_s > 0; })),
      cuts_rows_(std::ranges::any_of(platform.workers,
                                     [](const Worker& worker) { return worker.latency_s == 0; })),
      has_small_memory_(std::ranges::any_of(
          platform.workers, [](const Worker& worker) { return worker.m_blocks < 400; })) {}

ServingOptions OptionSpace::initial() const {
  ServingOptions options;
  options.modes = {.resident = features_.resident,
                   .exchanged = features_.exchanged,
                   .cut_messages = features_.cut_messages};
  options.message_options.late_c = features_.late_c;
  if (!features_.staggered) options.message_options.joining = 0;
  return options;
}

void OptionSpace::change(ServingOptions& options, RandomGenerator& random) const {
  const auto draw = [&](auto... values) {
    const double list[] = {static_cast<double>(values)...};
    return list[random.integer_below(sizeof...(values))];
  };
  const auto draw_integer = [&](auto... values) {
    return static_cast<std::int64_t>(draw(values...));
  };
  MessageOptions& messages = options.message_options;
  switch (random.integer_below(latencies_ ? 9 : 6)) {
    case 0:
      messages.loading_share = draw(0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0);
      break;
    case 1:
      if (features_.staggered) messages.joining = draw_integer(0, 1, 2, 3, 4, 6);
      break;
    case 2:
      messages.rest = draw_integer(1, 2, 3, 4);
      break;
    case 3:
      messages.pieces = draw_integer(1, 2, 3, 4, 6, 8);
      break;
    case 4:
      options.modes.spare_columns = draw_integer(0, 1, 2, 4);
      break;
    case 6:
      options.return_columns = draw_integer(1, 2, 4, 8, 16, 32);
      break;
    case 7:
      messages.group = draw_integer(1, 2, 4, 8, 16, 32);
      break;
    case 8:
      messages.depth = draw_integer(1, 2, 4, 8, 16);
      break;
    default:
      options.patience = draw(0, 1, 2, 3, 5, 8, 12);
  }
}

std::vector<std::function<void(ServingOptions&)>> OptionSpace::changes() const {
  std::vector<std::function<void(ServingOptions&)>> changes;
  if (!features_.options) return changes;
  for (const double share : {0.5, 0.25, 1.0}) {
    changes.emplace_back(
        [=](ServingOptions& options) { options.message_options.loading_share = share; });
  }
  for (const std::int64_t joining : {1, 4, 0}) {
    if (!features_.staggered) break;
    changes.emplace_back(
        [=](ServingOptions& options) { options.message_options.joining = joining; });
  }
  for (const std::int64_t length : {4, 16}) {
    if (!latencies_) break;
    changes.emplace_back([=](ServingOptions& options) {
      options.message_options.pieces = 1;
      options.message_options.depth = length;
      options.message_options.group = length;
      options.return_columns = length;
    });
  }
  for (const std::int64_t spare : {1, 2, 0})
    changes.emplace_back([=](ServingOptions& options) { options.modes.spare_columns = spare; });
  for (const double patience : {1.0, 5.0})
    changes.emplace_back([=](ServingOptions& options) { options.patience = patience; });
  return changes;
}

std::vector<Prefetch> OptionSpace::prefetches() const {
  std::vector<Prefetch> kinds{Prefetch::column};
  if (!features_.tight_buffers) return kinds;
  if (features_.cut_messages && cuts_rows_) kinds.push_back(Prefetch::pieces);
  if (has_small_memory_) kinds.push_back(Prefetch::none);
  return kinds;
}

}  // namespace starport::polaris
