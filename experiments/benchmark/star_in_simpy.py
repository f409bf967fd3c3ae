#!/usr/bin/env python3
"""A schedule on SimPy (Debian's package python3-simpy3): one process sends, one a worker computes.

    experiments/benchmark/star_in_simpy.py SCHEDULE

runs what `starport plan` has written, without checking or measuring anything but the makespan,
which must be the file's, and prints its CPU nanoseconds a transfer.
"""
import json
import math
import sys
import time

import simpy


def blocks(rectangle):
    return math.prod(high - low for low, high in rectangle.values())


def messages(schedule):
    """Of each transfer: its worker, the seconds of its link, the update that it waits for and the
    seconds of the one that it allows."""
    workers = schedule["platform"]["workers"]
    for transfer in schedule["transfers"]:
        worker = transfer["worker"] - 1
        update = transfer.get("update", {})
        volume = math.prod(update[side][1] - update[side][0]
                           for side in ("rows", "columns", "inner")) if update else 0
        yield (worker,
               workers[worker]["c_s"] * sum(blocks(transfer[part]) for part in "abc" if part in transfer),
               transfer.get("after_update", 0), workers[worker]["w_s"] * volume)


def compute(env, orders, ended):
    while True:
        update_s = yield orders.get()
        yield env.timeout(update_s)
        ended[len(ended) - 1].succeed()
        ended.append(env.event())


def send(env, transfers, orders, ended):
    for worker, link_s, after, update_s in transfers:
        if after:
            yield ended[worker][after - 1]
        yield env.timeout(link_s)
        if update_s:
            orders[worker].put(update_s)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        schedule = json.load(file)
    transfers = list(messages(schedule))
    begin = time.process_time()
    env = simpy.Environment()
    p = len(schedule["platform"]["workers"])
    orders = [simpy.Store(env) for _ in range(p)]
    ended = [[env.event()] for _ in range(p)]
    for worker in range(p):
        env.process(compute(env, orders[worker], ended[worker]))
    env.run(until=env.process(send(env, transfers, orders, ended)))
    cpu_s = time.process_time() - begin
    if not math.isclose(env.now, schedule["makespan_s"], rel_tol=1e-9):
        sys.exit(f"makespan {env.now} s, not {schedule['makespan_s']} s")
    print(f"{1e9 * cpu_s / len(transfers):.0f}")


if __name__ == "__main__":
    main()
