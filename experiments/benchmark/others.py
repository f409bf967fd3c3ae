#!/usr/bin/env python3
"""What it costs to decide in Python: the same decisions by each of the ways in, and threads beside.

    PYTHONPATH=build/release/python experiments/benchmark/others.py
"""
import pathlib
import statistics
import threading
import time

import starport

TOP = pathlib.Path(__file__).parent.parent.parent
PLATFORM = TOP / "platforms" / "ppopp08-memory.json"
PRODUCT = "8000x8000x64000"
REPETITIONS = 5


def earliest(view):
    return min(view.requests, key=lambda request: (request.date_s, request.worker)).worker


def median_s(call):
    times_s = []
    for _ in range(REPETITIONS):
        begin = time.perf_counter()
        call()
        times_s.append(time.perf_counter() - begin)
    return statistics.median(times_s)


def compare(heuristic):
    row, = starport.compare(PLATFORM, PRODUCT, heuristic, engine="analytic")
    assert row["status"] == "ok", row


def counted(call):
    """How fast another thread counts meanwhile, a second."""
    ended = threading.Event()
    count = 0

    def counting():
        nonlocal count
        while not ended.is_set():
            count += 1
    thread = threading.Thread(target=counting)
    begin = time.perf_counter()
    thread.start()
    call()
    ended.set()
    thread.join()
    return count / (time.perf_counter() - begin)


def main():
    starport.register("earliest", earliest)
    decisions = len(starport.plan(PLATFORM, PRODUCT, "ODDOML").transfers)
    plugin = TOP / "build" / "release" / "plugins" / "libscarce.so"
    if plugin.exists():
        starport.load_plugin(str(plugin))
    base_s = median_s(lambda: compare("ODDOML"))
    print(f"{decisions} decisions; the median of {REPETITIONS} runs, each in a process of its own")
    print(f"ODDOML, built in: {1e3 * base_s:.1f} ms in all")
    ways = [("earliest", "a Python function"),
            (f"exec:{TOP}/heuristics/examples/earliest.py", "a Python program")]
    if plugin.exists():
        ways.insert(0, ("Scarce", "a shared library"))
    for name, what in ways:
        lasts_s = median_s(lambda name=name: compare(name))
        print(f"{what}: {1e3 * lasts_s:.1f} ms in all, "
              f"{1e6 * (lasts_s - base_s) / decisions:.2f} us more for each decision")
    alone = counted(lambda: time.sleep(1))
    for name, what in [("ODDOML", "a built-in heuristic"), ("earliest", "a Python function")]:
        beside = counted(lambda name=name: [compare(name) for _ in range(REPETITIONS)])
        print(f"another thread beside {what}: {beside / alone:.0%} of its speed alone")
    at_once = median_s(lambda: in_two_threads(lambda: compare("earliest")))
    print(f"a Python function, in two threads at once: {1e3 * at_once:.1f} ms in all")


def in_two_threads(call):
    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
