// A validator of the star on one port without noise, written from the model's description alone: no
// index, no tolerance but that of the traced dates, every block and every update one by one. What
// it says must be what sim/star/validator says.
#pragma once

#include "sim/star/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace starport::test {

struct Verdict {
  std::size_t transfer;  ///< from 0; as many as there are when what is wrong is the end
  std::string reason;
};

/// What is wrong first. The dates that count are those that the transfers have in exact
/// arithmetic; the traced ones may differ from them by what rounding explains.
std::optional<Verdict> second_opinion(const Platform& platform, const Problem& problem,
                                      const Trace& trace);

/// The most blocks that a worker, from 0, holds at a time.
std::int64_t exact_peak_blocks(const Platform& platform, const Problem& problem, const Trace& trace,
                               std::int32_t worker);

}  // namespace starport::test
