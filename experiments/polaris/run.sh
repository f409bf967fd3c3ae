#!/usr/bin/env bash
# Sets everything up, then compares Polaris with the seven heuristics of PPoPP'08 on its 29 instances
# and on 50 random ones: DIR/polaris.md, with the results beside it.
# Usage: experiments/polaris/run.sh [DIR]   (default: build/polaris)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../sim/setup.sh"
set_up release starport
experiments=$top/experiments/polaris
out=${1:-$top/build/polaris}
starport() { as_owner "$top/build/release/starport" "$@"; }

# compare SPECIFICATION CLAIMS: its results, then a table; what an earlier run left is replaced.
compare() {
  local results=$out/$1
  [ ! -f "$results/run_info.json" ] || rm -rf "$results"
  starport sweep "$experiments/$1.json" -o "$results" --engine analytic --cross-check 0.1
  starport check "$results/results.csv" --claims "$experiments/$2.json" -o "$results.md"
  awk -F, 'NR > 1 { planning[$2] += $3; runs[$2]++ }
    END { for (name in runs) if (name ~ /Polaris/)
      printf "%s: %.4f s of planning on average\n", name, planning[name] / runs[name] }' \
    "$results/timings.csv" | sort
}

as_owner mkdir -p "$out"
compare sweep claims
compare random random-claims
as_owner sh -c 'cat "$1" "$2" > "$3"' sh "$out/sweep.md" "$out/random.md" "$out/polaris.md"
starport plot "$out/sweep/results.csv" --figure distribution --value times_bound \
  --title "Makespan over the bound on any schedule, 29 instances" -o "$out/times-bound.svg" || true
echo "$out/polaris.md"
