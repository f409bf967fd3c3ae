#!/usr/bin/env python3
"""Measures what each part of Polaris is worth: how much longer its schedules take without it, on the 29 instances of PPoPP'08,
on fifty random ones, on each kind of instance of the map, and for C that is much taller or wider than the map's, on one port.
Another seed of the search shows which differences are due to chance; each mean has its standard error.

Usage: parts.py [STARPORT] [DIR] [REPETITIONS] [map] [EFFORT] [PART...]   (default: build/release/starport, build/polaris/parts, 4,
all instances, normal, all parts)
REPETITIONS is the number of stars of each kind. With `map`, the 29 and the fifty instances are left out, which take half of
the time: with 4 stars, ten minutes of one core remain. EFFORT may add an objective, as in `low,objective=work`: then makespan x
enrolled workers is compared.
"""
import collections
import math
import pathlib
import re
import statistics
import subprocess
import sys

import instances

STARPORT = sys.argv[1] if len(sys.argv) > 1 else "build/release/starport"
OUT = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "build/polaris/parts")
REPETITIONS = int(sys.argv[3]) if len(sys.argv) > 3 else 4
ONLY_KINDS = sys.argv[4:5] == ["map"]
EFFORT, *parts = sys.argv[5 if ONLY_KINDS else 4:] or ["normal"]
SEED = 4711  # not used while Polaris was made

parameters = subprocess.run([STARPORT, "list", "Polaris"], check=True, capture_output=True, text=True).stdout
PARTS = parts or re.search(r"\[without=([^]]*)\]", parameters).group(1).split("|")
ALL = f"Polaris[effort={EFFORT}]"
variants = {"another seed": f"Polaris[effort={EFFORT},seed=2]"}
variants |= {f"without {part}": f"Polaris[effort={EFFORT},without={part}]" for part in PARTS}
published = [] if ONLY_KINDS else list(instances.published(with_fifty=True))
tall = {"repetitions": REPETITIONS, "ports": ["one-port"], "sides": (1000, 60, 60)}
kinds = [*instances.kinds(REPETITIONS, ["one-port"]), instances.kind("tall C", **tall),
         instances.kind("tall C, memory for all of B", **tall, memory=(4000, 12000)),
         instances.kind("wide C", **{**tall, "sides": (60, 1000, 60)})]

makespans_s = collections.defaultdict(dict)  # by group of instances and instance, by heuristic
for name, experiments in {"published": published, "kinds": kinds}.items():
    if not experiments:
        continue
    for row in instances.run(STARPORT, OUT, name, [ALL, *variants.values()], experiments, 2008 if name == "published" else SEED):
        group = row["experiment"]
        if name == "published":
            group = "fifty" if group.startswith("fifty") else "29"
        workers = float(row["enrolled_workers"]) if "objective=work" in EFFORT else 1
        makespans_s[group, name, row["instance"]][row["heuristic"]] = workers * float(row["makespan_s"])


def worth(heuristic, groups):
    """Returns by how many per cent schedules are longer on average, over the instances of some groups, and its standard error;
    NaN if there are too few."""
    longer = [100 * (values[heuristic] / values[ALL] - 1) for (group, *_), values in makespans_s.items() if group in groups]
    if len(longer) < 2:
        return math.nan, math.nan
    return statistics.mean(longer), statistics.stdev(longer) / math.sqrt(len(longer))


def shown(mean_and_error):
    """Returns a mean and its standard error as text."""
    return "{:.2f} ± {:.2f}".format(*mean_and_error)


print("| % longer on average | 29 of PPoPP'08 | 50 random | all kinds | kind with the largest loss | there |")
print("| --- | --- | --- | --- | --- | --- |")
for label, heuristic in variants.items():
    by_kind = {kind["name"]: worth(heuristic, [kind["name"]]) for kind in kinds}
    largest = max(by_kind, key=by_kind.get)
    print(f"| {label} | {shown(worth(heuristic, ['29']))} | {shown(worth(heuristic, ['fifty']))} | "
          f"{shown(worth(heuristic, list(by_kind)))} | {largest} | {shown(by_kind[largest])} |")
