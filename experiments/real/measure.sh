#!/usr/bin/env bash
# All that the page shows, one after the other, some ten minutes on two cores: run it at rest, with
# starport-mpi and starport-smpi built, and OPENBLAS_CORETYPE as calibrate advises. Tables go into
# build/real and are printed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=build/real
mkdir -p $folder
python3 -B experiments/real/protocol.py
python3 -B experiments/real/comparison.py
python3 -B experiments/real/slowed.py
python3 -B experiments/real/opinions.py | tee $folder/opinions.md
python3 -B experiments/real/shapes.py | tee $folder/shapes.md

# The example of sim/mpi/README.md.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OPENBLAS_NUM_THREADS=1
program=build/release/starport
{
  mpirun --bind-to none -n 2 $program-mpi calibrate --block-sizes 40,80,160 --memory 24MiB \
    -o $folder/here.json
  $program plan $folder/here.json --problem 2560x2560x3840 --heuristics Het -o $folder/schedule.json
  mpirun --bind-to none -n 2 $program-mpi execute $folder/here.json --schedule $folder/schedule.json \
    --trace $folder/run.csv
} 2>&1 | tee $folder/example.txt
