// The linear program of PPoPP'08 Table 1 and its variants for other ports, by Clp.
#include "sim/files/error.hpp"
#include "sim/star/bounds/bounds.hpp"

#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace starport {
namespace {

/// One of the master's limits: sum over the workers of (sent y_i c_i + received z_i c_i) <= 1, with
/// c_i replaced by the shared c where there is one, over `capacity`.
struct MasterRow {
  const char* name;
  double sent;
  double received;
  double shared_c_s;  ///< 0: the worker's own c_i
  double capacity;

  double time_s(const Worker& worker) const {
    return (shared_c_s > 0 ? shared_c_s : worker.c_s) / capacity;
  }
};

/// Of many ports, whose links have limits of their own, those that they share.
std::vector<MasterRow> master_rows(const Port& port, bool count_c) {
  constexpr double workers_own = 0;
  switch (port.kind) {
    case Port::Kind::one:
      return {{"port", 1, count_c ? 1.0 : 0.0, workers_own, 1}};
    case Port::Kind::two:
      return {{"send port", 1, 0, workers_own, 1}, {"receive port", 0, 1, workers_own, 1}};
    case Port::Kind::multi:
      break;
  }
  std::vector<MasterRow> rows;
  if (port.most_transfers > 0) {
    rows.push_back(
        {"transfers at once", 1, 1, workers_own, static_cast<double>(port.most_transfers)});
  }
  if (port.c_s > 0) rows.push_back({"bandwidth", 1, 1, port.c_s, 1});
  return rows;
}

/// A usable worker, scaled by what it could do alone so that the variables and coefficients of the
/// program lie in [0, 1] whatever the platform's units.
struct Column {
  std::size_t worker;
  double sent;      ///< blocks sent for an update, a_i = y_i / x_i
  double received;  ///< blocks of C that come home for one
  double most_x;    ///< the x_i that the worker's tightest limit allows, updates/s
  enum class Tightest : std::uint8_t { computation, send_link, receive_link, master } tightest;
};

Column column_of(std::size_t i, const Platform& platform, const Problem& problem, bool count_c,
                 const std::vector<MasterRow>& master) {
  const Worker& worker = platform.workers[i];
  const double c_per_update = 1 / static_cast<double>(problem.t);
  const auto mu = static_cast<double>(kOptimizedOverlapped.side(worker.m_blocks));
  Column column{.worker = i,
                .sent = 2 / mu + (count_c ? c_per_update : 0),
                .received = c_per_update,
                .most_x = 1 / worker.w_s,
                .tightest = Column::Tightest::computation};
  const auto limit = [&](double x, Column::Tightest by) {
    if (x >= column.most_x) return;
    column.most_x = x;
    column.tightest = by;
  };
  if (platform.port.kind == Port::Kind::multi) {
    limit(1 / (column.sent * worker.c_s), Column::Tightest::send_link);
    limit(1 / (column.received * worker.c_s), Column::Tightest::receive_link);
  }
  for (const MasterRow& row : master) {
    const double blocks = row.sent * column.sent + row.received * column.received;
    if (blocks > 0) limit(1 / (blocks * row.time_s(worker)), Column::Tightest::master);
  }
  return column;
}

/// With x_i = u_i most_x_i and y_i = v_i most_x_i a_i:
///   maximise sum u_i most_x_i, the master's rows <= 1, u_i - v_i <= 0, and u_i <= 1 or v_i <= 1
/// where the worker's computation or its link is the tightest of its limits; z_i is x_i / t.
class Program {
 public:
  Program(const Platform& platform, const std::vector<Column>& columns,
          const std::vector<MasterRow>& master)
      : platform_(platform), columns_(columns), master_(master) {
    for (const Column& column : columns) largest_x_ = std::max(largest_x_, column.most_x);
  }

  void solve();
  void read(SteadyState& state) const;

 private:
  CoinPackedMatrix matrix() const;

