#!/usr/bin/env python3
"""An external partition of a distributed product: each worker gets columns of C in proportion to its speed."""
import json

question = json.loads(input())
side = question["problem"]["side"]
speeds = [sum(device["speed_flops"] for device in worker["devices"]) for worker in question["platform"]["workers"]]
edges = [round(side * sum(speeds[:worker]) / sum(speeds)) for worker in range(len(speeds) + 1)]
rectangles = [{"rows": [0, side], "columns": [left, right]} for left, right in zip(edges, edges[1:])]
print(json.dumps({"protocol": 1, "rectangles": rectangles}))
