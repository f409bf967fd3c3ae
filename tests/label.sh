#!/usr/bin/env bash
# Prints the label of the tests of a source file: ctest -L "$(tests/label.sh sim/tiles/runtime.cpp)"
set -euo pipefail
case "${1:?usage: tests/label.sh FILE}" in
  heuristics/star/*|heuristics/registry*|heuristics/examples/*) echo heuristics ;;
  heuristics/*/*) cut -d/ -f2 <<<"$1" ;;
  sim/app/*|sim/cli/*) echo cli ;;
  sim/models/star*|sim/simgrid/*) echo star ;;
  sim/models/spmd*) echo spmd ;;
  sim/models/tile*) echo tiles ;;
  plots/*) echo report ;;
  tests/*/*|sim/*/*) cut -d/ -f2 <<<"$1" ;;
  *) echo "$1: no room of its own; run all tests" >&2; exit 1 ;;
esac
