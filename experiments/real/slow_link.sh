#!/usr/bin/env bash
# A link that falls to a fifth of its rate during the run, both ways, on a star in a box of two workers: Het, ODDOML and
# Adaptive, without and with it, for real and in the model. Usage: experiments/real/slow_link.sh [REPETITIONS]
set -euo pipefail
heuristics=(Het ODDOML Adaptive)
problem=480x480x960
full="66700kbit burst 3200 limit 64m" fifth="13340kbit burst 3200 limit 64m"  # for 8 MB/s of payload

# set_rate RATE...: of the link of worker 2
set_rate() {
  on switch tc qdisc change dev w2 root handle 1: tbf rate "$@"
  on w2 tc qdisc change dev eth0 root handle 1: tbf rate "$@"
}

# A worker's link carries this many bytes before it is slowed down: a fifth of its blocks.
slow_down='sent() { while read -r name rest; do [ $name != w2: ] || { set -- $rest; echo $9; }; done </proc/net/dev; }
  begin=$(sent); echo >"$1"; until [ $(sent) -gt $((begin + 2000000)) ]; do sleep 0.02; done
  tc qdisc change dev w2 root handle 1: tbf rate '$fifth

# real HEURISTIC slow|steady: the makespan
real() {
  local ready watcher=
  ready=$(mktemp -u)
  set_rate $full
  if [ "$2" = slow ]; then
    on switch "set -- $ready; $slow_down" &
    watcher=$!
    until [ -e "$ready" ]; do sleep 0.02; done
    rm "$ready"
  fi
  local status=0
  mpirun -n 3 starport-mpi execute "$platform" --problem $problem --heuristics "$1" --json |
    python3 -c 'import json, sys; print("%.2f" % json.load(sys.stdin)["results"][0]["real"]["makespan_s"])' || status=$?
  [ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true  # it ends by itself once it has slowed the link down
  return $status
}

# model HEURISTIC [OPTION...]: the makespan
model() {
  starport run "$platform" --problem $problem --heuristics "$1" --engine analytic --json "${@:2}" |
    python3 -c 'import json, sys; print("%.2f" % json.load(sys.stdin)["results"][0]["makespan_s"])'
}

if [ -n "${STARPORT_STAR:-}" ]; then
  platform=$1
  echo "| heuristic | model (s) | real (s) | model, slowed down (s) | real, slowed down (s) |"
  echo "| --- | ---: | ---: | ---: | ---: |"
  for ((n = 0; n < $2; ++n)); do
    for heuristic in "${heuristics[@]}"; do
      modelled=$(model "$heuristic")
      steady=$(real "$heuristic" steady)
      modelled_slow=$(model "$heuristic" --noise slow_link=2@0.5:x5)
      slow=$(real "$heuristic" slow)
      echo "| $heuristic | $modelled | $steady | $modelled_slow | $slow |"
    done
  done
  exit
fi
source "$(dirname "${BASH_SOURCE[0]}")/../../sim/setup.sh"
platform=$(mktemp --suffix=.json)
trap 'rm -f "$platform"' EXIT
cat >"$platform" <<'END'
{"schema_version": 1, "name": "two links", "block_size": 40, "workers": [{"count": 2, "c_s": 0.0016, "w_s": 8e-4, "m_blocks": 60}]}
END
"$top/experiments/real/star.sh" "$platform" -- "$top/experiments/real/slow_link.sh" "$platform" "${1:-3}"
