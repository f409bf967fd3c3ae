"""PPoPP'08, Figures 4 to 7, on four stars in a box (stars.json): the seven heuristics and Polaris
for real, some repetitions in turn, beside the simulation of the platform files, and which
statements of the paper (stars-claims.json) hold in each. Writes into a folder: stars.md, stars.svg,
real.csv, simulated.csv, and for each star what protocol.py writes."""

import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys

import protocol

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = ["instance", "experiment", "platform", "heuristic", "status", "makespan_s",
           "enrolled_workers", "relative_cost", "relative_work"]
OURS = "Polaris"


def arguments():
    parser = argparse.ArgumentParser(
        usage="stars.py [OPTION...]; others are those of protocol.py, such as --repetitions",
        description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default="build/release",
                        help="folder of starport and starport-mpi (default: build/release)")
    parser.add_argument("--stars", type=pathlib.Path, default=HERE / "stars.json",
                        help="specification of a sweep with one platform and product per experiment")
    parser.add_argument("--output", type=pathlib.Path, default="build/real/stars", help="folder")
    options, options.protocol = parser.parse_known_args()
    return options


def run(*words):
    done = subprocess.run([str(word) for word in words], stdout=sys.stderr)
    if done.returncode != 0:
        sys.exit(done.returncode)


def simulate(options):
    """The rows of a sweep over the platform files."""
    folder = options.output / "simulated"
    run(options.build / "starport", "sweep", options.stars, "-o", folder, "--engine", "analytic",
        "--resume")
    with open(folder / "results.csv", newline="") as file:
        return list(csv.DictReader(file))


def measure(options, experiment):
    """Runs all heuristics on a star; returns their summary and their runs."""
    folder = options.output / experiment["name"].replace(" ", "-")
    platform, = experiment["platforms"]
    problem, = experiment["problems"]
    run(sys.executable, "-B", HERE / "star.py", "--build", options.build, options.stars.parent / platform,
        "--problem", problem, "--heuristics", "all," + OURS, "--seconds", 6, "--output", folder,
        *options.protocol)
    measured = json.loads((folder / "runs.json").read_text())
    return measured["summary"], measured["runs"]


def real_rows(simulated, summaries, runs):
    """The simulated rows with real makespans, medians, and the workers that took part."""
    rows = []
    for row in simulated:
        name = row["experiment"]
        real, = (one for one in summaries[name] if one["heuristic"] == row["heuristic"])
        enrolled = [one[row["heuristic"]]["real"]["enrolled_workers"] for one in runs[name]]
        rows.append({**row, "makespan_s": real["real_s"],
                     "enrolled_workers": statistics.median(enrolled)})
    return rows


def draw(options, simulated, real):
    """Draws the relative costs, for each star the simulated ones beside the real ones."""
    rows = [{**row, "instance": 2 * int(row["instance"]) + offset,
             "platform": f"{row['experiment']}, {kind}"}
            for offset, (kind, group) in enumerate([("simulated", simulated), ("real", real)]) for row in group]
    both = options.output / "both.csv"
    write_csv(both, sorted(rows, key=lambda row: row["instance"]))
    run(options.build / "starport", "plot", both, "--figure", "cost", "-o", options.output / "stars.svg")


