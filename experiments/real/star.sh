#!/usr/bin/env bash
# Builds the star of a platform file on this machine, from network namespaces, then measures it, predicts, runs for real
# and compares. Usage and options: ./star.sh --help
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../sim/setup.sh"
set_up release starport iproute2
set_up release starport-mpi
exec python3 -B "$top/experiments/real/star.py" --build "$top/build/release" "$@"
