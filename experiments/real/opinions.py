"""The same runs emulated, and by SMPI with three models of the network: how much longer each says
that they take than predicted; and how many times as long messages take by each model as by a line,
by their size. Prints a table of the heuristics and one of the sizes."""

import argparse
import collections
import csv
import json
import pathlib
import statistics
import tempfile

import ranks

MODELS = {"CM02": ["--cfg=network/model:CM02"], "LV08": ["--cfg=network/model:LV08"],
          "SimGrid's default": []}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--platform", default="platforms/ppopp08-memory-small.json")
    parser.add_argument("--problem", default="192x192x2560")
    parser.add_argument("--heuristics", default="all,Polaris")
    parser.add_argument("--bandwidth", default="2MBps",
                        help="of the one whose messages are told by size")
    parser.add_argument("--latency", default="0s")
    parser.add_argument("--models", default=",".join(["emulated", *MODELS]))
    return parser.parse_args()


def converted(build, platform, folder):
    """SimGrid's platform and the file of its hosts; the number of workers."""
    xml, hosts = folder / "platform.xml", folder / "hosts"
    ranks.run([build / "starport", "convert", platform, "--to", "simgrid-xml", "-o", xml])
    workers = xml.read_text().count('<host id="worker-')
    hosts.write_text("".join(f"{name}\n" for name in
                             ["master", *(f"worker-{i + 1}" for i in range(workers))]))
    return xml, hosts, workers


def smpi(build, simulated, model, *words):
    xml, hosts, workers = simulated
    return ranks.run(["smpirun", "-np", workers + 1, "-platform", xml, "-hostfile", hosts,
                      "--cfg=smpi/simulate-computation:no", "--cfg=smpi/iprobe:1e-6",
                      "--cfg=smpi/iprobe-cpu-usage:0", "--cfg=smpi/test:1e-6",
                      "--log=root.thresh:critical", *MODELS[model], build / "starport-smpi",
                      *words, "--time-limit", "0"])[0]


def compare_heuristics(options, build, folder):
    execute = ["execute", options.platform, "--problem", options.problem, "--heuristics",
               options.heuristics, "--json"]
    simulated = converted(build, options.platform, folder)
    names = options.models.split(",")
    told = {}
    for name in names:
        if name == "emulated":
            text, _ = ranks.run([*ranks.ANYWHERE, "-n", simulated[2] + 1, build / "starport-mpi",
                                 *execute, "--emulate"])
        else:
            text = smpi(build, simulated, name, *execute)
        for one in json.loads(text[text.index("{"):])["results"]:
            predicted = one["predicted"]["makespan_s"]
            told.setdefault(one["heuristic"], [f"{predicted:.3f}"]).append(
                f"{100 * (one['real']['makespan_s'] / predicted - 1):+.2f}%")
    print(f"{options.platform}, {options.problem}; load {ranks.load():.1f}\n")
    print("| heuristic | predicted (s) | " + " | ".join(names) + " |")
    print("| --- | ---: " + "| ---: " * len(names) + "|")
    for heuristic, figures in told.items():
        print(f"| {heuristic} | " + " | ".join(figures) + " |")


def compare_sizes(options, build, folder):
    """Of one worker with room for one block of C, whose messages have one or two blocks."""
    names = [name for name in options.models.split(",") if name in MODELS]
    platform, trace = folder / "one.json", folder / "trace.csv"
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    for block_size in (8, 16, 32, 64, 128, 256, 512):
        block = 8 * block_size ** 2
        platform.write_text(json.dumps(
            {"schema_version": 1, "name": "one", "block_size": block_size, "workers": [
                {"bandwidth": options.bandwidth, "latency": options.latency, "speed": "100Gf",
                 "memory": f"{5 * block}B"}]}))
        simulated = converted(build, platform, folder)
        for name in names:
            smpi(build, simulated, name, "execute", platform, "--problem",
                 "x".join([str(3 * block_size)] * 3), "--heuristics", "Het", "--trace", trace)
            with trace.open() as file:
                for row in csv.DictReader(file):
                    if row["kind"] != "transfer":
                        continue
                    blocks = sum(int(row[key]) for key in ("a_blocks", "b_blocks", "c_blocks"))
                    key = "line" if row["heuristic"] != "Het" else name
                    times[blocks * block][key].append(float(row["end_s"]) - float(row["start_s"]))
    print(f"\nOne worker, {options.bandwidth}, {options.latency}:\n")
    print("| bytes | by the line (ms) | " + " | ".join(names) + " |")
    print("| ---: | ---: " + "| ---: " * len(names) + "|")
    for size, series in sorted(times.items()):
        line = statistics.mean(series["line"])
        print(f"| {size} | {1e3 * line:.4g} | " + " | ".join(
            f"{statistics.mean(series[name]) / line:.2f}" for name in names) + " |")


def main():
    options = arguments()
    build = pathlib.Path(options.build)
    with tempfile.TemporaryDirectory() as folder:
        compare_heuristics(options, build, pathlib.Path(folder))
        compare_sizes(options, build, pathlib.Path(folder))


main()
