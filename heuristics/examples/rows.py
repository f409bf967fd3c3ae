#!/usr/bin/env python3
"""An external allocation of tile tasks: each memory node gets rows of C in proportion to its speed."""
import json

question = json.loads(input())
platform, product = question["platform"], question["problem"]
row = 0.0
nodes: "list[int]" = []
speed = sum(1 / worker["task_s"] for worker in platform["workers"])
for worker in platform["workers"]:
    row += product["r"] / worker["task_s"] / speed
    nodes += [worker["node"]] * (round(row) * product["s"] - len(nodes))
print(json.dumps({"protocol": 1, "allocation": nodes}))
