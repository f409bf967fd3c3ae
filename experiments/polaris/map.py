#!/usr/bin/env python3
"""Draws the map of Polaris: how far it is from the lower bound, and from the best of the seven heuristics of PPoPP'08, by
kind of instance and port, on random stars. Two sets of seeds: the first was used while Polaris was made, the second was not.

Usage: map.py [STARPORT] [DIR] [REPETITIONS] [HEURISTIC]   (default: build/release/starport, build/polaris/map, 8, Polaris)
"""
import collections
import csv
import json
import pathlib
import subprocess
import sys

STARPORT = sys.argv[1] if len(sys.argv) > 1 else "build/release/starport"
OUT = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "build/polaris/map")
REPETITIONS = int(sys.argv[3]) if len(sys.argv) > 3 else 8
HEURISTIC = sys.argv[4] if len(sys.argv) > 4 else "Polaris"
SEEDS = {"seen": 2026, "unseen": 4711}
PORTS = ["one-port", "two-port", "multi-port", {"kind": "multi-port", "transfers": 3, "bandwidth": "200MBps"}]
BLOCK_BYTES = 8 * 80 * 80


def blocks(low, high):
    return {"log_uniform": [f"{low * BLOCK_BYTES}B", f"{high * BLOCK_BYTES}B"]}


def kind(name, workers=8, sides=(60, 60, 60), memory=(100, 5000), bandwidth=("10MBps", "1GBps"),
         speed=("1Gf", "20Gf")):
    """Returns an experiment on random stars for a product of r x s x t blocks, and memories in blocks."""
    r, s, t = (80 * side for side in sides)
    return {"name": name, "repetitions": REPETITIONS, "problems": [f"{r}x{t}x{s}"],
            "platforms": [{"generate": {"name": "random", "workers": workers, "bandwidth": {"log_uniform": bandwidth},
                                        "speed": {"log_uniform": speed}, "memory": blocks(*memory)}}],
            "overrides": [{"field": "port", "set": PORTS}]}


KINDS = [
    *(kind(f"{p} worker{'s' if p > 1 else ''}", workers=p) for p in (1, 2, 4, 8, 20, 100)),
    kind("memory of 3 to 30 blocks", memory=(3, 30)),
    kind("memory of 30 to 100 blocks", memory=(30, 100)),
    kind("memory for all of A", memory=(4000, 12000)),
    kind("long t", sides=(40, 100, 1000)),
    kind("few blocks of C", sides=(5, 4, 40), memory=(5, 5000)),
    kind("slow links", bandwidth=("1MBps", "10MBps")),
    kind("slow workers", speed=("50Mf", "500Mf")),
]


def results(name, seed):
    """Runs the instances of one seed and returns the rows of the results."""
    folder = OUT / name
    OUT.mkdir(parents=True, exist_ok=True)
    specification = OUT / f"{name}.json"
    specification.write_text(json.dumps({"schema_version": 1, "name": f"Polaris, {name}", "seed": seed,
                                         "heuristics": ["all", HEURISTIC], "experiments": KINDS}))
    for file in folder.glob("*") if folder.exists() else []:
        file.unlink()
    subprocess.run([STARPORT, "sweep", specification, "-o", folder, "--engine", "analytic"], check=True,
                   stdout=subprocess.DEVNULL)
    with open(folder / "results.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def summary(rows):
    """Prints, for each port, a row per kind of instance."""
    groups = collections.defaultdict(dict)  # by port, kind, instance: times the bound by heuristic
    for row in rows:
        if row["makespan_s"] and row["any_schedule_bound_s"]:
            ratio = float(row["makespan_s"]) / float(row["any_schedule_bound_s"])
            groups[row["port"], row["experiment"], row["instance"]][row["heuristic"]] = ratio
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
    summary(results(set_name, set_seed))
