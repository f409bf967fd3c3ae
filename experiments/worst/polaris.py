#!/usr/bin/env python3
"""Prints how far Polaris is from the lower bound at worst, by port, number of workers and depth of the product, and whether
small memories are the cause: the instance again with all memories below 100 blocks 64 times as large.

    PYTHONPATH=build/release/python experiments/worst/polaris.py [EVALUATIONS]   (default: 2000 for each search)
"""
import sys

import starport

EVALUATIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
POLARIS = "Polaris[effort=low]"
SMALL_BYTES = 100 * 8 * 80 * 80


def enlarge(platform):
    """Returns the platform with every memory of less than 100 blocks 64 times as large."""
    workers = [dict(worker) for worker in platform["workers"]]
    for worker in workers:
        size = float(worker["memory"].rstrip("B"))
        if size < SMALL_BYTES:
            worker["memory"] = f"{64 * size:.0f}B"
    return {**platform, "workers": workers}


print("| port | workers | t | x bound | bound, memories enlarged | Polaris, memories enlarged |")
print("| --- | --- | --- | --- | --- | --- |")
for port in ("one-port", "two-port"):
    for workers in ([1, 2], [3, 5], [6, 10], [11, 20]):
        for depth in ([1, 10], [11, 100]):
            found = starport.worst(POLARIS, evaluations=EVALUATIONS, within={
                "schema_version": 1, "port": port, "workers": workers, "bandwidth": {"log_uniform": ["1MBps", "10GBps"]},
                "speed": {"log_uniform": ["100Mf", "1Tf"]}, "memory": {"log_uniform": ["300kB", "5GB"]}, "r": [10, 100],
                "s": [10, 100], "t": depth, "max_updates": 1e5})
            before, after = (starport.compare(platform, found["problem"], POLARIS, engine="analytic")
                             for platform in (found["platform"], enlarge(found["platform"])))
            bound = "any_schedule_bound_s"
            print(f"| {port} | {workers[0]}–{workers[1]} | {depth[0]}–{depth[1]} | {found['ratio']:.2f} | "
                  f"{after.bounds[bound] / before.bounds[bound]:.2f} | {after[0].makespan_s / before[0].makespan_s:.2f} |",
                  flush=True)
