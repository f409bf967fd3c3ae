// Het's selection of workers without trying all pairs: a first worker is left out if a bound shows
// that no pair with it has nearly the largest ratio; the pairs of the others are compared in
// vectors.

#include "heuristics/star/fast/large_platforms.hpp"
#include "sim/platform/ties.hpp"

#include <cstdio>

namespace starport::fast {
namespace {

struct Pairs {
  double* work;
  double* time_s;
  const double* first_work;
  const double* first_end_s;
};

/// For each first worker, in the place of its best pair so far: a pair with `second` if that is
/// better.

void improve_pairs(double* __restrict work, double* __restrict time_s,
                   const double* __restrict first_work, const double* __restrict first_end_s,
                   std::size_t count, const double* __restrict updates,
                   const double* __restrict communication_s, const double* __restrict ready_s,
                   const double* __restrict index, std::size_t p) {
  for (std::size_t j = 0; j < p; ++j) {
    const double u = updates[j], c = communication_s[j], r = ready_s[j];
    const double jj = static_cast<double>(j);
    for (std::size_t n = 0; n < count; ++n) {
      const double pair_work = first_work[n] + u;
      const double x = first_end_s[n] + c;
      const double pair_time_s = x < r ? r : x;
      const bool is_better = (work[n] * pair_time_s < pair_work * time_s[n]) & (index[n] != jj);
      work[n] = is_better ? pair_work : work[n];
      time_s[n] = is_better ? pair_time_s : time_s[n];
    }
  }
}

class PrunedSelection {
 public:
  explicit PrunedSelection(const Selection& selection)
      : local_(selection.variant.local),
        look_ahead_(selection.variant.look_ahead),
        size_(selection.costs->size()),
        updates_(size_),
        communication_s_(size_),
        later_s_(size_),
        computation_s_(size_),
        ready_s_(size_),
        ends_s_(size_),
        pair_work_(size_),
        pair_time_s_(size_),
        first_work_(size_),
        first_end_s_(size_),
        index_(size_) {
    for (std::size_t i = 0; i < size_; ++i) {
      const CoarsePlannedWorker worker((*selection.costs)[i], selection.variant.count_c);
      updates_[i] = worker.updates;
      communication_s_[i] = worker.communication_s;
      later_s_[i] = worker.later_s;
      computation_s_[i] = worker.computation_s;
    }
  }

  std::size_t choose() {
    if (local_) {
      for (double& ready_s : ready_s_) ready_s -= end_s_;
      end_s_ = 0;
    }
    achieved_ = local_ ? 0 : work_;
    for (std::size_t i = 0; i < size_; ++i)
      ends_s_[i] = std::max(end_s_ + communication_s_[i], ready_s_[i]);
    const std::size_t best = look_ahead_ ? best_of_pairs() : best_of_steps();
    work_ += updates_[best];
    end_s_ = ends_s_[best];
    ready_s_[best] = end_s_ + computation_s_[best];
    communication_s_[best] = later_s_[best];
    return best;
  }

 private:
  struct Ratio {
    double work;
    double time_s;
    bool is_clearly_less(const Ratio& other) const {
      return clearly_less(work * other.time_s, other.work * time_s);
    }
  };

  std::size_t best_of_steps() const {
    std::size_t best = 0;
    Ratio best_ratio{0, 1};
    for (std::size_t i = 0; i < size_; ++i) {
      const Ratio ratio{achieved_ + updates_[i], ends_s_[i]};
      if (!best_ratio.is_clearly_less(ratio)) continue;
      best = i;
      best_ratio = ratio;
    }
    return best;
  }

