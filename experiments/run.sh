#!/usr/bin/env bash
# Sets everything up, then runs `starport run` with the arguments given here. Without arguments:
# the heuristics of PPoPP'08 and Polaris on its memory-heterogeneous platform, its smallest product.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../sim/setup.sh"
set_up release starport
if [ $# -eq 0 ]; then
  set -- "$top/platforms/ppopp08-memory.json" --problem 8000x8000x64000
fi
exec "$top/build/release/starport" run "$@"
