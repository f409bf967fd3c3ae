#!/usr/bin/env bash
# Installs a build into a temporary folder, uses it from there and uninstalls it: run.sh BUILD
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" > "$work/installed"
export PATH=$prefix/bin:$PATH PKG_CONFIG_PATH= CMAKE_GENERATOR=Ninja
cd "$work"  # where there are no platforms

fail() { echo "$*" >&2; exit 1; }
has() { grep -q -- "$1" <<<"$2" || fail "no '$1' in: $2"; }

# The programs find what they come with.
has "^Het " "$(starport run platforms/first-try.json --problem 800x800x800)"
has "a valid sweep" "$(starport validate experiments/polaris/sweep.json)"
has "there is no such file" "$(starport validate platforms/none.json 2>&1 || true)"

[ -f "$prefix/share/doc/starport/heuristics/PROTOCOL.md" ] || fail "no pages"

# find_package, for a program and a heuristic.
cmake -S "$here/consumer" -B made -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug > configured ||
  fail "$(cat configured)"
cmake --build made > built || fail "$(cat built)"
has "^ODDOML " "$(made/consumer "$prefix/share/starport/platforms/first-try.json")"
has "^Scarce " "$(starport run platforms/first-try.json --problem 800x800x800 \
  --plugin made/libscarce.so --heuristics Scarce,Het)"

# pkg-config, which gives what that was compiled and linked with.
pc=$(find "$prefix" -name starport.pc)
flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs starport)
[ -f "$(sed -n 's/.*-I\([^ ]*\).*/\1/p' <<<"$flags")/heuristics/external/plugin.hpp" ] || fail "$flags"
# shellcheck disable=SC2086
"${CXX:-c++}" made/CMakeFiles/consumer.dir/main.cpp.o $flags -o linked || fail "$flags"

# starport_gemm(), from C.
if [ -f "$prefix/include/starport/starport_gemm.h" ]; then
  read -ra gemm <<<"$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs starport-gemm)"
  mpicc -Wall -Wextra -pedantic "$prefix/share/starport/sim/mpi/examples/gemm.c" "${gemm[@]}" -o gemm
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  has "C\[0\]\[0\] is 200, " \
    "$(LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name libstarport-gemm.so)") mpirun --oversubscribe \
    --bind-to none -n 4 ./gemm "$prefix/share/starport/platforms/first-try.json" 200)"
fi

# The policies for StarPU, from C: on two CPUs, whose models are not worth the time.
if [ -f "$prefix/include/starport/starport_starpu.h" ]; then
  read -ra starpu <<<"$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs starport-starpu)"
  cc -Wall -Wextra "$prefix/share/starport/sim/starpu/examples/gemm.c" "${starpu[@]}" -lOpenCL -o tiles
  has "3 x 3 x 3 tiles of 8: 0 wrong elements" \
    "$(LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name libstarport-starpu.so)") STARPU_HOME=$PWD STARPU_NCPU=2 \
    STARPU_NOPENCL=0 ./tiles 3 8 EffectiveSteal 2>&1)"
fi

[ -d "$prefix/share/man" ] || { echo "no Python: no manual pages, no completion"; exit 0; }
# Every option is in its manual page, and completion knows it.
for command in run sweep plot calibrate; do
  page=$(gzip -dc "$prefix/share/man/man1/starport-$command.1.gz" | sed 's/\\-/-/g')
  for option in $(starport $command --help | grep -o '^ .*--[a-z-]*' | grep -o -- '--[a-z-]*'); do
    has "fB$option" "$page"
  done
done
has 'starport-validate' "$(gzip -dc "$prefix/share/man/man1/starport.1.gz" | sed 's/\\-/-/g')"
source "$prefix/share/bash-completion/completions/starport"
compopt() { :; }  # for the line being typed: there is none
completed() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _starport
  echo "${COMPREPLY[*]}"
}
[ "$(completed starport vali)" = validate ] || fail "commands"
[ "$(completed starport run x.json --prob)" = --problem ] || fail "options"
[ "$(completed starport run x.json --engine an)" = analytic ] || fail "values"
[ "$(completed starport run x.json --heuristics Het,ODDOM)" = Het,ODDOML ] || fail "heuristics"
[ "$(completed starport run ma)" = made ] || fail "files"
[ "$(completed starport list Polar)" = Polaris ] || fail "heuristics of list"
if command -v zsh > zsh_path; then zsh -n "$prefix/share/zsh/site-functions/_starport"; fi

cmake --build "$build" --target uninstall > uninstalled || fail "$(cat uninstalled)"
[ ! -e "$prefix" ] || fail "left after uninstalling: $(find "$prefix")"
