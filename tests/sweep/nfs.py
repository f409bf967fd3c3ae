#!/usr/bin/env python3
"""Tests of sweeps in one directory of an NFS server, by two hosts. No part of ctest.

The server and both hosts are kernels of Debian's user-mode-linux, joined by socket pairs: no packet
reaches a network, and the file system of this machine is mounted read-only. Needs root and the
packages user-mode-linux, kmod, iproute2, e2fsprogs, nfs-kernel-server, nfs-common and rpcbind; exits
with status 77 where something is missing. Takes ten minutes.

Usage: nfs.py BUILD_FOLDER [TEST...] [options of unittest]"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = ("linux.uml", "modprobe", "ip", "mkfs.ext4", "exportfs", "rpc.mountd", "rpc.nfsd", "rpc.statd",
            "rpcbind", "mount.nfs")
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
FILES = ["checksums.csv", "results.csv", "run_info.json", "specification.json", "timings.csv"]
MOUNTS = ["3", "4.2"]
SPECIFICATION = {
    "schema_version": 1, "name": "nfs", "seed": 3, "heuristics": ["ODDOML", "BMM", "HoLM"],
    "experiments": [{"name": "drawn", "repetitions": 1000, "problems": ["40x40x80", "80x40x80"],
                     "block_sizes": [10], "platforms": [{"generate": {
                         "name": "random", "workers": 3, "speed": "1Mf",
                         "bandwidth": {"log_uniform": ["1MBps", "4MBps"]},
                         "memory": {"uniform": ["20kB", "80kB"]}}}]}]}

# What each kernel runs first. A client's lock ends when the server has not heard of it for 30 s and
# another client asks.
START = """
set -e
mount -t proc proc /proc
mount -t sysfs sysfs /sys
for folder in /run /tmp /var/lib/nfs /mnt; do mount -t tmpfs tmpfs $folder; done
mkdir -p /tmp/modules/lib /run/rpcbind /run/export /var/lib/nfs/{sm,sm.bak,v4recovery,rpc_pipefs}
touch /var/lib/nfs/{rmtab,etab,state}
ln -s /usr/lib/uml/modules /tmp/modules/lib/modules
modprobe -d /tmp/modules -a nfsv3 nfsv4 nfsd loop
hostname $ROLE
ip link set lo up
rpcbind
rpc.statd --no-notify
"""
START_SERVER = """
ip address add 192.0.2.2/30 dev vec0
ip address add 192.0.2.6/30 dev vec1
ip link set vec0 up
ip link set vec1 up
mount -t nfsd nfsd /proc/fs/nfsd
echo 30 >/proc/fs/nfsd/nfsv4leasetime
echo 30 >/proc/fs/nfsd/nfsv4gracetime
truncate -s 256M /tmp/disk
mkfs.ext4 -q /tmp/disk
mount -o loop /tmp/disk /run/export
exportfs -o rw,no_root_squash,no_subtree_check,fsid=0 '*:/run/export'
rpc.mountd
rpc.nfsd 4
echo Y >/proc/fs/nfsd/v4_end_grace
"""
START_CLIENT = """
ip address add $ADDRESS/30 dev vec0
ip link set vec0 up
mkdir /mnt/3 /mnt/4.2 /mnt/nolock
mount -t nfs -o vers=3 $SERVER:/run/export /mnt/3
mount -t nfs -o vers=4.2 $SERVER:/ /mnt/4.2
mount -t nfs -o vers=3,nolock,nosharecache $SERVER:/run/export /mnt/nolock
"""


def shell(command):
    """Runs a command of bash; returns its status and output."""
    done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def run_commands():
    """Runs the commands that come from the console, as the first process of a kernel."""
    import tty
    tty.setraw(0)
    os.environ.update(PATH=os.environ["BUILD"] + ":" + PATH, HOME="/root")
    print(json.dumps(shell(START + (START_SERVER if os.environ["ROLE"] == "server" else START_CLIENT))),
          flush=True)
    for line in sys.stdin:
        print(json.dumps(shell(json.loads(line))), flush=True)
    subprocess.run(["halt", "-f"])


class Host:
    """A kernel, whose network interfaces are the sockets."""

    def __init__(self, sockets, **environment):
        self.process = subprocess.Popen(
            ["linux.uml", "mem=700M", "rootfstype=hostfs", "rootflags=/", "ro", "quiet", "con=null",
             "con0=fd:0,fd:1", f"init={pathlib.Path(__file__).resolve()}",
             *(f"{key}={value}" for key, value in environment.items()),
             *(f"vec{i}:transport=fd,fd={end.fileno()},depth=64" for i, end in enumerate(sockets))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            pass_fds=[end.fileno() for end in sockets], start_new_session=True)

    def answer(self):
        """The status and output of the command that runs."""
        for line in self.process.stdout:
            if line.startswith("["):  # no message of the kernel
                return json.loads(line)
        raise RuntimeError("a kernel of user-mode-linux ended")

    def run(self, command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def stop(self):
        self.process.communicate()  # the end of its input stops it


class Nfs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        links = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2)]
        for end in sum(links, ()):
            cls.addClassCleanup(end.close)
        cls.hosts = {"server": Host([link[0] for link in links], ROLE="server", BUILD=BUILD)}
        cls.addClassCleanup(lambda: [host.stop() for host in cls.hosts.values()])
        started = cls.hosts["server"].answer()
        assert started[0] == 0, started
        for role, link, address, server in [("first", links[0], 1, 2), ("second", links[1], 5, 6)]:
            cls.hosts[role] = Host([link[1]], ROLE=role, BUILD=BUILD, ADDRESS=f"192.0.2.{address}",
                                   SERVER=f"192.0.2.{server}")
        for role in ["first", "second"]:
            started = cls.hosts[role].answer()
            assert started[0] == 0, started
        text = json.dumps(SPECIFICATION)
        for role in ["first", "second"]:
            cls.hosts[role].run(f"echo '{text}' >/tmp/nfs.json")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "nfs.json").write_text(text)
            subprocess.run([BUILD / "starport", "sweep", "nfs.json", "-o", "whole", "--engine", "analytic",
                            "--time-limit", "0"], cwd=folder, check=True, capture_output=True)
            cls.rows = shell(f"sha256sum <{folder}/whole/results.csv")

    def sweep(self, folder, options=""):
        # Without a time limit, instances need no processes of their own: these are slow here.
        return (f"starport sweep /tmp/nfs.json -o {folder} -j 1 --engine analytic --time-limit 0 {options}")

    def run_on(self, role, command, status=0):
        found, out = self.hosts[role].run(command)
        self.assertEqual(found, status, f"{role}: {command}: {out}")
        return out

    def start(self, role, sweep, condition):
        """Starts a sweep, and returns when the condition holds on its host."""
        self.run_on(role, f"""
            rm -f /tmp/out
            (setsid bash -c '{sweep}' &>/tmp/out; echo "status $?" >>/tmp/out) &>/dev/null &
            until {condition} || grep -q ^status /tmp/out; do sleep 0.05; done
            ! grep ^status /tmp/out""")

    def start_first(self, folder):
        """Starts a sweep on the first host, and returns when it has written rows."""
        self.start("first", self.sweep(folder), f"grep -qs ^10, {folder}/results.csv")

    def wait(self, role):
        """Waits until the sweep on this host has ended. Returns its output and status."""
        return self.run_on(role, "until grep -q ^status /tmp/out; do sleep 0.1; done; cat /tmp/out")

    def expect_whole(self, folder):
        """The directory has its files, no others, and the rows of a sweep without interruption."""
        self.assertIn("complete, 2000 instances", self.run_on("second", f"starport verify {folder}"))
        self.assertEqual(self.run_on("second", f"ls -A {folder}").split(), FILES)
        self.assertEqual((0, self.run_on("second", f"sha256sum <{folder}/results.csv")), tuple(self.rows))

    def test_a_second_sweep_is_refused_with_the_name_of_the_first(self):
        for mount in MOUNTS:
            folder = f"/mnt/{mount}/refused-{mount}"
            self.start_first(folder)
            self.run_on("first", "pkill -STOP -x starport")
            for options in ["", "--resume"]:
                refused = self.run_on("second", self.sweep(folder, options), status=2)
                self.assertRegex(refused, "a sweep that is writing there: process [0-9]+ on first since 20")
            self.run_on("first", "pkill -KILL -x starport")
            self.wait("first")
            self.run_on("second", self.sweep(folder, "--resume"))
            self.expect_whole(folder)

    def test_a_signal_leaves_no_file_behind(self):
        for mount in MOUNTS:
            folder = f"/mnt/{mount}/signal-{mount}"
            self.start_first(folder)
            self.run_on("first", "pkill -TERM -x starport")
            self.assertIn("to go on: starport sweep", self.wait("first"))
            self.assertEqual(self.run_on("second", f"ls -A {folder}").split(), FILES)
            self.run_on("second", self.sweep(folder, "--resume"))
            self.expect_whole(folder)

    def test_two_shards_at_once_are_merged(self):
        for mount in MOUNTS:
            folder = f"/mnt/{mount}/shards-{mount}-"
            self.start("first", self.sweep(folder + "1", "--shard 1/2"), "true")
            self.run_on("second", self.sweep(folder + "2", "--shard 2/2"))
            self.assertIn("status 0", self.wait("first"))
            self.run_on("second", f"starport merge {folder}1 {folder}2 -o {folder}s")
            self.expect_whole(folder + "s")

    def test_without_locks_the_first_sweep_ends_when_it_finds_a_second(self):
        folder = "/mnt/nolock/taken"
        self.start_first(folder)
        self.hosts["second"].run(self.sweep(folder, "--resume"))
        self.assertIn("status 2", self.wait("first"))

    # A batch system starts a job again when its host does not answer. The server gives the lock to the
    # new one, and the old one comes back with rows that it has not written yet.
    def test_a_host_that_comes_back_writes_nothing(self):
        folder = "/mnt/4.2/partition"
        self.start_first(folder)
        self.run_on("first", "ip neigh replace 192.0.2.2 lladdr 02:00:00:00:00:00 dev vec0 nud permanent")
        self.start("second", f"""
            until {self.sweep(folder, "--resume")} >/tmp/tried 2>&1; do
              grep -q "no other sweep uses" /tmp/tried || break
            done
            cat /tmp/tried""", f"grep -qs second {folder}/.starport-lock")
        self.run_on("second", f"""
            rows=$(wc -l <{folder}/results.csv)
            until [ $(wc -l <{folder}/results.csv) -gt $rows ]; do sleep 0.05; done
            pkill -STOP -x starport""")
        self.run_on("first", "ip neigh del 192.0.2.2 dev vec0")
        self.assertIn("status 2", self.wait("first"))
        self.run_on("second", f"grep -q second {folder}/.starport-lock && pkill -CONT -x starport")
        self.wait("second")
        self.expect_whole(folder)


if os.getpid() == 1:
    run_commands()
elif __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] in ["-h", "--help"]:
        print(__doc__)
        sys.exit(0 if len(sys.argv) > 1 else 2)
    os.environ["PATH"] += ":" + PATH
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if missing or os.geteuid() != 0:
        print("skipped: needs", " ".join(missing) or "root", file=sys.stderr)
        sys.exit(77)
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
