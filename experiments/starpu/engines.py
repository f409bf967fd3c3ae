#!/usr/bin/env python3
"""Runs the strategies of the tile model on the machines of StarPU with both engines, SimGrid's actors and the event engine, and
compares makespans and numbers of transfers. Both validate each trace. Where GPUs share buses, a run can be sensitive: a date that
changes by a rounding error decides who comes first, and soon everything after it is different. For a run in which the engines
differ, the script repeats the event engine with bandwidths that are larger by up to 2.4e-12 of their value, and prints how far that
spreads the makespans.

Usage: engines.py [STARPORT [STRATEGY...]]       (default: build/release/starport and all strategies; half an hour on two cores)
Ends with status 1 if two engines differ by more than such a change of the bandwidths does.
"""
import concurrent.futures
import itertools
import json
import sys

from compare import run

MACHINES = ("sirocco", "mirage", "attila", "idgraf")
SIZES = (6, 8, 12, 16, 24)
MEMORIES_MIB = (0, 700, 350)
BUSES = ("own", "shipped")
STRATEGIES = ("EffectiveSteal[cpus=timely]", "EffectiveDyn[cpus=timely]", "ChoiceDyn[cpus=timely]", "RandSteal", "ZoneGrowth",
              "DMDA", "DMDA[transfers=starpu,copies=cuda]", "DMDAR", "DMDAS", "HeteroPrio", "LWS", "Eager", "Eager[copies=cuda]",
              "DARTS")
TOLERANCE = 1e-9
CHANGES = [change * 1e-13 for change in range(25)]


def agree(one, other):
    return abs(one[0] / other[0] - 1) <= TOLERANCE and one[1] == other[1]


def main():
    starport = sys.argv[1] if len(sys.argv) > 1 else "build/release/starport"
    strategies = sys.argv[2:] or STRATEGIES
    cases = list(itertools.product(MACHINES, MEMORIES_MIB, SIZES, BUSES))

    def run_case(case):
        machine, memory, n, bus = case
        return [{result["heuristic"]: (result["makespan_s"], result["transfers"])
                 for result in run(starport, machine, memory, n, strategies, bus, as_starpu=True, engine=engine)}
                for engine in ("simgrid", "analytic")]

    runs = differing = unexplained = 0
    print("| machine, memory, bus | n | strategy | SimGrid (s) | event engine (s) | apart | spread by a change of bandwidths |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, (actors, events) in zip(cases, pool.map(run_case, cases)):
            machine, memory, n, bus = case
            runs += len(events)
            for strategy, event in events.items():
                if agree(actors[strategy], event):
                    continue
                differing += 1
                spread = [run(starport, *case[:3], [strategy], bus, as_starpu=True, scale=1 + change)[0]["makespan_s"]
                          for change in CHANGES]
                apart = abs(actors[strategy][0] / event[0] - 1)
                width = max(spread) / min(spread) - 1
                unexplained += apart > width
                print(f"| {machine}, {f'{memory} MiB' if memory else 'all'}, {bus} | {n} | {strategy} | "
                      f"{actors[strategy][0]:.5g} | {event[0]:.5g} | {100 * apart:.2g} % | {100 * width:.2g} % |", flush=True)
    print(f"\n{runs} runs. Agree within {TOLERANCE}: {runs - differing}. Differ by no more than a change of the bandwidths by up to "
          f"{CHANGES[-1]:.2g} does: {differing - unexplained}. By more: {unexplained}.")
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
