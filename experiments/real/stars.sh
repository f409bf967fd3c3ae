#!/usr/bin/env bash
# Sets everything up, then runs the campaign of stars.py. Options: ./stars.sh --help
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../sim/setup.sh"
set_up release starport iproute2
set_up release starport-mpi
exec python3 -B "$top/experiments/real/stars.py" --build "$top/build/release" "$@"
