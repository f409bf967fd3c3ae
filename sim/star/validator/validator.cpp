#include "sim/star/validator/validator.hpp"

#include "sim/platform/noise/expected_noise.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/validator/block_rules.hpp"
#include "sim/star/validator/date_rules.hpp"
#include "sim/star/validator/memory_use.hpp"

#include <algorithm>

namespace starport {
namespace {

void check_memory(const Platform& platform, const TracedTransfer& event, std::int64_t held_blocks) {
  const int worker = event.transfer.worker;
  const std::int64_t m = platform.workers[worker].m_blocks;
  if (held_blocks > m) {
    throw_broken_rule("worker {} would hold {} blocks at {} s, its memory is {}", worker + 1,
                      held_blocks, event.dates.start_s, m);
  }
}

/// The validator: checks a trace transfer by transfer against all rules.
class RuleChecker {
 public:
  RuleChecker(const Platform& platform, const Problem& problem, const ExpectedNoise* noise,
              Timing timing)
      : platform_(platform),
        noise_(noise),
        blocks_(platform, problem),
        dates_(platform, problem, noise, timing),
        memory_(platform.workers.size()) {}

  std::optional<Violation> add(const TracedTransfer& event) {
    const std::size_t number = count_++;
    try {
      check(event);
      return std::nullopt;
    } catch (const BrokenRule& fault) {
      const auto repeated = blocks_.find_repeated_c();
      return repeated && repeated->transfer < number ? repeated : Violation{number, fault.message};
    }
  }

  std::optional<Violation> finish() const {
    if (const auto repeated = blocks_.find_repeated_c()) return repeated;
    if (const auto missing = blocks_.find_missing_c()) return missing;
    return dates_.finish();
  }

 private:
  void check(const TracedTransfer& event) {
    const auto& [transfer, when] = event;
    blocks_.check_form(transfer);
    dates_.check(event);
    if (noise_ != nullptr) {
      const std::vector<Stop>& stops = noise_->stops();
      for (; stops_ < stops.size() && !clearly_less(when.start_s, stops[stops_].at_s); ++stops_) {
        blocks_.lose_worker_blocks(stops[stops_].worker);
      }
      // Decided before its worker stopped, but never started.
      if (!clearly_less(when.start_s, noise_->stop_s(transfer.worker))) return blocks_.skip();
    }
    const auto effect = blocks_.check(event, dates_.last_awaited_update(transfer.worker));
    check_memory(platform_, event, memory_.add(event, effect));
  }

  const Platform& platform_;
  const ExpectedNoise* noise_;
  BlockRules blocks_;
  DateRules dates_;
  MemoryUse memory_;
  std::size_t count_ = 0;
  std::size_t stops_ = 0;
};

std::optional<Violation> check(const Platform& platform, const Problem& problem, const Trace& trace,
                               const ExpectedNoise* noise, Timing timing) {
  RuleChecker check(platform, problem, noise, timing);
  for (const TracedTransfer& event : trace) {
    if (const auto violation = check.add(event)) return violation;
  }
  return check.finish();
}

}  // namespace

class TraceValidator::State {
 public:
  State(const Platform& platform, const Problem& problem, const Noise& noise)
      : noise_(expect_noise(noise, platform)),
        check_(platform, problem, noise_ ? &*noise_ : nullptr, Timing::model) {}
  State(const State&) = delete;  // check_ refers to noise_
  State& operator=(const State&) = delete;

  RuleChecker& check() { return check_; }

 private:
  std::optional<ExpectedNoise> noise_;
  RuleChecker check_;
};

TraceValidator::TraceValidator(const Platform& platform, const Problem& problem, const Noise& noise)
    : state_(std::make_unique<State>(platform, problem, noise)) {}
TraceValidator::~TraceValidator() = default;
std::optional<Violation> TraceValidator::add(const TracedTransfer& event) {
  return state_->check().add(event);
}
std::optional<Violation> TraceValidator::finish() const { return state_->check().finish(); }

std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const Trace& trace, const Noise& noise) {
  const auto expected = expect_noise(noise, platform);
  return check(platform, problem, trace, expected ? &*expected : nullptr, Timing::model);
}

std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const Trace& trace, Timing timing) {
  return check(platform, problem, trace, nullptr, timing);
}

std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const std::vector<Transfer>& transfers,
                                        MetricsAccumulator* metrics) {
  Platform dated = platform;
  if (!has_recurrence(platform.port)) dated.port = {};
  RuleChecker check(dated, problem, nullptr, Timing::model);
  MasterView master(dated, problem);
  return with_clock(master, NominalRecurrence{}, [&](auto& clock) {
    for (const Transfer& transfer : transfers) {
      TracedTransfer event{transfer, {}};
      // The recurrence must not index a worker that does not exist; the rules report it.
      const bool exists = transfer.worker >= 0 && transfer.worker < std::ssize(dated.workers);
      if (exists) {
        const Message message = to_message(transfer);
        event.dates = clock.advance(message);
        if (metrics != nullptr) metrics->add(message, event.dates);
      }
      if (const auto violation = check.add(event)) return std::optional(*violation);
    }
    return check.finish();
  });
}

}  // namespace starport
