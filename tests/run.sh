#!/usr/bin/env bash
# Sets everything up, then runs the tests. Arguments go to ctest, such as -R Validator.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../sim/setup.sh"
set_up release all parallel procps chromium chromium-driver librsvg2-bin poppler-utils
as_owner ctest --test-dir "$top/build/release" --output-on-failure -j $(($(nproc) + 1)) "$@"