  std::size_t best_of_pairs() {
    std::size_t count = 0;
    if (size_ > 16) {
      // A worker that promises much, by the ratio of the step before.
      std::size_t likely = 0;
      double most = -kUnknown;
      double first_end_s = kUnknown;
      for (std::size_t i = 0; i < size_; ++i) {
        const double value = updates_[i] - rate_ * ends_s_[i];
        if (most < value) most = value, likely = i;
        first_end_s = std::min(first_end_s, ends_s_[i]);
      }
      consider(0, likely);
      improve(1);
      rate_ = pair_work_[0] / pair_time_s_[0];
      const double rate = rate_ * (1 - 4 * kRelativeTolerance);
      const double largest = 2 * *std::max_element(updates_.begin(), updates_.end());
      const double last_end_s = (achieved_ + largest) / rate;
      static const int K = getenv("KB") ? atoi(getenv("KB")) : 16;
      const double width_s = std::max((last_end_s - first_end_s) / K, 1e-300);
      double seconds[64];
      for (int b = 0; b < K; ++b) {
        const double from_s = first_end_s + b * width_s;
        seconds[b] = best_second(rate, from_s);
      }
      for (std::size_t i = 0; i < size_; ++i) {
        const double place = (ends_s_[i] - first_end_s) / width_s;
        if (!(place < K + 1)) continue;
        const int b = std::min(K - 1, std::max(0, static_cast<int>(place * (1 - 1e-9))));
        const double again =
            updates_[i] - rate * (ends_s_[i] + std::max(later_s_[i], computation_s_[i]));
        if (achieved_ + updates_[i] + std::max(seconds[b], again) < 0) continue;
        consider(count++, i);
      }
      steps_++;
      tried_ += count;
    } else {
      for (std::size_t i = 0; i < size_; ++i) consider(i, i);
      count = size_;
    }
    improve(count);
    std::size_t best = 0;
    Ratio best_ratio{0, 1};
    for (std::size_t n = 0; n < count; ++n) {
      const Ratio ratio{pair_work_[n], pair_time_s_[n]};
      if (!best_ratio.is_clearly_less(ratio)) continue;
      best = n;
      best_ratio = ratio;
    }
    return index_[best];
  }

  double best_second(double rate, double from_s) const {
    double best = -kUnknown;
    const double* u = updates_.data();
    const double* c = communication_s_.data();
    const double* r = ready_s_.data();

    for (std::size_t j = 0; j < size_; ++j) {
      const double x = from_s + c[j];
      const double value = u[j] - rate * (x < r[j] ? r[j] : x);
      best = best < value ? value : best;
    }
    return best;
  }
  void consider(std::size_t n, std::size_t i) {
    index_[n] = i;
    first_work_[n] = achieved_ + updates_[i];
    first_end_s_[n] = ends_s_[i];
    pair_work_[n] = achieved_ + updates_[i] + updates_[i];
    pair_time_s_[n] = ends_s_[i] + std::max(later_s_[i], computation_s_[i]);
  }
  void improve(std::size_t count) {
    improve_pairs(pair_work_.data(), pair_time_s_.data(), first_work_.data(), first_end_s_.data(),
                  count, updates_.data(), communication_s_.data(), ready_s_.data(), index_.data(),
                  size_);
  }

  long tried_ = 0, steps_ = 0;

 public:
  ~PrunedSelection() {
    if (steps_ && getenv("CNT")) {
      FILE* f = fopen("/tmp/lt/cnt", "a");
      fprintf(f, "local %d p %zu steps %ld tried %.2f\n", local_, size_, steps_,
              double(tried_) / steps_);
      fclose(f);
    }
  }

 private:
  bool local_;
  bool look_ahead_;
  std::size_t size_;
  std::vector<double> updates_, communication_s_, later_s_, computation_s_, ready_s_;
  std::vector<double> ends_s_, pair_work_, pair_time_s_, first_work_, first_end_s_;
  std::vector<double> index_;
  double end_s_ = 0;
  double work_ = 0;
  double achieved_ = 0;
  double rate_ = 0;
};

}  // namespace

std::vector<PanelOrder> select_pruned(std::span<const Selection> selections) {
  std::vector<PanelOrder> orders;
  for (const Selection& selection : selections) {
    PanelOrder& order =
        orders.emplace_back(*selection.costs, *selection.problem, selection.limit_s);
    PrunedSelection choice(selection);
    while (order.is_open()) order.add(choice.choose());
  }
  return orders;
}

}  // namespace starport::fast
