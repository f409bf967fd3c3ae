"""The same runs emulated, and by SMPI with three models of the network: how much longer each says
that they take than predicted. Prints a table of the heuristics."""

import argparse
import json
import pathlib
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
    parser.add_argument("--models", default=",".join(["emulated", *MODELS]))
    return parser.parse_args()


def main():
    options = arguments()
    build = pathlib.Path(options.build)
    execute = ["execute", options.platform, "--problem", options.problem, "--heuristic",
               options.heuristics, "--json"]
    with tempfile.TemporaryDirectory() as folder:
        xml, hosts = pathlib.Path(folder) / "platform.xml", pathlib.Path(folder) / "hosts"
        ranks.run([build / "starport", "convert", options.platform, "--to", "simgrid-xml", "-o", xml])
        workers = xml.read_text().count('<host id="worker-')
        hosts.write_text("".join(f"{name}\n" for name in
                                 ["master", *(f"worker-{i + 1}" for i in range(workers))]))
        smpi = ["smpirun", "-np", workers + 1, "-platform", xml, "-hostfile", hosts,
                "--cfg=smpi/simulate-computation:no", "--cfg=smpi/iprobe:1e-6",
                "--cfg=smpi/iprobe-cpu-usage:0", "--cfg=smpi/test:1e-6",
                "--log=root.thresh:critical"]
        told = {}
        for name in options.models.split(","):
            if name == "emulated":
                text, _ = ranks.run([*ranks.ANYWHERE, "-n", workers + 1, build / "starport-mpi",
                                     *execute, "--emulate"])
            else:
                text, _ = ranks.run([*smpi, *MODELS[name], build / "starport-smpi", *execute,
                                     "--time-limit", "0"])
            for one in json.loads(text[text.index("{"):])["results"]:
                predicted = one["predicted"]["makespan_s"]
                told.setdefault(one["heuristic"], [f"{predicted:.3f}"]).append(
                    f"{100 * (one['real']['makespan_s'] / predicted - 1):+.2f}%")
    names = options.models.split(",")
    print(f"{options.platform}, {options.problem}; load {ranks.load():.1f}\n")
    print("| heuristic | predicted (s) | " + " | ".join(names) + " |")
    print("| --- | ---: " + "| ---: " * len(names) + "|")
    for heuristic, figures in told.items():
        print(f"| {heuristic} | " + " | ".join(figures) + " |")


main()
