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
  std::vector<std::size_t> usable;
  double fastest_w_s = 0;
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    const Worker& worker = platform.workers[i];
    if (kOptimizedOverlapped.side(worker.m_blocks) == 0) continue;
    fastest_w_s = usable.empty() ? worker.w_s : std::min(fastest_w_s, worker.w_s);
    usable.push_back(i);
  }
  if (usable.empty()) return state;

  // Scaled so that every variable lies in [0, 1] whatever the platform's units: u_i = x_i w_i is
  // the share of its time that worker i computes, v_i = y_i c_i its share of the port.
  //   maximise sum u_i / w_i,   sum v_i <= 1,   u_i 2 c_i / (mu_i w_i) - v_i <= 0,   u_i <= 1
  // A worker whose ratio 2 c_i / (mu_i w_i) exceeds 1 cannot compute all the time; dividing its row
  // by it keeps the coefficients at most 1.
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
    const Worker& worker = platform.workers[usable[static_cast<std::size_t>(j)]];
    const auto mu = static_cast<double>(kOptimizedOverlapped.side(worker.m_blocks));
    const double ratio = 2 * worker.c_s / (mu * worker.w_s);
    put(0, n + j, 1);
    put(1 + j, j, std::min(1.0, ratio));
    put(1 + j, n + j, -std::min(1.0, 1 / ratio));
    objective[static_cast<std::size_t>(j)] = fastest_w_s / worker.w_s;
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
    const std::size_t i = usable[static_cast<std::size_t>(j)];
    const Worker& worker = platform.workers[i];
    state.x_updates_per_s[i] = std::max(0.0, solution[j]) / worker.w_s;
    state.y_blocks_per_s[i] = std::max(0.0, solution[n + j]) / worker.c_s;
    state.throughput_updates_per_s += state.x_updates_per_s[i];
  }
  return state;
}

}  // namespace starport
