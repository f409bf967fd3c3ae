#!/usr/bin/env python3
"""Refuses includes that point upwards: a room may include only rooms that stand before it in ROOMS (sim/README.md)."""
import pathlib
import re
import sys

ROOMS = ["sim/files", "sim/process", "sim/platform", "sim/simgrid", "sim/results", "sim/sweep", "sim/star", "sim/tiles",
         "sim/spmd", "heuristics/partition", "heuristics", "sim/models", "sim/worst", "sim/report", "sim/kernel", "sim/app", "sim/explore",
         "sim/mpi", "sim/starpu", "sim/cli", "sim/python"]


def rank(path):
    return max((ROOMS.index(room) for room in ROOMS if path.startswith(room + "/")), default=None,
               key=lambda index: len(ROOMS[index]))


upward = 0
for source in sorted(p for top in ("sim", "heuristics") for p in pathlib.Path(top).rglob("*.[ch]*")):
    for line, text in enumerate(source.read_text().splitlines(), 1):
        include = re.match(r'#include "((?:sim|heuristics)/[^"]+)"', text)
        if include and rank(include[1]) is not None and (rank(str(source)) or 0) < rank(include[1]):
            print(f"{source}:{line}: includes {include[1]}, a room above its own")
            upward += 1
sys.exit(upward > 0)
