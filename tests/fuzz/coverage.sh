#!/usr/bin/env bash
# Prints which share of the lines of each reader the fuzzers reach, and writes the lines that none
# reaches to build/coverage/unreached.txt. Starts from the corpus of the preset fuzz-fast, if any.
# Usage: tests/fuzz/coverage.sh [SECONDS [READER...]]   (default: 10 s for each reader, all readers)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../sim/setup.sh"
install_missing llvm-14
work=$top/build/coverage
as_owner mkdir -p "$work/fuzz"
[ ! -d "$top/build/fuzz-fast/fuzz/corpus" ] || as_owner cp -r "$top/build/fuzz-fast/fuzz/corpus" "$work/fuzz"
rm -rf "$work/profiles"
LLVM_PROFILE_FILE=$work/profiles/%p.profraw "$top/tests/fuzz/run.sh" "${1:-10}" coverage "${@:2}"
llvm-profdata-14 merge -sparse "$work"/profiles/*.profraw -o "$work/fuzz.profdata"
# Sources of readers: those whose errors name a place in a file.
mapfile -t readers < <(cd "$top" && grep -rlE 'JsonNode|CsvReader|throw InputError' --include='*.cpp' sim/files sim/platform \
  sim/star sim/sweep sim/report sim/mpi/matrices heuristics/external)
llvm-cov-14 export "$work/tests/fuzz/starport_fuzz" -instr-profile="$work/fuzz.profdata" -format=lcov \
  "${readers[@]/#/$top/}" >"$work/lines.lcov"
python3 - "$top" "$work/lines.lcov" "$work/unreached.txt" <<'END'
import pathlib, sys

top, lcov, unreached = map(pathlib.Path, sys.argv[1:])
lines = {}
for line in lcov.read_text().splitlines():
    kind, _, rest = line.partition(":")
    if kind == "SF":
        own = lines.setdefault(pathlib.Path(rest), {})
    elif kind == "DA":
        number, count = map(int, rest.split(",")[:2])
        own[number] = max(own.get(number, 0), count)
reached = total = 0
with unreached.open("w") as listed:
    for path, own in sorted(lines.items()):
        hit = sum(count > 0 for count in own.values())
        reached, total = reached + hit, total + len(own)
        print(f"{100 * hit / len(own):5.1f} % of {len(own):4} lines  {path.relative_to(top)}")
        if not hit:
            continue  # the line above says it all
        source = path.read_text().splitlines()
        for number, count in sorted(own.items()):
            if count == 0:
                listed.write(f"{path.relative_to(top)}:{number}: {source[number - 1].strip()}\n")
print(f"{100 * reached / max(total, 1):5.1f} % of {total} lines in all; what is never reached: {unreached}")
END
