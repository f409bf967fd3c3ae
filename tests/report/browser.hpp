// A real Chromium without a window, driven through chromedriver (W3C WebDriver).
#pragma once

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace starport::test {

/// A browser with an empty profile. Every failure throws, that of a script in the page and an
/// answer that takes two minutes included.
class Browser {
 public:
  Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;
  ~Browser();

  void open(const std::string& url);
  /// What the body of a function returns; its arguments are `arguments`.
  nlohmann::json execute(const std::string& script,
                         const nlohmann::json& arguments = nlohmann::json::array());
  /// Runs the script until it returns something true, and returns that. Throws after a minute.
  nlohmann::json wait_for(const std::string& script);

  std::string text(const std::string& css);  ///< as a person sees it
  void click(const std::string& css);
  void type(const std::string& css, const std::string& keys);
  /// Points relative to the centre of an element, in CSS pixels.
  void move_to(const std::string& css, int x, int y);
  void wheel(const std::string& css, int x, int y, int delta);
  void drag(const std::string& css, int x, int y, int to_x, int to_y);

  /// What the console received since the last call, with its level ("SEVERE", ...).
  std::vector<nlohmann::json> console();

 private:
  void start_driver();
  nlohmann::json ask(const std::string& method, const std::string& path,
                     const nlohmann::json& body = nlohmann::json::object());
  nlohmann::json in_session(const std::string& path, const nlohmann::json& body);
  nlohmann::json element(const std::string& css);
  void act(const nlohmann::json& actions);
  void stop() noexcept;

  std::filesystem::path profile_;
  pid_t driver_ = -1;
  std::string port_;
  std::string session_;
};

/// The browser that the tests of a process share, with an empty page of 1280 by 1000: to start one
/// takes as long as most of them.
Browser& empty_page();

}  // namespace starport::test
