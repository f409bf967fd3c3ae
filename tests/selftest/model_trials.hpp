// The trials of each model.
#pragma once

#include "sim/models/spmd/spmd_model.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/models/tiles/tile_model.hpp"
#include "tests/selftest/trials.hpp"

#include <memory>

namespace starport {

/// Returns the trials of the star. `model` must outlive them.
std::unique_ptr<Trials> make_trials(const StarModel& model);

namespace spmd {
/// Returns the trials of distributed products. `model` must outlive them.
std::unique_ptr<Trials> make_trials(const SpmdModel& model);
}  // namespace spmd

namespace tiles {
/// Returns the trials of tile tasks. `model` must outlive them.
std::unique_ptr<Trials> make_trials(const TileModel& model);
}  // namespace tiles

}  // namespace starport
