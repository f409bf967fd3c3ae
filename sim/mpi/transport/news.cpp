#include "sim/mpi/transport/news.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace starport::mpi {
namespace {

constexpr int kLeader = 0;

/// On rank 0, what tell_failure has told after its news.
std::string failure_text(const Communicator& communicator, int rank) {
  constexpr double time_out_s = 5;
  std::optional<std::string> text;
  holds_within(time_out_s, [&] { return (text = communicator.receive_text(rank)).has_value(); });
  return text.value_or("failed, and did not tell why");
}

}  // namespace

Watch::Watch(const Communicator& communicator, double time_out_s, double time_limit_s, Hear hear)
    : communicator_(communicator),
      time_out_s_(time_out_s),
      time_limit_s_(time_limit_s),
      hear_(std::move(hear)) {
  restart();
}

void Watch::restart() {
  origin_s_ = clock_s();
  last_news_s_.assign(static_cast<std::size_t>(communicator_.size() - 1), origin_s_);
}

bool Watch::listen() {
  bool heard = false;
  int from = 0;
  while (const auto news = communicator_.receive<News>(-1, Tag::news, &from)) {
    const int worker = from - 1;
    heard = true;
    last_news_s_[static_cast<std::size_t>(worker)] = clock_s();
    if (news->kind == News::Kind::failed) {
      throw SimulationError(fmt::format("worker {}: {}", from, failure_text(communicator_, from)));
    }
    if (news->kind != News::Kind::alive) hear_(worker, *news);
  }
  return heard;
}

void Watch::check_alive(int worker, const char* what, double waiting_since_s) const {
  const double now_s = clock_s();
  const double heard_s = last_news_s_[static_cast<std::size_t>(worker)];
  if (now_s - std::max(waiting_since_s, heard_s) > time_out_s_) {
    throw SimulationError(
        fmt::format("worker {} (rank {}) has given no sign of life for {:g} s, "
                    "while the master waited for its {}",
                    worker + 1, worker + 1, time_out_s_, what));
  }
  if (time_limit_s_ > 0 && now_s - origin_s_ > time_limit_s_) {
    throw SimulationError(fmt::format("timed out after {:g} s", time_limit_s_));
  }
}

void check_leader(const Patience& patience, const Setup& setup) {
  if (setup.patience_s > 0 && patience.waited_s() > setup.patience_s) {
    throw SimulationError(
        fmt::format("the master has given no sign of life for {:g} s", setup.patience_s));
  }
}

Teller::Told::Told(const Communicator& communicator, const News& told)
    : news(told), sending(communicator.send(kLeader, Tag::news, news)) {}

void Teller::tell(const News& news) {
  told_.emplace_back(communicator_, news);
  last_told_s_ = clock_s();
}

void Teller::attend() {
  while (!told_.empty() && told_.front().sending.complete()) told_.pop_front();
  if (clock_s() - last_told_s_ > time_out_s_ / 4) tell({.kind = News::Kind::alive});
}

void Teller::finish() {
  const auto heard = [&] {
    attend();
    return told_.empty();
  };
  if (holds_within(time_out_s_, heard)) return;
  throw SimulationError(fmt::format("waited {:g} s in vain for its last words to go", time_out_s_));
}

void Teller::tell_failure(const Communicator& communicator, const std::string& why) {
  const News news{.kind = News::Kind::failed};
  Sending sending = communicator.send(kLeader, Tag::news, news);
  communicator.send_text(kLeader, why);
  for (Patience patience; !sending.complete();) patience.pause();
}

}  // namespace starport::mpi
