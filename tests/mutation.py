#!/usr/bin/env python3
"""Plants faults in the models' sources and tells which ones the tests do not notice.

    tests/mutation.py --seed 1 --count 500 --minutes 60

A seed always gives the same faults of the same sources, in a random order: those tried until a time limit, or until Ctrl-C,
are a random sample. A copy of the last commit gets all of them, each behind a switch that the environment variable
STARPORT_MUTANT turns on, so that its programs are built once. Then every test runs once without a fault and records which
ones it reaches; a fault is run with the tests that reach it only, the shortest first, until one fails. Everything is kept in
build/mutation/SEED: the same command goes on where it was stopped, with the same sources and tests. Remove the folder to
try those of a later commit. Takes hours: not for CI. Faults that do not compile are left out; those in
tests/equivalent_faults.json make no difference and do not count. The exit status is 1 if a fault was not noticed.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

SOURCES = pathlib.Path(__file__).resolve().parent.parent
# The test programs that are to notice the faults of a folder.
ROOMS = {
    "sim/star": ["star", "heuristics", "selftest"],
    "sim/tiles": ["tiles", "selftest"],
    "sim/spmd": ["spmd", "selftest"],
    "sim/results": ["results", "report", "sweep", "spmd", "selftest"],
    "sim/sweep": ["sweep", "selftest"],
    "heuristics/star": ["heuristics", "star", "selftest"],
    "heuristics/tiles": ["tiles", "selftest"],
    "heuristics/partition": ["partition", "tiles", "selftest"],
    "heuristics/spmd": ["spmd", "selftest"],
}
SWITCH = """#pragma once
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <type_traits>
inline bool starport_mutant_at_run_time(int number) {
  static unsigned char* const reached = [] {
    const char* const path = std::getenv("STARPORT_REACHED");
    const int file = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return static_cast<unsigned char*>(nullptr);
    return static_cast<unsigned char*>(::mmap(nullptr, MOST_FAULTS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  }();
  static const int on = [] {
    const char* const text = std::getenv("STARPORT_MUTANT");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  if (reached != nullptr) reached[number] = 1;
  return on == number;
}
constexpr bool starport_mutant(int number) {
  return !std::is_constant_evaluated() && starport_mutant_at_run_time(number);
}
"""
MOST_FAULTS = 4096
EXCHANGES = {
    " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ", " && ": " || ",
    " || ": " && ", " + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", " += ": " -= ", " -= ": " += ",
    "++": "--", "--": "++", "true": "false", "false": "true", "std::min(": "std::max(", "std::max(": "std::min(",
    ".front()": ".back()", ".back()": ".front()",
}  # fmt: skip
WORDS = "|".join(re.escape(word) for word in sorted(EXCHANGES, key=len, reverse=True))
PLACES = re.compile(rf"({WORDS})|(?<![\w.'\"])\b([0-9]+)\b(?![\w.'\"])")


def changes_of(code):
    """Yields what a small fault makes of an expression or a simple statement."""
    if '"' in code or "'" in code or "<<" in code:
        return
    for place in PLACES.finditer(code):
        old = place.group(0)
        if old in ("true", "false") and not re.search(rf"\b{old}\b", code[max(0, place.start() - 1) : place.end() + 1]):
            continue
        new = EXCHANGES.get(old) or str(int(old) ^ 1 if int(old) < 2 else int(old) + 1)
        yield code[: place.start()] + new + code[place.end() :]


def faults_of_line(line, before):
    """Yields (what is planted, the line with a switch named N) for a line whose statement begins there."""
    if not re.search(r"([;{})]|:)\s*$", before) or "constexpr" in line or "static_assert" in line:
        return
    indent, text = re.match(r"(\s*)(.*)$", line).groups()
    text = re.sub(r"\s*//.*$", "", text)
    if text.startswith("."):  # goes on with the expression before
        return
    if condition := re.fullmatch(r"((?:\} else )?if|while) \((.*)\) (\{|return.*;|continue;|break;)", text):
        head, code, tail = condition.groups()
        if re.search(r"[^=!<>]=[^=]|;", code) or code == "true":
            return
        for fault in [*changes_of(code), f"!({code})"]:
            yield f"{head} ({fault})", f"{indent}{head} (starport_mutant(N) ? bool({fault}) : bool({code})) {tail}"
        if head == "if" and tail != "{":
            yield f"no '{text}'", f"{indent}{head} (!starport_mutant(N) && bool({code})) {tail}"
    elif loop := re.fullmatch(r"for \((.*); (.*); (.*)\) (.*)", text):
        start, code, step, tail = loop.groups()
        for fault in changes_of(code):
            yield f"for (...; {fault};", f"{indent}for ({start}; starport_mutant(N) ? bool({fault}) : bool({code}); {step}) {tail}"
        for fault in changes_of(step):
            if "," not in step:
                yield f"for (...; {fault}) {tail}", f"{indent}for ({start}; {code}; starport_mutant(N) ? ({fault}) : ({step})) {tail}"
    elif value := re.fullmatch(r"return ([^{}]+);", text):
        for fault in changes_of(value.group(1)):
            yield f"return {fault};", f"{indent}return starport_mutant(N) ? ({fault}) : ({value.group(1)});"
    elif variable := re.fullmatch(r"(const (?:auto|double|int|bool|std::\w+) \w+) = ([^{};]+);", text):
        head, code = variable.groups()
        for fault in changes_of(code):
            yield f"{head} = {fault};", f"{indent}{head} = starport_mutant(N) ? ({fault}) : ({code});"
    elif re.fullmatch(r"(?:continue|break|return);|[\w.>\-\[\]()*+]+ ?(?:[+\-*/]?= .*|\(.*\)|\+\+|--);|(?:\+\+|--)[\w.>\-\[\]]+;", text):
        if re.match(r"(?:using|case|default|throw|delete|[A-Z]\w*\(|[\w:<>]+ [\w]+\()", text):  # or a constructor
            return
        for fault in changes_of(text):
            yield fault, f"{indent}{{ if (starport_mutant(N)) {{ {fault} }} else {{ {text} }} }}"
        yield f"no '{text}'", f"{indent}{{ if (!starport_mutant(N)) {{ {text} }} }}"


def draw_faults(sources, rooms, seed, count):
    """Returns a list of (path, line index, what, replacement), one per line of the sources at most."""
    faults = []
    for room in rooms:
        for path in sorted((sources / room).rglob("*.[ch]pp")):
            lines = path.read_text().split("\n")
            for index in range(1, len(lines)):
                for what, replacement in faults_of_line(lines[index], lines[index - 1]):
                    faults.append((path, index, what, replacement))
    random.Random(seed).shuffle(faults)
    chosen = {}
    for fault in faults:
        if len(chosen) < count:
            chosen.setdefault(fault[:2], fault)
    return list(chosen.values())


class Campaign:
    """The copy of the sources with the faults, their programs and what is known of them; all in a folder."""

    def __init__(self, folder, options):
        self.folder, self.source = folder, folder / "source"
        self.build = self.source / "build" / "release"  # as deep as usual, so that ccache finds what is not changed
        identity = {"seed": options.seed, "count": options.count, "rooms": options.rooms}
        known = folder / "campaign.json"
        if known.exists() and json.loads(known.read_text()) != identity:
            sys.exit(f"mutation.py: {folder} has other faults. Remove it, or choose another --work")
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "faults.json").exists():  # not begun, or stopped while faults were planted
            shutil.rmtree(self.source, ignore_errors=True)
            self.source.mkdir()
            archive = subprocess.Popen(["git", "-C", SOURCES, "archive", "HEAD"], stdout=subprocess.PIPE)
            subprocess.run(["tar", "-x", "-C", self.source], stdin=archive.stdout, check=True)
            known.write_text(json.dumps(identity))
            faults = draw_faults(self.source, options.rooms, options.seed, options.count)
            self.faults = self.plant(dict(enumerate(faults, 1)))
            planted = {n: (str(path.relative_to(self.source)), *rest) for n, (path, *rest) in self.faults.items()}
            (folder / "faults.json").write_text(json.dumps(planted))
        else:
            planted = json.loads((folder / "faults.json").read_text())
            self.faults = {int(n): (self.source / path, *rest) for n, (path, *rest) in planted.items()}
        self.tests = self.find_tests(options.jobs, options.longest)

    def room_of(self, number):
        path = self.faults[number][0]
        return next(room for room in ROOMS if path.is_relative_to(self.source / room))

    def programs(self):
        return sorted({program for number in self.faults for program in ROOMS[self.room_of(number)]})

    def plant(self, faults):
        """Builds the programs with all faults that compile, and returns these by their number."""
        self.faults = faults
        switch = self.folder / "switch.hpp"
        switch.write_text(SWITCH.replace("MOST_FAULTS", str(MOST_FAULTS)))
        originals = {path: path.read_text() for path, *_ in faults.values()}
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        # Compiled faster than a usual release: it takes most of the time until the first fault is tried.
        configure = ["cmake", "--preset", "release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", "-DSTARPORT_PRECOMPILE=ON", *launcher]
        if subprocess.run(configure, cwd=self.source, stdout=subprocess.DEVNULL).returncode != 0:
            sys.exit("mutation.py: cmake fails")
        targets = ["starport", *(f"starport_tests_{program}" for program in self.programs())]
        while faults:
            for path, original in originals.items():
                lines = original.split("\n")
                for number, (of, index, _, replacement) in faults.items():
                    if of == path:
                        lines[index] = replacement.replace("starport_mutant(N)", f"starport_mutant({number})")
                text = "\n".join([f'#include "{switch}"', *lines])
                if text != path.read_text():
                    path.write_text(text)
            built = subprocess.run(
                ["cmake", "--build", self.build, "--target", *targets, "--", "-k", "0"], capture_output=True, text=True
            )
            if built.returncode == 0:
                return faults
            places = re.findall(r"^(\S+?):(\d+):\d+: +(?:error|required from)", built.stdout, re.MULTILINE)
            wrong = {((self.build / file).resolve(), int(line) - 2) for file, line in places}
            bad = [n for n, (path, index, *_) in faults.items() if (path, index) in wrong]
            if not bad:
                sys.exit(f"mutation.py: the programs cannot be built:\n{built.stdout[-3000:]}")
            for number in bad:
                print(f"{number} does not compile: {faults[number][2]}", flush=True)
                del faults[number]
        return {}

    def run(self, program, tests, seconds, processor_s, **environment):
        """Runs tests that usually take so many seconds. Returns "pass", "fail", or "hang" if they take many more."""
        limits = ["env", "--default-signal", "prlimit", f"--cpu={math.ceil(processor_s)}", "--as=8589934592", "--fsize=1073741824", "--core=0"]
        command = [*limits, self.build / "tests" / f"starport_tests_{program}", "--gtest_brief=1", "--gtest_fail_fast",
                   "--gtest_filter=" + ":".join(tests)]  # fmt: skip
        with tempfile.TemporaryDirectory(prefix="starport-mutant-", ignore_cleanup_errors=True) as scratch:
            process = subprocess.Popen(command, cwd=self.source, env={**os.environ, "TMPDIR": scratch, **environment},
                                       start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)  # fmt: skip
            try:
                status = process.wait(30 + 15 * seconds)
                if status in (-signal.SIGKILL, -signal.SIGXCPU):  # it has used up its processor time
                    return "hang"
                return "fail" if status else "pass"
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return "hang"

    def find_tests(self, jobs, longest_s):
        """Returns a list of (program, test, seconds, numbers of the faults that it reaches)."""
        known = self.folder / "tests.json"
        if known.exists():
            return json.loads(known.read_text())
        names = []
        for program in self.programs():
            listed = subprocess.run([self.build / "tests" / f"starport_tests_{program}", "--gtest_list_tests"],
                                    cwd=self.source, capture_output=True, text=True).stdout  # fmt: skip
            suite = ""
            for line in listed.splitlines():
                name = line.split("#")[0].strip()
                if line.startswith(" "):
                    names.append((program, suite + name))
                else:
                    suite = name

        def explore(name):
            with tempfile.NamedTemporaryFile() as marks:
                marks.truncate(MOST_FAULTS)
                start = time.monotonic()
                outcome = self.run(name[0], [name[1]], 10 * longest_s, longest_s, STARPORT_REACHED=marks.name)
                seconds = time.monotonic() - start
                if outcome != "pass":
                    why = "fails without a fault" if outcome == "fail" else "takes too long"
                    print(f"{name[1]} {why} and is left out", flush=True)
                    return []
                return [(*name, seconds, [number for number, mark in enumerate(marks.read()) if mark])]

        with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
            tests = sum(pool.map(explore, names), [])
        known.write_text(json.dumps(tests))
        return tests

    def try_fault(self, number):
        """Returns "noticed", "noticed since it hangs", "not noticed" or "not reached"."""
        chunks = []  # of tests of one program that run in one process, the shortest first
        own = ROOMS[self.room_of(number)]
        for program, test, seconds, reached in sorted(self.tests, key=lambda entry: entry[2]):
            if number not in reached or program not in own:
                continue
            last = next((chunk for chunk in chunks if chunk[0] == program and chunk[2] < 2), None)
            if last is None:
                chunks.append([program, [test], seconds])
            else:
                last[1].append(test)
                last[2] += seconds
        for program, tests, seconds in chunks:
            outcome = self.run(program, tests, seconds, 5 + 5 * seconds, STARPORT_MUTANT=str(number))
            if outcome != "pass":
                return "noticed" if outcome == "fail" else "noticed since it hangs"
        return "not noticed" if chunks else "not reached"


def interval(noticed, tried):
    """Returns the 95 % confidence interval of a share, in percent, by Wilson's formula."""
    share, z = noticed / tried, 1.96
    centre = share + z * z / (2 * tried)
    half = z * math.sqrt(share * (1 - share) / tried + z * z / (4 * tried * tried))
    return [100 * (centre + sign * half) / (1 + z * z / tried) for sign in (-1, 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="determines the faults (default: 1)")
    parser.add_argument("--count", type=int, default=500, help="number of faults (default: 500)")
    parser.add_argument("--rooms", nargs="+", choices=ROOMS, default=list(ROOMS), help="folders (default: all)")
    parser.add_argument("--minutes", type=float, default=1e9, help="try no more faults after that time")
    parser.add_argument("--longest", type=float, default=600, help="leave out tests that use more seconds of processor time")
    parser.add_argument("--jobs", type=int, default=1, help="faults that are tried at the same time (default: 1)")
    parser.add_argument("--work", type=pathlib.Path, help="folder to work in (default: build/mutation/SEED)")
    options = parser.parse_args()
    if not 0 < options.count < MOST_FAULTS:
        parser.error(f"--count: at most {MOST_FAULTS - 1}")
    end = time.monotonic() + 60 * options.minutes
    campaign = Campaign((options.work or SOURCES / "build" / "mutation" / str(options.seed)).resolve(), options)
    equivalent = {(known["file"], known["fault"]) for known in json.loads((SOURCES / "tests/equivalent_faults.json").read_text())}
    verdicts = {}
    results = campaign.folder / "results.csv"

    def note(number, verdict):
        path, index, what, _ = campaign.faults[number]
        path = str(path.relative_to(campaign.source))
        if not verdict.startswith("noticed"):
            verdict = "equivalent" if (path, what) in equivalent else verdict
            print(f"{number}: {path}:{index + 1}: {what}: {verdict}", flush=True)
        verdicts[number] = verdict

    for line in results.read_text().splitlines() if results.exists() else []:
        note(int(line.split(",")[0]), line.split(",")[1])

    def try_next(number):
        if number in verdicts or time.monotonic() > end:
            return
        verdict = campaign.try_fault(number)
        with lock, results.open("a") as file:
            file.write(f"{number},{verdict}\n")
            note(number, verdict)

    def stop(*_):
        nonlocal end
        end = 0

    signal.signal(signal.SIGINT, stop)
    lock = threading.Lock()
    with concurrent.futures.ThreadPoolExecutor(max_workers=options.jobs) as pool:
        list(pool.map(try_next, campaign.faults))
    tried = [verdict for verdict in verdicts.values() if verdict != "equivalent"]
    noticed = sum(verdict.startswith("noticed") for verdict in tried)
    print(f"seed {options.seed}: {len(verdicts)} of {len(campaign.faults)} faults tried, {len(verdicts) - len(tried)} equivalent")
    if tried:
        low, high = interval(noticed, len(tried))
        print(f"{noticed} of {len(tried)} noticed: {100 * noticed / len(tried):.1f} % (95 % confidence: {low:.1f} to {high:.1f} %)")
    return 1 if noticed < len(tried) else 0


if __name__ == "__main__":
    sys.exit(main())
