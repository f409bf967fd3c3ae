// The HTTP server of `starport explore`.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace starport {

/// The external program that answers the requests of the explorer's page. serve_explorer() starts
/// processes of it; each reads requests on its stdin, one a line, and prints the answer to each as
/// one line before it gets the next. Holds the program's path, its arguments and a time limit.
struct Answerer {
  /// Path of the program that answers, or a name that is searched in PATH; its arguments are in
  /// `arguments`.
  std::string program;
  std::vector<std::string> arguments;
  /// Largest duration of an answer in wall-clock seconds, greater than 0 and finite. A process that
  /// takes longer is killed, and the page gets an error as the answer.
  double limit_s;
};

/// Serves `page` and answers requests on the IPv4 loopback interface, each by a process that
/// answers nothing else at the time; blocks until this process is ended. A newer request to the
/// same path (the page has one for each thing that it asks for) kills the process of the older one,
/// which then gets an error as its answer; so does a request while four others are being answered.
/// Calls `ready` with the address of the page, which has a random token, once connections are
/// accepted. Requests without the token, for another host name, from a page of another origin, or
/// larger than kMaxRequestBytes (1 MiB) get an error and no content. Throws std::runtime_error if
/// no port can be opened, and before `ready` is called also if the first process cannot be started.
void serve_explorer(const std::string& page, const Answerer& answerer,
                    const std::function<void(const std::string& address)>& ready);

}  // namespace starport
