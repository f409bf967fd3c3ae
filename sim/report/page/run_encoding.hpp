// A run in few bytes, for a page that computes its dates again.
#pragma once

#include "sim/star/trace.hpp"

#include <string>
#include <string_view>

namespace starport {

/// The transfers of a trace, in the order of the schedule, without their dates: the recurrence
/// gives those (sim/star/master_view.hpp), but for a transfer that the dispatcher held back, whose
/// start is kept; and on many ports, where all dates of transfers are kept. plots/report/run.js
/// reads it.
///
/// Numbers are LEB128; an integer z that may be negative is 2z or -2z-1. Column after column:
/// - how many transfers there are;
/// - of each transfer: flags (1 to the master, 2 brings A, 4 B, 8 C, 16 allows an update, 32 which
///   has block updates, 64 and adds C, 128 held back);
/// - the worker, from 0;
/// - 0 when it waits for no update, else 1 + the updates that its worker was allowed before and
/// that
///   it does not wait for;
/// - for the rows of A, the columns of A, those of B, of C, then the rows, columns and inner range
///   of the update: the begin of those that are there, then their sizes, each minus that of the
///   worker's last one;
/// - the starts of those held back, in seconds, as little-endian doubles;
/// - on many ports, all the starts, then all the ends.
std::string encode_run(const Platform& platform, const Trace& trace);

/// Bytes as text for a page: zlib's format, then base64.
std::string pack(std::string_view bytes);

}  // namespace starport
