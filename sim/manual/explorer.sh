#!/usr/bin/env bash
# Draws the picture of the explorer for the manual, sim/manual/explorer.png. Needs `starport` in PATH, and chromium.
set -euo pipefail
page=$(mktemp --suffix .html)
trap 'rm -f "$page"' EXIT
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
starport explore platforms/ppopp08-memory.json --problem 8000x8000x64000 --export "$page"
chromium --headless=new --no-sandbox --hide-scrollbars --window-size=1200,1330 --virtual-time-budget=10000 \
  --screenshot="$PWD/sim/manual/explorer.png" "file://$page"
