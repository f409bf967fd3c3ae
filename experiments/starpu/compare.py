#!/usr/bin/env python3
"""Runs heuristics of the tile model on the machines and sizes of starpu.csv and prints them beside StarPU's own simulation.

Usage: compare.py [STARPORT]                          each scheduler of StarPU beside ours of the same rule
       compare.py STARPORT held-out                   the same on the machines held out: no rule was chosen on them
       compare.py STARPORT HEURISTIC [SCHEDULER [BUS]]   one heuristic beside one scheduler (default: best own)
STARPORT is the program (default: build/release/starport). SCHEDULER is one of StarPU's (dmda, dmdar, heteroprio, lws, eager),
or best: the one that is fastest in each case. With BUS own, links share nothing; with BUS shipped, GPUs behind one PCI bridge
share it; with BUS shared, all transfers share the link "Host" of StarPU's files, too. The tables have time / volume of the
heuristic over those of StarPU by machine, memory and size. The volume is that of the model less n^2 tiles, since StarPU's
example writes C without reading it.
"""
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
SIDE = 960
TILE_GIB = 8 * SIDE * SIDE / 2**30
HOST = {"sirocco": "10521832623.5Bps", "attila": "6526732233.1Bps"}  # in bus/*.platform.xml of StarPU
HELD_OUT = ("mirage", "idgraf")
COUNTERPARTS = {"dmda": "DMDA[copies=cuda,prefetch=1,transfers=starpu]", "dmdar": "DMDAR[copies=cuda]",
                "heteroprio": "HeteroPrio[copies=cuda]", "lws": "LWS[copies=cuda]", "eager": "Eager[copies=cuda]"}


def set_buses(machine, platform, bus, peers):
    """Changes what links of a platform file share: nothing (bus "own"), StarPU's link "Host" besides their buses ("shared"),
    or what the file says ("shipped"). Without `peers`, the first two leave out links between GPUs."""
    if bus == "shipped":
        return
    gpus = [worker for worker in platform["workers"] if "memory" in worker]
    if not peers:
        platform.pop("peer_links", None)
    if bus == "own" or machine == "sirocco":  # StarPU knows no bridges there
        platform.pop("buses", None)
        for gpu in gpus:
            gpu.pop("bus", None)
    if bus == "shared":
        for bridge in platform.setdefault("buses", []):
            bridge.setdefault("parent", "Host")
        for gpu in gpus:
            gpu.setdefault("bus", "Host")
        platform["buses"].append({"name": "Host", "total_bandwidth": HOST[machine]})


def group_cores(worker):
    """Makes two workers of the cores, each as fast as half of them."""
    half = worker["count"] / 2
    worker["count"] = 2
    worker["speed"] = f"{half * float(worker['speed'].rstrip('f'))}f"
    for point in worker["speed_function"]:
        for key in ("seconds", "deviation_s"):
            point[key] /= half


def scale_bandwidths(platform, scale):
    """Multiplies the bandwidths of all links and buses of a platform file by `scale`."""
    for item in (*platform["workers"], *platform.get("peer_links", []), *platform.get("buses", [])):
        for key in ("bandwidth", "return_bandwidth", "total_bandwidth"):
            if key in item:
                item[key] = f"{scale * float(item[key].removesuffix('Bps')):.6f}Bps"


