"""Real runs beside their predictions, on any machine: calibrate, then the seven heuristics and
Polaris, some repetitions in turn. Writes platform.json, runs.json and table.md into a folder."""

import argparse
import itertools
import json
import operator
import statistics

import ranks

PARTS = {"link_s": "link rate", "latency_s": "latency", "packing_s": "packing",
         "port_idle_s": "port idle", "computing_s": "computing", "gaps_s": "gaps"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    ranks.add_options(parser, workers_help="beside the master; each computes in one thread and "
                      "communicates in another (default: half as many as there are cores)")
    parser.add_argument("--heuristics", default="all,Polaris")
    return ranks.parsed(parser)


def kendall(rows):
    """Kendall's tau of predicted and real times, over the pairs whose real ones differ by more than
    their spreads; and how many those are."""
    counted = [(a, b) for a, b in itertools.combinations(rows, 2)
               if abs(a["real_s"] - b["real_s"]) > (a["spread_s"] + b["spread_s"]) / 2]
    if not counted:
        return None, 0
    agree = sum((a["predicted_from_file_s"] - b["predicted_from_file_s"])
                * (a["real_s"] - b["real_s"]) > 0 for a, b in counted)
    return (2 * agree - len(counted)) / len(counted), len(counted)


def makespans(runs, name, which):
    return [run[name][which]["makespan_s"] for run in runs]


def summarize(runs):
    rows = []
    for name in runs[0]:
        mine = [run[name] for run in runs]
        real = makespans(runs, name, "real")
        predicted = makespans(runs, name, "predicted")
        intervals = [one["predicted"]["interval_s"] for one in mine]
        parts = {part: statistics.median(sum(worker[part] for worker in one["difference"])
                                         for one in mine) for part in PARTS}
        rows.append({"heuristic": name, "predicted_s": statistics.median(predicted),
                     "real_s": statistics.median(real), "spread_s": max(real) - min(real),
                     "predicted_from_file_s": mine[0]["predicted"]["file_prediction_s"],
                     "real_over_predicted": statistics.median(map(operator.truediv, real, predicted)),
                     "runs_in_interval": sum(low <= one <= high
                                             for one, (low, high) in zip(real, intervals)),
                     "interval_s": [statistics.median(ends) for ends in zip(*intervals)],
                     "difference": parts})
    return rows


def table(rows, heading, repetitions):
    lines = [heading, "",
             "| heuristic | by the file (s) | predicted (s) | 95% | real (s) | spread (s) | "
             "real / predicted | " + " | ".join(PARTS.values()) + " |",
             "| --- " + "| ---: " * (6 + len(PARTS)) + "|"]
    for row in sorted(rows, key=lambda row: row["real_s"]):
        split = " | ".join(f"{row['difference'][part]:+.3f}" for part in PARTS)
        low, high = row["interval_s"]
        lines.append(f"| {row['heuristic']} | {row['predicted_from_file_s']:.3f} | "
                     f"{row['predicted_s']:.3f} | {low:.3f} to {high:.3f} | {row['real_s']:.3f} | {row['spread_s']:.3f} | "
                     f"{row['real_over_predicted']:.3f} | {split} |")
    errors = sorted(abs(row["real_over_predicted"] - 1) for row in rows)
    tau, pairs = kendall(rows)
    lines += ["", f"Off by {100 * statistics.median(errors):.1f}% in the median, "
                  f"{100 * errors[-1]:.1f}% at worst; "
                  f"{sum(row['runs_in_interval'] for row in rows)} of {len(rows) * repetitions} runs in their intervals; "
                  + (f"Kendall's tau {tau:.2f} over the {pairs} pairs that differ by more than the "
                     "spread." if pairs else "no two differ by more than the spread."), ""]
    return "\n".join(lines)


def execute(options, platform):
    """The runs, and what was told."""
    runs, told = [], []
    for _ in range(options.repetitions):
        out, warnings = ranks.starport(options, "execute", platform, "--problem", options.problem,
                                       "--heuristics", options.heuristics, "--json")
        told += warnings
        runs.append({one["heuristic"]: one for one in json.loads(out)["results"]})
    return runs, told


def main():
    options = arguments()
    before = ranks.load()
    platform = options.output / "platform.json"
    text, told = ranks.calibrate(options, platform)
    print(text)
    runs, warnings = execute(options, platform)
    after = ranks.load()
    rows = summarize(runs)
    doubts = ranks.doubts(told + warnings)
    heading = (f"{ranks.CORES} cores, {options.workers} workers, {options.problem}, "
               f"{options.repetitions} repetitions; load {before:.2f} before, {after:.2f} after.")
    if doubts:
        heading += "\n\n" + "\n".join(doubts)
    (options.output / "runs.json").write_text(json.dumps(
        {"cores": ranks.CORES, "load_before": before, "load_after": after, "doubts": doubts,
         "summary": rows, "runs": runs}, indent=1))
    ranks.save(options, "table.md", table(rows, heading, len(runs)))


if __name__ == "__main__":
    main()
