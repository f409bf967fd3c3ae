#!/usr/bin/env bash
# Sets everything up, then runs the campaigns of PPoPP'08, IPDPS'07, HeteroPar'12, HCW'06 and ICPP'18 again and
# checks what the papers say: DIR/reproduction.md, with the results, figures and reports beside it, and DIR/fitted.md.
# Usage: experiments/reproduce.sh [DIR]   (default: build/reproduction)
set -euo pipefail
if [[ ${1:-} = -* ]]; then
  sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}"
  [[ $1 = -h || $1 = --help ]]; exit
fi
source "$(dirname "${BASH_SOURCE[0]}")/../sim/setup.sh"
set_up release starport
experiments=$top/experiments
out=${1:-$top/build/reproduction}
starport() { as_owner "$top/build/release/starport" "$@"; }

# sweep PAPER [OPTION...]: its results, figures, table and report; what an earlier run left is replaced.
sweep() {
  local paper=$1 results=$out/$1
  [ ! -f "$results/run_info.json" ] || rm -rf "$results"
  starport sweep "$experiments/$paper/sweep.json" -o "$results" "${@:2}"
  starport check "$results/results.csv" --claims "$experiments/$paper/claims.json" -o "$out/$paper.md"
  starport report "$results" -o "$out/$paper.html"
}

# figure PAPER NAME KIND CONDITION [OPTION...]
figure() {
  starport plot "$out/$1/results.csv" --figure "$3" --where "$4" -o "$out/$2.svg" "${@:5}"
}

# draw PLATFORM PROBLEM HEURISTIC NAME: who computes which part of C.
draw() {
  starport plan "$top/platforms/$1" --problem "$2" --heuristics "$3" -o "$out/$4.svg"
}

as_owner mkdir -p "$out"
sweep ppopp08
sweep ipdps07
sweep heteropar12 --engine analytic
sweep hcw06 --engine analytic --cross-check 0.1
sweep icpp18 --engine analytic --cross-check 0.01
as_owner "$experiments/fitted.sh" "$top/build/release/starport" "$out/fitted"
as_owner sh -c 'cd "$1"; cp fitted/fitted.md .; cat ppopp08.md ipdps07.md heteropar12.md hcw06.md icpp18.md > reproduction.md' sh "$out"
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

figure heteropar12 heteropar12-figure-3 lines "experiment = 'speed functions'" \
  --x r --value speed_tflops --series platform --log y --size 17x8
figure heteropar12 heteropar12-figure-4 lines "experiment = 'block size'" \
  --x block_size --value speed_tflops --series problem --log x --size 17x7
figure heteropar12 heteropar12-figure-5 lines "experiment = '90 nodes'" --x r --value speed_tflops
draw grid5000-90.json 75008 FPM heteropar12-partition
draw two-processors.json 6500 SquareCorner hcw06-figure-3
tiles() {
  figure icpp18 "icpp18-figure-$1" tradeoff "experiment = 'sirocco' AND heuristic IN ($2)"
}
tiles 3 "'DMDA', 'ChoiceDyn', 'ChoiceDyn[x=50]', 'EffectiveDyn'"
tiles 4 "'Static', 'RandSteal', 'ChoiceSteal', 'EffectiveSteal', 'Static[rounding=PRECISE]', 'RandSteal[rounding=PRECISE]', 'ChoiceSteal[rounding=PRECISE]', 'EffectiveSteal[rounding=PRECISE]'"
tiles 5 "'Static', 'EffectiveSteal', 'Static[rounding=PRECISE]', 'EffectiveSteal[rounding=PRECISE]'"
tiles 6 "'Static', 'EffectiveSteal', 'EffectiveSteal[partition=NRRP3D]', 'Static[partition=NRRP3D,redux=yes]', 'EffectiveSteal[partition=NRRP3D,redux=yes]'"
tiles 7 "'DMDA', 'ChoiceDyn[x=50]', 'Static', 'EffectiveSteal'"
figure icpp18 icpp18-figure-8 tradeoff "experiment = 'mirage'"
figure icpp18 icpp18-figure-9 tradeoff "experiment IN ('sirocco', 'without CPUs') AND heuristic IN ('DMDA', 'ChoiceDyn[x=50]', 'EffectiveDyn', 'Static', 'EffectiveSteal')"
narrow="experiment = 'ratios' AND bandwidth_bytes_per_s = 10e6"    # 80 Mb/s
wide="experiment = 'ratios' AND bandwidth_bytes_per_s = 47.5e6"    # 380 Mb/s
both="heuristic <> 'Sequential'"
figure hcw06 hcw06-figure-4 lines "$narrow AND $both" --x ratio --value elements_moved
figure hcw06 hcw06-figure-5 lines "$narrow AND $both" --x ratio --value half_perimeter_ratio
figure hcw06 hcw06-figure-6 lines "$narrow AND $both" --x ratio --value communication_s
figure hcw06 hcw06-figure-7 lines "$wide AND $both" --x ratio --value communication_s
figure hcw06 hcw06-figure-8 lines "$narrow" --x ratio
figure hcw06 hcw06-figure-9 lines "$wide" --x ratio
echo "$out/reproduction.md: the statements of the papers; the reports: ppopp08.html, ipdps07.html," \
  "heteropar12.html, hcw06.html and icpp18.html"
