#!/usr/bin/env python3
"""Measures what each part of Polaris is worth: how much longer its schedules take without it, on the 29 instances of PPoPP'08,
on fifty random ones, and on each kind of instance of the map, on one port. Another seed of the search shows which differences
are due to chance.

Usage: parts.py [STARPORT] [DIR] [REPETITIONS] [map]   (default: build/release/starport, build/polaris/parts, 4)
REPETITIONS is the number of stars of each kind. With `map`, the 29 and the fifty instances are left out, which take half of
the time: with 4 stars, ten minutes of one core remain.
"""
import collections
import math
import pathlib
import re
import subprocess
import sys

import instances

STARPORT = sys.argv[1] if len(sys.argv) > 1 else "build/release/starport"
OUT = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "build/polaris/parts")
REPETITIONS = int(sys.argv[3]) if len(sys.argv) > 3 else 4
SEED = 4711  # not used while Polaris was made

parameters = subprocess.run([STARPORT, "list", "Polaris"], check=True, capture_output=True, text=True).stdout
PARTS = re.search(r"\[without=([^]]*)\]", parameters).group(1).split("|")
variants = {"another seed": "Polaris[seed=2]"} | {f"without {part}": f"Polaris[without={part}]" for part in PARTS}
published = [] if "map" in sys.argv[4:] else list(instances.published(with_fifty=True))
kinds = instances.kinds(REPETITIONS, ["one-port"])

makespans_s = collections.defaultdict(dict)  # by group of instances and instance, by heuristic
for name, experiments in {"published": published, "kinds": kinds}.items():
    if not experiments:
        continue
    for row in instances.run(STARPORT, OUT, name, ["Polaris", *variants.values()], experiments, 2008 if name == "published" else SEED):
        group = row["experiment"]
        if name == "published":
            group = "fifty" if group.startswith("fifty") else "29"
        makespans_s[group, name, row["instance"]][row["heuristic"]] = float(row["makespan_s"])


def worth(heuristic, group):
    """Returns by how many per cent schedules are longer on average, over the instances of a group; NaN if there are none."""
    ratios = [values[heuristic] / values["Polaris"] for (at, *_), values in makespans_s.items() if at == group]
    return 100 * (sum(ratios) / len(ratios) - 1) if ratios else math.nan


print("| % longer on average | 29 of PPoPP'08 | 50 random | map | kind of the map with the largest loss | there |")
print("| --- | --- | --- | --- | --- | --- |")
for label, heuristic in variants.items():
    by_kind = {kind["name"]: worth(heuristic, kind["name"]) for kind in kinds}
    largest = max(by_kind, key=by_kind.get)
    print(f"| {label} | {worth(heuristic, '29'):.2f} | {worth(heuristic, 'fifty'):.2f} | "
          f"{sum(by_kind.values()) / len(by_kind):.2f} | {largest} | {by_kind[largest]:.2f} |")
