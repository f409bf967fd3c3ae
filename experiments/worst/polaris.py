#!/usr/bin/env python3
"""Prints how far Polaris is from the lower bound at worst, by port, number of workers and depth of the product, and whether
small memories are the cause: the instance again with all memories below 100 blocks 64 times as large.

Usage: polaris.py [STARPORT] [EVALUATIONS]   (default: build/release/starport, 2000 for each search)
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

STARPORT = sys.argv[1] if len(sys.argv) > 1 else "build/release/starport"
EVALUATIONS = sys.argv[2] if len(sys.argv) > 2 else "2000"
POLARIS = "Polaris[effort=low]"
SMALL_BYTES = 100 * 8 * 80 * 80


def run(*arguments):
    return subprocess.run([STARPORT, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def search(folder, port, workers, depth):
    """Returns the platform file, as JSON, and the product of the worst instance found."""
    space = folder / "space.json"
    space.write_text(json.dumps({
        "schema_version": 1, "port": port, "workers": workers, "bandwidth": {"log_uniform": ["1MBps", "10GBps"]},
        "speed": {"log_uniform": ["100Mf", "1Tf"]}, "memory": {"log_uniform": ["300kB", "5GB"]}, "r": [10, 100],
        "s": [10, 100], "t": depth, "max_updates": 1e5}))
    worst = folder / "worst.json"
    run("worst", POLARIS, "--within", space, "--evaluations", EVALUATIONS, "-o", worst)
    platform = json.loads(worst.read_text())
    return platform, re.search(r"problem (\S+)", str(platform["provenance"]))[1]


def measure(folder, platform, problem):
    """Returns the makespan of Polaris and the lower bound for any schedule, in seconds."""
    file = folder / "platform.json"
    file.write_text(json.dumps(platform))
    result = json.loads(run("run", file, "--problem", problem, "--heuristics", POLARIS, "--engine", "analytic", "--json"))
    return result["results"][0]["makespan_s"], result["bounds"]["any_schedule_bound_s"]


def enlarge(platform):
    """Returns the platform with every memory of less than 100 blocks 64 times as large."""
    workers = [dict(worker) for worker in platform["workers"]]
    for worker in workers:
        size = float(worker["memory"].rstrip("B"))
        if size < SMALL_BYTES:
            worker["memory"] = f"{64 * size:.0f}B"
    return {**platform, "workers": workers}


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    print("| port | workers | t | x bound | bound, memories enlarged | Polaris, memories enlarged |")
    print("| --- | --- | --- | --- | --- | --- |")
    for port in ("one-port", "two-port"):
        for workers in ([1, 2], [3, 5], [6, 10], [11, 20]):
            for depth in ([1, 10], [11, 100]):
                platform, problem = search(folder, port, workers, depth)
                makespan_s, bound_s = measure(folder, platform, problem)
                larger_s, larger_bound_s = measure(folder, enlarge(platform), problem)
                print(f"| {port} | {workers[0]}–{workers[1]} | {depth[0]}–{depth[1]} | {makespan_s / bound_s:.2f} | "
                      f"{larger_bound_s / bound_s:.2f} | {larger_s / makespan_s:.2f} |", flush=True)
