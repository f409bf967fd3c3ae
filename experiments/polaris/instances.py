"""The instances on which Polaris is measured, and a function that runs sweeps on them."""
import csv
import json
import pathlib
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
BLOCK_BYTES = 8 * 80 * 80


def published(with_fifty=False):
    """Returns the experiments with the 29 instances of PPoPP'08 of sweep.json and, if asked for, the fifty random ones."""
    sweep = json.loads((TOP / "experiments/polaris/sweep.json").read_text(encoding="utf-8"))
    for experiment in sweep["experiments"]:
        if experiment["name"].startswith("fifty") and not with_fifty:
            continue
        yield {"name": experiment["name"], "problems": experiment["problems"],
               "repetitions": experiment.get("repetitions", 1),
               "platforms": [platform if isinstance(platform, dict) else str(TOP / "platforms" / pathlib.Path(platform).name)
                             for platform in experiment["platforms"]]}


def kind(name, repetitions, ports, workers=8, sides=(60, 60, 60), memory=(100, 5000), bandwidth=("10MBps", "1GBps"),
         speed=("1Gf", "20Gf")):
    """Returns an experiment on random stars for a product of r x s x t blocks, and memories in blocks."""
    r, s, t = (80 * side for side in sides)
    blocks = [f"{count * BLOCK_BYTES}B" for count in memory]
    return {"name": name, "repetitions": repetitions, "problems": [f"{r}x{t}x{s}"],
            "platforms": [{"generate": {"name": "random", "workers": workers, "bandwidth": {"log_uniform": bandwidth},
                                        "speed": {"log_uniform": speed}, "memory": {"log_uniform": blocks}}}],
            "overrides": [{"field": "port", "set": ports}]}


def kinds(*every):
    """Returns experiments on random stars of thirteen kinds, with these repetitions and ports."""
    return [
        *(kind(f"{p} worker{'s' if p > 1 else ''}", *every, workers=p) for p in (1, 2, 4, 8, 20, 100)),
        kind("memory of 3 to 30 blocks", *every, memory=(3, 30)),
        kind("memory of 30 to 100 blocks", *every, memory=(30, 100)),
        kind("memory for all of A", *every, memory=(4000, 12000)),
        kind("long t", *every, sides=(40, 100, 1000)),
        kind("few blocks of C", *every, sides=(5, 4, 40), memory=(5, 5000)),
        kind("slow links", *every, bandwidth=("1MBps", "10MBps")),
        kind("slow workers", *every, speed=("50Mf", "500Mf")),
    ]


def run(starport, folder, name, heuristics, experiments, seed):
    """Runs a sweep and returns the rows of the results; runs that fail are among them."""
    folder.mkdir(parents=True, exist_ok=True)
    specification = folder / f"{name}.json"
    specification.write_text(json.dumps({"schema_version": 1, "name": f"Polaris, {name}", "seed": seed,
                                         "heuristics": heuristics, "experiments": experiments}))
    results = folder / name
    for file in results.glob("*") if results.exists() else []:
        file.unlink()
    # A heuristic may fail in a run, so that the exit status says nothing.
    subprocess.run([starport, "sweep", specification, "-o", results, "--engine", "analytic"], check=False,
                   stdout=subprocess.DEVNULL)
    with open(results / "results.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))
