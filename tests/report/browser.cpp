#include "tests/report/browser.hpp"

#include "tests/support.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace starport::test {
namespace {

using nlohmann::json;

/// Ends tests that hang. Far longer than anything takes, so that no test fails on a busy machine.
constexpr std::chrono::seconds kPatience{600};

/// Script: a function that calls a function every 20 ms until it returns something, and returns
/// that. In the page, since each request is a new connection and competes with the page.
constexpr const char* kUntil =
    "const until = async (look) => { for (;;) { const value = look(); if (value) return value;"
    "  await new Promise((next) => setTimeout(next, 20)); } };";

/// A response of chromedriver.
struct Response {
  int status;
  std::string body;
};

/// Sends an HTTP request to this machine, on a connection of its own, and returns the response.
/// Throws std::system_error if that fails, also if no answer comes within a minute more than
/// kPatience.
Response send_request(const std::string& port, const std::string& request) {
  const auto check = [](bool succeeded, const char* what) {
    if (!succeeded)
      throw std::system_error(errno, std::generic_category(), std::string("chromedriver: ") + what);
  };
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  check(fd >= 0, "no socket");
  const std::shared_ptr<void> closed(nullptr, [fd](void*) { ::close(fd); });
  // Longer than that of the driver, which tells what takes so long.
  const timeval patience{.tv_sec = kPatience.count() + 60, .tv_usec = 0};
  check(::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0, "no time-out");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  check(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
        "connecting");
  for (std::size_t sent = 0; sent < request.size();) {
    const ssize_t more = ::send(fd, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    check(more > 0, "sending the request");
    sent += static_cast<std::size_t>(more);
  }
  // The head is followed by as many bytes as it says.
  std::string answer;
  std::string::size_type body = std::string::npos;
  std::string::size_type end = std::string::npos;
  while (answer.size() < end) {
    std::array<char, 65536> part;
    const ssize_t more = ::recv(fd, part.data(), part.size(), 0);
    check(more > 0, "reading the response");
    answer.append(part.data(), static_cast<std::size_t>(more));
    if (end != std::string::npos || (body = answer.find("\r\n\r\n")) == std::string::npos) continue;
    const std::string::size_type length = answer.find("Content-Length:");
    check(length < body, "a response of unknown length");
    end = body + 4 + std::stoul(answer.substr(length + 15));
  }
  return {std::stoi(answer.substr(answer.find(' '))), answer.substr(body + 4)};
}

/// Reads lines until one starts with `start`, and returns the rest of that line.
std::string read_line_after(int fd, const std::string& start) {
  std::string line;
  for (char c = 0; ::read(fd, &c, 1) == 1;) {
    if (c != '\n') {
      line += c;
      continue;
    }
    if (line.starts_with(start)) return line.substr(start.size());
    line.clear();
  }
  throw std::runtime_error(
      "chromedriver does not start: is Debian's package chromium-driver installed?");
}

/// Returns the processes whose command line contains a text.
std::vector<pid_t> find_processes(const std::string& text) {
  std::vector<pid_t> found;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || pid == ::getpid()) continue;
    std::ostringstream arguments;
    arguments << std::ifstream(entry.path() / "cmdline").rdbuf();
    if (arguments.str().find(text) != std::string::npos) found.push_back(pid);
  }
  return found;
}

/// Encodes a character of the basic multilingual plane, from U+0800 on or ASCII.
std::string utf8(char32_t key) {
  if (key < 0x80) return std::string(1, static_cast<char>(key));
  return {static_cast<char>(0xE0 | (key >> 12)), static_cast<char>(0x80 | ((key >> 6) & 0x3F)),
          static_cast<char>(0x80 | (key & 0x3F))};
}

json pointer_at(const json& element, int x, int y, int duration_ms = 0) {
  return {
      {"type", "pointerMove"}, {"origin", element}, {"x", x}, {"y", y}, {"duration", duration_ms}};
}

}  // namespace

