// A limit to what a command may take, whatever it does.
#pragma once

namespace starport {

/// Ends this process, with a line on stderr and that status, once so much time has passed; 0:
/// never. For commands that leave nothing behind.
void end_after(double time_limit_s, int status);

}  // namespace starport
