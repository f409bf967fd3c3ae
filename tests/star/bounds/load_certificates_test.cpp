// The numbers that prove the bound on loads for long t (makespan_bounds.md, step 3c).
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "tests/paths.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace starport {
namespace {

constexpr int kNodes = 40;  // z, z', y/2, u and gamma are given in units of 1/40
constexpr int kShares = 20;

struct Certificate {
  double ratio;  // t / sqrt(m), at least
  double loads;
  int g;  // gamma
  std::vector<double> weights;
  std::vector<double> psi;

  double psi_at(double z) const {
    const auto node = static_cast<std::size_t>(std::min(std::floor(z), kNodes - 1.0));
    const double part = z - static_cast<double>(node);
    return (1 - part) * psi[node] + part * psi[node + 1];
  }
  static double root(double blocks) { return 2 * std::sqrt(std::max(0.0, blocks) / kNodes); }
  static double worth(double z, double u, double a) {
    const double whole = root(z + u);
    if (a == 0) return whole;
    const double rest = kNodes - a;
    const double first = z <= rest ? whole : root(z - rest) + root(u + rest);
    const double second = u <= a ? whole : root(z + a) + root(u - a);
    return std::min(first, second);
  }
  /// The left side of (1) less the right side.
  double slack(double z, double next_z, double half_y) const {
    const double grown = kNodes + g - half_y;
    double difference =
        -loads * grown / kNodes - (2 * half_y / kNodes) / ratio - psi_at(z) + psi_at(next_z);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const auto share = static_cast<double>(j) / kShares;
      difference += weights[j] * worth(z, grown - next_z, share * kNodes);
      if (j > 0 && share >= 2 * half_y / kNodes - 1e-12) difference -= weights[j] * share / ratio;
    }
    return difference;
  }
};

std::vector<Certificate> certificates() {
  std::vector<Certificate> read;
  const std::string path = STARPORT_SOURCE_DIR "/tests/star/bounds/load_certificates.json";
  for (const auto& entry : parse_json(read_file(path), path)) {
    read.push_back({entry.at("ratio"), entry.at("loads"), entry.at("g"),
                    entry.at("weights").get<std::vector<double>>(),
                    entry.at("psi").get<std::vector<double>>()});
  }
  return read;
}

TEST(LoadCertificates, HoldAtAllCorners) {
  ASSERT_EQ(certificates().size(), 7U);
  for (const Certificate& certificate : certificates()) {
    ASSERT_EQ(certificate.weights.size(), std::size_t{kShares});
    ASSERT_EQ(certificate.psi.size(), std::size_t{kNodes + 1});
    ASSERT_EQ(certificate.psi.front(), 0);
    double sum = 0;
    for (const double weight : certificate.weights) {
      ASSERT_GE(weight, 0);
      sum += weight;
    }
    ASSERT_NEAR(sum, 1, 1e-12);
    double least = std::numeric_limits<double>::infinity();
    for (int z = 0; z <= kNodes; ++z) {
      for (int next_z = 0; next_z <= kNodes; ++next_z) {
        for (int half_y = 0; next_z + 2 * half_y <= kNodes; ++half_y)
          least = std::min(least, certificate.slack(z, next_z, half_y));
        // Where next_z = 1 - y crosses a line.
        least = std::min(least, certificate.slack(z, next_z, (kNodes - next_z) / 2.0));
      }
      for (const double u : {0.0, certificate.g + kNodes / 2.0}) {
        EXPECT_GE(Certificate::root(z + u), certificate.loads * u / kNodes + certificate.psi_at(z));
      }
    }
    EXPECT_GT(least, 1e-6) << certificate.ratio;
  }
}

}  // namespace
}  // namespace starport
