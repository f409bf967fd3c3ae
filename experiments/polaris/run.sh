#!/usr/bin/env bash
# Sets everything up, then compares Polaris with the seven heuristics of PPoPP'08 on its 29 instances
# and on 50 random ones, and with itself without its parts: DIR/polaris.md, planning.txt and ablation.txt, with the
# results and the figures beside them. Then draws its map, by kind of instance and port: DIR/map.md, and under
# noise: DIR/noise.md. Some minutes of one processor.
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
  "$out/sweep/timings.csv" | sort | tee "$out/planning.txt"
for value in relative_cost times_bound; do
  starport plot "$out/sweep/results.csv" --figure distribution --value $value \
    --where "experiment NOT LIKE 'fifty%' AND heuristic <> 'Polaris[effort=low]'" --size 14x7 \
    -o "$out/${value/_/-}.svg"
done

sweep ablation
# means SET CONDITION: of the makespans over the bound, for Polaris and without each part.
means() {
  starport plot "$out/ablation/results.csv" --figure distribution --value times_bound --where "$2" \
    -o "$out/values.csv"
  awk -F, -v set="$1" 'NR > 1 { sum[$1] += $3; runs[$1]++ }
    END { for (name in runs) printf "%s, %s: %.4f x bound\n", set, name, sum[name] / runs[name] }' \
    "$out/values.csv" | sort
}
{ means "29 of PPoPP'08" "experiment NOT LIKE 'fifty%'"; means "50 random" "experiment LIKE 'fifty%'"; } |
  tee "$out/ablation.txt"

as_owner python3 "$experiments/map.py" "$top/build/release/starport" "$out/map" | tee "$out/map.md"

as_owner python3 "$experiments/noise.py" "$top/build/release/starport" "$out/noise" 1 | tee "$out/noise.md"

# Het beside Polaris, on the platform of unequal memories.
starport run "$top/platforms/ppopp08-memory.json" --problem 8000x8000x64000 --heuristics Het,Polaris \
  --trace "$out/trace.csv"
starport plot "$out/trace.csv" --figure gantt --heuristics Het,Polaris -o "$out/gantt.png"
echo "$out/polaris.md: what was aimed at; figures beside it"
