#include "tests/selftest/trials.hpp"

#include "sim/models/spmd/spmd_model.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/models/tiles/tile_model.hpp"

#include <stdexcept>

namespace starport {

std::unique_ptr<Trials> trials_of(const Model& model) {
  if (const auto* star = dynamic_cast<const StarModel*>(&model)) return make_trials(*star);
  if (const auto* spmd = dynamic_cast<const spmd::SpmdModel*>(&model)) return make_trials(*spmd);
  if (const auto* tiles = dynamic_cast<const tiles::TileModel*>(&model)) return make_trials(*tiles);
  throw std::logic_error("no trials for the model " + std::string(model.name()));
}

}  // namespace starport
