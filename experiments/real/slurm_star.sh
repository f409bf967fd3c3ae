#!/usr/bin/env bash
# Runs `starport-mpi execute` as a job of Slurm on a star in a box: a controller on the master, a daemon on each node.
# Needs root, slurm-wlm and munge. Usage: experiments/real/slurm_star.sh PLATFORM [OPTION of execute...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${STARPORT_STAR:-}
if [ -z "$folder" ]; then
  platform=$(realpath -e "${1:?expected the path of a platform file}")
  exec "$here/star.sh" "$platform" -- "$here/slurm_star.sh" "$platform" "${@:2}"
fi
nodes=$(awk '{print $1}' "$folder/hostfile")
mkdir -m 755 "$folder/munge"
mkdir "$folder/state"
head -c 1024 /dev/urandom >"$folder/munge/key"
chmod 600 "$folder/munge/key"
munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
  --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
export SLURM_CONF=$folder/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=star
SlurmctldHost=master
SlurmUser=root
AuthInfo=socket=$folder/munge/socket
StateSaveLocation=$folder/state
SlurmctldPidFile=$folder/slurmctld.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdSpoolDir=$folder/%n
SlurmdPidFile=$folder/%n.pid
SlurmdLogFile=$folder/%n.log
TmpFS=$folder/%n.tmp
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
TaskProlog=$folder/prolog
PartitionName=star Nodes=ALL Default=YES
$(printf 'NodeName=%s\n' $nodes)
END
echo CgroupPlugin=cgroup/v1 >"$folder/cgroup.conf" # nothing uses it; version 2 needs systemd
# What it prints becomes a part of a task's environment: the control group and the update time that make its node slow.
printf '#!/bin/sh\ncat "%s/$(hostname).tmp/group"\n' "$folder" >"$folder/prolog"
chmod +x "$folder/prolog"
slurmctld
for node in $nodes; do
  mkdir "$folder/$node" "$folder/$node.tmp"
  on "$node" "env | sed -nE 's/^STARPORT_(COMPUTING_GROUP|UPDATE_TIME)=/export &/p' >$folder/$node.tmp/group; slurmd"
done
# mpirun's own way to start ranks is not Slurm's.
unset OMPI_MCA_plm OMPI_MCA_plm_rsh_agent OMPI_MCA_orte_default_hostfile
cd "$here/../.."
# Rank 0 runs on the first node in the order of the configuration, the master.
sbatch --wait --quiet --nodes="$(wc -w <<<"$nodes")" --ntasks-per-node=1 --output="$folder/job.log" \
  experiments/real/slurm.sbatch "$@" || { tail -n 20 "$folder"/*.log >&2; exit 1; }
cat "$folder/job.log"
