#!/usr/bin/env bash
# Sets everything up, then measures this machine, predicts, runs for real and compares. Arguments go
# to protocol.py: ./run.sh --help
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../sim/setup.sh"
set_up release starport-mpi
exec python3 -B "$top/experiments/real/protocol.py" --program "$top/build/release/starport-mpi" "$@"
