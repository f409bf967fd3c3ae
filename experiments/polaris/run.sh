#!/usr/bin/env bash
# Sets everything up, then compares Polaris with the seven heuristics of PPoPP'08 on its 29 instances and on 50 random ones:
# DIR/polaris.md and planning.txt, with the results and the figures beside them. Then measures what each of its parts is
# worth (DIR/parts.md) and how good its schedules are for the time of planning (DIR/effort.md), and draws its map, by kind
# of instance and port (DIR/map.md), and under noise (DIR/noise.md). An hour of one processor or more.
# Usage: experiments/polaris/run.sh [DIR]   (default: build/polaris)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../sim/setup.sh"
set_up release starport
experiments=$top/experiments/polaris
out=${1:-$top/build/polaris}
starport() { as_owner "$top/build/release/starport" "$@"; }

# sweep NAME: its results; what an earlier run left is replaced.
sweep() {
  [ ! -f "$out/$1/run_info.json" ] || rm -rf "${out:?}/$1"
  starport sweep "$experiments/$1.json" -o "$out/$1" --engine analytic --cross-check 0.05
}

as_owner mkdir -p "$out"
sweep sweep
starport check "$out/sweep/results.csv" --claims "$experiments/claims.json" -o "$out/polaris.md"
awk -F, 'NR > 1 { set = $1 <= 29 ? "29 of PPoPP'"'"'08" : "50 random"; planning[set "," $2] += $3; runs[set "," $2]++ }
  END { for (key in runs) printf "%s: %.4f s of planning on average\n", key, planning[key] / runs[key] }' \
  "$out/sweep/timings.csv" | sort | as_owner tee "$out/planning.txt"
for value in relative_cost times_bound; do
  starport plot "$out/sweep/results.csv" --figure distribution --value $value \
    --where "experiment NOT LIKE 'fifty%' AND heuristic <> 'Polaris[effort=low]'" --size 14x7 \
    -o "$out/${value/_/-}.svg"
done

as_owner python3 "$experiments/parts.py" "$top/build/release/starport" "$out/parts" | as_owner tee "$out/parts.md"

as_owner python3 "$experiments/effort.py" "$top/build/release/starport" "$out/effort" | as_owner tee "$out/effort.md"

as_owner python3 "$experiments/map.py" "$top/build/release/starport" "$out/map" | as_owner tee "$out/map.md"

as_owner python3 "$experiments/noise.py" "$top/build/release/starport" "$out/noise" 1 | as_owner tee "$out/noise.md"

# Het beside Polaris, on the platform of unequal memories.
starport run "$top/platforms/ppopp08-memory.json" --problem 8000x8000x64000 --heuristics Het,Polaris \
  --trace "$out/trace.csv"
starport plot "$out/trace.csv" --figure gantt --heuristics Het,Polaris -o "$out/gantt.png"
echo "$out/polaris.md: what was aimed at; figures beside it"
