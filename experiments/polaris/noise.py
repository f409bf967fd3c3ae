#!/usr/bin/env python3
"""Compares Polaris[adapt=yes] with Polaris and ODDOML on the 29 instances of PPoPP'08 when durations vary, a worker slows
down, or one stops: a row per kind of noise, with means and extremes of the makespans' ratios.

Usage: noise.py [STARPORT] [DIR] [REPETITIONS]   (default: build/release/starport, build/polaris/noise, 3)
"""
import collections
import csv
import json
import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
STARPORT = sys.argv[1] if len(sys.argv) > 1 else "build/release/starport"
OUT = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "build/polaris/noise")
REPETITIONS = int(sys.argv[3]) if len(sys.argv) > 3 else 3
ADAPTING = "Polaris[adapt=yes]"
RIVALS = ["Polaris", "ODDOML"]
WORKERS = (1, 4, 8)  # that slow down or stop, one at a time
DATE_S = 300


def instances():
    """Returns the experiments with the 29 instances of PPoPP'08 of sweep.json, without questions and comments."""
    sweep = json.loads((TOP / "experiments/polaris/sweep.json").read_text(encoding="utf-8"))
    for experiment in sweep["experiments"]:
        if experiment["name"].startswith("fifty"):
            continue
        yield {"name": experiment["name"], "problems": experiment["problems"],
               "repetitions": experiment.get("repetitions", 1),
               "platforms": [platform if isinstance(platform, dict) else str(TOP / "platforms" / pathlib.Path(platform).name)
                             for platform in experiment["platforms"]]}


def experiments():
    """Returns every instance under every kind of noise; the name of an experiment begins with the kind."""
    kinds = {f"varies by {cv} %": [{"cv": f"{cv}%"}] * REPETITIONS for cv in (2, 6, 20)}
    kinds["no noise"] = [{}]
    kinds["a worker at half speed"] = [{"slow": [{"worker": w, "from_s": DATE_S, "factor": 2}]} for w in WORKERS]
    kinds["a worker stops"] = [{"stop": [{"worker": w, "at_s": DATE_S}]} for w in WORKERS]
    for kind, noises in kinds.items():
        for number, noise in enumerate(noises, 1):
            for instance in instances():
                seeded = {"noise": {**noise, "seed": number}} if noise else {}
                yield {**instance, **seeded, "name": f"{kind}: {number}, {instance['name']}"}


def results():
    """Runs all experiments and returns the rows of the results."""
    OUT.mkdir(parents=True, exist_ok=True)
    specification = OUT / "noise.json"
    specification.write_text(json.dumps({"schema_version": 1, "name": "Polaris under noise", "seed": 2008,
                                         "heuristics": [ADAPTING, *RIVALS], "experiments": list(experiments())}))
    folder = OUT / "results"
    for file in folder.glob("*") if folder.exists() else []:
        file.unlink()
    # Static Polaris fails where a worker stops, so that the exit status says nothing.
    subprocess.run([STARPORT, "sweep", specification, "-o", folder, "--engine", "analytic"], check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(folder / "results.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


makespans_s = collections.defaultdict(dict)  # by kind, by instance, by heuristic
for row in results():
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
