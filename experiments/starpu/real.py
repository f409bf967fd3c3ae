#!/usr/bin/env python3
"""Runs tile tasks with StarPU on this machine, and compares time and volume with the predictions.

Usage: experiments/starpu/real.py [PROGRAM [PROTOCOLS [TILES [STRATEGIES]]]]

PROGRAM is starport-starpu (default: build/release/starport-starpu), PROTOCOLS the number of times that each case is
measured, in turn (default: 5), TILES the number of tiles per side (default: 8), STRATEGIES a list of ours (default: nine
of them). Needs an otherwise idle machine of two cores or more, and OpenCL for its CPUs (pocl-opencl-icd): one core is a
worker in main memory, another one a device with a memory of its own; then there are two devices, the second of which
shares a core with the worker if there are only two. Files go to build/starpu-real.
"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

top = pathlib.Path(__file__).resolve().parents[2]
program = sys.argv[1] if len(sys.argv) > 1 else str(top / "build/release/starport-starpu")
protocols = int(sys.argv[2]) if len(sys.argv) > 2 else 5
tiles = int(sys.argv[3]) if len(sys.argv) > 3 else 8
side = 480
folder = top / "build/starpu-real"
folder.mkdir(parents=True, exist_ok=True)

OURS = ["Static", "RandSteal", "ChoiceSteal", "EffectiveSteal", "ZoneGrowth", "FirstDyn", "ChoiceDyn", "EffectiveDyn",
        "DMDA"]
if len(sys.argv) > 4:
    OURS = re.split(r",(?![^\[]*\])", sys.argv[4])  # not within brackets
THEIRS = ["starpu:dmda", "starpu:dmdar", "starpu:lws"]


def run(devices, *arguments):
    # StarPU stores one model of the buses per host name.
    environment = os.environ | {
        "STARPU_HOME": str(folder), "STARPU_HOSTNAME": f"devices{devices}", "STARPU_OPENCL_ON_CPUS": "1",
        "STARPU_NCPU": "1", "STARPU_NOPENCL": str(devices), "POCL_DEVICES": " ".join(["basic"] * devices)}
    result = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join([program, *arguments])} failed:\n{result.stderr or result.stdout}")
    return result.stdout


def percent(value):
    return f"{100 * value:+.1f} %"


for devices in (1, 2):
    node = folder / f"node{devices}.json"
    rows = {}  # by strategy: those of each protocol
    for protocol in range(protocols):
        run(devices, "calibrate", "-o", str(node), "--block-sizes", str(side))
        found = sum("bandwidth" in worker for worker in json.loads(node.read_text())["workers"])
        if found != devices:
            raise SystemExit(f"StarPU finds {found} OpenCL devices on the CPUs instead of {devices}")
        text = run(devices, "execute", str(node), "--problem", str(tiles * side), "--json", "--repetitions", "1", "--seed",
                   str(protocol + 1), "--heuristics", ",".join(OURS + THEIRS))
        (folder / f"devices{devices}-protocol{protocol + 1}.json").write_text(text)
        for row in json.loads(text)["results"]:
            rows.setdefault(row["heuristic"], []).append(row)

    def real(name, key):
        return statistics.median(row["real"][key] for row in rows[name])

    print(f"\n{devices} device(s), {tiles} x {tiles} x {tiles} tiles of {side}, {protocols} protocols\n")
    print("| strategy | time (s) | off the prediction: median, worst | volume (MB) | off: median, worst |")
    print("| --- | --- | --- | --- | --- |")
    deviations = []
    for name in rows:
        cells = []
        for key, unit in (("makespan_s", 1), ("volume_bytes", 1e-6)):
            off = [row["real"][key] / row["predicted"][key] - 1 for row in rows[name] if row.get("predicted", {}).get(key)]
            cells.append(f"{real(name, key) * unit:.4g}")
            cells.append(f"{percent(statistics.median(off))}, {percent(max(off, key=abs))}" if off else "-")
            if off and key == "makespan_s":
                deviations += [abs(value) for value in off]
        print(f"| {name} | {' | '.join(cells)} |")
    print(f"\nTime: {percent(statistics.median(deviations))} in the median, {percent(max(deviations))} at worst")

    predicted = {name: statistics.median(row["predicted"]["volume_bytes"] for row in rows[name]) for name in OURS}
    pairs = [(a, b) for a in OURS for b in OURS if predicted[a] < 0.99 * predicted[b]]
    right = sum(real(a, "volume_bytes") < real(b, "volume_bytes") for a, b in pairs)
    print(f"Order by volume: {right} of {len(pairs)} pairs that the prediction tells apart by 1 % are right")
    for ours in (name for name in ("EffectiveSteal", "ZoneGrowth") if name in OURS):
        for theirs in THEIRS + (["EffectiveSteal"] if ours == "ZoneGrowth" and "EffectiveSteal" in OURS else []):
            ratios = [percent(real(ours, key) / real(theirs, key) - 1) if real(theirs, key) else "-"
                      for key in ("makespan_s", "volume_bytes")]
            print(f"{ours} beside {theirs}: time {ratios[0]}, volume {ratios[1]}")