Browser::Browser() {
  std::string directory =
      (std::filesystem::temp_directory_path() / "starport-browser-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) throw std::runtime_error("no temporary directory");
  profile_ = directory;
  try {
    start_driver();
    const json options{
        {"args",
         {"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
          "--disable-quic", "--no-first-run", "--disable-background-networking",
          "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
          "--window-size=1280,1000", "--user-data-dir=" + profile_.string()}}};
    // By default, a script must end within 30 s, and a busy machine can take longer.
    const std::int64_t patience_ms = std::chrono::milliseconds(kPatience).count();
    const json capabilities{{"browserName", "chrome"},
                            {"timeouts", {{"script", patience_ms}, {"pageLoad", patience_ms}}},
                            {"goog:chromeOptions", options},
                            {"goog:loggingPrefs", {{"browser", "ALL"}}}};
    // The driver has a time limit of its own here, a minute, in which a busy machine starts none.
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (session_.empty()) {
      try {
        session_ = request("POST", "/session",
                           {{"capabilities", json::object({{"alwaysMatch", capabilities}})}})
                       .at("sessionId");
      } catch (const std::runtime_error& error) {
        const bool too_late = std::chrono::steady_clock::now() > deadline;
        if (too_late || !contains(error.what(), "[Tt]imed out")) throw;
      }
    }
  } catch (...) {
    stop();
    throw;
  }
}

Browser::~Browser() { stop(); }

void Browser::start_driver() {
  int output[2];
  if (::pipe2(output, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  driver_ = ::fork();
  if (driver_ == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // ends with the test, even if that is killed
    ::dup2(output[1], STDOUT_FILENO);
    ::dup2(output[1], STDERR_FILENO);
    ::execlp("chromedriver", "chromedriver", "--port=0", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(output[1]);
  try {
    port_ = read_line_after(output[0], "ChromeDriver was started successfully on port ");
  } catch (...) {
    ::close(output[0]);
    throw;
  }
  // Later output is discarded, so that it does not fill the pipe.
  std::thread([fd = output[0]] {
    char discarded[4096];
    while (::read(fd, discarded, sizeof discarded) > 0) {
    }
    ::close(fd);
  }).detach();
}

void Browser::stop() noexcept {
  try {
    if (!session_.empty()) request("DELETE", "/session/" + session_);
  } catch (const std::exception&) {  // it is killed below
  }
  if (driver_ > 0) {
    ::kill(-driver_, SIGKILL);
    ::waitpid(driver_, nullptr, 0);
  }
  try {
    for (const pid_t pid : find_processes("--user-data-dir=" + profile_.string())) {
      ::kill(pid, SIGKILL);
    }
    std::error_code busy;
    std::filesystem::remove_all(profile_, busy);
  } catch (const std::exception&) {
  }
}

json Browser::request(const std::string& method, const std::string& path, const json& body) {
  const std::string content = method == "POST" ? body.dump() : "";
  const Response response = send_request(
      port_,
      fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n"
                  "Content-Length: {}\r\n\r\n{}",
                  method, path, port_, content.size(), content));
  const json answer = test::json_of(response.body);
  if (response.status != 200) {
    throw std::runtime_error(fmt::format("{} {}: {}", path, body.dump().substr(0, 400),
                                         answer.at("value").at("message").get<std::string>()));
  }
  return answer.at("value");
}

json Browser::post(const std::string& path, const json& body) {
  return request("POST", "/session/" + session_ + path, body);
}

void Browser::open(const std::string& url) { post("/url", {{"url", url}}); }

void Browser::reload() { post("/refresh", json::object()); }

json Browser::execute(const std::string& script, const json& arguments) {
  return post("/execute/sync", {{"script", script}, {"args", arguments}});
}

json Browser::devtools(const std::string& command, const json& parameters) {
  return post("/goog/cdp/execute", {{"cmd", command}, {"params", parameters}});
}

json Browser::wait_for(const std::string& script) {
  return execute(kUntil + ("return until(() => {" + script + "\n})"));
}

json Browser::wait_for_element(const std::string& css) {
  return wait_for("return document.querySelector(" + json(css).dump() + ")");
}

std::string Browser::text(const std::string& css) {
  const std::string id = wait_for_element(css).begin().value();
  return request("GET", fmt::format("/session/{}/element/{}/text", session_, id));
}

void Browser::click(const std::string& css) {
  const std::string id = wait_for_element(css).begin().value();
  post("/element/" + id + "/click", json::object());
}

void Browser::type(const std::string& css, const std::string& keys) {
  const std::string id = wait_for_element(css).begin().value();
  post("/element/" + id + "/value", {{"text", keys}});
}

void Browser::perform_actions(const json& actions) {
  post("/actions", {{"actions", json::array({actions})}});
}

void Browser::move_to(const std::string& css, int x, int y) {
  perform_actions({{"type", "pointer"},
                   {"id", "mouse"},
                   {"actions", json::array({pointer_at(wait_for_element(css), x, y)})}});
}

void Browser::wheel(const std::string& css, int x, int y, int delta) {
  const json scroll{{"type", "scroll"}, {"origin", wait_for_element(css)},
                    {"x", x},           {"y", y},
                    {"deltaX", 0},      {"deltaY", delta}};
  perform_actions({{"type", "wheel"}, {"id", "wheel"}, {"actions", json::array({scroll})}});
}

void Browser::drag(const std::string& css, int x, int y, int to_x, int to_y) {
  const json origin = wait_for_element(css);
  perform_actions({{"type", "pointer"},
                   {"id", "mouse"},
                   {"actions",
                    {pointer_at(origin, x, y),
                     {{"type", "pointerDown"}, {"button", 0}},
                     pointer_at(origin, to_x, to_y, 50),
                     {{"type", "pointerUp"}, {"button", 0}}}}});
}

void Browser::press(const std::u32string& keys) {
  json actions = json::array();
  for (const char32_t key : keys) {
    const std::string text = utf8(key);
    for (const char* type : {"keyDown", "keyUp"}) {
      actions.push_back({{"type", type}, {"value", text}});
    }
  }
  perform_actions({{"type", "key"}, {"id", "keyboard"}, {"actions", actions}});
}

bool Browser::tab_to(const std::string& css) {
  // Each request presses the key many times; once the element has the focus, that does nothing.
  execute(
      "const [css] = arguments;"
      "document.onkeydown = ({key}) => key !== 'Tab' || !document.activeElement.matches(css)",
      {css});
  constexpr std::size_t kBatch = 20;
  for (std::size_t presses = 0; presses < 200; presses += kBatch) {
    press(std::u32string(kBatch, U'\uE004'));
    if (execute("return document.activeElement.matches(arguments[0])", {css}) == true) return true;
  }
  return false;
}

void Browser::show_in(int width, int height, bool dark) {
  devtools("Emulation.setDeviceMetricsOverride",
           {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  const json scheme{{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}};
  devtools("Emulation.setEmulatedMedia", {{"features", json::array({scheme})}});
}

std::vector<json> Browser::console() {
  return post("/se/log", {{"type", "browser"}}).get<std::vector<json>>();
}

std::vector<std::string> show_rows(Browser& browser, const std::vector<int>& rows) {
  // Clicked by the script: the header of the table may cover the buttons.
  return browser.execute(
      std::string(kUntil) +
          "return (async (rows) => {"
          "  const outcomes = [];"
          "  for (const row of rows) {"
          "    const button = `#results-table tr[data-row='${row}'] button`;"
          "    (await until(() => document.querySelector(button))).click();"
          "    outcomes.push(await until(() => {"
          "      if (document.getElementById('gantt-heuristic').value !== `${row}`) return false;"
          "      const message = document.getElementById('gantt-message');"
          "      if (!message.hidden) return message.textContent;"
          "      return !document.getElementById('gantt-view').hidden &&"
          "        document.getElementById('gantt-facts').dataset.row === `${row}` && 'shown';"
          "    }));"
          "  }"
          "  return outcomes;"
          "})(arguments[0])",
      json::array({rows}));
}

Browser& empty_page() {
  static Browser browser;
  browser.open("about:blank");
  browser.console();
  return browser;
}

}  // namespace starport::test
