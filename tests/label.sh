#!/usr/bin/env bash
# Prints the label of the tests of a source file: tests/run.sh -L "$(tests/label.sh sim/tiles/runtime.cpp)"
set -euo pipefail
all() { echo "$1: no room of its own; run all tests" >&2; exit 1; }
case "${1:?usage: tests/label.sh FILE}" in
  heuristics/tiles/*|heuristics/spmd/*|heuristics/partition/*) cut -d/ -f2 <<<"$1" ;;
  heuristics/*/*|heuristics/registry*) echo heuristics ;;
  sim/app/*|sim/cli/*) echo cli ;;
  sim/models/star*|sim/simgrid/*) echo star ;;
  sim/models/spmd*) echo spmd ;;
  sim/models/tile*) echo tiles ;;
  plots/*) echo report ;;
  tests/fixtures/*|tests/fuzz/*|tests/headers/*|sim/models/*) all "$1" ;;
  tests/*/*|sim/*/*) cut -d/ -f2 <<<"$1" ;;
  *) all "$1" ;;
esac
