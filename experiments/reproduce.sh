#!/usr/bin/env bash
# Sets everything up, then runs the campaigns of PPoPP'08 and IPDPS'07 again and checks what the two
# papers say: DIR/reproduction.md, with the results, figures and a report beside it.
# Usage: experiments/reproduce.sh [DIR]   (default: build/reproduction)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../sim/setup.sh"
set_up release starport
experiments=$top/experiments
out=${1:-$top/build/reproduction}
starport() { as_owner "$top/build/release/starport" "$@"; }

# sweep PAPER: its results, figures, table and report; what an earlier run left is replaced.
sweep() {
  local paper=$1 results=$out/$1
  [ ! -f "$results/run_info.json" ] || rm -rf "$results"
  starport sweep "$experiments/$paper/sweep.json" -o "$results"
  starport check "$results/results.csv" --claims "$experiments/$paper/claims.json" -o "$out/$paper.md"
  starport report "$results" -o "$out/$paper.html"
}

# figure PAPER NAME KIND CONDITION [OPTION...]
figure() {
  starport plot "$out/$1/results.csv" --figure "$3" --where "$4" -o "$out/$2.svg" "${@:5}"
}

as_owner mkdir -p "$out"
sweep ppopp08
sweep ipdps07
as_owner sh -c 'cat "$1" "$2" > "$3"' sh "$out/ppopp08.md" "$out/ipdps07.md" "$out/reproduction.md"
for kind in cost work; do
  figure ppopp08 "figure-4-$kind" $kind "experiment = 'memory'"
  figure ppopp08 "figure-5-$kind" $kind "experiment = 'links'"
  figure ppopp08 "figure-6-$kind" $kind "experiment = 'computation'"
  figure ppopp08 "figure-7-$kind" $kind "experiment IN ('fully heterogeneous', 'random')"
  figure ppopp08 "figure-8-$kind" $kind "experiment = 'real platform'"
  figure ppopp08 "figure-9-$kind" sorted "heuristic IN ('Het', 'ODDOML', 'BMM')" --value "relative_$kind"
done
figure ipdps07 ipdps07-figure-4 cost "experiment = 'shapes'"
figure ipdps07 ipdps07-figure-5 lines "experiment = 'memory'" --x memory_bytes
echo "$out/reproduction.md: the statements of both papers; the reports: ppopp08.html and ipdps07.html"
