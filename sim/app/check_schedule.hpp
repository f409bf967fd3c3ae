// Checks of schedules from files, before they run.
#pragma once

#include "sim/files/error.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/schedule.hpp"
#include "sim/star/validator/validator.hpp"

#include <string>

namespace starport {

/// Computes the dates of a schedule (an ordered list of transfers) on `platform`, a master and its
/// workers, by the star model's recurrence, without SimGrid, checks the model's rules (ports,
/// memory, order of updates), and returns the metrics of the run. A multi-port master (many
/// transfers at a time) is treated as one-port. `path` is the schedule's file, for messages only.
/// Throws InputError, which names the file and the transfer (/transfers/I, from 0; /transfers if
/// something is missing at the end), at the first violation. Takes about O(n log n) time for n
/// transfers.
Metrics check_rules(const Schedule& schedule, const Platform& platform, const std::string& path);

/// Returns, without throwing it, the error for a schedule from the file `path` that violates the
/// rules of the star model: it names the file and the transfer (/transfers/I, from 0), or
/// /transfers as a whole if something is missing at the end. `violation`, the first rule violated,
/// must be of this schedule (its index decides).
InputError invalid_schedule_error(const Schedule& schedule, const Violation& violation,
                                  const std::string& path);

/// Computes the dates of a schedule (an ordered list of transfers) on `platform`, a master and its
/// workers, without SimGrid, checks the rules of the star model (ports, memory, order of updates),
/// and returns the metrics of the run. Transfers of a multi-port master may overlap, but
/// check_rules(), which treats it as one-port, must accept the schedule, too. `path` is the
/// schedule's file, for messages only. Throws InputError, which names the file and the transfer
/// (/transfers/I, from 0; /transfers if something is missing at the end), at the first violation.
Metrics check_schedule(const Schedule& schedule, const Platform& platform, const std::string& path);

/// Throws InputError, located at /makespan_s in the file `path` (for the message only), if the
/// schedule states a makespan (seconds) that differs from that of `metrics` by more than a relative
/// 1e-9; does nothing if it states none.
void check_makespan(const Schedule& schedule, const Metrics& metrics, const std::string& path);

/// Sets the makespan (seconds) of a schedule to that of its list of transfers on its platform if it
/// is missing or differs by more than a relative 1e-9. That of the run that planned it differs if
/// the heuristic sent nothing for a while, which a list does not state. Throws InputError if the
/// list violates the star model.
void correct_makespan(Schedule& schedule);

}  // namespace starport
