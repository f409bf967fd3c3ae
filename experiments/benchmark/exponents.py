#!/usr/bin/env python3
"""Fits what heuristics_benchmark measured: seconds ~ n^x at a given p, seconds / n ~ p^y at a given n.

    build/benchmark/experiments/benchmark/heuristics_benchmark > cost.csv
    experiments/benchmark/exponents.py cost.csv

prints the table of README.md. Least squares on logarithms; n is what a heuristic did emit. Where a
cost is in O(n log p), x is 1, and y that of the logarithm itself over the same workers: about 0.15
from 10 to 1,000,000, more where what p workers take leaves the caches.
"""
import collections
import csv
import math
import sys


def slope(points):
    """Of y on x, and the range of x; None of fewer than three."""
    if len(points) < 3:
        return None
    xs, ys = zip(*((math.log(x), math.log(y)) for x, y in points))
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    rise = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys))
    return rise / sum((x - mean_x) ** 2 for x in xs), min(points)[0], max(points)[0]


def cell(fit):
    return "-" if fit is None else f"{fit[0]:.2f} ({fit[1]:.0e} to {fit[2]:.0e})"


def most_frequent(values):
    return collections.Counter(values).most_common(1)[0][0]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cases = collections.defaultdict(list)
    with open(sys.argv[1], newline="") as file:
        for row in csv.DictReader(file):
            cases[row["heuristic"], row["workers"]].append(
                [float(row[key]) for key in ("p", "asked", "transfers", "cpu_s")])
    print("| heuristic | workers | x, of n | y, of p | the same of log p | ns, at p and n largest |")
    print("| --- | --- | --- | --- | --- | --- |")
    for (heuristic, workers), rows in cases.items():
        p_fixed = most_frequent(p for p, *_ in rows)
        n_fixed = most_frequent(asked for _, asked, *_ in rows)
        of_n = slope([(n, cpu_s) for p, _, n, cpu_s in rows if p == p_fixed])
        of_p = [(p, cpu_s / n) for p, asked, n, cpu_s in rows if asked == n_fixed]
        logarithm = slope([(p, math.log(p)) for p, _ in of_p])
        p, _, n, cpu_s = max(rows)
        print(f"| {heuristic} | {workers} | {cell(of_n)} | {cell(slope(of_p))} | "
              f"{cell(logarithm).split(' ')[0]} | {cpu_s / n * 1e9:.0f} ({p:.0e}, {n:.0e}) |")


if __name__ == "__main__":
    main()
