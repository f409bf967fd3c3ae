#!/usr/bin/python3 -B
"""Writes what `starport worst --table --json` found to a folder: instances.md, a page with each instance; heat-map.svg; and
platforms/A-B.json, the platform on which A loses most against B.

    table.py table.json FOLDER
"""
import collections
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plots"))
import figure  # noqa: E402


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


def page(cells):
    """Returns the page of instances in Markdown."""
    text = ("# Reference: the worst instance of each pair of heuristics\n\nFound and simplified by [run.sh](run.sh), which also "
            "writes the platform files; what they teach is in the [explanation](README.md).\n")
    heuristic = None
    for cell in cells:
        if cell["heuristic"] != heuristic:
            heuristic = cell["heuristic"]
            text += (f"\n## {heuristic}\n\n| against | ratio | product | workers: link, speed, memory |\n"
                     "| --- | --- | --- | --- |\n")
        text += (f"| {cell['against']} | {cell['ratio']:.2f} | {cell['problem']} | "
                 f"{describe(cell['platform']['workers'])} |\n")
    return text


with open(sys.argv[1]) as file:
    found = [cell for cell in json.load(file) if "error" not in cell]
folder = pathlib.Path(sys.argv[2])
(folder / "platforms").mkdir(parents=True, exist_ok=True)
for cell in found:
    name = f"{cell['heuristic']}-{cell['against']}.json".replace("/", "_")
    (folder / "platforms" / name).write_text(json.dumps(cell["platform"], indent=2) + "\n")
(folder / "instances.md").write_text(page(found))
figure.SETTINGS.update(kind="heat_map", title=f"Largest ratio found within '{found[0]['within']}'",
                       xlabel="makespan of the row over that of the column, or over the bound")
figure.DATA = "row,column,ratio\n" + "".join(
    f'"{cell["heuristic"]}","{cell["against"]}",{cell["ratio"]:.9g}\n' for cell in found)
figure.save(folder / "heat-map.svg", "svg")
