// Headless Chromium, driven through chromedriver (W3C WebDriver).
#pragma once

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace starport::test {

/// A browser with an empty profile. Its methods throw std::runtime_error on failure, also if a
/// script in the page throws. They wait for conditions, up to ten minutes, so that they also work
/// on a busy machine.
class Browser {
 public:
  Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;
  ~Browser();

  /// Opens a page and returns when it has been loaded.
  void open(const std::string& url);
  /// Loads the page again and returns when it has been loaded.
  void reload();
  /// Runs the body of a JavaScript function in the page, with these `arguments`, and returns its
  /// result.
  nlohmann::json execute(const std::string& script,
                         const nlohmann::json& arguments = nlohmann::json::array());
  /// Runs a script again and again until it returns something other than null, false, 0 or "", and
  /// returns that. Throws after ten minutes, and if the page is left meanwhile.
  nlohmann::json wait_for(const std::string& script);

  /// Sends a command of the DevTools protocol, such as Emulation.setEmulatedMedia; returns its
  /// result.
  nlohmann::json devtools(const std::string& command, const nlohmann::json& parameters);

  // The methods below wait until an element matches the CSS selector.
  std::string text(const std::string& css);  ///< visible text of the element
  void click(const std::string& css);
  void type(const std::string& css, const std::string& keys);
  // Positions are relative to the centre of the element, in CSS pixels.
  void move_to(const std::string& css, int x, int y);
  void wheel(const std::string& css, int x, int y, int delta);
  void drag(const std::string& css, int x, int y, int to_x, int to_y);

  /// Presses keys, one after the other, in the element that has the focus. Special keys are those
  /// of WebDriver, such as U+E004 for the tab key.
  void press(const std::u32string& keys);
  /// Presses the tab key until an element that matches the CSS selector has the focus; returns
  /// false if 200 presses do not lead to one. Replaces the page's document.onkeydown.
  bool tab_to(const std::string& css);
  /// Shows pages in a window of this size in CSS pixels, in the light or the dark mode, until the
  /// next call.
  void show_in(int width, int height, bool dark);

  /// Returns the messages of the console since the last call, with their levels ("SEVERE", ...).
  std::vector<nlohmann::json> console();

 private:
  void start_driver();
  nlohmann::json request(const std::string& method, const std::string& path,
                         const nlohmann::json& body = nlohmann::json::object());
  nlohmann::json post(const std::string& path, const nlohmann::json& body);
  nlohmann::json wait_for_element(const std::string& css);
  void perform_actions(const nlohmann::json& actions);
  void stop() noexcept;

  std::filesystem::path profile_;
  pid_t driver_ = -1;
  std::string port_;
  std::string session_;
};

/// Returns the browser that the tests of a process share, showing an empty page of 1280 by 1000
/// pixels. Starting a browser takes as long as most of the tests.
Browser& empty_page();

/// Clicks rows of the results on a report page, by their numbers from 0, one after the other, and
/// waits each time until the run is shown. Returns for each "shown", or the message that the page
/// shows instead of a run.
std::vector<std::string> show_rows(Browser& browser, const std::vector<int>& rows);

}  // namespace starport::test
