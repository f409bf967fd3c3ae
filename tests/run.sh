#!/usr/bin/env bash
# Sets everything up, then runs the tests. Arguments go to ctest, such as -R Validator.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$top/sim/setup.sh" release
exec ctest --test-dir "$top/build/release" --output-on-failure -j "$(nproc)" "$@"
