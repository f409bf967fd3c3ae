#!/usr/bin/env python3
"""Prints the tables of README.md, "What a user waits for": CPU time, the least of several turns.

    experiments/benchmark/table.py build/benchmark

The folder is that of the preset `benchmark`. What is compared runs in turn.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
TURNS = 5
PLATFORM = {"schema_version": 1, "name": "eight", "block_size": 10, "workers": [
    {"c_s": 0.001, "w_s": 0.0001, "m_blocks": 140, "count": 3},
    {"c_s": 0.0015, "w_s": 0.0002, "m_blocks": 320, "count": 3},
    {"c_s": 0.002, "w_s": 0.00015, "m_blocks": 600, "count": 2}]}


def cost(command):
    """CPU seconds and peak megabytes of a command and what it starts."""
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command} ended with status {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def least(command, turns=TURNS):
    """The least of each over several turns."""
    return tuple(map(min, zip(*(cost(command) for _ in range(turns)))))


def table(*rows):
    head, *rest = rows
    for row in [head, ["---"] * len(head), *rest]:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def transfers(build):
    """Nanoseconds of CPU a transfer: the plain recurrence, and what stands on it."""
    output = subprocess.run(
        [build / "experiments/benchmark/engine_benchmark", "--benchmark_filter=^(lean|analytic)",
         f"--benchmark_repetitions={TURNS}", "--benchmark_enable_random_interleaving=true",
         "--benchmark_format=json"], check=True, capture_output=True, text=True).stdout
    best = {}
    for run in json.loads(output)["benchmarks"]:
        if run["run_type"] != "iteration":
            continue
        name, p = run["name"].split("/")[:2]
        # The counter is transfers for each second of real time.
        count = run["transfers/s"] * run["real_time"] / 1e3
        best[name, p] = min(run["cpu_time"] * 1e6 / count, best.get((name, p), float("inf")))
    rows = [["workers", "plain recurrence", "replay of a list", "ratio", "ODDOML", "ratio"]]
    for p in ("8", "100", "1000"):
        lean, replay, oddoml = (best[name, p]
                                for name in ("lean", "analytic", "analytic_demand_driven"))
        rows.append([p, f"{lean:.1f} ns", f"{replay:.1f} ns", f"{replay / lean:.1f}",
                     f"{oddoml:.1f} ns", f"{oddoml / lean:.1f}"])
    table(*rows)


def start(program):
    job = ["run", TOP / "platforms/ppopp08-memory.json", "--problem", "8000x8000x64000",
           "--heuristics", "all"]
    rows = [["start", "CPU"]]
    for name, command in (("a program that does nothing", ["true"]),
                          ("`starport --version`", [program, "--version"]),
                          ("`starport run`, the README's job without Polaris, analytic",
                           [program, *job, "--engine", "analytic"]),
                          ("the same on SimGrid", [program, *job])):
        rows.append([name, f"{least(command, 4 * TURNS)[0] * 1e3:.1f} ms"])
    table(*rows)


def schedules(program, folder):
    platform = folder / "platform.json"
    platform.write_text(json.dumps(PLATFORM))
    schedule = folder / "schedule.json"
    rows = [["schedule of 1,120,112 transfers", "CPU", "peak memory"]]

    def add(name, command, turns=2):
        cpu_s, megabytes = least([program, *command], turns)
        rows.append([name, f"{cpu_s:.2f} s", f"{megabytes:.0f} MB"])

    add("`plan`: made, validated and written",
        ["plan", platform, "--problem", "1000x200000x1000", "--heuristic", "ODDOML", "--engine",
         "analytic", "-o", schedule])
    add("`validate`: read and validated", ["validate", schedule])
    add("`replay`: read, validated on both platforms, and run",
        ["replay", platform, schedule, "--engine", "analytic"])
    other = folder / "other.json"
    with schedule.open() as lines, other.open("w") as copy:
        copy.writelines(line.replace('"to":', '"to": ') for line in lines)
    add("`validate`: the same in another layout", ["validate", other], 1)
    table(*rows)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    transfers(build)
    start(build / "starport")
    with tempfile.TemporaryDirectory() as folder:
        schedules(build / "starport", pathlib.Path(folder))


if __name__ == "__main__":
    main()
