#!/usr/bin/env python3
"""An external heuristic that plans a complete schedule: squares of C are dealt to the workers in turn.

Each round sends every worker one value of k: a column of A and a row of B, once it has computed the
previous ones. A square of side x takes x * x + 2 * x blocks of memory.
"""
import json
import math
import sys
from typing import Any, Iterator


def squares(problem: Any, side: int) -> "Iterator[tuple[list[int], list[int]]]":
    """Yield the squares of C, column by column, as ranges of rows and columns."""
    for column in range(0, problem["s"], side):
        for row in range(0, problem["r"], side):
            yield ([row, min(row + side, problem["r"])],
                   [column, min(column + side, problem["s"])])


def plan(platform: Any, problem: Any) -> "Iterator[dict[str, Any]]":
    sides = [math.isqrt(worker["m_blocks"] + 1) - 1 for worker in platform["workers"]]
    side = min(side for side in sides if side > 0)
    enrolled = [number for number, x in enumerate(sides, 1) if x > 0]
    updates = dict.fromkeys(enrolled, 0)  # number of updates sent to each worker
    left = list(squares(problem, side))
    while left:
        current = list(zip(enrolled, left))
        del left[:len(current)]
        for worker, (rows, columns) in current:
            yield {"worker": worker, "to": "worker", "c": {"rows": rows, "columns": columns}}
        for k in range(problem["t"]):
            for worker, (rows, columns) in current:
                a = {"rows": rows, "inner": [k, k + 1]}
                b = {"inner": [k, k + 1], "columns": columns}
                yield {"worker": worker, "to": "worker", "a": a, "b": b,
                       "after_update": updates[worker],
                       "update": {"rows": rows, "columns": columns, "inner": [k, k + 1],
                                  "release_a": a, "release_b": b}}
                updates[worker] += 1
        for worker, (rows, columns) in current:
            yield {"worker": worker, "to": "master", "c": {"rows": rows, "columns": columns},
                   "after_update": updates[worker]}


question = json.loads(sys.stdin.readline())
if max(worker["m_blocks"] for worker in question["platform"]["workers"]) < 3:
    answer: "dict[str, Any]" = {"not_applicable": "no worker has three blocks"}
else:
    answer = {"transfers": list(plan(question["platform"], question["problem"]))}
print(json.dumps({"protocol": 1} | answer), flush=True)
