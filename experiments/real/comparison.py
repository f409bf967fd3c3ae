"""One product, four ways: the BLAS in one process, ScaLAPACK's pdgemm on matrices that are
distributed and from and to those of rank 0, and Starport, each with as many threads that compute.
Calibrates; writes comparison.json and comparison.md into a folder."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

import ranks

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = "libscalapack-openmpi-dev"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    ranks.add_options(parser, workers_help="of Starport, and ranks of ScaLAPACK, and threads of the "
                      "BLAS (default: half as many as there are cores)")
    parser.add_argument("--heuristics", default="Het,ODDOML,Polaris", help="the best one counts")
    return ranks.parsed(parser)


def seconds(text, column=0):
    return [float(line.split()[column]) for line in text.splitlines()]


def best_of_starport(options, platform, m, k, n):
    """The heuristic of the least median, and its repetitions."""
    times = {}
    for _ in range(options.repetitions):
        text, _ = ranks.starport(options, "execute", platform, "--problem", f"{m}x{k}x{n}",
                                 "--heuristics", options.heuristics, "--json")
        for one in json.loads(text)["results"]:
            times.setdefault(one["heuristic"], []).append(one["real"]["makespan_s"])
    return min(times.items(), key=lambda item: statistics.median(item[1]))


def main():
    options = arguments()
    folder = options.output
    m, k, n = (int(side) for side in options.problem.split("x"))
    load = ranks.load()
    doubts = ranks.doubts(ranks.calibrate(options, folder / "platform.json")[1])
    ranks.run(["cc", "-O2", HERE / "dgemm.c", "-lopenblas", "-o", folder / "dgemm"])
    dgemm = [folder / "dgemm", m, k, n, options.repetitions]
    threads = str(options.workers)
    rows = [(f"OpenBLAS, one process, {threads} thread{'' if threads == '1' else 's'}",
             seconds(ranks.run(dgemm, OPENBLAS_NUM_THREADS=threads)[0]))]
    one_thread = statistics.median(seconds(ranks.run(dgemm)[0]))
    peak = options.workers * 2 * m * k * n / one_thread / 1e9
    made = subprocess.run(["mpicc", "-O2", str(HERE / "pdgemm.c"), "-lscalapack-openmpi",
                           "-lopenblas", "-o", str(folder / "pdgemm")], capture_output=True)
    if made.returncode == 0:
        text, _ = ranks.run([*ranks.ANYWHERE, "-n", options.workers, folder / "pdgemm", m, k, n,
                             options.block_size, options.repetitions])
        rows += [("ScaLAPACK pdgemm, matrices distributed before", seconds(text)),
                 ("ScaLAPACK pdgemm, with distributing them and back", seconds(text, 1))]
    else:
        print(f"no ScaLAPACK ({LIBRARY}): left out", file=sys.stderr)
    heuristic, times = best_of_starport(options, folder / "platform.json", m, k, n)
    rows.append((f"Starport, {heuristic}, from and to the master", times))
    mine = statistics.median(times)
    lines = [f"{ranks.CORES} cores, {options.problem}, {options.workers} thread"
             f"{'' if threads == '1' else 's'} computing, blocks of {options.block_size}, "
             f"{options.repetitions} repetitions; load {load:.2f} before, "
             f"{ranks.load():.2f} after.", "", *doubts, "",
             "| | median (s) | spread (s) | Gflop/s | of the peak | Starport is |",
             "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for name, values in rows:
        median = statistics.median(values)
        flops = 2 * m * k * n / median / 1e9
        lines.append(f"| {name} | {median:.3f} | {max(values) - min(values):.3f} | {flops:.1f} | "
                     f"{100 * flops / peak:.0f}% | {median / mine:.2f} x as fast |")
    lines += ["", f"The peak is {peak:.1f} Gflop/s: so many threads, each as fast as one that is "
                  "alone on the whole product.", ""]
    (folder / "comparison.json").write_text(json.dumps(
        {"cores": ranks.CORES, "load": load, "peak_gflops": peak, "doubts": doubts,
         "rows": [{"name": name, "real_s": values} for name, values in rows]}, indent=1))
    ranks.save(options, "comparison.md", "\n".join(lines))


main()
