#!/usr/bin/env bash
# Runs the tests of code with threads under ThreadSanitizer: Het's planning, the processes that a thread kills,
# the computing thread of real runs, starport_gemm in a thread. Fails if two threads access the same
# memory without order. MPI and BLAS are not instrumented: races inside them are not found.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../sim/setup.sh"
programs=(starport_tests_heuristics starport_tests_process starport_tests_mpi)
for program in "${programs[@]}"; do set_up tsan "$program"; done
reports=$top/build/tsan/reports
rm -rf "$reports"
mkdir -p "$reports"
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 log_path=$reports/race second_deadlock_stack=1"
export GTEST_BRIEF=1 OPENBLAS_NUM_THREADS=1
status=0
run() { "$top/build/tsan/tests/starport_tests_$1" --gtest_filter="$2" || status=1; }
run heuristics '*Threads*'
run process 'Isolation.*'
run mpi 'Gemm.*:Mpi.WithoutEmulation*:Mpi.LateC*:Wakeup.*'
if [ -n "$(ls -A "$reports")" ]; then
  cat "$reports"/*
  exit 1
fi
[ $status = 0 ] || exit 1
echo "no data race"
