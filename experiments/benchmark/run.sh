#!/usr/bin/env bash
# Sets everything up, then measures the SimGrid engine beside a bare SimGrid program, and its share
# of the time of `starport run`. Arguments go to Google Benchmark.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../sim/setup.sh"
set_up benchmark all libbenchmark-dev
"$top/build/benchmark/experiments/benchmark/engine_benchmark" "$@"

echo "Ten runs of starport run, the seven heuristics of PPoPP'08 on its memory platform:"
begin=$(date +%s%N)
for _ in {1..10}; do
  "$top/build/benchmark/starport" run "$top/platforms/ppopp08-memory.json" \
    --problem 8000x8000x64000 --json
done | awk -v begin="$begin" '
  /"simulation_s"/ { engine += $2 }
  END {
    "date +%s%N" | getline end
    total = (end - begin) / 1e9
    printf "%.3f s a run, of which %.0f%% in the engine\n", total / 10, 100 * engine / total
  }'
