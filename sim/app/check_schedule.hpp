// Checks of schedules from files, before they run.
#pragma once

#include "sim/files/error.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/schedule.hpp"
#include "sim/star/validator/validator.hpp"

#include <string>

namespace starport {

/// Computes the dates of a schedule (an ordered list of transfers) on `platform`, a master and its
/// workers, without SimGrid: the earliest that the star model allows. Checks the model's rules
/// (ports, memory, order of updates), and returns the metrics of the run. Ignores the schedule's
/// own platform and makespan. A multi-port master (many transfers at a time) is treated as
/// one-port, also in the metrics. `path` is the schedule's file, for messages only. Throws
/// InputError, which names the file and the transfer (/transfers/I, from 0; /transfers if something
/// is missing at the end), at the first violation. Takes about O(n log n) time for n transfers.
Metrics check_rules(const Schedule& schedule, const Platform& platform, const std::string& path);

/// Returns, without throwing it, the error that reports `violation`, the first rule of the star
/// model that the transfers of `schedule` break: it names the file `path` and the transfer
/// (/transfers/I, from 0), or /transfers as a whole if something is missing at the end
/// (Violation::transfer is then the number of transfers).
InputError invalid_schedule_error(const Schedule& schedule, const Violation& violation,
                                  const std::string& path);

/// Computes the dates of a schedule (an ordered list of transfers) on `platform`, a master and its
/// workers, without SimGrid, checks the rules of the star model (ports, memory, order of updates),
/// and returns the metrics of the run. Ignores the schedule's own platform and makespan. Transfers
/// of a multi-port master may overlap, but check_rules(), which treats it as one-port, must accept
/// the schedule, too. `path` is the schedule's file, for messages only. Throws InputError, which
/// names the file and the transfer (/transfers/I, from 0; /transfers if something is missing at the
/// end), at the first violation.
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
