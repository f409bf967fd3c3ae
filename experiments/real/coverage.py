"""How many of many short real runs take a time within their 95% interval: calibrates, runs products
of several sizes by several heuristics in turn, and begins again until there are enough runs. Writes
coverage.json with all runs into a folder, coverage.md with the shares, and platform-N.json, the calibrations."""

import argparse
import json
import os
import pathlib
import random
import statistics
import sys
import time

import ranks

SIZES = ["1280x1280x640", "1280x1280x2560", "2560x2560x2560", "2560x2560x7680"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    ranks.add_options(parser)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--runs-per-calibration", type=int, default=24)
    parser.add_argument("--calibration", type=pathlib.Path, metavar="FILE",
                        help="a file of starport-mpi calibrate to predict all runs with, such as one from before a load began "
                             "(default: calibrate)")
    parser.add_argument("--pause", type=float, default=5,
                        help="longest pause before a command, in seconds; its length is random")
    parser.add_argument("--sizes", default=",".join(SIZES))
    parser.add_argument("--heuristics", default="Het,BMM,Polaris")
    return ranks.parsed(parser)


def execute(options, platform, chance):
    """The runs of one command, one for each heuristic."""
    time.sleep(chance.uniform(0, options.pause))
    load, began = os.getloadavg()[0], time.time()
    out, _ = ranks.starport(options, "execute", platform, "--problem",
                            chance.choice(options.sizes.split(",")),
                            "--heuristics", options.heuristics, "--json")
    told = json.loads(out)
    if any("interval_s" not in run["predicted"] for run in told["results"]):
        sys.exit(f"{platform}: a run has no interval, since the file has too few samples of this block size; calibrate it")
    return [{"problem": told["problem"], "heuristic": run["heuristic"], "load": load, "began": began,
             "real_s": run["real"]["makespan_s"], "predicted_s": run["predicted"]["makespan_s"],
             "from_file_s": run["predicted"]["file_prediction_s"],
             "interval_s": run["predicted"]["interval_s"],
             "changes": run["predicted"]["speed_changes"], "platform": platform.name}
            for run in told["results"]]


def row(name, runs):
    covered = [low <= run["real_s"] <= high for run in runs for low, high in [run["interval_s"]]]
    widths = [(high - low) / 2 / run["predicted_s"] for run in runs for low, high in [run["interval_s"]]]
    errors = [abs(run["real_s"] / run["predicted_s"] - 1) for run in runs]
    return (f"| {name} | {len(runs)} | {100 * statistics.mean(covered):.1f} % | "
            f"±{100 * statistics.median(widths):.1f} % | {100 * statistics.median(errors):.1f} % | "
            f"{100 * max(errors):.0f} % |")


def table(runs):
    lines = ["| runs | number | in their 95 % interval | half-width, median | error, median | worst |",
             "| --- | ---: | ---: | ---: | ---: | ---: |", row("all", runs)]
    groups = {}
    for run in runs:
        low, high = next((low, high) for low, high in ((0, 1), (1, 4), (4, 10), (10, 1e9))
                         if run["load"] < high)
        groups.setdefault((0, low, f"load {low} to {high:g}" if high < 1e9 else f"load above {low}"), []).append(run)
        seconds = next(seconds for seconds in (0.3, 1, 3, 1e9) if run["predicted_s"] < seconds)
        groups.setdefault((1, seconds, f"shorter than {seconds:g} s" if seconds < 1e9 else "longer"), []).append(run)
        groups.setdefault((2, 0, run["heuristic"]), []).append(run)
    return "\n".join(lines + [row(key[2], groups[key]) for key in sorted(groups)]) + "\n"


def main():
    options = arguments()
    chance = random.Random(1)
    runs, number, platform = [], 0, options.calibration
    while len(runs) < options.runs:
        if not options.calibration and len(runs) >= number * options.runs_per_calibration:
            number += 1
            platform = options.output / f"platform-{number}.json"
            ranks.calibrate(options, platform)
        runs += execute(options, platform, chance)
        (options.output / "coverage.json").write_text(json.dumps(runs, indent=1))
        print(len(runs), "runs", flush=True)
    ranks.save(options, "coverage.md", table(runs))


main()
