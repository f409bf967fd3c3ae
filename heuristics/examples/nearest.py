#!/usr/bin/env python3
"""An external strategy for tile tasks: an idle worker gets the ready task of which it lacks the fewest tiles."""
import json
import sys
from typing import Any

nodes = [worker["node"] for worker in json.loads(sys.stdin.readline())["platform"]["workers"]]
print(json.dumps({"protocol": 1, "decides": "idle", "copies": True}), flush=True)
ready: "list[list[int]]" = []
copies: "dict[Any, bool]" = {}
for line in sys.stdin:
    question = json.loads(line)
    for event in question["events"]:
        if "ready" in event:
            ready.append(event["ready"])
        elif "copy" in event:
            copies[event["node"], tuple(event["copy"])] = event["present"]
    node = nodes[question["idle"] - 1]

    def missing(task: "list[int]") -> int:
        i, j, k = task
        return sum(not copies.get((node, tile), node == 0) for tile in (("C", i, j), ("A", i, k), ("B", k, j)))

    task = min(ready, key=missing)
    ready.remove(task)
    print(json.dumps({"task": task}), flush=True)
