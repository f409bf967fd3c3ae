"""Real runs beside their predictions, on any machine: calibrate, then the seven heuristics and
Polaris, some repetitions in turn. Writes platform.json, runs.json and table.md into a folder."""

import argparse
import itertools
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

PARTS = ["link_s", "latency_s", "packing_s", "port_idle_s"]


def arguments():
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/release/starport-mpi")
    parser.add_argument("--workers", type=int, default=max(1, cores // 2),
                        help="beside the master; each computes in one thread and communicates in "
                             "another (default: half as many as there are cores)")
    parser.add_argument("--problem", default="2560x2560x3840", help="sides of C, and A's other one")
    parser.add_argument("--block-sizes", default="80")
    parser.add_argument("--memory", default="24MiB", help="of each worker")
    parser.add_argument("--heuristics", default="all,Polaris")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--seconds", default="1", help="that each figure is measured for, at least")
    parser.add_argument("--output", default="build/real", help="folder")
    return parser.parse_args()


def mpirun(options, *words):
    """Every rank may use every core; what the program says beside its result goes to the reader."""
    variables = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                 "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(options.workers + 1),
               options.program, *words]
    done = subprocess.run(command, env={**os.environ, **variables}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    told = [line for line in done.stderr.splitlines() if line.startswith("starport-mpi")]
    if done.returncode != 0:
        sys.exit("\n".join([" ".join(command), *told, done.stderr]))
    return done.stdout, told


def kendall(pairs):
    """Of (x, y, z, w): of predictions x and z, and real times y and w with their spreads, only
    where the real ones differ by more than these."""
    counted = [(a, b) for a, b in itertools.combinations(pairs, 2)
               if abs(a["real"] - b["real"]) > (a["spread"] + b["spread"]) / 2]
    if not counted:
        return None, 0
    agree = sum((a["predicted"] - b["predicted"]) * (a["real"] - b["real"]) > 0 for a, b in counted)
    return (2 * agree - len(counted)) / len(counted), len(counted)


def summarize(runs):
    rows = []
    for name in runs[0]:
        mine = [run[name] for run in runs]
        real = [one["real"]["makespan_s"] for one in mine]
        predicted = statistics.median(one["predicted"]["makespan_s"] for one in mine)
        parts = {part: statistics.median(sum(worker[part] for worker in one["difference"])
                                         for one in mine) for part in PARTS}
        rows.append({"heuristic": name, "predicted": predicted, "real": statistics.median(real),
                     "spread": max(real) - min(real), "parts": parts,
                     "ratio": statistics.median(one["real"]["makespan_s"]
                                                / one["predicted"]["makespan_s"] for one in mine)})
    return rows


def table(rows, tau, pairs, heading):
    lines = [heading, "",
             "| heuristic | predicted (s) | real (s) | spread (s) | real / predicted | link rate | "
             "latency | packing | port idle |",
             "| --- " + "| ---: " * 8 + "|"]
    for row in sorted(rows, key=lambda row: row["real"]):
        split = " | ".join(f"{row['parts'][part]:+.3f}" for part in PARTS)
        lines.append(f"| {row['heuristic']} | {row['predicted']:.3f} | {row['real']:.3f} | "
                     f"{row['spread']:.3f} | {row['ratio']:.3f} | {split} |")
    errors = sorted(abs(row["ratio"] - 1) for row in rows)
    lines += ["", f"Off by {100 * statistics.median(errors):.1f}% in the median, "
                  f"{100 * errors[-1]:.1f}% at worst; "
                  + (f"Kendall's tau {tau:.2f} over the {pairs} pairs that differ by more than the "
                     "spread." if pairs else "no two differ by more than the spread."), ""]
    return "\n".join(lines)


def main():
    options = arguments()
    options.program = str(pathlib.Path(options.program).resolve())
    folder = pathlib.Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    platform = str(folder / "platform.json")
    cores = len(os.sched_getaffinity(0))
    load_before = os.getloadavg()[0]
    calibrate = ["calibrate", "--block-sizes", options.block_sizes, "--memory", options.memory,
                 "--seconds", options.seconds, "--force", "-o", platform]
    text, told = mpirun(options, *calibrate)
    advice = re.search(r"export OPENBLAS_CORETYPE=(\w+)", "\n".join(told))
    if advice and "OPENBLAS_CORETYPE" not in os.environ:
        os.environ["OPENBLAS_CORETYPE"] = advice[1]
        print(f"OPENBLAS_CORETYPE={advice[1]}, as advised")
        text, told = mpirun(options, *calibrate)
    print(text)
    runs = []
    for _ in range(options.repetitions):
        out, warnings = mpirun(options, "execute", platform, "--problem", options.problem,
                               "--heuristic", options.heuristics, "--force", "--json")
        told += warnings
        runs.append({one["heuristic"]: one for one in json.loads(out)["results"]})
    load_after = os.getloadavg()[0]
    rows = summarize(runs)
    tau, pairs = kendall(rows)
    heading = (f"{cores} cores, {options.workers} workers, {options.problem}, "
               f"{options.repetitions} repetitions; load {load_before:.2f} before, "
               f"{load_after:.2f} after.")
    doubts = list({re.sub(r"[0-9.]+", "", line): line for line in told}.values())
    if doubts:
        heading += "\n\n" + "\n".join(f"    {doubt}" for doubt in doubts)
    written = table(rows, tau, pairs, heading)
    (folder / "runs.json").write_text(json.dumps(
        {"cores": cores, "load_before": load_before, "load_after": load_after, "doubts": doubts,
         "tau": tau, "pairs": pairs, "summary": rows, "runs": runs}, indent=1))
    (folder / "table.md").write_text(written)
    print(written)


main()
