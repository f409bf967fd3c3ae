// The linear program of PPoPP'08 Table 1, by Clp.
#include "sim/model/error.hpp"
#include "sim/report/bounds.hpp"

#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>

#include <algorithm>
#include <vector>

namespace starport {

SteadyState steady_state(const Platform& platform) {
  SteadyState state;
  state.x_updates_per_s.resize(platform.workers.size());
  state.y_blocks_per_s.resize(platform.workers.size());
  // What a worker can do at most: limited by itself, or by the whole port.
  struct Column {
    std::size_t worker;
    double fastest_x;   ///< min(1 / w_i, mu_i / (2 c_i)), updates/s
    double port_share;  ///< of the port, at that rate: fastest_x 2 c_i / mu_i <= 1
  };
  std::vector<Column> usable;
  double largest_x = 0;
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    const Worker& worker = platform.workers[i];
    const auto mu = static_cast<double>(kOptimizedOverlapped.side(worker.m_blocks));
    if (mu == 0) continue;
    const double port_per_update = 2 * worker.c_s / mu;
    const double x = std::min(1 / worker.w_s, 1 / port_per_update);
    usable.push_back({i, x, x * port_per_update});
    largest_x = std::max(largest_x, x);
  }
  if (usable.empty()) return state;

  // Scaled so that variables and coefficients lie in [0, 1] whatever the platform's units: with
  // x_i = u_i fastest_x and y_i c_i = v_i port_share,
  //   maximise sum u_i fastest_x,   sum v_i port_share <= 1,   u_i - v_i <= 0,   u_i <= 1.
  const int n = static_cast<int>(usable.size());
  std::vector<int> rows;
  std::vector<int> columns;
  std::vector<double> elements;
  const auto put = [&](int row, int column, double element) {
    rows.push_back(row);
    columns.push_back(column);
    elements.push_back(element);
  };
  std::vector<double> objective(static_cast<std::size_t>(2 * n), 0.0);
  for (int j = 0; j < n; ++j) {
    const Column& column = usable[static_cast<std::size_t>(j)];
    put(0, n + j, column.port_share);
    put(1 + j, j, 1);
    put(1 + j, n + j, -1);
    objective[static_cast<std::size_t>(j)] = column.fastest_x / largest_x;
  }
  const CoinPackedMatrix matrix(true, rows.data(), columns.data(), elements.data(),
                                static_cast<CoinBigIndex>(elements.size()));
  const std::vector<double> lower(static_cast<std::size_t>(2 * n), 0.0);
  const std::vector<double> upper(static_cast<std::size_t>(2 * n), 1.0);
  const std::vector<double> row_lower(static_cast<std::size_t>(n + 1), -COIN_DBL_MAX);
  std::vector<double> row_upper(static_cast<std::size_t>(n + 1), 0.0);
  row_upper[0] = 1;

  ClpSimplex model;
  model.setLogLevel(0);
  model.setPrimalTolerance(1e-10);
  model.setDualTolerance(1e-10);
  model.loadProblem(matrix, lower.data(), upper.data(), objective.data(), row_lower.data(),
                    row_upper.data());
  model.setOptimizationDirection(-1);
  model.primal();
  if (!model.isProvenOptimal()) throw SimulationError("the steady-state LP has no proven optimum");

  const double* solution = model.getColSolution();
  for (int j = 0; j < n; ++j) {
    const Column& column = usable[static_cast<std::size_t>(j)];
    const std::size_t i = column.worker;
    state.x_updates_per_s[i] = std::max(0.0, solution[j]) * column.fastest_x;
    state.y_blocks_per_s[i] =
        std::max(0.0, solution[n + j]) * column.port_share / platform.workers[i].c_s;
    state.throughput_updates_per_s += state.x_updates_per_s[i];
  }
  return state;
}

}  // namespace starport
