"""One product, four ways: the BLAS in one process, ScaLAPACK's pdgemm on matrices that are
distributed and from and to those of rank 0, and Starport, each with as many threads that compute.
Calibrates; writes comparison.json and comparison.md into a folder."""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = "libscalapack-openmpi-dev"


def arguments():
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/release/starport-mpi")
    parser.add_argument("--workers", type=int, default=max(1, cores // 2),
                        help="of Starport, and ranks of ScaLAPACK, and threads of the BLAS "
                             "(default: half as many as there are cores)")
    parser.add_argument("--problem", default="2560x2560x3840", help="sides of C, and A's other one")
    parser.add_argument("--block-size", default="80")
    parser.add_argument("--memory", default="24MiB", help="of each worker")
    parser.add_argument("--heuristics", default="Het,ODDOML,Polaris", help="the best one counts")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--output", default="build/real", help="folder")
    return parser.parse_args()


def run(words, **variables):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OPENBLAS_NUM_THREADS": "1", **variables}
    done = subprocess.run([str(word) for word in words], env=environment, text=True,
                          capture_output=True)
    if done.returncode != 0:
        sys.exit(" ".join(str(word) for word in words) + "\n" + done.stderr)
    return done


def mpirun(ranks, *words):
    return run(["mpirun", "--oversubscribe", "--bind-to", "none", "-n", ranks, *words])


def seconds(text, column=0):
    return [float(line.split()[column]) for line in text.splitlines()]


def calibrate(options, platform):
    """With the kernels that the calibration advises, for all that follows."""
    words = [options.workers + 1, options.program, "calibrate", "--block-sizes", options.block_size,
             "--memory", options.memory, "--force", "-o", platform]
    told = mpirun(*words).stderr
    advice = re.search(r"export OPENBLAS_CORETYPE=(\w+)", told)
    if advice and "OPENBLAS_CORETYPE" not in os.environ:
        os.environ["OPENBLAS_CORETYPE"] = advice[1]
        told = mpirun(*words).stderr
    return [line for line in told.splitlines() if line.startswith("starport-mpi")]


def starport(options, platform, m, k, n):
    """The heuristic of the least median, and its repetitions."""
    times = {}
    for _ in range(options.repetitions):
        text = mpirun(options.workers + 1, options.program, "execute", platform, "--problem",
                      f"{m}x{k}x{n}", "--heuristic", options.heuristics, "--force", "--json").stdout
        for one in json.loads(text)["results"]:
            times.setdefault(one["heuristic"], []).append(one["real"]["makespan_s"])
    return min(times.items(), key=lambda item: statistics.median(item[1]))


def main():
    options = arguments()
    options.program = str(pathlib.Path(options.program).resolve())
    folder = pathlib.Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    m, k, n = (int(side) for side in options.problem.split("x"))
    load = os.getloadavg()[0]
    doubts = calibrate(options, folder / "platform.json")
    run(["cc", "-O2", HERE / "dgemm.c", "-lopenblas", "-o", folder / "dgemm"])
    dgemm = [folder / "dgemm", m, k, n, options.repetitions]
    threads = str(options.workers)
    rows = [(f"OpenBLAS, one process, {threads} thread{'' if threads == '1' else 's'}",
             seconds(run(dgemm, OPENBLAS_NUM_THREADS=threads).stdout))]
    one_thread = statistics.median(seconds(run(dgemm).stdout))
    peak = options.workers * 2 * m * k * n / one_thread / 1e9
    made = subprocess.run(["mpicc", "-O2", str(HERE / "pdgemm.c"), "-lscalapack-openmpi",
                           "-lopenblas", "-o", str(folder / "pdgemm")], capture_output=True)
    if made.returncode == 0:
        text = mpirun(options.workers, folder / "pdgemm", m, k, n, options.block_size,
                      options.repetitions).stdout
        rows += [("ScaLAPACK pdgemm, matrices distributed before", seconds(text)),
                 ("ScaLAPACK pdgemm, with distributing them and back", seconds(text, 1))]
    else:
        print(f"no ScaLAPACK ({LIBRARY}): left out", file=sys.stderr)
    heuristic, times = starport(options, folder / "platform.json", m, k, n)
    rows.append((f"Starport, {heuristic}, from and to the master", times))
    mine = statistics.median(times)
    cores = len(os.sched_getaffinity(0))
    lines = [f"{cores} cores, {options.problem}, {options.workers} thread"
             f"{'' if threads == '1' else 's'} computing, blocks of {options.block_size}, "
             f"{options.repetitions} repetitions; load {load:.2f} before, "
             f"{os.getloadavg()[0]:.2f} after.", "", *(f"    {doubt}" for doubt in doubts), "",
             "| | median (s) | spread (s) | Gflop/s | of the peak | Starport is |",
             "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for name, values in rows:
        median = statistics.median(values)
        flops = 2 * m * k * n / median / 1e9
        lines.append(f"| {name} | {median:.3f} | {max(values) - min(values):.3f} | {flops:.1f} | "
                     f"{100 * flops / peak:.0f}% | {median / mine:.2f} x as fast |")
    lines += ["", f"The peak is {peak:.1f} Gflop/s: so many threads, each as fast as one that is "
                  "alone on the whole product.", ""]
    text = "\n".join(lines)
    (folder / "comparison.json").write_text(json.dumps(
        {"cores": cores, "load": load, "peak_gflops": peak, "doubts": doubts,
         "rows": [{"name": name, "seconds": values} for name, values in rows]}, indent=1))
    (folder / "comparison.md").write_text(text)
    print(text)


main()
