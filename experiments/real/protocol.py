"""Real runs beside their predictions, on any machine: calibrate, then the seven heuristics and
Polaris, some repetitions in turn. Where a worker has changed its speed between them, as execute
sees, or runs that are alike differ by more than 10% in the median, all is measured again, and said.
Writes platform.json, runs.json and table.md into a folder."""

import argparse
import itertools
import json
import statistics

import ranks

PARTS = {"link_s": "link rate", "latency_s": "latency", "packing_s": "packing",
         "port_idle_s": "port idle", "computing_s": "computing", "gaps_s": "gaps"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    ranks.add_options(parser, workers_help="beside the master; each computes in one thread and "
                      "communicates in another (default: half as many as there are cores)")
    parser.add_argument("--heuristics", default="all,Polaris")
    parser.add_argument("--attempts", type=int, default=3,
                        help="at most, where the machine does not keep its speed")
    return ranks.parsed(parser)


def kendall(rows):
    """Kendall's tau of predicted and real times, over the pairs whose real ones differ by more than
    their spreads; and how many those are."""
    counted = [(a, b) for a, b in itertools.combinations(rows, 2)
               if abs(a["real"] - b["real"]) > (a["spread"] + b["spread"]) / 2]
    if not counted:
        return None, 0
    agree = sum((a["predicted"] - b["predicted"]) * (a["real"] - b["real"]) > 0 for a, b in counted)
    return (2 * agree - len(counted)) / len(counted), len(counted)


def summarize(runs):
    rows = []
    for name in runs[0]:
        mine = [run[name] for run in runs]
        real = [one["real"]["makespan_s"] for one in mine]
        predicted = mine[0]["predicted"]["makespan_s"]
        parts = {part: statistics.median(sum(worker[part] for worker in one["difference"])
                                         for one in mine) for part in PARTS}
        rows.append({"heuristic": name, "predicted": predicted, "real": statistics.median(real),
                     "interval": mine[0]["predicted"].get("interval_s", [predicted, predicted]),
                     "spread": max(real) - min(real), "parts": parts})
        rows[-1]["ratio"] = rows[-1]["real"] / predicted
    return rows


def promised(row):
    low, high = row["interval"]
    return low >= 0.95 * row["predicted"] and high <= 1.05 * row["predicted"]


def table(rows, heading):
    lines = [heading, "",
             "| heuristic | predicted (s) | 95% | real (s) | spread (s) | real / predicted | "
             + " | ".join(PARTS.values()) + " |",
             "| --- " + "| ---: " * (5 + len(PARTS)) + "|"]
    for row in sorted(rows, key=lambda row: row["real"]):
        split = " | ".join(f"{row['parts'][part]:+.3f}" for part in PARTS)
        low, high = row["interval"]
        lines.append(f"| {row['heuristic']} | {row['predicted']:.3f} | {low:.3f} to {high:.3f} | "
                     f"{row['real']:.3f} | {row['spread']:.3f} | {row['ratio']:.3f} | {split} |")
    errors = sorted(abs(row["ratio"] - 1) for row in rows)
    tau, pairs = kendall(rows)
    inside = sum(row["interval"][0] <= row["real"] <= row["interval"][1] for row in rows)
    lines += ["", f"Off by {100 * statistics.median(errors):.1f}% in the median, "
                  f"{100 * errors[-1]:.1f}% at worst; {inside} of {len(rows)} in their intervals, "
                  f"{sum(map(promised, rows))} intervals are no wider than 5% either way; "
                  + (f"Kendall's tau {tau:.2f} over the {pairs} pairs that differ by more than the "
                     "spread." if pairs else "no two differ by more than the spread."), ""]
    return "\n".join(lines)


def changed(todays):
    """What the machine did not keep while the runs went on: more than is promised."""
    worst = {}
    for workers in todays:
        for i, times in enumerate(workers, 1):
            worst[i] = max(worst.get(i, 1), times, key=lambda one: abs(one - 1))
    return [f"w_{i} {'rose' if times > 1 else 'fell'} by {100 * abs(times - 1):.0f}% while the "
            "runs went on" for i, times in worst.items() if abs(times - 1) > 0.05]


def disturbed(runs):
    """Runs that are alike take as long on a machine that does nothing else."""
    spread = statistics.median(row["spread"] / row["real"] for row in summarize(runs))
    return [f"runs of one heuristic differ by {100 * spread:.0f}%"] if spread > 0.1 else []


def execute(options, platform):
    """The runs, what was told, and before each how many times as long as in the file the workers
    took."""
    runs, told, todays = [], [], []
    for _ in range(options.repetitions):
        out, warnings = ranks.starport(options, "execute", platform, "--problem", options.problem,
                                       "--heuristic", options.heuristics, "--force", "--json")
        told += warnings
        result = json.loads(out)
        todays.append([worker["today"]["updates"]["times"]
                       for worker in result["platform"]["workers"]])
        runs.append({one["heuristic"]: one for one in result["results"]})
    return runs, told, todays


def measure(options):
    """The runs, what was told of them, and why all before was measured again."""
    platform = options.output / "platform.json"
    again = []
    for attempt in range(1, options.attempts + 1):
        text, told = ranks.calibrate(options, platform)
        print(text)
        runs, warnings, todays = execute(options, platform)
        faults = changed(todays) + disturbed(runs)
        if not faults or attempt == options.attempts:
            return runs, told + warnings + faults, again
        again.append("; ".join(faults))


def main():
    options = arguments()
    before = ranks.load()
    runs, told, again = measure(options)
    after = ranks.load()
    rows = summarize(runs)
    doubts = ranks.doubts(told)
    heading = (f"{ranks.CORES} cores, {options.workers} workers, {options.problem}, "
               f"{options.repetitions} repetitions; load {before:.2f} before, {after:.2f} after.")
    if again:
        heading += f" Measured {len(again) + 1} times, since before: {' / '.join(again)}."
    if doubts:
        heading += "\n\n" + "\n".join(doubts)
    (options.output / "runs.json").write_text(json.dumps(
        {"cores": ranks.CORES, "load_before": before, "load_after": after, "doubts": doubts,
         "again": again, "summary": rows, "runs": runs}, indent=1))
    ranks.save(options, "table.md", table(rows, heading))


main()
