#!/usr/bin/env bash
# Runs the tests of stars in a box on the kernel of Debian's user-mode-linux, which has netem and version 2 of control groups.
# Needs user-mode-linux and kmod. Usage: experiments/real/uml.sh [TEST...]
set -euo pipefail
if [ $$ -ne 1 ]; then
  tests=$(printf 'Star.%s,' "$@")
  # The exit status of the kernel is not that of the tests.
  linux.uml mem=3G rootfstype=hostfs rootflags=/ rw con=null con0=fd:0,fd:1 "STAR_TESTS=${*:+$tests}" \
    init="$(realpath "${BASH_SOURCE[0]}")" </dev/null | {
    passed=false
    while IFS= read -r line; do
      echo "$line" >&2
      [[ $line != "tests passed"* ]] || passed=true
    done
    $passed
  }
  exit
fi
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root PYTHONDONTWRITEBYTECODE=1
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t cgroup2 none /sys/fs/cgroup
mkdir -p /dev/shm
for folder in /run /tmp /dev/shm; do mount -t tmpfs tmpfs "$folder"; done
for module in lib/crc-ccitt net/ipv6/ipv6 net/llc/llc net/802/stp net/bridge/bridge drivers/net/veth net/sched/sch_netem \
  net/sched/sch_tbf net/sched/sch_ingress net/sched/cls_u32 net/sched/act_mirred; do
  insmod /usr/lib/uml/modules/*/kernel/$module.ko
done
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if python3 tests/mpi/star_test.py build/release -v ${STAR_TESTS//,/ }; then echo "tests passed"; fi
exec halt -f
