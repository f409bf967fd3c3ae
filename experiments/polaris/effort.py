#!/usr/bin/env python3
"""Measures how good the schedules of Polaris are for the time of planning: a row for each number of workers, size of the
product and effort, with the mean makespan over that of effort=high and the mean and largest wall-clock time of planning.

Usage: effort.py [STARPORT] [DIR] [REPETITIONS]   (default: build/release/starport, build/polaris/effort, 4)
"""
import collections
import csv
import pathlib
import sys

import instances

STARPORT = sys.argv[1] if len(sys.argv) > 1 else "build/release/starport"
OUT = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "build/polaris/effort")
REPETITIONS = int(sys.argv[3]) if len(sys.argv) > 3 else 4
WORKERS = (4, 8, 20, 50, 100)
SIZES = {"60 x 60 x 60": (60, 60, 60), "100 x 800 x 100": (100, 800, 100), "40 x 100 x 1000": (40, 100, 1000)}  # r x s x t
EFFORTS = {effort: f"Polaris[effort={effort}]" for effort in ("low", "normal", "high")}

experiments = [instances.kind(f"{workers} | {size}", REPETITIONS, ["one-port"], workers=workers, sides=sides)
               for size, sides in SIZES.items() for workers in WORKERS]
makespans_s = collections.defaultdict(dict)  # by experiment and instance, by heuristic
for row in instances.run(STARPORT, OUT, "effort", list(EFFORTS.values()), experiments, 4711):
    makespans_s[row["experiment"], row["instance"]][row["heuristic"]] = float(row["makespan_s"])
planning_s = collections.defaultdict(dict)
with open(OUT / "effort" / "timings.csv", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        planning_s[row["instance"]][row["heuristic"]] = float(row["decision_s"])

print("| workers | r x s x t | " + " | ".join(f"{effort}: over high | planning: mean | longest" for effort in EFFORTS) + " |")
print("| --- | --- | " + "--- | --- | --- | " * len(EFFORTS))
for experiment in experiments:
    cells = []
    for heuristic in EFFORTS.values():
        chosen = {at: values for (name, at), values in makespans_s.items() if name == experiment["name"]}
        over = [values[heuristic] / values[EFFORTS["high"]] for values in chosen.values()]
        times_ms = [1000 * planning_s[at][heuristic] for at in chosen]
        cells += [f"{sum(over) / len(over):.3f}", f"{sum(times_ms) / len(times_ms):.0f} ms", f"{max(times_ms):.0f} ms"]
    print(f"| {experiment['name']} | " + " | ".join(cells) + " |")
