#!/usr/bin/env bash
# What fitted calibrations, other random platforms and noise make of the statements of PPoPP'08 and IPDPS'07:
# DIR/fitted.md, with all that it rests on beside it. Some minutes of two cores. reproduce.sh calls it.
# A second call goes on where the first was stopped.
# Usage: experiments/fitted.sh STARPORT DIR [JOBS]
set -euo pipefail
program=$1 out=$2 jobs=${3:-$(nproc)}
experiments=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
as_they_were=ppopp08/claims.json
fair=ppopp08/fair/claims.json
mkdir -p "$out"

# ran PAPER SPECIFICATION: DIR/PAPER-SPECIFICATION
ran() {
  rm -rf "$out/$1-$2"
  "$program" sweep "$experiments/$1/$2.json" -o "$out/$1-$2" --engine analytic
}

# answers FILE REPORT COMMAND...: goes on with the file, or makes it again if it is of another input.
answers() {
  local options=(-o "$1" -j "$jobs" --resume) report=$2
  shift 2
  "$program" "$@" "${options[@]}" > "$report" 2> "$report.err" && return
  rm -f "${options[1]}"
  "$program" "$@" "${options[@]}" > "$report"
}

# tried PAPER CLAIMS NAME: calibrations, DIR/fit-NAME.csv; the best is fit-NAME.json, what was found fit-NAME.md.
tried() {
  answers "$out/fit-$3.csv" "$out/fit-$3.md" fit "$experiments/$1/sweep.json" --claims "$experiments/$2" \
    --best "$out/fit-$3.json"
}

# varied SPECIFICATION CLAIMS NAME OPTION...: campaigns of PPoPP'08, DIR/NAME.csv and NAME.md
varied() {
  answers "$out/$3.csv" "$out/$3.md" vary "$experiments/ppopp08/$1.json" --claims "$experiments/$2" "${@:4}"
}

# count NAME: how many statements hold in the campaigns
count() { sed -n 3p "$out/$1.md"; }

# judged HEADING RESULTS CLAIMS FIT [DRAWS]: a table of fitted.md
judged() {
  printf '\n# %s\n\n' "$1"
  "$program" check "$out/$2/results.csv" --claims "$experiments/$3" --tried "$out/fit-$4.csv" \
    ${5:+--draws "$out/$5.csv"} --without-reasons
}

tried ppopp08 $as_they_were ppopp08
tried ppopp08 $fair fair
tried ipdps07 ipdps07/claims.json ipdps07
ran ipdps07 fitted
for calibration in sweep fitted; do
  ran ppopp08 $calibration
  varied $calibration $as_they_were draws-$calibration --platforms
  varied $calibration $fair fair-draws-$calibration --platforms
  varied $calibration $as_they_were within-$calibration --campaigns 100 --within 0.02
  varied $calibration $as_they_were runs-$calibration --campaigns 100 --runs 0.06
done
{
  echo "What [ppopp08/README.md](ppopp08/README.md) explains, as \`experiments/fitted.sh\` wrote it. \"Of N calibrations\":"
  echo "in how many of those that \`starport fit\` tried a statement holds."
  for calibration in sweep fitted; do
    printf '\nPPoPP'\''08, `%s.json`, statements as they were:\n\n' $calibration
    echo "- other random platforms: $(count draws-$calibration)"
    echo "- bandwidth, speed and memory within 2%: $(count within-$calibration)"
    echo "- runs of the same up to 6% apart: $(count runs-$calibration)"
  done
  judged "As it is, statements as they were" ppopp08-sweep $as_they_were ppopp08 draws-sweep
  judged "Fitted, statements as they were" ppopp08-fitted $as_they_were ppopp08 draws-fitted
  judged "As it is, fair statements" ppopp08-sweep $fair fair fair-draws-sweep
  judged "Fitted, fair statements" ppopp08-fitted $fair fair fair-draws-fitted
  judged "IPDPS'07, fitted" ipdps07-fitted ipdps07/claims.json ipdps07
} > "$out/fitted.md"
