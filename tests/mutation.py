#!/usr/bin/env python3
"""Plants faults in the models' sources and tells which ones the tests do not notice.

    tests/mutation.py --seed 1 --count 100 --minutes 60 build/release

The faults of one run are compiled together, each behind a switch that the environment variable STARPORT_MUTANT turns on,
so that the programs are built once. A seed always gives the same faults of the same sources. The sources are changed
while the programs are built, and restored whatever happens; they must be committed before. Takes hours: not for CI.
Faults that do not compile are left out. The exit status is 1 if a fault was not noticed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import time

SOURCES = pathlib.Path(__file__).resolve().parent.parent
# The test programs that are to notice the faults of a folder, the most likely one first.
ROOMS = {
    "sim/star": ["star", "heuristics"],
    "sim/tiles": ["tiles"],
    "sim/spmd": ["spmd"],
    "sim/results": ["results", "report"],
    "sim/sweep": ["sweep"],
    "heuristics/star": ["heuristics", "star"],
    "heuristics/tiles": ["tiles"],
    "heuristics/partition": ["partition", "tiles"],
    "heuristics/spmd": ["spmd"],
}
SWITCH = """#pragma once
#include <cstdlib>
inline bool starport_mutant(int number) {
  static const int on = [] {
    const char* const text = std::getenv("STARPORT_MUTANT");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return on == number;
}
"""
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
    if condition := re.fullmatch(r"((?:\} else )?if|while) \((.*)\) (\{|return.*;|continue;|break;)", text):
        head, code, tail = condition.groups()
        if re.search(r"[^=!<>]=[^=]|;", code):
            return
        for fault in [*changes_of(code), f"!({code})"]:
            yield f"{head} ({fault})", f"{indent}{head} (starport_mutant(N) ? ({fault}) : ({code})) {tail}"
        if head == "if" and tail != "{":
            yield f"no '{text}'", f"{indent}{head} (!starport_mutant(N) && ({code})) {tail}"
    elif loop := re.fullmatch(r"for \((.*); (.*); (.*)\) (.*)", text):
        start, code, step, tail = loop.groups()
        for fault in changes_of(code):
            yield f"for (...; {fault};", f"{indent}for ({start}; starport_mutant(N) ? ({fault}) : ({code}); {step}) {tail}"
        for fault in changes_of(step):
            if "," not in step:
                yield f"for (...; {fault})", f"{indent}for ({start}; {code}; starport_mutant(N) ? ({fault}) : ({step})) {tail}"
    elif value := re.fullmatch(r"return ([^{}]+);", text):
        for fault in changes_of(value.group(1)):
            yield f"return {fault};", f"{indent}return starport_mutant(N) ? ({fault}) : ({value.group(1)});"
    elif variable := re.fullmatch(r"(const (?:auto|double|int|bool|std::\w+) \w+) = ([^{};]+);", text):
        head, code = variable.groups()
        for fault in changes_of(code):
            yield f"{head} = {fault};", f"{indent}{head} = starport_mutant(N) ? ({fault}) : ({code});"
    elif re.fullmatch(r"(?:continue|break|return);|[\w.>\-\[\]()*+]+ ?(?:[+\-*/]?= .*|\(.*\)|\+\+|--);|(?:\+\+|--)[\w.>\-\[\]]+;", text):
        if re.match(r"(?:using|case|default|throw|delete|[\w:<>]+ [\w]+\()", text):
            return
        for fault in changes_of(text):
            yield fault, f"{indent}if (starport_mutant(N)) {{ {fault} }} else {{ {text} }}"
        yield f"no '{text}'", f"{indent}if (!starport_mutant(N)) {{ {text} }}"


def draw_faults(rooms, seed, count):
    """Returns a list of (path, line index, what, replacement), one per line of the sources at most."""
    faults = []
    for room in rooms:
        for path in sorted((SOURCES / room).rglob("*.[ch]pp")):
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


def room_of(path):
    return next(room for room in ROOMS if path.is_relative_to(SOURCES / room))


def plant(faults, build):
    """Builds the programs with all faults that compile, and returns these by their number."""
    planted = dict(enumerate(faults, 1))
    programs = sorted({program for path, *_ in faults for program in ROOMS[room_of(path)]})
    originals = {path: path.read_text() for path, *_ in faults}
    (build / "mutation_switch.hpp").write_text(SWITCH)
    try:
        while planted:
            for path, original in originals.items():
                lines = original.split("\n")
                for number, (of, index, _, replacement) in planted.items():
                    if of == path:
                        lines[index] = replacement.replace("starport_mutant(N)", f"starport_mutant({number})")
                text = "\n".join([f'#include "{build / "mutation_switch.hpp"}"', *lines])
                if text != path.read_text():
                    path.write_text(text)
            targets = ["starport", *(f"starport_tests_{program}" for program in programs)]
            built = subprocess.run(
                ["cmake", "--build", build, "--target", *targets, "--", "-k", "0"], capture_output=True, text=True
            )
            if built.returncode == 0:
                return planted
            wrong = {(file, int(line) - 2) for file, line in re.findall(r"(\S+?):(\d+):\d+: error", built.stdout)}
            bad = [n for n, (path, index, *_) in planted.items() if (str(path), index) in wrong]
            if not bad:
                sys.exit(f"mutation.py: the programs cannot be built:\n{built.stdout[-3000:]}")
            for number in bad:
                del planted[number]
        return {}
    finally:
        for path, original in originals.items():
            path.write_text(original)


def run(build, program, number, limit_s):
    """Returns whether the tests of a program fail, crash or do not end with that fault; 0 is none."""
    command = [build / "tests" / f"starport_tests_{program}", "--gtest_brief=1", "--gtest_fail_fast"]
    environment = {**os.environ, "STARPORT_MUTANT": str(number)}
    try:
        ended = subprocess.run(
            command, cwd=SOURCES, env=environment, timeout=limit_s, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        return ended.returncode != 0
    except subprocess.TimeoutExpired:
        return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="a configured build directory")
    parser.add_argument("--seed", type=int, default=1, help="determines the faults (default: 1)")
    parser.add_argument("--count", type=int, default=500, help="number of faults (default: 500)")
    parser.add_argument("--rooms", nargs="+", choices=ROOMS, default=list(ROOMS), help="folders (default: all)")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no more runs after that time")
    options = parser.parse_args()
    build = options.build.resolve()
    if subprocess.run(["git", "-C", SOURCES, "diff", "--quiet", "HEAD", "--", *ROOMS]).returncode != 0:
        sys.exit("mutation.py: the sources differ from the last commit. Commit them first")
    end = time.monotonic() + 60 * options.minutes
    faults = plant(draw_faults(options.rooms, options.seed, options.count), build)
    limits = {}
    for program in sorted({program for path, *_ in faults.values() for program in ROOMS[room_of(path)]}):
        start = time.monotonic()
        if run(build, program, 0, 3600):
            sys.exit(f"mutation.py: starport_tests_{program} fails without a fault")
        limits[program] = 60 + 5 * (time.monotonic() - start)

    def is_noticed(number):
        if time.monotonic() > end:
            return None
        programs = ROOMS[room_of(faults[number][0])]
        return any(run(build, program, number, limits[program]) for program in programs)

    noticed = unnoticed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for number, result in zip(faults, pool.map(is_noticed, faults)):
            if result is None:
                continue
            noticed += result
            unnoticed += not result
            path, index, what, _ = faults[number]
            verdict = "noticed" if result else "NOT NOTICED"
            print(f"{number}: {path.relative_to(SOURCES)}:{index + 1}: {what}: {verdict}", flush=True)
    print(f"seed {options.seed}: {noticed} of {noticed + unnoticed} faults noticed")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
