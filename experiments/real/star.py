"""Builds the star of a platform file on this machine and runs a command on its master: by default
protocol.py, which calibrates, predicts, runs the heuristics in turn and compares.

Each node is a network namespace with a host name and a monotonic clock. tc limits the rate of each
link in both directions and adds its latency. Each block update lasts as long as in the file
(STARPORT_UPDATE_TIME), and control groups limit the processor time in which each worker computes
(STARPORT_COMPUTING_GROUP); a slow worker communicates as fast as others. Nothing
outside these namespaces is changed. They end with their processes, and the kernel ends those when
this script ends, even by kill -9. Empty control groups and a folder may then remain; the next start
removes them.

In COMMAND, mpirun starts a rank on each of the hosts master, w1, w2, ..., and `on HOST COMMAND...`
runs a command on one of them. The host "switch" has the other ends of the links, named like the
hosts."""

import argparse
import dataclasses
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PREFIX = "starport-star."
CANNOT = 77  # exit status: this machine cannot make the star
NAMESPACES = ["unshare", "--net", "--uts", "--mount", "--pid", "--fork", "--kill-child",
              "--mount-proc", *([] if os.geteuid() == 0 else ["--map-root-user"])]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
GROUPS = [pathlib.Path("/sys/fs/cgroup/cpu"), pathlib.Path("/sys/fs/cgroup")]
QUOTA_SHARES = 8  # processor time granted to a worker, over that of its updates: the kernel counts interrupts too
LEAST_SHARE = 1e-3  # of a core, that the kernel can limit a thread to
HEADERS = 66  # bytes of Ethernet, IP and TCP in a frame of MTU + 14 bytes


@dataclasses.dataclass
class Node:
    """The master, or a worker with its link: bandwidth in bytes/s, 0 without a limit."""
    name: str
    bandwidth: float = 0
    latency_s: float = 0
    memory_bytes: int = 0
    share: float = 1  # of a core, for computing
    core: int = None  # that the node runs on
    update_s: float = None  # least seconds of a block update
    group: str = ""  # of its processes, in version 2 of control groups
    computing: str = ""  # file of the threads whose share is limited
    clock_s: int = None  # by which its own clock is ahead of the machine's; None: it has none of its own
    pid: int = 1  # of a process in its namespaces

    def mtu(self):
        """A frame takes 0.1 ms or less, as far as Ethernet and its jumbo frames permit."""
        return round(min(9000, max(1500, self.bandwidth * 1e-4))) if self.bandwidth else 9000


def tell(message):
    print(f"star.py: {message}", file=sys.stderr)


def fail(message, status=1):
    tell(message)
    sys.exit(status)


def run(*words):
    """Returns what the command prints."""
    words = [str(word) for word in words]
    done = subprocess.run(words, text=True, capture_output=True)
    if done.returncode != 0:
        error = done.stderr.strip()
        fail(error if error.startswith("starport: ") else f"{shlex.join(words)}: {error}", done.returncode)
    return done.stdout


