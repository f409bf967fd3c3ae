#!/usr/bin/env bash
# Installs what a wheel is built from in a container of manylinux_2_34 (AlmaLinux 9), whose packages lack most of it or are too
# old. cibuildwheel runs it (pyproject.toml). Not tried: see README.md, "Recipes that are not tried".
set -euo pipefail
dnf install -y --enablerepo=crb boost-devel openssl-devel zlib-devel sqlite-devel ninja-build

# from_source OWNER/NAME TAG [CMAKE OPTION...]
from_source() {
  local source
  source=$(mktemp -d)
  git clone --quiet --depth 1 --branch "$2" "https://github.com/$1" "$source"
  cmake -S "$source" -B "$source/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON "${@:3}"
  cmake --build "$source/build" --target install
}
from_source simgrid/simgrid v3.32 -Denable_documentation=OFF -Denable_smpi=OFF -Denable_python=OFF
from_source fmtlib/fmt 9.1.0 -DFMT_TEST=OFF
from_source nlohmann/json v3.11.2 -DJSON_BuildTests=OFF
from_source SRombauts/SQLiteCpp 3.2.1 -DSQLITECPP_INTERNAL_SQLITE=OFF
from_source tristanpenman/valijson v1.0
from_source rgamble/libcsv master
from_source pybind/pybind11 v2.13.6 -DPYBIND11_TEST=OFF
ldconfig
