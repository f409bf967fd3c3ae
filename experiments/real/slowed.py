"""A worker that is really slowed down in the middle of the run: from then on its processes get one
part in five of the time, by SIGSTOP and SIGCONT, computing and communicating. Het, ODDOML and
Adaptive, without and with it, some repetitions in turn. Writes slowed.json and slowed.md."""

import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import ranks

PERIOD_S = 0.05


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    ranks.add_options(parser, workers=2)
    parser.add_argument("--heuristics", default="Het,ODDOML,Adaptive")
    parser.add_argument("--rank", type=int, default=2, help="that is slowed down")
    parser.add_argument("--times", type=float, default=5, help="as long as before")
    parser.set_defaults(problem="2560x5120x5120", repetitions=3)
    return ranks.parsed(parser)


def computes(process):
    """Whether a thread beside its first has had 20 ms: the one that computes, which a run begins
    with."""
    for thread in pathlib.Path(f"/proc/{process}/task").iterdir():
        ticks = thread.joinpath("stat").read_text().rpartition(")")[2].split()[11:13]
        if int(thread.name) != process and sum(map(int, ticks)) >= 2:
            return True
    return False


class SlowDown(threading.Thread):
    """Of one process, from so long after it has begun to compute until it ends."""

    def __init__(self, file, after_s, times):
        super().__init__(daemon=True)
        self.file, self.after_s, self.times = file, after_s, times
        self.over = threading.Event()

    def run(self):
        try:
            while not self.file.exists() or not self.file.read_text().strip():
                time.sleep(0.01)
            process = int(self.file.read_text())
            while not computes(process):
                time.sleep(0.005)
            if self.over.wait(self.after_s):
                return
            while not self.over.is_set():
                os.kill(process, signal.SIGSTOP)
                time.sleep(PERIOD_S * (1 - 1 / self.times))
                os.kill(process, signal.SIGCONT)
                time.sleep(PERIOD_S / self.times)
        except (ProcessLookupError, FileNotFoundError):
            pass


def execute(options, platform, heuristic, after_s=None):
    """Its result; slowed down from so long after the start on, if that is given."""
    with tempfile.TemporaryDirectory() as folder:
        own = f'echo $$ > {folder}/$OMPI_COMM_WORLD_RANK; exec "$0" "$@"'
        words = [*ranks.ANYWHERE, "-n", str(options.workers + 1), "sh", "-c", own, options.program,
                 "execute", str(platform), "--problem", options.problem, "--heuristics", heuristic,
                 "--json"]
        slow = SlowDown(pathlib.Path(folder) / str(options.rank), after_s, options.times)
        if after_s is not None:
            slow.start()
        done = subprocess.run(words, env={**os.environ, **ranks.VARIABLES}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        slow.over.set()
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["results"][0]["real"]


def without_samples(platform):
    """By which execute would have the workers compute before the run."""
    text = json.loads(platform.read_text())
    del text["provenance"]["samples"]
    platform.write_text(json.dumps(text))


def main():
    options = arguments()
    load = ranks.load()
    platform = options.output / "slowed-platform.json"
    doubts = ranks.doubts(ranks.calibrate(options, platform)[1])
    without_samples(platform)
    heuristics = options.heuristics.split(",")
    after_s = execute(options, platform, heuristics[0])["makespan_s"] / 3
    times = {name: ([], [], []) for name in heuristics}
    for _ in range(options.repetitions):
        for name, (plain, slowed, port) in times.items():
            plain.append(execute(options, platform, name)["makespan_s"])
            real = execute(options, platform, name, after_s)
            slowed.append(real["makespan_s"])
            port.append(real["workers"][options.rank - 1]["link_busy_s"])
    lines = [f"{ranks.CORES} cores, {options.workers} workers, {options.problem}, "
             f"{options.repetitions} repetitions; from a third of {heuristics[0]}'s run on, rank {options.rank} "
             f"gets one part in {options.times:g} of the time; load {load:.2f} before, "
             f"{ranks.load():.2f} after.", "", *doubts, "",
             "| heuristic | real (s) | spread (s) | slowed (s) | spread (s) | times | in transfers "
             f"with rank {options.rank} (s) |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for name, (plain, slowed, port) in times.items():
        before, after = statistics.median(plain), statistics.median(slowed)
        lines.append(f"| {name} | {before:.3f} | {max(plain) - min(plain):.3f} | {after:.3f} | "
                     f"{max(slowed) - min(slowed):.3f} | {after / before:.2f} | "
                     f"{statistics.median(port):.3f} |")
    lines.append("")
    (options.output / "slowed.json").write_text(json.dumps(
        {"cores": ranks.CORES, "load": load, "doubts": doubts, "slow_from_s": after_s,
         "runs": {name: {"real_s": plain, "slowed_real_s": slowed, "slowed_link_busy_s": port}
                  for name, (plain, slowed, port) in times.items()}}, indent=1))
    ranks.save(options, "slowed.md", "\n".join(lines))


main()