def run(starport, machine, memory_mib, n, heuristics, bus="own", grouped=False, as_starpu=False, engine="analytic", scale=1):
    """Returns the results of the heuristics as `starport run --json` gives them, on a machine whose GPUs have `memory_mib`, for
    a product of n x n x n tiles or, if `n` is a text such as 6x12x18, of 6 x 12 tiles by 12 x 18. If `as_starpu`, GPUs have
    the links between them and the share of their memory that StarPU uses. Bandwidths are `scale` times those of the machine."""
    platform = json.loads((HERE / f"../../platforms/starpu-{machine}.json").read_text())
    set_buses(machine, platform, bus, as_starpu)
    for worker in platform["workers"]:
        if memory_mib and "memory" in worker:
            worker["memory"] = f"{memory_mib}MiB"
        elif as_starpu and "memory" in worker:  # of which StarPU leaves a tenth free
            worker["memory"] = f"{int(0.9 * float(worker['memory'].rstrip('B')))}B"
        if grouped and "memory" not in worker:
            group_cores(worker)
    if scale != 1:
        scale_bandwidths(platform, scale)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(platform, file)
        file.flush()
        results = json.loads(subprocess.run(
            [starport, "run", file.name, "--problem", "x".join(str(int(tiles) * SIDE) for tiles in str(n).split("x")),
             "--block-size", str(SIDE), "--heuristics",
             ",".join(heuristics), "--engine", engine, "--json"],
            check=True, capture_output=True, text=True).stdout)["results"]
    for result in results:
        if "makespan_s" not in result:
            raise SystemExit(f"{machine}, {memory_mib} MiB, n = {n}: {result.get('error', result)}")
    return results


def summary(ratios):
    """Returns what the ratios are as text: mean, smallest, largest, and the median of their deviations from 1."""
    off = statistics.median(abs(ratio - 1) for ratio in ratios)
    far = sum(abs(ratio - 1) > 0.25 for ratio in ratios)
    return (f"{statistics.mean(ratios):.3f} in the mean, {min(ratios):.2f} to {max(ratios):.2f}, {100 * off:.1f} % off in the "
            f"median, {far} by more than 25 %")


def compare(starport, heuristic, scheduler, table, bus="own"):
    """Prints the table of one heuristic beside one scheduler, and its summary. Returns pairs of ratios, of time and of volume."""
    best = {}
    for row in table:
        case = row["machine"], int(row["memory_mib"]), int(row["n"])
        if row["bus"] == bus and scheduler in ("best", row["scheduler"]):
            if case not in best or float(row["time_s"]) < float(best[case]["time_s"]):
                best[case] = row
    sizes = sorted({case[2] for case in best})
    print(f"\n{heuristic} beside StarPU's {scheduler}: time / volume over StarPU's\n")
    print("| machine, memory of a GPU | " + " | ".join(f"n = {n}" for n in sizes) + " |")
    print("| --- |" + " --- |" * len(sizes))
    times, volumes = [], []
    for machine, memory in sorted({case[:2] for case in best}):
        cells = []
        for n in sizes:
            if (machine, memory, n) not in best:
                cells.append("")
                continue
            row = best[machine, memory, n]
            result = run(starport, machine, memory, n, [heuristic], bus, as_starpu=True)[0]
            times.append(result["makespan_s"] / float(row["time_s"]))
            volumes.append((result["volume_gib"] - n * n * TILE_GIB) / float(row["volume_gib"]))
            cells.append(f"{times[-1]:.2f} / {volumes[-1]:.2f}")
        print(f"| {machine}, {f'{memory} MiB' if memory else 'all'} | " + " | ".join(cells) + " |", flush=True)
    print(f"\n{len(times)} runs. Time: {summary(times)}. Volume: {summary(volumes)}.")
    return list(zip(times, volumes))


if __name__ == "__main__":
    program = sys.argv[1] if len(sys.argv) > 1 else "build/release/starport"
    with open(HERE / "starpu.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    if sys.argv[2:] == ["held-out"]:
        for machine in HELD_OUT:
            table = [row for row in rows if row["machine"] == machine]
            for bus in ("own", "shipped"):
                ratios = []
                for name, counterpart in COUNTERPARTS.items():
                    ratios += compare(program, counterpart, name, table, bus)
                times, volumes = zip(*ratios)
                print(f"\n{machine}, bus {bus}: {len(ratios)} runs. Time: {summary(times)}. Volume: {summary(volumes)}.")
        sys.exit()
    rows = [row for row in rows if row["machine"] not in HELD_OUT]
    if len(sys.argv) > 2:
        compare(program, sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "best", rows, *sys.argv[4:])
    else:
        for name, counterpart in COUNTERPARTS.items():
            compare(program, counterpart, name, rows)
