#!/usr/bin/env python3
"""Draws the map of Polaris: how far it is from the lower bound for any schedule, and from the best of the seven heuristics
of PPoPP'08, by kind of instance and port, on random stars. Two sets of seeds: the first was
used while Polaris was made, the second was not.

Usage: map.py [STARPORT] [DIR] [REPETITIONS] [HEURISTIC] [PORT]   (default: build/release/starport, build/polaris/map, 8, Polaris,
four ports)
"""
import collections
import pathlib
import sys

import instances

STARPORT = sys.argv[1] if len(sys.argv) > 1 else "build/release/starport"
OUT = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "build/polaris/map")
REPETITIONS = int(sys.argv[3]) if len(sys.argv) > 3 else 8
HEURISTIC = sys.argv[4] if len(sys.argv) > 4 else "Polaris"
SEEDS = {"seen": 2026, "unseen": 4711}
PORTS = sys.argv[5:6] or ["one-port", "two-port", "multi-port",
                          {"kind": "multi-port", "transfers": 3, "bandwidth": "200MBps"}]
KINDS = instances.kinds(REPETITIONS, PORTS)


def summary(rows):
    """Prints, for each port, a row per kind of instance."""
    groups = collections.defaultdict(dict)  # by port, kind, instance: times the bound by heuristic
    for row in rows:
        if row["times_bound"]:
            groups[row["port"], row["experiment"], row["instance"]][row["heuristic"]] = float(row["times_bound"])
    for port in dict.fromkeys(port for port, _, _ in groups):
        print(f"\n| {port} | {HEURISTIC}, × bound: mean | 95 % | worst | best of the seven, mean | {HEURISTIC} over it: mean "
              "| worst |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        totals = []
        for experiment in KINDS + [{"name": "all"}]:
            pairs = [(values.pop(HEURISTIC), min(values.values())) for (at, name, _), values in groups.items()
                     if at == port and name == experiment["name"] and len(values) > 1 and HEURISTIC in values]
            totals += pairs
            pairs = totals if experiment["name"] == "all" else pairs
            ours = sorted(polaris for polaris, _ in pairs)
            over = [polaris / seven for polaris, seven in pairs]
            if pairs:
                print(f"| {experiment['name']} | {sum(ours) / len(ours):.3f} | {ours[-(-95 * len(ours) // 100) - 1]:.3f} | "
                      f"{ours[-1]:.3f} | {sum(seven for _, seven in pairs) / len(pairs):.3f} | "
                      f"{sum(over) / len(over):.3f} | {max(over):.3f} |")
        losses = sum(polaris > seven * (1 + 1e-12) for polaris, seven in totals)
        print(f"\n{port}: {HEURISTIC} is slower than the best of the seven on {losses} of {len(totals)} instances")


for set_name, set_seed in SEEDS.items():
    print(f"\nInstances with {set_name} seeds, {REPETITIONS} for each kind and port:")
    summary(instances.run(STARPORT, OUT, set_name, ["all", HEURISTIC], KINDS, set_seed))
