#!/usr/bin/env bash
# Sets everything up, then searches for the worst case of each of the seven heuristics of PPoPP'08 and of Polaris
# against each other one and against the lower bound. Writes table.json, heat-map.svg, instances.md and a platform file
# for each instance to DIR. Takes less than a minute on two processors.
# Usage: experiments/worst/run.sh [DIR] [OPTION...]   (default: build/worst; options are those of starport worst)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../sim/setup.sh"
set_up release starport
out=${1:-$top/build/worst}
shift || true
starport() { as_owner "$top/build/release/starport" "$@"; }

as_owner mkdir -p "$out"
starport worst --table --json "$@" | as_owner tee "$out/table.json" >/dev/null
as_owner "$top/experiments/worst/table.py" "$out/table.json" "$out"
echo "the table is in $out"
