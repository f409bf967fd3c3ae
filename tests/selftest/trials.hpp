// Random test cases of each model, and the properties that every run of them must have.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/platform/random.hpp"
#include "sim/results/model.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace starport {

class StarModel;
namespace spmd {
class SpmdModel;
}
namespace tiles {
class TileModel;
}

/// A random test case: a platform, a product and the noise of its runs.
struct Trial {
  PlatformFile file;
  std::string problem;  ///< in matrix elements, as `--problem` accepts it
  std::int64_t block_size = 1;
  Noise noise = {};
};

/// Draws random cases for one model and checks properties that hold for every valid run.
class Trials {
 public:
  virtual ~Trials() = default;
  /// Draws a small case; over many draws every kind of platform of the model occurs.
  virtual Trial draw(Random& random) const = 0;
  /// Checks the record of a complete run: no bound is above its makespan, and a plan that is saved
  /// and read again gives the same result. Returns a description of the first violation, or an
  /// empty string.
  virtual std::string find_fault(const NamedAlgorithm& algorithm, const Case& instance,
                                 const RunOptions& options, const Record& record) const = 0;
};

/// Returns the trials of the star, of distributed products and of tile tasks. The model must
/// outlive them.
std::unique_ptr<Trials> make_trials(const StarModel& model);
std::unique_ptr<Trials> make_trials(const spmd::SpmdModel& model);
std::unique_ptr<Trials> make_trials(const tiles::TileModel& model);
/// Returns the trials of `model`, which must outlive them. Throws std::logic_error for a model
/// without trials.
std::unique_ptr<Trials> trials_of(const Model& model);

}  // namespace starport
