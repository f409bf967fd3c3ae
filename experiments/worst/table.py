#!/usr/bin/env python3
"""Writes the instances of `starport worst --table --json` as a page in Markdown. Usage: instances.py table.json"""
import collections
import json
import sys


def scaled(text, unit):
    """Returns a figure such as "8000000Bps" or "341250000f" with a unit scaled for people."""
    number, power = float(text.rstrip("Bpsf")), 0
    while number >= 999.5 and power < 4:
        number, power = number / 1000, power + 1
    return f"{number:.3g} {['', 'k', 'M', 'G', 'T'][power]}{unit}"


def describe(workers):
    """Returns the workers as text, equal ones once."""
    counted = collections.Counter()
    for worker in workers:
        figures = scaled(worker["bandwidth"], "B/s"), scaled(worker["speed"], "flop/s"), scaled(worker["memory"], "B")
        counted[", ".join(figures)] += worker.get("count", 1)
    return "; ".join(f"{count} × {figures}" for figures, count in counted.items())


with open(sys.argv[1]) as file:
    cells = json.load(file)
print("# Reference: the worst instance of each pair of heuristics\n")
print("Found and simplified by [run.sh](run.sh), which also writes the platform files; what they teach is in the "
      "[explanation](README.md).")
heuristic = None
for cell in cells:
    if cell["heuristic"] != heuristic:
        heuristic = cell["heuristic"]
        print(f"\n## {heuristic}\n\n| against | ratio | product | workers: link, speed, memory |\n| --- | --- | --- | --- |")
    if "ratio" in cell:
        print(f"| {cell['against']} | {cell['ratio']:.2f} | {cell['problem']} | {describe(cell['platform']['workers'])} |")
