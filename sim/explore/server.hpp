// The HTTP server of `starport explore`.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace starport {

/// The external program that answers the requests of the page of `starport explore`, such as to
/// simulate. serve_explorer() starts processes of it; each reads requests on its stdin, one a line,
/// and prints the answer to each as one line before it gets the next. Holds the program's path, its
/// arguments and the wall-clock seconds that one answer may take, after which its process is
/// killed.
struct Answerer {
  /// Path of the program that answers, or a name that is searched in PATH; its arguments are in
  /// `arguments`.
  std::string program;
  std::vector<std::string> arguments;
  /// Largest duration of an answer in wall-clock seconds, greater than 0 and finite. A process that
  /// takes longer is killed, and the page gets an error as the answer.
  double limit_s;
};

/// Serves `page` by HTTP on the IPv4 loopback interface and answers its requests, each by a process
/// of `answerer` that answers nothing else at the time; blocks until this process is ended. Calls
/// `ready` with the address of the page, which has a random token, once connections are accepted.
/// An idle process that has ended is replaced. A request gets an error as its answer if its process
/// fails, if four others are being answered, or if a newer one to the same path comes (the page has
/// a path for each thing that it asks for), which kills its process. Requests without the token,
/// for another host name, from a page of another origin, or larger than kMaxRequestBytes (1 MiB)
/// get an error and no content. Throws std::runtime_error, without calling `ready`, if no port can
/// be opened or the first process cannot be started.
void serve_explorer(const std::string& page, const Answerer& answerer,
                    const std::function<void(const std::string& address)>& ready);

}  // namespace starport
