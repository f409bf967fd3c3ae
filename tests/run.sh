#!/usr/bin/env bash
# Sets everything up, then runs the tests. Arguments go to ctest: `-R Validator`; `-L tiles` builds and runs the tests of
# one room only, and tests/label.sh names the label of a file.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../sim/setup.sh"
target=all
if [ "${1:-}" = -L ] && [ -d "$top/tests/${2:-}" ]; then
  compgen -G "$top/tests/$2/*_test.cpp" >/dev/null && target=starport_tests_$2
  set -- -L "^$2\$" "${@:3}"  # star, but not starpu
fi
set_up release "$target" parallel procps chromium chromium-driver librsvg2-bin poppler-utils
as_owner ctest --test-dir "$top/build/release" --output-on-failure -j $(($(nproc) + 2)) "$@"
