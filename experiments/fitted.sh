#!/usr/bin/env bash
# Writes DIR/fitted.md: how many statements of PPoPP'08 and IPDPS'07 hold under fitted calibrations, other random
# platforms and noise. DIR also receives the results it is computed from. Takes a quarter of an hour of one core.
# reproduce.sh calls it. A second call resumes where the first one was stopped.
# Usage: experiments/fitted.sh STARPORT DIR [JOBS]
set -euo pipefail
program=$(realpath "$(type -P "$1")")
out=$2 jobs=${3:-$(nproc)}
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
  if ! grep -Eq 'campaigns of another input|the columns that this input gives' "$report.err"; then
    cat "$report.err" >&2
    exit 1
  fi
  rm -f "${options[1]}"
  "$program" "$@" "${options[@]}" > "$report"
}

# tried PAPER CLAIMS NAME OPTION...: calibrations, DIR/fit-NAME.csv; the best is fit-NAME.json, what was found fit-NAME.md.
tried() {
  answers "$out/fit-$3.csv" "$out/fit-$3.md" fit "$experiments/$1/sweep.json" --claims "$experiments/$2" \
    --best "$out/fit-$3.json" "${@:4}"
}

# varied PAPER/SPECIFICATION CLAIMS NAME OPTION...: campaigns, DIR/NAME.csv and NAME.md
varied() {
  answers "$out/$3.csv" "$out/$3.md" fit "$experiments/$1.json" --claims "$experiments/$2" "${@:4}"
}

# count NAME: how many statements hold in the campaigns
count() { sed -n 3p "$out/$1.md"; }

# judged HEADING PAPER-SPECIFICATION CLAIMS FIT [DRAWS]: a table of fitted.md, and what writes it
judged() {
  local options=(--tried "fit-$4.csv" ${5:+--draws "$5.csv"} --without-reasons)
  printf '\n# %s\n\n    starport check %s/results.csv --claims %s %s\n\n' "$1" "$2" "$3" "${options[*]}"
  (cd "$out" && "$program" check "$2/results.csv" --claims "$experiments/$3" "${options[@]}")
}

# best NAME CLAIMS: how many statements hold in the best calibration found, unrounded, by 1000 draws
best() {
  rm -rf "$out/best-$1"
  "$program" sweep "$out/fit-$1.json" -o "$out/best-$1" --engine analytic > /dev/null
  answers "$out/best-$1.csv" "$out/best-$1.md" fit "$out/fit-$1.json" --claims "$experiments/$2" --platforms
  "$program" check "$out/best-$1/results.csv" --claims "$experiments/$2" --draws "$out/best-$1.csv" --without-reasons |
    sed -n 3p
}

# read_otherwise HEADING PAPER/SPECIFICATION CLAIMS NAME: what each reading changes
read_otherwise() {
  varied "$2" "$3" "$4" --readings
  printf '\n# %s\n\n    starport fit %s.json --claims %s --readings -o %s.csv\n\n' "$@"
  sed 1,2d "$out/$4.md"
}

tried ppopp08 $as_they_were ppopp08
tried ppopp08 $fair fair --refinements 500
tried ipdps07 ipdps07/claims.json ipdps07 --draws 500 --refinements 500
ran ipdps07 fitted
for calibration in sweep fitted; do
  ran ppopp08 $calibration
  varied ppopp08/$calibration $as_they_were draws-$calibration --platforms
  varied ppopp08/$calibration $fair fair-draws-$calibration --platforms
  varied ppopp08/$calibration $as_they_were within-$calibration --within 0.02
  varied ppopp08/$calibration $as_they_were runs-$calibration --runs 0.06
done
varied ppopp08/fitted $as_they_were draws-exact --platforms --reading Het_clock=exact
# No speed S of its own for Figures 6 and 7: a product computed again takes a fifth of the first time.
same_speed='{"field": "speed", "multiply": [0.9524]}, {"field": "speed", "repeat": [0.2], "of": "1.3Gf"}'
sed -e "s#\.\./\.\./platforms#$experiments/../platforms#g" -e "s/{\"field\": \"speed\", \"multiply\": .*}/$same_speed/" \
  "$experiments/ppopp08/fitted.json" > "$out/repeated.json"
answers "$out/draws-repeated.csv" "$out/draws-repeated.md" fit "$out/repeated.json" \
  --claims "$experiments/$as_they_were" --platforms
{
  echo "How many statements of PPoPP'08 and IPDPS'07 hold under fitted calibrations, other random platforms and other readings;"
  echo "written by \`experiments/fitted.sh\`, explained in [ppopp08/README.md](ppopp08/README.md). The commands name results and answers"
  echo "in the folder given to that script, and specifications and statements in this folder. The last column of the tables counts the"
  echo "calibrations and readings in which a statement holds, of those that \`starport fit SPECIFICATION --claims FILE -o fit-NAME.csv\`"
  echo "tried."
  for calibration in sweep fitted; do
    printf '\nPPoPP'\''08, `%s.json`, statements as they were, each over 1000 campaigns (`starport fit`):\n\n' $calibration
    echo "- other random platforms (\`--platforms\`): $(count draws-$calibration)"
    echo "- bandwidth, speed and memory within 2% (\`--within 0.02\`): $(count within-$calibration)"
    echo "- runs of the same up to 6% apart (\`--runs 0.06\`): $(count runs-$calibration)"
    if [ $calibration = fitted ]; then
      echo "- other random platforms, S as in the other figures, 1.3 Gflop/s, and each repetition of a product a fifth as long"
      echo "  as the first time (\`repeated.json\`): $(count draws-repeated)"
      echo "- other random platforms, Het planned by the exact clock (\`--platforms --reading Het_clock=exact\`):"
      echo "  $(count draws-exact) Of Figure 7's twelve, $(grep Figure.7 "$out/draws-exact.md" | grep -Evc '\| [0-4](\.[0-9]+)?% \|') do."
    fi
  done
  printf '\nThe best calibration that each fit found, unrounded, judged by 1000 draws (`starport check --draws`):\n\n'
  echo "- statements as they were (\`fit-ppopp08.json\`): $(best ppopp08 $as_they_were)"
  echo "- fair ones (\`fit-fair.json\`): $(best fair $fair)"
  judged "As it is, statements as they were" ppopp08-sweep $as_they_were ppopp08 draws-sweep
  judged "Fitted, statements as they were" ppopp08-fitted $as_they_were ppopp08 draws-fitted
  judged "As it is, fair statements" ppopp08-sweep $fair fair fair-draws-sweep
  judged "Fitted, fair statements" ppopp08-fitted $fair fair fair-draws-fitted
  judged "IPDPS'07, fitted" ipdps07-fitted ipdps07/claims.json ipdps07
  read_otherwise "Readings, as it is" ppopp08/sweep $as_they_were readings-sweep
  read_otherwise "Readings, fitted" ppopp08/fitted $as_they_were readings-fitted
  read_otherwise "Readings, fair statements, fitted" ppopp08/fitted $fair fair-readings-fitted
  read_otherwise "Readings, IPDPS'07" ipdps07/sweep ipdps07/claims.json readings-ipdps07
} > "$out/fitted.md"
