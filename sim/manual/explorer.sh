#!/usr/bin/env bash
# Draws the pictures of the explorer: sim/manual/explorer.png for the manual, explorer-cluster.png for README.md and the
# tutorial, on the platform of both. Needs `starport` in PATH, and chromium.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# draw NAME HEIGHT ARGUMENT...: draws the upper part of the page, so high, that `starport explore ARGUMENT...` exports.
draw() {
  starport explore "${@:3}" --export "$folder/page.html"
  chromium --headless=new --no-sandbox --hide-scrollbars --window-size="1300,$2" --virtual-time-budget=10000 \
    --screenshot="$PWD/sim/manual/$1.png" "file://$folder/page.html"
  rm "$folder/page.html"
}

sed -n '/^    {"schema_version".*"my cluster"/,/^$/p' README.md > "$folder/cluster.json"
draw explorer 2110 platforms/ppopp08-memory.json --problem 8000x8000x64000
draw explorer-cluster 1050 "$folder/cluster.json" --problem 40000 --block-size 640
