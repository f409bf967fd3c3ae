#include "experiments/benchmark/bare_s4u.hpp"

#include "sim/process/isolation.hpp"
#include "sim/star/schedule.hpp"

#include <simgrid/s4u.hpp>
#include <unistd.h>

#include <cstring>
#include <deque>
#include <span>
#include <string>

namespace starport {
namespace {

namespace sg = simgrid::s4u;

struct BareProcess {
  sg::Host* host;
  sg::Mailbox* mailbox;
  std::vector<const Transfer*> messages;  ///< in order
  sg::SemaphorePtr arrived;
  std::deque<double> flops;
};

/// The makespan of 1e6 bytes and 1e6 flops a block, on a clock where c_1 is 1e4.
double simulate(const Platform& platform, const Problem& problem,
                const std::vector<Transfer>& transfers, BareWorker kind) {
  std::string name = "bare";
  std::string log = "--log=root.thresh:error";
  std::vector<char*> argv{name.data(), log.data(), nullptr};
  int argc = 2;
  const sg::Engine engine(&argc, argv.data());
  sg::Engine::set_config("network/model:CM02");
  sg::Engine::set_config("network/crosstraffic:0");
  sg::Engine::set_config("network/TCP-gamma:0");
  const double unit = platform.workers.front().c_s / 1e4;
  sg::NetZone* zone = sg::create_star_zone("star");
  sg::Host* master = zone->create_host("master", 1.0);
  zone->add_route(master->get_netpoint(), nullptr, nullptr, nullptr, {}, true);
  std::deque<BareProcess> processes;
  for (const Worker& worker : platform.workers) {
    const std::string number = std::to_string(processes.size());
    sg::Host* host = zone->create_host("w" + number, 1e6 * unit / worker.w_s);
    sg::Link* link = zone->create_link("l" + number, 1e6 * unit / worker.c_s);
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {sg::LinkInRoute(link)}, true);
    processes.push_back(
        {host, sg::Mailbox::by_name("m" + number), {}, sg::Semaphore::create(0), {}});
  }
  zone->seal();
  for (const Transfer& transfer : transfers) {
    processes[static_cast<std::size_t>(transfer.worker)].messages.push_back(&transfer);
  }
  const auto bytes = [](const Transfer& transfer) {
    return static_cast<std::uint64_t>(transfer.blocks()) * 1'000'000;
  };
  const auto flops = [&](const Transfer& transfer) {
    return 1e6 * update_cost(to_message(transfer), problem, platform.workers[transfer.worker]);
  };
  static int payload = 0;

  double end = 0;
  sg::Actor::create("master", master, [&] {
    for (const Transfer& transfer : transfers) {
      sg::Mailbox* mailbox = processes[static_cast<std::size_t>(transfer.worker)].mailbox;
      if (transfer.direction == Direction::to_worker) {
        mailbox->put(&payload, bytes(transfer));
      } else {
        mailbox->get<int>();
      }
    }
    end = sg::Engine::get_clock();
  });
  for (BareProcess& process : processes) {
    if (kind == BareWorker::one_actor) {
      sg::Actor::create("worker", process.host, [&] {
        sg::ExecPtr computation;
        for (const Transfer* transfer : process.messages) {
          if (transfer->direction == Direction::to_master) {
            if (computation) computation->wait();
            process.mailbox->put(&payload, bytes(*transfer));
            continue;
          }
          process.mailbox->get<int>();
          if (transfer->update.empty()) continue;
          if (computation) computation->wait();
          computation = sg::this_actor::exec_async(flops(*transfer));
        }
      });
      continue;
    }
    sg::Actor::create("communicate", process.host, [&] {
      for (const Transfer* transfer : process.messages) {
        if (transfer->direction == Direction::to_master) {
          process.mailbox->put(&payload, bytes(*transfer));
          continue;
        }
        process.mailbox->get<int>();
        if (transfer->update.empty()) continue;
        process.flops.push_back(flops(*transfer));
        process.arrived->release();
      }
      process.flops.push_back(0);
      process.arrived->release();
    });
    sg::Actor::create("compute", process.host, [&] {
      for (;;) {
        process.arrived->acquire();
        const double amount = process.flops.front();
        process.flops.pop_front();
        if (amount == 0) break;
        sg::this_actor::execute(amount);
      }
    });
  }
  engine.run();
  return end * unit;
}

}  // namespace

double run_bare_s4u(const Platform& platform, const Problem& problem,
                    const std::vector<Transfer>& transfers, BareWorker kind) {
  double makespan = 0;
  run_in_child(
      [&](FrameWriter& out) {
        const double end = simulate(platform, problem, transfers, kind);
        out.write(std::as_bytes(std::span(&end, 1)));
        out.flush();
        _exit(0);
      },
      [&](std::span<const std::byte> frame) {
        std::memcpy(&makespan, frame.data(), sizeof makespan);
      },
      0);
  return makespan;
}

}  // namespace starport