class Star:
    """The nodes of a star, the master first, as a file in its folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def load(self):
        return [Node(**node) for node in json.loads((self.folder / "nodes.json").read_text())]

    def save(self, nodes):
        (self.folder / "nodes.json").write_text(
            json.dumps([dataclasses.asdict(node) for node in nodes]))

    def on(self, host, words):
        """Replaces this process by a shell that runs the words on a node, as ssh does."""
        nodes = {node.name: node for node in self.load()}
        if host not in nodes:
            fail(f"there is no node '{host}', only {', '.join(nodes)}", 2)
        node = nodes[host]
        if node.core is not None:
            os.sched_setaffinity(0, {node.core})
        if node.group:
            pathlib.Path(node.group, "cgroup.procs").write_text("0")
        if node.computing:
            os.environ["STARPORT_COMPUTING_GROUP"] = node.computing
        if node.update_s is not None:
            os.environ["STARPORT_UPDATE_TIME"] = str(node.update_s)
        clock = [] if node.clock_s is None else [f"--time=/proc/{node.pid}/ns/time_for_children"]
        os.execvp("nsenter", ["nsenter", "-t", str(node.pid), "--net", "--uts", *clock,
                              "sh", "-c", " ".join(words)])


def shape(enter, interface, node):
    """Limits what leaves an interface. The bucket holds two frames, or what the link moves in
    0.2 ms: timers may be so late without loss of rate. A transfer and its acknowledgement take the
    latency together."""
    frame = node.mtu() + 14
    rate = node.bandwidth * frame / (frame - HEADERS)
    run(*enter, "tc", "qdisc", "add", "dev", interface, "root", "handle", "1:", "tbf", "rate",
        f"{8 * rate:.0f}bit", "burst", max(2 * frame, int(rate * 0.2e-3)), "limit", "64m")
    if node.latency_s > 0:
        run(*enter, "tc", "qdisc", "add", "dev", interface, "parent", "1:1", "netem", "delay",
            f"{1e6 * node.latency_s / 2:.0f}us", "limit", 100000)


def add_node(node, address):
    """Starts a process in the namespaces of a new node, and links it to the switch."""
    clock = [] if node.clock_s is None else ["--time", "--monotonic", str(node.clock_s)]
    holder = subprocess.Popen(["unshare", "--net", "--uts", *clock, "sh", "-c",
                               'hostname "$0"; exec sleep infinity', node.name])
    while pathlib.Path(f"/proc/{holder.pid}/comm").read_text() != "sleep\n":
        if holder.poll() is not None:
            fail(f"the namespaces of {node.name} could not be made")
        time.sleep(0.01)
    node.pid = holder.pid
    enter = ["nsenter", "-t", node.pid, "--net"]
    run("ip", "link", "add", "name", node.name, "mtu", node.mtu(), "type", "veth", "peer", "name",
        "eth0", "mtu", node.mtu(), "netns", node.pid)
    run("ip", "link", "set", "dev", node.name, "master", "switch", "up")
    run(*enter, "ip", "link", "set", "dev", "lo", "up")
    run(*enter, "ip", "address", "add", f"{address}/16", "dev", "eth0")
    run(*enter, "ip", "link", "set", "dev", "eth0", "up")
    if node.bandwidth:
        shape(enter, "eth0", node)
        shape([], node.name, node)


def inside(star, command):
    """Builds the star as process 1 of its namespaces; returns the status of the command."""
    signal.signal(signal.SIGINT, lambda *_: None)  # the process outside ends everything
    nodes = star.load()
    hosts = {node.name: f"10.0.{n // 250}.{n % 250 + 1}" for n, node in enumerate(nodes)}
    names = star.folder / "hosts"
    names.write_text("127.0.0.1 localhost\n" + "".join(
        f"{address} {name}\n" for name, address in hosts.items()))
    run("mount", "--bind", names, "/etc/hosts")
    (star.folder / "hostfile").write_text("".join(f"{name} slots=1\n" for name in hosts))
    run("ip", "link", "set", "dev", "lo", "up")
    run("ip", "link", "add", "name", "switch", "type", "bridge")
    run("ip", "link", "set", "dev", "switch", "up")
    # Needs Linux 5.6 and, in containers, the right to set clocks.
    own_clocks = subprocess.run(["unshare", "--time", "--monotonic", "1", "true"], capture_output=True).returncode == 0
    for n, node in enumerate(nodes):
        node.clock_s = 1000 * n if own_clocks else None
        add_node(node, hosts[node.name])
    star.save([*nodes, Node("switch")])
    return subprocess.call([star.folder / "on", "master", shlex.join(command)])


def figures(build, platform):
    """The workers of a platform file in the model's figures, and its block size."""
    result = json.loads(run(build / "starport", "run", platform, "--problem", "1", "--heuristics",
                            "ODDOML", "--engine", "analytic", "--json"))
    return result["platform"]["workers"], result["problem"]["block_size"]


def core_update_s(build, block_size, path):
    """A block update on a whole core, as part of a chunk's: the fastest sample, since other programs only make
    it slower."""
    run(build / "starport", "calibrate", "--block-sizes", block_size, "--memory", "64MiB",
        "--link", "1GBps", "--seconds", "0.5", "-o", path)
    series, = json.loads(path.read_text())["provenance"]["samples"]["dgemm"]
    return min(series["update_s"])


