#!/usr/bin/env bash
# Fuzzes the readers of files: tests/fuzz/run.sh [SECONDS [PRESET [READER...]]], so many seconds each
# (10), with a preset that has STARPORT_FUZZ (fuzz), all of them. What is found stays, as the corpus
# does, in build/PRESET/fuzz; what a later run starts from.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../sim/setup.sh"
seconds=${1:-10} preset=${2:-fuzz}
set_up "$preset" starport_fuzz clang-14 libclang-rt-14-dev
program=$top/build/$preset/tests/fuzz/starport_fuzz
work=$top/build/$preset/fuzz
readers=("${@:3}")
[ ${#readers[@]} -gt 0 ] || mapfile -t readers < <("$program" --reader=)

# seed READER FILE...: what the program ships is where the fuzzer starts.
seed() {
  mkdir -p "$work/seeds/$1"
  cp "${@:2}" "$work/seeds/$1"
}
for reader in "${readers[@]}"; do mkdir -p "$work/corpus/$reader" "$work/seeds/$reader"; done
cp -r "$top"/tests/fuzz/corpus/. "$work/seeds"
seed platform "$top"/platforms/*.json
seed schedule "$top"/tests/fixtures/*.json
for file in "$top"/experiments/*/*.json; do
  name=$(basename "$(dirname "$file")")-$(basename "$file")
  case $file in
    *claims.json) mkdir -p "$work/seeds/claims" && cp "$file" "$work/seeds/claims/$name" ;;
    *schema.json) ;;
    *) sed "s#\"\.\./\.\./platforms#\"$top/platforms#" "$file" >"$work/seeds/specification/$name" ;;
  esac
done
# The words of the formats.
grep -ohE '"[A-Za-z_$]+"' "$top"/platforms/*.schema.json "$top"/experiments/*.schema.json \
  "$top"/experiments/*/claims.json "$top"/tests/fixtures/*.json | sort -u |
  sed 's/"\(.*\)"/"\\"\1\\""/' >"$work/words.dict"
printf '"%s"\n' MBps Mbps GiBps Gf MiB us inf nan 1e308 -0 18446744073709551616 \
  schema_version samples slow_link= slow_compute= stop= seed= cv= @ :x % >>"$work/words.dict"

fuzz() {
  "$program" --reader="$1" -max_total_time="$seconds" -dict="$work/words.dict" -timeout=60 \
    -rss_limit_mb=4096 -max_len=20000 -artifact_prefix="$work/found-$1-" -print_final_stats=1 -print_funcs=0 -verbosity=0 \
    "$work/corpus/$1" "$work/seeds/$1" >"$work/$1.log" 2>&1 && return
  tail -40 "$work/$1.log" && return 1
}
export -f fuzz
export program work seconds
status=0
printf '%s\0' "${readers[@]}" | xargs -0 -P "${FUZZ_JOBS:-$(nproc)}" -I{} bash -c 'fuzz {}' || status=1
total=0
for reader in "${readers[@]}"; do
  count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$reader.log")
  printf '%-15s %12s inputs\n' "$reader" "${count:-found}"
  total=$((total + ${count:-0}))
done
printf '%-15s %12s inputs\n' all "$total"
exit $status
