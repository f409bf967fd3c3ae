#!/usr/bin/env python3
"""Runs a heuristic of the tile model on the machines and sizes of starpu.csv and prints it beside StarPU's own simulation.

Usage: compare.py [STARPORT [HEURISTIC [SCHEDULER [BUS]]]]   (default: build/release/starport 'DMDA[copies=relay]' dmda own)
SCHEDULER is one of StarPU's (dmda, dmdar, heteroprio, lws, eager), or best: the one that is fastest in each case. For each
machine, memory and size: time and volume of StarPU, and those of the heuristic over them. With BUS shared, all transfers
share the link "Host" of StarPU's files, too. The volume is that of the model
less n^2 tiles, since StarPU's example writes C without reading it.
"""
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
STARPORT = sys.argv[1] if len(sys.argv) > 1 else "build/release/starport"
HEURISTIC = sys.argv[2] if len(sys.argv) > 2 else "DMDA[copies=relay]"
SCHEDULER = sys.argv[3] if len(sys.argv) > 3 else "dmda"
BUS = sys.argv[4] if len(sys.argv) > 4 else "own"
HOST = {"sirocco": "10521832623.5Bps", "attila": "6526732233.1Bps"}  # in bus/*.platform.xml of StarPU
SIDE = 960
TILE_GIB = 8 * SIDE * SIDE / 2**30


def set_buses(machine, platform):
    """Leaves the links alone as in StarPU's runs with the bus own: nothing is shared. Adds the link Host if all share it."""
    gpus = [worker for worker in platform["workers"] if "memory" in worker]
    del platform["peer_links"]
    if BUS == "own" or machine == "sirocco":  # StarPU knows no bridges there
        del platform["buses"]
        for gpu in gpus:
            gpu.pop("bus", None)
    if BUS == "shared":
        for bus in platform.setdefault("buses", []):
            bus.setdefault("parent", "Host")
        for gpu in gpus:
            gpu.setdefault("bus", "Host")
        platform["buses"].append({"name": "Host", "total_bandwidth": HOST[machine]})


def run(machine, memory_mib, n, folder):
    """Returns the makespan in seconds and the volume in GiB without the way of C to the GPUs."""
    platform = json.loads((HERE / f"../../platforms/starpu-{machine}.json").read_text())
    set_buses(machine, platform)
    for worker in platform["workers"]:
        if memory_mib and "memory" in worker:
            worker["memory"] = f"{memory_mib}MiB"
    file = folder / "platform.json"
    file.write_text(json.dumps(platform))
    result = json.loads(subprocess.run(
        [STARPORT, "run", file, "--problem", str(n * SIDE), "--block-size", str(SIDE), "--heuristics", HEURISTIC,
         "--engine", "analytic", "--json"], check=True, capture_output=True, text=True).stdout)["results"][0]
    if "makespan_s" not in result:
        raise SystemExit(f"{machine}, {memory_mib} MiB, n = {n}: {result.get('error', result)}")
    return result["makespan_s"], result["volume_gib"] - n * n * TILE_GIB


with open(HERE / "starpu.csv", newline="") as table, tempfile.TemporaryDirectory() as name:
    def case(row):
        return row["machine"], int(row["memory_mib"]), int(row["n"])

    rows = [row for row in csv.DictReader(table) if row["bus"] == BUS and SCHEDULER in ("best", row["scheduler"])]
    rows.sort(key=lambda row: (case(row), float(row["time_s"])))
    rows = [row for i, row in enumerate(rows) if i == 0 or case(row) != case(rows[i - 1])]
    times, volumes = [], []
    print("| machine | memory (MiB) | n | StarPU (s) | (GiB) | time, model / StarPU | volume, model / StarPU |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for row in rows:
        n, memory = int(row["n"]), int(row["memory_mib"])
        makespan_s, volume_gib = run(row["machine"], memory, n, pathlib.Path(name))
        times.append(makespan_s / float(row["time_s"]))
        volumes.append(volume_gib / float(row["volume_gib"]))
        print(f"| {row['machine']} | {memory or 'all'} | {n} | {float(row['time_s']):.4g} | {float(row['volume_gib']):.3g} | "
              f"{times[-1]:.3f} | {volumes[-1]:.2f} |", flush=True)


def summary(ratios):
    """Returns what the ratios are as text: mean, largest, and the median of their deviations from 1."""
    off = statistics.median(abs(ratio - 1) for ratio in ratios)
    return f"{statistics.mean(ratios):.3f} in the mean, {max(ratios):.2f} at most, {100 * off:.1f} % off in the median"


print(f"\n{len(times)} runs. Time: {summary(times)}. Volume: {summary(volumes)}.")