def plan(build, platform, folder):
    """The nodes of the star of a platform file, and its block size."""
    workers, block_size = figures(build, platform)
    whole_core_s = core_update_s(build, block_size, folder / "core.json")
    block_bytes = 8 * block_size ** 2
    return [Node("master"), *(Node(f"w{n}", bandwidth=block_bytes / worker["c_s"],
                                   latency_s=worker.get("latency_s", 0),
                                   memory_bytes=block_bytes * worker["m_blocks"],
                                   update_s=worker["w_s"], share=whole_core_s / worker["w_s"])
                              for n, worker in enumerate(workers, 1))], block_size


def make_group(path):
    """Returns whether the path is now a control group, the groups in which have quotas."""
    try:
        path.mkdir()
        if (path / "cgroup.subtree_control").exists():  # version 2
            (path.parent / "cgroup.subtree_control").write_text("+cpu")
            (path / "cgroup.subtree_control").write_text("+cpu")
        return True
    except OSError:
        return False


def limit(node, group):
    """Makes the control groups of a worker, in a group that make_group() has made."""
    group.mkdir()
    # The kernel grants 1 ms or more in each period, which lasts a second or less.
    share = max(node.share, LEAST_SHARE)
    period_us = min(1_000_000, round(20_000 / share))
    quota_us = max(1000, round(QUOTA_SHARES * period_us * share))
    if (group / "cpu.cfs_quota_us").exists():
        (group / "cpu.cfs_period_us").write_text(str(period_us))
        (group / "cpu.cfs_quota_us").write_text(str(quota_us))
        node.computing = str(group / "tasks")
        return
    threads = group / "computing"
    threads.mkdir()
    (threads / "cgroup.type").write_text("threaded")
    (group / "cgroup.subtree_control").write_text("+cpu")
    (threads / "cpu.max").write_text(f"{quota_us} {period_us}")
    node.group, node.computing = str(group), str(threads / "cgroup.threads")


def assign_cores(nodes, name):
    """Gives the master a core of its own, and the workers the others; limits each worker to a share of its core if
    control groups may be written. Tells where workers will be slower than in the file."""
    first, *others = sorted(os.sched_getaffinity(0))
    others = others or [first]
    group = next((top / name for top in GROUPS if make_group(top / name)), None)
    nodes[0].core = first
    for n, node in enumerate(nodes[1:]):
        node.core = others[n % len(others)]
        if group is not None and node.share < 1:
            limit(node, group / node.name)
    needed = sum(min(1, node.share) for node in nodes[1:])
    if needed > len(others):
        tell(f"the workers compute on {needed:.2g} cores, and there are {len(others)} beside the master's: "
             "workers may be slower than in the file")
    fast = [node.name for node in nodes[1:] if node.share > 1]
    if fast:
        tell(f"a core is slower than the file says of {', '.join(fast)}")


def try_queue(*discipline):
    """Returns what tc says if it cannot queue so; empty if it can."""
    trial = f"ip link set dev lo up; tc qdisc add dev lo root {' '.join(discipline)}"
    return subprocess.run([*NAMESPACES, "sh", "-c", trial], text=True, capture_output=True).stderr.strip()


def check_machine():
    """Ends if this machine cannot make the star."""
    done = subprocess.run([*NAMESPACES, "true"], text=True, capture_output=True)
    if done.returncode != 0:
        fail("this machine makes no network namespaces. Run as root, or allow user namespaces: unshare "
             f"--map-root-user --net must work ({done.stderr.strip()})", CANNOT)
    error = try_queue("tbf", "rate", "1gbit", "burst", "20k", "limit", "1m")
    if error:
        fail(f"tc cannot limit a link. Install iproute2, and a kernel with CONFIG_NET_SCH_TBF ({error})", CANNOT)


def check_latencies(nodes):
    """Leaves latencies out, and says so, if the kernel cannot add them."""
    if not any(node.latency_s for node in nodes) or not try_queue("netem", "delay", "1ms"):
        return
    tell("this kernel cannot add latency (CONFIG_NET_SCH_NETEM): links have none beside their own")
    for node in nodes:
        node.latency_s = 0


