// JSON of schedules, platforms and transfers: parts of schedule files that other programs exchange
// too.
#pragma once

#include "sim/star/schedule.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace starport {

class JsonNode;

/// Key of the list of transfers in the JSON object of a schedule file.
inline constexpr const char* kTransfersKey = "transfers";

/// Returns the platform as the JSON object that schedule files have: "name", "port" unless one-port
/// ("kind" and, where set, "transfers", the most at once, and "c_s", seconds per block at the
/// shared bandwidth), and "workers", by index, with "c_s" (seconds per block sent), "w_s" (seconds
/// per block update), "m_blocks" (memory in blocks) and, where set, "name", "latency_s" (seconds
/// per message) and "speeds", pairs of a number of blocks of C and block updates per second.
nlohmann::ordered_json to_json(const Platform& platform);
/// Returns the transfer as the JSON object that schedule files have (format:
/// sim/star/schedules.md), with the worker as a number from 1. Keys whose value is empty, 0 or
/// false are left out. Does not check the transfer.
nlohmann::ordered_json to_json(const Transfer& transfer);

/// Reads a transfer from the JSON object of a schedule file (format: sim/star/schedules.md), in
/// which workers are numbered from 1 (the result has an index from 0); ranges of blocks are
/// half-open and count from 0, as in the result. Throws InputError without a file name if a key is
/// unknown or missing, a value has a wrong type or is negative, "to" is neither "worker" nor
/// "master", the worker is not in 1..`workers` (the number of workers of the platform), a range of
/// blocks is empty or exceeds the matrices of `problem`, or an update has nothing to compute.
Transfer read_transfer(const JsonNode& node, const Problem& problem, std::int64_t workers);

/// Appends a transfer to `text` as a JSON object on one line, without a newline, with the worker as
/// a number from 1 (format: sim/star/schedules.md). Keys whose value is empty, 0 or false are left
/// out. Does not check the transfer.
void append_transfer_text(const Transfer& transfer, std::string& text);

/// Parses the JSON object of a transfer at the start of `rest`, after white space, into `transfer`,
/// which must be default-constructed, and removes it from `rest`; much faster than through a JSON
/// document. Keys may come in any order; the worker is a number in 1..`workers` in the text, an
/// index from 0 in `transfer`. Returns true on success. Returns false, and does not throw, if the
/// text is malformed or ends too early, if read_transfer() would reject the transfer (such as for
/// an unknown key, or a worker or blocks of `problem` that do not exist), or if it uses escapes or
/// integers such as 7.0; `rest` and `transfer` are unspecified then, and read_transfer() gives the
/// result or the error.
bool parse_transfer_text(std::string_view& rest, const Problem& problem, std::int64_t workers,
                         Transfer& transfer);

}  // namespace starport
