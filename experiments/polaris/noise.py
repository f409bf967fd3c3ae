#!/usr/bin/env python3
"""Compares Polaris[adapt=yes] with Polaris and ODDOML when durations vary, a worker slows down, or one stops, on the 29
instances of PPoPP'08 and on random stars of the map: a row per kind of noise, with means and extremes of the makespans'
ratios.

Usage: noise.py [STARPORT] [DIR] [REPETITIONS] [map]   (default: build/release/starport, build/polaris/noise, 3)
With `map`, only stars of the map run.
"""
import collections
import pathlib
import sys

import instances

STARPORT = sys.argv[1] if len(sys.argv) > 1 else "build/release/starport"
OUT = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "build/polaris/noise")
REPETITIONS = int(sys.argv[3]) if len(sys.argv) > 3 else 3
ADAPTING = "Polaris[adapt=yes]"
RIVALS = ["Polaris", "ODDOML"]
WORKERS = (1, 4, 8)  # that slow down or stop, one at a time
DATE_S = 300


def experiments():
    """Returns every instance under every kind of noise; the name of an experiment begins with the kind. Stars of the map have
    such different makespans that no date to slow down or to stop suits all."""
    kinds = {"no noise": [{}], **{f"varies by {cv} %": [{"cv": f"{cv}%"}] * REPETITIONS for cv in (2, 6, 20)}}
    dated = {"a worker at half speed": [{"slow": [{"worker": w, "from_s": DATE_S, "factor": 2}]} for w in WORKERS],
             "a worker stops": [{"stop": [{"worker": w, "at_s": DATE_S}]} for w in WORKERS]}
    for kind, noises in {**kinds, **dated}.items():
        for number, noise in enumerate(noises, 1):
            seeded = {"noise": {**noise, "seed": number}} if noise else {}
            for instance in instances.published() if "map" not in sys.argv[4:] else []:
                yield {**instance, **seeded, "name": f"{kind}: {number}, {instance['name']}"}
            for instance in instances.kinds(REPETITIONS, ["one-port"]) if kind in kinds else []:
                yield {**instance, **seeded, "name": f"{kind}, stars of the map: {number}, {instance['name']}"}


makespans_s = collections.defaultdict(dict)  # by kind, by instance, by heuristic
for row in instances.run(STARPORT, OUT, "noise", [ADAPTING, *RIVALS], list(experiments()), 2008):
    kind = row["experiment"].split(":")[0]
    makespans_s[kind].setdefault(row["instance"], {})[row["heuristic"]] = float(row["makespan_s"] or "nan")
print(f"{ADAPTING}, times as long as | " + " | ".join(f"{rival}: mean | worst | runs that fail" for rival in RIVALS) + " |")
print("| --- " * (1 + 3 * len(RIVALS)) + "|")
for kind, by_instance in makespans_s.items():
    cells = []
    for rival in RIVALS:
        ratios = [values[ADAPTING] / values[rival] for values in by_instance.values()]
        finite = [ratio for ratio in ratios if ratio == ratio]
        cells += [f"{sum(finite) / len(finite):.3f}", f"{max(finite):.3f}"] if finite else ["", ""]
        cells.append(str(len(ratios) - len(finite)))
    print(f"| {kind} | " + " | ".join(cells) + " |")
