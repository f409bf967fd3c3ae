# Sourced by the scripts that people run: installs the Debian packages that are missing and builds.
# Works as root, through sudo, or as a user who may use sudo. A second call takes seconds.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
packages=(g++ cmake ninja-build pkg-config libsimgrid-dev libboost-program-options-dev
  nlohmann-json3-dev libfmt-dev libcsv-dev libsqlitecpp-dev libssl-dev zlib1g-dev libxxhash-dev libhdf5-dev
  libcpp-httplib-dev
  python3-matplotlib fonts-liberation libgtest-dev libvalijson-dev
  libopenblas-dev libopenmpi-dev openmpi-bin python3-dev pybind11-dev)

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# What is built belongs to whoever owns the checkout, also when root builds it through sudo.
as_owner() {
  local owner
  owner=$(stat -c %U "$top")
  if [ "$(id -u)" = 0 ] && [ "$owner" != root ] && [ "$owner" != UNKNOWN ]; then
    runuser -u "$owner" -- "$@"
  else
    "$@"
  fi
}

install_missing() {
  local package status missing=()
  for package in "$@"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "Installing ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}"
  has_installed=yes
}

# set_up PRESET TARGET [PACKAGE...]: a preset of CMakePresets.json, what to build of it, and packages
# beside those that every build needs. Prints on stderr only.
set_up() {
  local preset=$1 target=$2
  (
    has_installed=no  # what an earlier configuration has not found may be there now
    install_missing "${packages[@]}" "${@:3}"
    cd "$top"
    [ -f "build/$preset/build.ninja" ] && [ $has_installed = no ] || as_owner cmake --preset "$preset"
    as_owner cmake --build --preset "$preset" --target "$target"
  ) >&2
}