  const Platform& platform_;
  const std::vector<Column>& columns_;
  const std::vector<MasterRow>& master_;
  double largest_x_ = 0;
  ClpSimplex model_;
};

CoinPackedMatrix Program::matrix() const {
  const auto n = static_cast<int>(columns_.size());
  const auto rows = static_cast<int>(master_.size());
  std::vector<int> at_row;
  std::vector<int> at_column;
  std::vector<double> elements;
  const auto put = [&](int row, int column, double element) {
    if (element == 0) return;
    at_row.push_back(row);
    at_column.push_back(column);
    elements.push_back(element);
  };
  for (int j = 0; j < n; ++j) {
    const Column& column = columns_[j];
    for (int r = 0; r < rows; ++r) {
      const MasterRow& row = master_[r];
      const double time_s = row.time_s(platform_.workers[column.worker]) * column.most_x;
      put(r, j, row.received * column.received * time_s);
      put(r, n + j, row.sent * column.sent * time_s);
    }
    put(rows + j, j, 1);
    put(rows + j, n + j, -1);
  }
  CoinPackedMatrix matrix(true, at_row.data(), at_column.data(), elements.data(),
                          static_cast<CoinBigIndex>(elements.size()));
  matrix.setDimensions(rows + n, 2 * n);
  return matrix;
}

void Program::solve() {
  const std::size_t n = columns_.size();
  const std::vector<double> lower(2 * n, 0.0);
  std::vector<double> upper(2 * n, COIN_DBL_MAX);
  std::vector<double> objective(2 * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    objective[j] = columns_[j].most_x / largest_x_;
    if (columns_[j].tightest == Column::Tightest::master) continue;
    upper[columns_[j].tightest == Column::Tightest::send_link ? n + j : j] = 1;
  }
  const std::vector<double> row_lower(master_.size() + n, -COIN_DBL_MAX);
  std::vector<double> row_upper(master_.size() + n, 0.0);
  std::fill_n(row_upper.begin(), master_.size(), 1.0);

  model_.setLogLevel(0);
  model_.setPrimalTolerance(1e-10);
  model_.setDualTolerance(1e-10);
  model_.loadProblem(matrix(), lower.data(), upper.data(), objective.data(), row_lower.data(),
                     row_upper.data());
  model_.setOptimizationDirection(-1);
  model_.primal();
  if (!model_.isProvenOptimal()) throw SimulationError("the steady-state LP has no proven optimum");
}

void Program::read(SteadyState& state) const {
  const double* solution = model_.getColSolution();
  const double* reduced_cost = model_.getReducedCost();
  std::vector<double> use(master_.size());
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const Column& column = columns_[j];
    const std::size_t i = column.worker;
    // Less than the solver's tolerance beside what the worker could do alone is nothing.
    state.x_updates_per_s[i] = solution[j] < 1e-9 ? 0 : solution[j] * column.most_x;
    state.y_blocks_per_s[i] = state.x_updates_per_s[i] * column.sent;  // no more than it needs
    state.z_blocks_per_s[i] = state.x_updates_per_s[i] * column.received;
    state.throughput_updates_per_s += state.x_updates_per_s[i];
    for (std::size_t r = 0; r < master_.size(); ++r) {
      use[r] += (master_[r].sent * state.y_blocks_per_s[i] +
                 master_[r].received * state.z_blocks_per_s[i]) *
                master_[r].time_s(platform_.workers[i]);
    }
    // The price of a variable's upper bound is its reduced cost, when it is there.
    const auto price = [&](std::size_t variable) {
      return std::max(0.0, reduced_cost[variable]) * largest_x_;
    };
    switch (column.tightest) {
      case Column::Tightest::computation:
        state.computation_price[i] = price(j);
        break;
      case Column::Tightest::receive_link:
        state.receive_link_price[i] = price(j);
        break;
      case Column::Tightest::send_link:
        state.send_link_price[i] = price(columns_.size() + j);
        break;
      case Column::Tightest::master:
        break;
    }
  }
  for (std::size_t r = 0; r < master_.size(); ++r) {
    state.master[r].use = use[r];
    state.master[r].price_updates_per_s = std::max(0.0, model_.getRowPrice()[r]) * largest_x_;
  }
}

}  // namespace

SteadyState steady_state(const Platform& platform, const Problem& problem, bool count_c) {
  SteadyState state(platform.workers.size());
  const std::vector<MasterRow> master = master_rows(platform.port, count_c);
  for (const MasterRow& row : master) state.master.push_back({.name = row.name});
  std::vector<Column> columns;
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    if (kOptimizedOverlapped.side(platform.workers[i].m_blocks) == 0) continue;
    columns.push_back(column_of(i, platform, problem, count_c, master));
  }
  if (columns.empty()) return state;
  Program program(platform, columns, master);
  program.solve();
  program.read(state);
  return state;
}

}  // namespace starport