def write_csv(path, rows):
    """The rows of the seven heuristics, with costs relative to the best of these."""
    rows = [row for row in rows if row["heuristic"] != OURS]
    def work(row):
        return float(row["makespan_s"]) * float(row["enrolled_workers"])
    with open(path, "w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
        table.writeheader()
        for row in rows:
            star = [one for one in rows if one["instance"] == row["instance"]]
            best_s = min(float(one["makespan_s"]) for one in star)
            table.writerow({**row, "relative_cost": float(row["makespan_s"]) / best_s,
                            "relative_work": work(row) / min(map(work, star))})


def check(options, path):
    """Whether each statement holds, and the figure, by the results in a file."""
    table = path.with_suffix(".claims.csv")
    run(options.build / "starport", "check", path, "--claims", HERE / "stars-claims.json",
        "--without-reasons", "-o", table)
    with open(table, newline="") as file:
        return list(csv.DictReader(file))


def statements(simulated, real):
    """The table of statements, and how many hold where."""
    lines = ["| source | statement | paper | simulated | real | holds |", "| --- | --- | ---: | ---: | ---: | --- |"]
    where = {("yes", "yes"): "in both", ("yes", "no"): "simulated only", ("no", "yes"): "real only",
             ("no", "no"): "in neither"}
    counts = dict.fromkeys(where.values(), 0)
    for one, other in zip(simulated, real):
        holds = where[one["holds"], other["holds"]]
        counts[holds] += 1
        lines.append(f"| {one['source']} | {one['statement']} | {one['expected']} | {float(one['ours']):.4g} | "
                     f"{float(other['ours']):.4g} | {holds} |")
    told = ", ".join(f"{count} {holds}" for holds, count in counts.items())
    return [f"{len(simulated)} statements hold: {told}.", "", *lines]


def star_line(name, summary, runs):
    """The line of a star in the table of accuracy."""
    errors = [abs(row["real_over_predicted"] - 1) for row in summary]
    tau, pairs = protocol.kendall(summary)
    seven_s = min(row["real_s"] for row in summary if row["heuristic"] != OURS)
    ours_s, = (row["real_s"] for row in summary if row["heuristic"] == OURS)
    inside = sum(row["runs_in_interval"] for row in summary)
    return (f"| {name} | {100 * statistics.median(errors):.1f} % | {100 * max(errors):.1f} % | "
            f"{'-' if tau is None else f'{tau:.2f}'} ({pairs}) | {inside} of {len(summary) * len(runs)} | "
            f"{ours_s / seven_s:.3f} |"), errors, ours_s / seven_s


def accuracy(summaries, runs):
    lines, errors, ratios = [], [], []
    for name, summary in summaries.items():
        line, own_errors, ratio = star_line(name, summary, runs[name])
        lines.append(line)
        errors += own_errors
        ratios.append(ratio)
    return ["| star | error of the prediction, median | worst | Kendall's tau (pairs) | runs in their 95 % intervals "
            f"| {OURS} / best of the seven |", "| --- | ---: | ---: | ---: | ---: | ---: |", *lines,
            f"| all | {100 * statistics.median(errors):.1f} % | {100 * max(errors):.1f} % | | | "
            f"{statistics.mean(ratios):.3f} |"]


def makespans(simulated, summaries):
    """The table of makespans: simulated on the platform file, predicted for the star, real."""
    lines = ["| star | heuristic | platform file (s) | predicted (s) | real (s) | spread (s) | real / predicted |",
             "| --- | --- | ---: | ---: | ---: | ---: | ---: |"]
    for row in simulated:
        one, = (each for each in summaries[row["experiment"]] if each["heuristic"] == row["heuristic"])
        lines.append(f"| {row['experiment']} | {row['heuristic']} | {float(row['makespan_s']):.3f} | "
                     f"{one['predicted_s']:.3f} | {one['real_s']:.3f} | {one['spread_s']:.3f} | "
                     f"{one['real_over_predicted']:.3f} |")
    return lines


def main():
    options = arguments()
    options.output.mkdir(parents=True, exist_ok=True)
    simulated = simulate(options)
    summaries, runs = {}, {}
    for experiment in json.loads(options.stars.read_text())["experiments"]:
        summaries[experiment["name"]], runs[experiment["name"]] = measure(options, experiment)
    real = real_rows(simulated, summaries, runs)
    write_csv(options.output / "simulated.csv", simulated)
    write_csv(options.output / "real.csv", real)
    draw(options, simulated, real)
    text = "\n".join([
        f"{len(next(iter(runs.values())))} repetitions, {protocol.ranks.CORES} cores, load "
        f"{protocol.ranks.load():.2f} at the end.", "",
        *accuracy(summaries, runs), "", *makespans(simulated, summaries), "",
        *statements(check(options, options.output / "simulated.csv"), check(options, options.output / "real.csv")), ""])
    (options.output / "stars.md").write_text(text)
    print(text)


main()
