#!/usr/bin/env python3
"""Prints the tables of README.md: what a user waits for, beside its peers, in CPU time (user and
system, of all that is started), the least of several turns.

    experiments/benchmark/table.py build/benchmark [TABLE...]

The folder is that of the preset `benchmark`. What is compared runs in turn, so that a machine whose
speed changes with time is the same for all. Tables:
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = TOP / "experiments/benchmark"
TURNS = 5
SIZES = (8, 100, 1000)
TO_MS = {"ns": 1e-6, "us": 1e-3, "ms": 1}
TRANSFERS = 102000  # of engine_benchmark
PLATFORM = {"schema_version": 1, "name": "eight", "block_size": 10, "workers": [
    {"c_s": 0.001, "w_s": 0.0001, "m_blocks": 140, "count": 3},
    {"c_s": 0.0015, "w_s": 0.0002, "m_blocks": 320, "count": 3},
    {"c_s": 0.002, "w_s": 0.00015, "m_blocks": 600, "count": 2}]}


def cost(command):
    """CPU and real seconds, and peak megabytes, of a command and what it starts."""
    begin = os.times()
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    end = os.times()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with status {child.returncode}")
    return usage.ru_utime + usage.ru_stime, end.elapsed - begin.elapsed, usage.ru_maxrss / 1024


def least(*commands, turns=TURNS):
    """The least of each over several turns; of several commands, each in turn."""
    rounds = [[cost(command) for command in commands] for _ in range(turns)]
    best = [tuple(map(min, zip(*one))) for one in zip(*rounds)]
    return best if len(best) > 1 else best[0]


def table(*rows):
    head, *rest = rows
    for row in [head, ["---"] + ["---:"] * (len(head) - 1), *rest]:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print(flush=True)


def write_json(path, content):
    path.write_text(json.dumps(content))
    return path


def round_robin(build, folder, p):
    """The schedule of engine_benchmark.cpp, and the CPU time of SimPy for one of its transfers."""
    platform = write_json(folder / f"{p}.json", {
        "schema_version": 1, "name": "round robin", "block_size": 80,
        "workers": [{"c_s": 1e-3, "w_s": 0.5e-3 * p, "m_blocks": 12, "count": p}]})
    schedule = folder / f"{p}-schedule.json"
    cost([build / "starport", "plan", platform, "--engine", "analytic", "--heuristics", "ORROML",
          "--problem", f"{1000 // p * 160}x8000x{160 * p}", "-o", schedule])
    return float(subprocess.run([sys.executable, HERE / "star_in_simpy.py", schedule],
                                check=True, capture_output=True, text=True).stdout)


def engines(build, folder):
    """nanoseconds of CPU a transfer: plain programs, and what stands on them"""
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
        best[name, int(p)] = min(run["cpu_time"] * 1e6 / count,
                                 best.get((name, int(p)), float("inf")))
    rows = [["workers", "plain recurrence", "replay of a list", "ratio", "ODDOML", "ratio",
             "SimPy, the list"]]
    for p in SIZES:
        lean, replay, oddoml = (best[name, p]
                                for name in ("lean", "analytic", "analytic_demand_driven"))
        simpy = min(round_robin(build, folder, p) for _ in range(3))
        rows.append([p, f"{lean:.1f} ns", f"{replay:.1f} ns", f"{replay / lean:.1f}",
                     f"{oddoml:.1f} ns", f"{oddoml / lean:.1f}", f"{simpy:.0f} ns"])
    table(*rows)


def instructions(build, _):
    """a transfer's, counted by Debian's package valgrind"""
    rows = [["workers", "plain recurrence", "replay of a list", "ODDOML"]]
    for p in SIZES:
        rows.append([p])
        for name, function in (("lean", "*lean_makespan_s*"), *[
                (name, "starport::AnalyticEngine::measure*")
                for name in ("analytic", "analytic_demand_driven")]):
            told = subprocess.run(
                ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                 f"--toggle-collect={function}", build / "experiments/benchmark/engine_benchmark",
                 f"--benchmark_filter=^{name}/{p}/", "--benchmark_min_time=0.0001",
                 "--benchmark_format=json"], check=True, capture_output=True, text=True)
            run, = json.loads(told.stdout)["benchmarks"]
            collected = int(re.search(r"Collected : (\d+)", told.stderr)[1])
            rows[-1].append(f"{collected / TRANSFERS / run['iterations']:.0f}")
    table(*rows)


def simgrid(build, _):
    """the SimGrid engine beside bare SimGrid programs, CPU of one run of 102,000 transfers"""
    def run(name, p):
        return [build / "experiments/benchmark/engine_benchmark", f"--benchmark_filter=^{name}/{p}/",
                "--benchmark_min_time=0.001"]
    rows = [["workers", "engine", "bare, one actor a worker", "ratio", "bare, two actors", "ratio"]]
    for p in SIZES:
        engine, one, two = (cpu_s for cpu_s, *_ in least(
            run("engine", p), run("bare<BareWorker::one_actor>", p),
            run("bare<BareWorker::two_actors>", p), turns=3))
        rows.append([p, f"{engine:.3f} s", f"{one:.3f} s", f"{one / engine:.2f}", f"{two:.3f} s",
                     f"{two / engine:.2f}"])
    table(*rows)


def sweeps(build, folder):
    """campaigns: 10,000 random stars by the seven, and by Polaris"""
    program = build / "starport"
    polaris = json.loads((HERE / "polaris.json").read_text())
    polaris["experiments"][0]["repetitions"] = 10000
    del polaris["$schema"]
    rows = [["10,000 random stars", "CPU", "real"]]
    for name, file, jobs in (("by the seven, `-j1`", HERE / "random.json", 1),
                             ("by the seven, `-j2`", HERE / "random.json", 2),
                             ("by Polaris[effort=low], `-j1`",
                              write_json(folder / "polaris.json", polaris), 1)):
        best = []
        for turn in range(1 if "Polaris" in name else 3):
            best.append(cost([program, "sweep", file, "--engine", "analytic", f"-j{jobs}", "-o",
                              folder / f"{jobs}{file.stem}{turn}"]))
        cpu_s, real_s, _ = map(min, zip(*best))
        rows.append([name, f"{cpu_s:.2f} s", f"{real_s:.2f} s"])
    table(*rows)


def start(build, _):
    """how long it takes to begin"""
    program = build / "starport"
    job = ["run", TOP / "platforms/ppopp08-memory.json", "--problem", "8000x8000x64000",
           "--heuristics", "all"]
    rows = [["start", "CPU"]]
    for name, command in (("a program that does nothing", ["true"]),
                          ("`starport --version`", [program, "--version"]),
                          ("`starport run`, the README's job without Polaris, analytic",
                           [program, *job, "--engine", "analytic"]),
                          ("the same on SimGrid", [program, *job])):
        rows.append([name, f"{least(command, turns=4 * TURNS)[0] * 1e3:.1f} ms"])
    table(*rows)


def files(build, folder):
    """schedules, traces, reports and figures"""
    program = build / "starport"
    platform = write_json(folder / "platform.json", PLATFORM)
    schedule = folder / "schedule.json"
    rows = [["files", "CPU", "peak memory"]]

    def add(name, *command, turns=2):
        cpu_s, _, megabytes = least([program, *command], turns=turns)
        rows.append([name, f"{cpu_s:.2f} s", f"{megabytes:.0f} MB"])

    add("`plan`: 1,120,112 transfers made, validated and written", "plan", platform, "--problem",
        "1000x200000x1000", "--heuristics", "ODDOML", "--engine", "analytic", "-o", schedule)
    add("`validate`: read and validated", "validate", schedule)
    add("`replay`: read, validated on both platforms, and run", "replay", platform, schedule,
        "--engine", "analytic")
    other = folder / "other.json"
    with schedule.open() as lines, other.open("w") as copy:
        copy.writelines(line.replace('"to":', '"to": ') for line in lines)
    add("`validate`: the same in another layout", "validate", other)
    for kind in ("csv", "json"):
        add(f"`run --trace x.{kind}`: 10,080,112 transfers", "run", platform, "--problem",
            "1000x1800000x1000", "--heuristics", "ODDOML", "--engine", "analytic", "--trace",
            folder / f"trace.{kind}", turns=1)
        os.unlink(folder / f"trace.{kind}")
    random = json.loads((HERE / "random.json").read_text())
    del random["$schema"]
    for runs, name in ((143, "thousand"), (14286, "hundred-thousand")):
        random["experiments"][0]["repetitions"] = runs
        cost([program, "sweep", write_json(folder / f"{name}.json", random), "--engine", "analytic",
              "-o", folder / name])
    add("`report`: 1001 runs", "report", folder / "thousand", "-o", folder / "report.html")
    add("`plot --figure distribution`: 100,002 rows", "plot",
        folder / "hundred-thousand/results.csv", "--figure", "distribution", "-o",
        folder / "figure.svg")
    table(*rows)


def large(build, folder):
    """heuristics on many workers"""
    rows = [["heuristic", "workers", "kind", "transfers", "CPU", "real", "ns a transfer", "peak memory"]]
    for name, workers, kind, transfers in (
            ("Het", 100, "different", 10**6), ("Het", 1000, "different", 10**6), ("Het", 100, "sides", 10**6),
            ("HomI", 100, "different", 10**6), ("HomI", 1000, "different", 10**6),
            ("OMMOML", 100, "different", 10**6), ("OMMOML", 1000, "different", 10**6),
            ("ODDOML", 10**6, "different", 10**7), ("ORROML", 1000, "different", 10**9),
            ("ODDOML", 1000, "different", 10**9)):
        output = subprocess.run(
            [build / "experiments/benchmark/heuristics_benchmark", name, kind, str(workers), str(transfers)],
            check=True, capture_output=True, text=True).stdout
        for row in csv.DictReader(output.splitlines()):
            cpu_s, real_s, n = (float(row[key]) for key in ("cpu_s", "real_s", "transfers"))
            rows.append([name, f"{workers:,}", kind, f"{transfers:,}", f"{cpu_s:.2f} s",
                         f"{real_s:.2f} s", f"{1e9 * cpu_s / n:.0f}",
                         f"{float(row['peak_memory_mb']):.0f} MB"])
    table(*rows)


def tiles(build, _):
    """tile tasks on sirocco: the event engine, and SimGrid beside a bare program"""
    program = build / "experiments/benchmark/tiles_benchmark"

    def run(case):
        return [program, f"--benchmark_filter=^{case}", "--benchmark_min_time=0.001"]
    rows = [["strategy", "n = 32", "n = 200", "peak memory", "SimGrid, n = 32", "bare", "ratio"]]
    for name in ("Static", "EffectiveSteal", "DMDA"):
        told = subprocess.run([program, f"--benchmark_filter=^events/{name}/32",
                               "--benchmark_format=json"], check=True, capture_output=True, text=True)
        small, = json.loads(told.stdout)["benchmarks"]
        large_s, _, megabytes = cost(run(f"events/{name}/200"))
        (engine_s, *_), (bare_s, *_) = least(run(f"simgrid/{name}/"), run(f"bare/{name}/"), turns=3)
        rows.append([name, f"{small['cpu_time'] * TO_MS[small['time_unit']]:.0f} ms",
                     f"{large_s:.1f} s", f"{megabytes:.0f} MB", f"{engine_s:.2f} s",
                     f"{bare_s:.2f} s", f"{bare_s / engine_s:.2f}"])
    table(*rows)


def building(_, folder):
    """from nothing, without a compiler's cache, and after a change of het.cpp (minutes)"""
    os.environ["CCACHE_DISABLE"] = "1"
    tree = folder / "tree"
    subprocess.run(["git", "-C", TOP, "worktree", "add", "-q", "--detach", tree], check=True)
    try:
        build = tree / "build/release"
        rows = [["build", "CPU", "real"]]

        def add(name, *targets):
            cpu_s, real_s, _ = cost(["cmake", "--build", build, *targets])
            rows.append([name, f"{cpu_s:.0f} s", f"{real_s:.0f} s"])

        cost(["cmake", "-S", tree, "--preset", "release", "-B", build])
        add("`starport`, as for `experiments/run.sh`", "--target", "starport")
        add("all else, with the tests")
        (tree / "heuristics/star/het.cpp").touch()
        add("`starport` after a change of het.cpp", "--target", "starport")
        table(*rows)
    finally:
        subprocess.run(["git", "-C", TOP, "worktree", "remove", "--force", tree], check=True)


TABLES = {one.__name__: one
          for one in (engines, instructions, simgrid, sweeps, large, files, start, tiles,
                      building)}


def main():
    names = sys.argv[2:] or [name for name in TABLES if name != "building"]
    if len(sys.argv) < 2 or not set(names) <= set(TABLES):
        sys.exit(__doc__ + "".join(f"    {one.__name__:9} {one.__doc__}\n" for one in TABLES.values()))
    build = pathlib.Path(sys.argv[1]).resolve()
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            TABLES[name](build, pathlib.Path(folder))


if __name__ == "__main__":
    main()