def remove(folder):
    """Removes what a star has in the file system, once the kernel has ended its processes."""
    for group in [top / folder.name for top in GROUPS]:
        until = time.monotonic() + 10
        for part in [*group.glob("*/*/"), *group.glob("*/"), group]:
            while part.is_dir():
                try:
                    part.rmdir()
                except OSError:
                    if time.monotonic() > until:
                        raise
                    time.sleep(0.02)
    shutil.rmtree(folder, ignore_errors=True)


def remove_leftovers():
    """Removes what stars have left that were killed."""
    for top in [pathlib.Path(tempfile.gettempdir()), *GROUPS]:
        for left in top.glob(PREFIX + "*"):
            pid = left.name.removeprefix(PREFIX)
            # Another star had this process's number: before a restart of the container, for example.
            if (pid == str(os.getpid()) or not pathlib.Path("/proc", pid).exists()) \
                    and left.stat().st_uid == os.geteuid():
                remove(pathlib.Path(tempfile.gettempdir(), left.name))


def environment(star, build):
    """The variables by which mpirun starts a rank on each node."""
    return {**os.environ, "STARPORT_STAR": str(star.folder), "OPENBLAS_NUM_THREADS": "1",
            "STARPORT_CORES": str(len(os.sched_getaffinity(0))),
            "PATH": f"{star.folder}:{build}:{os.environ['PATH']}",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_plm": "rsh", "OMPI_MCA_plm_rsh_agent": str(star.folder / "on"),
            "OMPI_MCA_orte_default_hostfile": str(star.folder / "hostfile"),
            "OMPI_MCA_orte_tmpdir_base": str(star.folder),
            "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": "eth0",
            "OMPI_MCA_oob_tcp_if_include": "eth0", "OMPI_MCA_oob_tcp_keepalive_time": "2",
            "OMPI_MCA_oob_tcp_keepalive_intvl": "1", "OMPI_MCA_oob_tcp_keepalive_probes": "3",
            "OMPI_MCA_hwloc_base_binding_policy": "none"}


def protocol(build, nodes, block_size, options):
    """The command that measures, predicts, runs and compares."""
    memory = ",".join(f"{node.memory_bytes:.0f}B" for node in nodes[1:])
    return [sys.executable, "-B", str(HERE / "protocol.py"), "--program", build / "starport-mpi",
            "--workers", len(nodes) - 1, "--block-size", block_size, "--memory", memory, *options]


def arguments():
    parser = argparse.ArgumentParser(
        usage="star.py [--build DIR] PLATFORM [OPTION of protocol.py... | -- COMMAND...]",
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default="build/release",
                        help="folder of starport and starport-mpi (default: build/release)")
    parser.add_argument("platform", type=pathlib.Path)
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    options, options.protocol = parser.parse_known_args(words[:end])
    options.command = words[end + 1:]
    for file in [options.platform, options.build / "starport", options.build / "starport-mpi"]:
        if not file.is_file():
            parser.error(f"{file}: no such file")
    return options


def outside():
    options = arguments()
    build = options.build.resolve()
    check_machine()
    remove_leftovers()
    star = Star(pathlib.Path(tempfile.gettempdir(), f"{PREFIX}{os.getpid()}"))
    for number in SIGNALS:
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    process = None
    try:
        star.folder.mkdir()
        nodes, block_size = plan(build, options.platform, star.folder)
        check_latencies(nodes)
        assign_cores(nodes, star.folder.name)
        star.save(nodes)
        on = star.folder / "on"
        on.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-B", __file__])} --on "$@"\n')
        on.chmod(0o755)
        command = options.command or protocol(build, nodes, block_size, options.protocol)
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *NAMESPACES, sys.executable, "-B", __file__,
             "--inside", *map(str, command)], env=environment(star, build))
        return process.wait()
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        if process:
            process.kill()
            process.wait()
        remove(star.folder)


def main():
    star = Star(os.environ.get("STARPORT_STAR", ""))
    if sys.argv[1:] == ["--check"]:
        sys.exit(check_machine())
    if sys.argv[1:2] == ["--on"]:
        star.on(sys.argv[2], sys.argv[3:])
    if sys.argv[1:2] == ["--inside"]:
        sys.exit(inside(star, sys.argv[2:]))
    sys.exit(outside())


main()
