// The HTTP server of `starport explore`.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace starport {

/// The external program that answers the requests of the explorer's page: for each,
/// serve_explorer() starts a process of it, which reads the request as one line and prints the
/// answer as one line. Holds its path, its arguments and a time limit.
struct Answerer {
  /// Path of the program that answers; its arguments are in `arguments`.
  std::string program;
  std::vector<std::string> arguments;
  /// Largest duration of an answer in wall-clock seconds, greater than 0.
  double limit_s;
};

/// Serves `page` and answers requests on the IPv4 loopback interface, each by a process that
/// answers nothing else at the time; blocks until this process is ended. A newer request of the
/// same browser page kills the process of the older one. Calls `ready` with the address of the
/// page, which has a random token, once connections are accepted. Requests without the token, for
/// another host name, from a page of another origin, or larger than kMaxRequestBytes get an error
/// and no content. Throws std::runtime_error if no port can be opened.
void serve_explorer(const std::string& page, const Answerer& answerer,
                    const std::function<void(const std::string& address)>& ready);

}  // namespace starport
