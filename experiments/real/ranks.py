"""What the scripts here have in common: starport-mpi under mpirun, and a calibration with the
kernels that it advises."""

import os
import pathlib
import re
import subprocess
import sys

VARIABLES = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
             "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
ANYWHERE = ["mpirun", "--oversubscribe", "--bind-to", "none"]
CORES = int(os.environ.get("STARPORT_CORES", len(os.sched_getaffinity(0))))  # set by star.py


def add_options(parser, workers=max(1, CORES // 2), workers_help="beside the master"):
    parser.add_argument("--program", default="build/release/starport-mpi")
    parser.add_argument("--workers", type=int, default=workers, help=workers_help)
    parser.add_argument("--problem", default="2560x2560x3840", help="sides of C, and A's other one")
    parser.add_argument("--block-size", default="80")
    parser.add_argument("--memory", default="24MiB", help="of the machine, divided by its workers; or a list by worker, each for the machine it runs on")
    parser.add_argument("--seconds", help="of calibrate, for each worker")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--output", default="build/real", help="folder")


def parsed(parser):
    """The options, the program where it is and the folder made."""
    options = parser.parse_args()
    options.program = str(pathlib.Path(options.program).resolve())
    options.output = pathlib.Path(options.output)
    options.output.mkdir(parents=True, exist_ok=True)
    return options


def run(words, **variables):
    """What it prints, and what starport-mpi says beside that; ends with its errors if it fails."""
    words = [str(word) for word in words]
    done = subprocess.run(words, env={**os.environ, **VARIABLES, **variables}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(" ".join(words) + "\n" + done.stderr)
    return done.stdout, [line for line in done.stderr.splitlines()
                         if line.startswith("starport-mpi")]


def starport(options, *words):
    return run([*ANYWHERE, "-n", options.workers + 1, options.program, *words])


def calibrate(options, path):
    """Each rank reads its own command line, so that each worker's has its memory."""
    memories = options.memory.split(",")
    if len(memories) == 1:
        memories *= options.workers
    seconds = ["--seconds", options.seconds] if options.seconds else []
    words = [*ANYWHERE]
    for memory in [memories[0], *memories]:  # the master's does not matter
        words += ["-n", 1, options.program, "calibrate", "--block-sizes", options.block_size,
                  "--memory", memory, *seconds, "-o", path, ":"]
    words.pop()
    text, told = run(words)
    advice = re.search(r"export OPENBLAS_CORETYPE=(\w+)", "\n".join(told))
    if advice and "OPENBLAS_CORETYPE" not in os.environ:
        os.environ["OPENBLAS_CORETYPE"] = advice[1]
        text, told = run(words)
    return text, told


def doubts(told):
    """Once each, whatever the numbers in them, as a block of text; progress is none, nor is what
    predictions follow."""
    return [f"    {line}" for line in
            {re.sub(r"[0-9.]+", "", line): line for line in told
             if ": measuring " not in line and " is now predicted to take " not in line}.values()]


def load():
    return os.getloadavg()[0]


def save(options, name, text):
    (options.output / name).write_text(text)
    print(text)
