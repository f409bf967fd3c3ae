#!/usr/bin/env bash
# Installs the Debian packages that are missing and builds Starport.
# Usage: sim/setup.sh [PRESET] [PACKAGE...]   (presets: CMakePresets.json; default: release)
# Works as root, through sudo, or as a user who may use sudo. A second call takes seconds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=${1:-release}
packages=(g++ cmake ninja-build pkg-config libsimgrid-dev libboost-program-options-dev
  nlohmann-json3-dev libfmt-dev coinor-libclp-dev libgtest-dev libvalijson-dev "${@:2}")

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
# What is built belongs to whoever owns the checkout, also when root builds it through sudo.
as_owner() {
  local owner
  owner=$(stat -c %U .)
  if [ "$(id -u)" = 0 ] && [ "$owner" != root ] && [ "$owner" != UNKNOWN ]; then
    runuser -u "$owner" -- "$@"
  else
    "$@"
  fi
}

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
{
  if [ ${#missing[@]} -gt 0 ]; then
    echo "Installing ${missing[*]}"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      "${missing[@]}"
  fi
  [ -f "build/$preset/build.ninja" ] || as_owner cmake --preset "$preset"
  as_owner cmake --build --preset "$preset"
} >&2
