// The processes that a child process has started, and their end.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace starport {

/// Returns the content of the file `path` of /proc, such as "/proc/7/statm"; "" if its process has
/// ended or the file cannot be opened.
std::string read_process_file(const std::string& path);

/// Appends the process IDs of the children of all threads of a process to `children`; none where
/// the kernel does not list them (/proc/PID/task/TID/children). Returns the number of its threads;
/// 0 if there is no such process. A process that has ended counts as one thread until its parent
/// has waited for it.
std::int64_t add_children(pid_t process, std::vector<pid_t>& children);

/// Makes this process, until it ends, the new parent of its descendants whose own parents end,
/// whatever their group or session, so that kill_descendants() reaches them. Children forked from
/// it do not inherit this. Failure is ignored.
void adopt_descendants();

/// Reaps the children of this process that have ended, without waiting, and calls `on_end` (not
/// empty) with the process ID and the wait status (see waitpid(2)) of each. Returns true if other
/// children still run, false if this process has none left.
bool reap_ended_children(const std::function<void(pid_t, int)>& on_end);

/// Kills all processes that descend from this one, which must have called adopt_descendants()
/// (otherwise only its children are killed), and waits until they have ended, but gives up after
/// some 10 s. Kills none where the kernel does not list children (see add_children()). If a child
/// is in the process group `group` (0: none; must not be this process's own), that whole group is
/// killed. Calls `on_end` (not empty) with the process ID and the wait status (see waitpid(2)) of
/// each process that ends.
void kill_descendants(pid_t group, const std::function<void(pid_t, int)>& on_end);

}  // namespace starport
