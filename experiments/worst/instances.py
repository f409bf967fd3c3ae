#!/usr/bin/env python3
"""Writes the instances of `starport worst --table --json` as a page in Markdown. Usage: instances.py table.json"""
import json
import sys


def scaled(text, units, kilo=1000):
    """Returns a figure such as "8000000Bps" or "341250000f" with a unit scaled for people."""
    number = float(text.rstrip("Bpsf"))
    for unit in units:
        if number < kilo or unit == units[-1]:
            return f"{number:.3g} {unit}"
        number /= kilo


def describe(workers):
    """Returns the workers as text, equal ones once."""
    counted = {}
    for worker in workers:
        figures = (scaled(worker["bandwidth"], ["B/s", "kB/s", "MB/s", "GB/s"]),
                   scaled(worker["speed"], ["flop/s", "kflop/s", "Mflop/s", "Gflop/s"]),
                   scaled(worker["memory"], ["B", "kB", "MB", "GB"]))
        counted[figures] = counted.get(figures, 0) + worker.get("count", 1)
    return "; ".join(f"{count} × " + ", ".join(figures) for figures, count in counted.items())


with open(sys.argv[1]) as file:
    cells = json.load(file)
print("# Reference: the worst instance of each pair of heuristics\n")
print("Found and simplified by [run.sh](run.sh), which also writes the platform files; what they teach is in the "
      "[explanation](README.md).")
for heuristic in dict.fromkeys(cell["heuristic"] for cell in cells):
    print(f"\n## {heuristic}\n\n| against | ratio | product | workers: link, speed, memory |\n| --- | --- | --- | --- |")
    for cell in cells:
        if cell["heuristic"] == heuristic and "ratio" in cell:
            print(f"| {cell['against']} | {cell['ratio']:.2f} | {cell['problem']} | {describe(cell['platform']['workers'])} |")
