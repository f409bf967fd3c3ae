#!/usr/bin/env bash
# Checks that the pages of sim/manual/reference are what reference.py writes now. Usage: reference.sh PROGRAM...
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
written=$(mktemp -d)
trap 'rm -rf "$written"' EXIT
python3 "$top/sim/manual/reference.py" "$written" "$@"
diff -ru "$top/sim/manual/reference" "$written" || {
  echo "sim/manual/reference is out of date: python3 sim/manual/reference.py sim/manual/reference $*" >&2
  exit 1
}
