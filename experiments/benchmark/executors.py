#!/usr/bin/env python3
"""Compares what a sweep costs on executors with `starport sweep -j2`: a pool of two processes, two workers of Dask, one of
which is killed on the way, and three ranks of MPI. Prints the CPU time (user and system) of all processes together, and
checks that the results are the same bytes. Needs the Python package, distributed and mpi4py; takes ten minutes.

    PYTHONPATH=build/release/python experiments/benchmark/executors.py [--specification FILE] [--turns N] [WAY...]"""
import argparse
import ctypes
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import starport

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = pathlib.Path(starport.__file__).parent / "bin" / "starport"
PR_SET_CHILD_SUBREAPER = 36
POOL = """
import sys
from concurrent.futures import ProcessPoolExecutor
import starport
with ProcessPoolExecutor(2) as executor:
    starport.sweep(*sys.argv[1:], executor=executor, progress=False)
"""
DASK = """
import os, signal, sys
import starport
from distributed import Client, LocalCluster
killed = []
def kill(state):
    if state.done > state.total / 3 and not killed:
        killed.append(next(iter(cluster.workers.values())).pid)
        os.kill(killed[0], signal.SIGKILL)
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        starport.sweep(*sys.argv[1:], executor=client.get_executor(), progress=kill)
    assert killed
"""


def commands(specification, results, folder):
    """Returns the command of each way to run the specification."""
    dask = folder / "on_dask.py"  # a file, which the processes of Dask import
    dask.write_text(DASK)
    return {"-j2": [PROGRAM, "sweep", specification, "-o", results, "-j2"],
            "Dask": [sys.executable, "-B", dask, specification, results],
            "process pool": [sys.executable, "-B", "-c", POOL, specification, results],
            "mpirun -n 3": ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "3", PROGRAM, "sweep", specification, "-o",
                            results, "--executor", "mpi"]}


def cpu_s():
    """Returns the CPU time of all processes below this one that have ended, orphans included."""
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--specification", type=pathlib.Path, default=HERE / "executors.json")
    parser.add_argument("--turns", type=int, default=1, help="runs of each way; the least CPU time counts (default: 1)")
    parser.add_argument("ways", nargs="*", metavar="WAY", help="as in the table (default: all)")
    given = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       PATH=os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]))
    least, expected = {}, None
    for turn in range(given.turns):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for way in commands(given.specification, "", folder):
                if way != "-j2" and given.ways and way not in given.ways:
                    continue
                results = folder / way
                before_s, begin_s = cpu_s(), time.monotonic()
                subprocess.run(commands(given.specification, results, folder)[way], check=True, env=environment,
                               stdout=subprocess.DEVNULL)
                used = cpu_s() - before_s, time.monotonic() - begin_s
                least[way] = min(used, least.get(way, used))
                rows = (results / "results.csv").read_bytes()
                expected = expected or rows
                if rows != expected:
                    sys.exit(f"executors.py: {way}: results.csv differs from that of -j2")
                print(f"{way}: {used[0]:.1f} s CPU, {used[1]:.1f} s real", file=sys.stderr)
    print("| way | CPU | more than `-j2` | real |\n| --- | ---: | ---: | ---: |")
    for way, (used_s, real_s) in least.items():
        more = "" if way == "-j2" else f"{100 * (used_s / least['-j2'][0] - 1):.1f} %"
        print(f"| {way} | {used_s:.1f} s | {more} | {real_s:.1f} s |")


main()
