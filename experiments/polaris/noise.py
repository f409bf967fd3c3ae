#!/usr/bin/env python3
"""Compares Polaris[adapt=yes] with Polaris and ODDOML when durations vary, a worker slows down, or one stops, on the 29
instances of PPoPP'08 and on random stars of the map: a row per kind of noise, with means and extremes of the makespans'
ratios. Lists the stars of the map on which Polaris[adapt=yes] takes more than 1 % longer than one of the others.

Usage: noise.py [STARPORT] [DIR] [REPETITIONS] [map]   (default: build/release/starport, build/polaris/noise, 3)
REPETITIONS is the number of seeds for the 29 instances, and of stars of each kind of the map. With `map`, only the latter run.
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
SHARE = 0.3  # of Polaris' makespan, after which a worker slows down or stops; on the 29, after 300 s


def noises(date_s, workers):
    """Returns the noises of every kind; a worker slows down or stops at a date."""
    varying = {f"varies by {cv} %": [{"cv": f"{cv}%"}] for cv in (2, 6, 20)}
    dated = {"a worker at half speed": [{"slow": [{"worker": w, "from_s": date_s, "factor": 2}]} for w in workers],
             "a worker stops": [{"stop": [{"worker": w, "at_s": date_s}]} for w in workers]}
    return {"no noise": [{}], **varying, **dated}


def of_published():
    """Yields the 29 instances under every kind of noise; the name of an experiment begins with the kind."""
    for kind, cases in noises(300, WORKERS).items():
        for number, noise in enumerate(cases * (REPETITIONS if "varies" in kind else 1), 1):
            seeded = {"noise": {**noise, "seed": number}} if noise else {}
            for instance in instances.published():
                yield {**instance, **seeded, "name": f"{kind}: {number}, {instance['name']}"}


def stars():
    """Yields the stars of the map, each as an experiment of its own."""
    for number in range(1, REPETITIONS + 1):
        for kind in instances.kinds(1, ["one-port"]):
            generate = {**kind["platforms"][0]["generate"], "name": f"star {number}"}
            yield {**kind, "name": f"{kind['name']}, star {number}", "platforms": [{"generate": generate}]}, number


def of_stars(nominal_s):
    """Yields the stars of the map under every kind of noise, from Polaris' makespans without."""
    for star, number in stars():
        workers = star["platforms"][0]["generate"]["workers"]
        worker = 1 + number * 7 % workers
        for kind, (noise,) in noises(SHARE * nominal_s[star["name"]], [worker]).items():
            if kind == "no noise" or (kind == "a worker stops" and workers == 1):
                continue
            yield {**star, "noise": {**noise, "seed": number}, "name": f"{kind}: {star['name']}"}


def store(rows, where, makespans_s):
    """Adds the makespans of rows by kind of noise, by instance, by heuristic."""
    for row in rows:
        kind, _, name = row["experiment"].partition(": ")
        key = (f"{kind}, {where}", f"{name}, {row['instance']}")
        makespans_s[key[0]].setdefault(key[1], {})[row["heuristic"]] = float(row["makespan_s"] or "nan")


makespans_s = collections.defaultdict(dict)
names = [ADAPTING, *RIVALS]
if "map" not in sys.argv[4:]:
    store(instances.run(STARPORT, OUT, "published", names, list(of_published()), 2008), "the 29", makespans_s)
plain = [{**star, "name": f"no noise: {star['name']}"} for star, _ in stars()]
rows = instances.run(STARPORT, OUT, "plain", names, plain, 2008)
store(rows, "stars of the map", makespans_s)
nominal_s = {row["experiment"].partition(": ")[2]: float(row["makespan_s"]) for row in rows if row["heuristic"] == "Polaris"}
store(instances.run(STARPORT, OUT, "stars", names, list(of_stars(nominal_s)), 2008), "stars of the map", makespans_s)

print(f"{ADAPTING}, times as long as | " + " | ".join(f"{rival}: mean | worst | runs that fail" for rival in RIVALS) + " |")
print("| --- " * (1 + 3 * len(RIVALS)) + "|")
behind = []
for kind, by_instance in makespans_s.items():
    cells = []
    for rival in RIVALS:
        ratios = {name: values[ADAPTING] / values[rival] for name, values in by_instance.items()}
        finite = [ratio for ratio in ratios.values() if ratio == ratio]
        cells += [f"{sum(finite) / len(finite):.3f}", f"{max(finite):.3f}"] if finite else ["", ""]
        cells.append(str(len(ratios) - len(finite)))
        behind += [f"{kind}: {name}: {ratio:.3f} times {rival}" for name, ratio in ratios.items() if ratio > 1.01]
    print(f"| {kind} ({len(by_instance)}) | " + " | ".join(cells) + " |")
print("\nMore than 1 % behind:\n" + "\n".join(behind or ["none"]))
