#include "sim/explore/server.hpp"

#include "sim/explore/answer.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/process/subprocess.hpp"

#include <fmt/format.h>
#include <httplib.h>
#include <nlohmann/json.hpp>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace starport {
namespace {

constexpr std::size_t kMaxRunning = 4;
constexpr std::size_t kMaxIdle = 2;

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) throw std::runtime_error("no random numbers");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

std::string error_json(const char* message) {
  return to_json_line(nlohmann::ordered_json{{"error", message}});
}

/// The processes that answer requests, at most one for each slot: a page, and what it asks for. A
/// process that has answered waits for the next request. May be used by several threads.
class Running {
 public:
  explicit Running(const Answerer& answerer) : answerer_(answerer) { idle_.push_back(start()); }

  /// Answers a request, a line of JSON, and kills the process that answers an older one of the
  /// slot.
  std::string answer(const std::string& slot, const std::string& request) {
    std::shared_ptr<Subprocess> own;
    try {
      own = take(slot);
      if (own == nullptr) return error_json("too many requests at once");
      std::string text = own->request(request);
      if (release(slot, own)) store_idle(own);
      return text;
    } catch (const std::exception& error) {
      const bool is_last = own != nullptr && release(slot, own);
      if (is_last || own == nullptr) return error_json(error.what());
      store_idle(start());  // instead of the one that was killed
      return error_json("a newer request came");
    }
  }

 private:
  /// Returns a process for the slot, after killing the one that it had; null if too many run.
  std::shared_ptr<Subprocess> take(const std::string& slot) {
    const std::lock_guard lock(mutex_);
    if (const auto older = processes_.find(slot); older != processes_.end()) {
      older->second->kill();
      processes_.erase(older);
    }
    if (processes_.size() >= kMaxRunning) return nullptr;
    std::shared_ptr<Subprocess> own;
    while (own == nullptr && !idle_.empty()) {
      if (!idle_.back()->has_ended()) own = std::move(idle_.back());
      idle_.pop_back();
    }
    return processes_[slot] = own != nullptr ? own : start();
  }

  /// Forgets the process; returns whether it was still the last one of its slot.
  bool release(const std::string& slot, const std::shared_ptr<Subprocess>& own) {
    const std::lock_guard lock(mutex_);
    const auto found = processes_.find(slot);
    const bool is_last = found != processes_.end() && found->second == own;
    if (is_last) processes_.erase(found);
    return is_last;
  }

  void store_idle(std::shared_ptr<Subprocess> process) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMaxIdle) idle_.push_back(std::move(process));
  }

  std::shared_ptr<Subprocess> start() const {
    return std::make_shared<Subprocess>(answerer_.program, answerer_.limit_s, answerer_.arguments);
  }

  const Answerer& answerer_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Subprocess>> idle_;
  std::map<std::string, std::shared_ptr<Subprocess>> processes_;
};

/// Makes `text` the content of a response. As a provider, since httplib compresses strings for
/// browsers: by Brotli, which takes longer than the answer itself and saves nothing on loopback.
void set_content(httplib::Response& response, std::string text, const char* type) {
  const std::size_t size = text.size();
  response.set_content_provider(
      size, type,
      [text = std::move(text)](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        return sink.write(text.data() + offset, length);
      });
}

}  // namespace

void serve_explorer(const std::string& page, const Answerer& answerer,
                    const std::function<void(const std::string& address)>& ready) {
  httplib::Server server;
  const int port = server.bind_to_any_port("127.0.0.1");
  if (port <= 0) throw std::runtime_error("no port of the loopback interface can be opened");
  const std::string host = fmt::format("127.0.0.1:{}", port);
  const std::string home = fmt::format("/{}/", random_token());
  Running running(answerer);
  server.set_tcp_nodelay(true);  // the header is sent before the content
  server.set_payload_max_length(kMaxRequestBytes);
  server.set_default_headers({{"Cache-Control", "no-store"},
                              {"Referrer-Policy", "no-referrer"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"X-Frame-Options", "DENY"},
                              {"Cross-Origin-Resource-Policy", "same-origin"}});
  // The Host header keeps out names that another site lets point here, the origin its pages.
  server.set_pre_routing_handler([&](const httplib::Request& request, httplib::Response& response) {
    const std::string origin = request.get_header_value("Origin");
    const bool allowed = request.get_header_value("Host") == host &&
                         (origin.empty() || origin == "http://" + host) &&
                         request.path.starts_with(home);
    if (allowed) return httplib::Server::HandlerResponse::Unhandled;
    response.status = 403;
    return httplib::Server::HandlerResponse::Handled;
  });
  server.Get(home, [&](const httplib::Request&, httplib::Response& response) {
    set_content(response, page, "text/html; charset=utf-8");
  });
  server.Post(home + "([a-z0-9-]{1,40})",
              [&](const httplib::Request& request, httplib::Response& response) {
                std::string line = request.body;
                std::ranges::replace(line, '\n', ' ');
                set_content(response, running.answer(request.matches[1], line), "application/json");
              });
  ready("http://" + host + home);
  server.listen_after_bind();
}

}  // namespace starport
