"""Real runs on stars of network namespaces (experiments/real/star.py). CMake skips them where the
machine cannot make these. Usage: star_test.py BUILD_FOLDER"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
STAR = pathlib.Path(__file__).resolve().parents[2] / "experiments/real/star.py"


def processes_of(star):
    """The environments of processes that name the star's folder."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"starport-star.{star.pid}\0".encode() in path.read_bytes():
                found.append(path)
        except OSError:  # ended, or another user's
            pass
    return found


def left_by(star):
    """What the star has in the file system."""
    return [path for top in [tempfile.gettempdir(), "/sys/fs/cgroup", "/sys/fs/cgroup/cpu"]
            for path in pathlib.Path(top).glob(f"starport-star.{star.pid}")]


class Star(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, *workers):
        """A platform file of workers with these c_s, w_s and m_blocks, and its path."""
        path = self.folder / "star.json"
        path.write_text(json.dumps({
            "schema_version": 1, "name": "star", "block_size": 40,
            "hosts": [f"w{n + 1}" for n in range(len(workers))],
            "workers": [dict(zip(["c_s", "w_s", "m_blocks"], worker)) for worker in workers]}))
        return path

    def start(self, *words):
        return subprocess.Popen([sys.executable, "-B", STAR, "--build", BUILD, *map(str, words)],
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_star(self, *words, status=0):
        """Runs a star until it ends with the status, having removed everything."""
        star = self.start(*words)
        out, err = star.communicate()
        self.assertEqual(star.returncode, status, out + err)
        self.assertEqual(left_by(star), [])
        self.assertEqual(processes_of(star), [])
        return out, err

    def execute(self, platform, problem, heuristics, before="true"):
        """Runs `execute` on a star after shell commands on the master. Returns its results and standard error."""
        workers = len(json.loads(platform.read_text())["workers"])
        out, err = self.run_star(platform, "--", "sh", "-ec", f"""{before}
            mpirun -n {workers + 1} starport-mpi execute {platform} --problem {problem} \\
              --heuristics {heuristics} --json""")
        return json.loads(out)["results"], err

    def wait_until(self, condition):
        until = time.monotonic() + 300
        while not condition():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)

    def test_heuristics_end_in_the_predicted_order(self):
        # A busy machine only delays real runs: of several, the shortest counts. Transfers take most of it.
        platform = self.write((0.8e-3, 1e-5, 60), (1.6e-3, 1e-5, 60), (3.2e-3, 1e-5, 96))
        shortest_s = {}
        for attempt in range(20):
            runs, err = self.execute(platform, "480x400x800", "Het,ODDOML,BMM")
            self.assertNotIn("was measured on", err)  # each rank is on the host of its worker
            self.assertEqual(len(runs), 3)
            for run in runs:
                self.assertTrue(run["check"])
                real_s = run["real"]["makespan_s"]
                self.assertGreater(real_s, 0.9 * run["predicted"]["makespan_s"])  # no link is faster than its rate
                name = run["heuristic"]
                shortest_s[name] = min(real_s, shortest_s.get(name, real_s))
            predicted_s = {run["heuristic"]: run["predicted"]["makespan_s"] for run in runs}
            if all(shortest_s[one] < shortest_s[other] for one in predicted_s for other in predicted_s
                   if predicted_s[other] > 2 * predicted_s[one]):
                break
        else:
            self.fail(f"predicted: {predicted_s}, shortest of {attempt + 1} runs: {shortest_s}")

    def test_measures_predicts_runs_and_compares(self):
        platform = self.write((1.28e-4, 1e-4, 60))
        self.run_star(platform, "--problem", "400x400x400", "--heuristics", "Het", "--seconds", 0.02,
                      "--repetitions", 1, "--output", self.folder)
        file = json.loads((self.folder / "platform.json").read_text())
        self.assertEqual(file["hosts"], ["w1"])
        self.assertEqual(int(file["workers"][0]["memory"].removesuffix("B")), 60 * 8 * 40 ** 2)
        run, = json.loads((self.folder / "runs.json").read_text())["runs"]
        self.assertGreater(run["Het"]["real"]["makespan_s"], 0)

    def test_a_missing_program_is_reported(self):
        _, err = self.run_star("--build", "/nowhere", self.write((1e-3, 1e-4, 60)), status=2)
        self.assertIn("/nowhere/starport: no such file", err)

    def test_a_group_limits_what_a_worker_computes(self):
        # The time of four quotas is granted in the course of three periods at least, whatever the machine is doing.
        platform = self.write((1e-3, 4e-3, 60))
        program = """import os, pathlib, time
path = os.environ.get("STARPORT_COMPUTING_GROUP")
if not path: raise SystemExit(print("none", 0, 0))
group = pathlib.Path(path).parent
files = ["cpu.max"] if (group / "cpu.max").exists() else ["cpu.cfs_quota_us", "cpu.cfs_period_us"]
quota_us, period_us = map(int, " ".join((group / file).read_text() for file in files).split())
pathlib.Path(path).write_text("0")
start, used = time.monotonic(), time.process_time()
while time.process_time() < used + 4e-6 * quota_us: pass
print(time.monotonic() - start, 4e-6 * quota_us, 1e-6 * period_us)"""
        out, err = self.run_star(platform, "--", "on", "w1", f"{sys.executable} -c '{program}'")
        duration_s, used_s, period_s = out.split()
        if duration_s == "none":
            self.skipTest("control groups may not be written")
        self.assertLess(float(used_s), float(period_s))
        self.assertGreater(float(duration_s), float(period_s))

    def test_each_update_takes_its_time(self):
        # Even an update of one block, which takes some microseconds of a core, lasts as long as in the file. The
        # worker, whose clock is ahead of the master's, dates updates; the difference is known to 0.1 % of a duration.
        read_clocks = f"""for host in master w1; do
            on $host '{sys.executable} -c "import time; print(time.monotonic())"' >&2; done"""
        (run,), err = self.execute(self.write((1e-4, 2e-3, 5)), "240", "Het", read_clocks)
        if subprocess.run(["unshare", "--time", "--monotonic", "1", "true"], capture_output=True).returncode == 0:
            ahead, own = [float(line) for line in err.splitlines() if line.replace(".", "").isdigit()][::-1]
            self.assertGreater(ahead, own + 900)
        worker, = run["real"]["workers"]
        self.assertEqual(worker["block_updates"], 6 ** 3)
        self.assertGreater(worker["compute_busy_s"], (1 - 2e-3) * 6 ** 3 * 2e-3)

    def test_an_update_time_that_is_no_number_is_reported(self):
        platform = self.write((1e-4, 1e-5, 60))
        for value in ["fast", "-1", "inf", "1e-3s"]:
            with self.subTest(value):
                out, err = self.run_star(
                    platform, "--", "mpirun", "-n", 2, "env", f"STARPORT_UPDATE_TIME={value}", "starport-mpi",
                    "execute", platform, "--problem", "40", "--heuristics", "Het", status=1)
                self.assertIn(f"worker 1: STARPORT_UPDATE_TIME: expected the seconds of a block update, such as 0.0036, "
                              f"found '{value}'", err)

    def test_a_group_that_cannot_be_entered_is_reported(self):
        platform = self.write((1e-4, 1e-5, 60))
        out, err = self.run_star(
            platform, "--", "mpirun", "-n", 2, "env", "STARPORT_COMPUTING_GROUP=/nowhere", "starport-mpi",
            "execute", platform, "--problem", "40", "--heuristics", "Het", status=1)
        self.assertIn("worker 1: STARPORT_COMPUTING_GROUP: expected", err)

    def test_nothing_is_left_by_a_star_that_is_killed(self):
        platform = self.write((1e-3, 1e-4, 60), (1e-3, 1e-4, 60))
        for number in [signal.SIGINT, signal.SIGKILL]:
            with self.subTest(number):
                ready = self.folder / f"ready-{number}"
                star = self.start(platform, "--", "mpirun", "-n", 3, "sh", "-c",
                                  f"hostname >>{ready}; exec sleep 1000")
                self.wait_until(lambda: star.poll() is not None
                                or ready.exists() and len(ready.read_text().split()) == 3)
                self.assertNotEqual(left_by(star), [])
                self.assertNotEqual(processes_of(star), [])
                star.send_signal(number)
                star.communicate()
                self.assertNotEqual(star.returncode, 0)
                self.wait_until(lambda: not processes_of(star))
                if number == signal.SIGKILL:
                    self.run_star(platform, "--", "true")  # removes what is left of others
                self.assertEqual(left_by(star), [])

    def test_lost_packets_are_sent_again(self):
        # One in 64 packets to each worker is lost, chosen by its number: by a filter, since few kernels have netem.
        lossy = "ip link add nowhere type bridge; ip link set nowhere up\n" + "".join(
            f"tc qdisc add dev {worker} clsact; tc filter add dev {worker} egress protocol ip u32 "
            "match u16 1 0x3f at 4 action mirred egress redirect dev nowhere\n" for worker in ["w1", "w2"])
        tell = "on master cat /proc/net/snmp >&2"
        (run,), err = self.execute(self.write((0.8e-3, 1e-5, 60), (0.8e-3, 1e-5, 60)), "800", "ODDOML",
                                   f"on switch '{lossy}'; trap '{tell}' EXIT")
        self.assertTrue(run["check"])
        names, numbers = (line.split() for line in err.splitlines() if line.startswith("Tcp:"))
        self.assertGreater(int(numbers[names.index("RetransSegs")]), 0)

    def test_links_have_the_latency_of_the_file(self):
        platform = self.write((1e-4, 1e-5, 60))
        file = json.loads(platform.read_text())
        file["workers"][0]["latency_s"] = 0.01
        platform.write_text(json.dumps(file))
        (run,), err = self.execute(platform, "240", "Het")
        if "cannot add latency" in err:
            self.skipTest(err)
        self.assertGreater(run["real"]["makespan_s"], 0.9 * run["predicted"]["makespan_s"])

    def test_a_link_that_gets_slower_costs_adaptive_less(self):
        # The link falls to a fifth of its rate once it has carried half a megabyte.
        platform = self.write((1.6e-3, 8e-4, 21), (1.6e-3, 8e-4, 21))
        change = "tc qdisc change dev w2 root handle 1: tbf burst 3200 limit 64m rate"
        slow_down = f"""sent() {{ awk "/w2:/ {{print \\$10}}" /proc/net/dev; }}; {change} 66700kbit; begin=$(sent)
            until [ $(sent) -gt $((begin + 500000)) ]; do sleep 0.02; done; {change} 13340kbit"""
        shortest_s = {}
        for attempt in range(10):  # a busy machine only delays real runs
            out, _ = self.run_star(platform, "--", "sh", "-ec", f"""for name in ODDOML Adaptive; do
                on switch '{slow_down}' & mpirun -n 3 starport-mpi execute {platform} --problem 320x320x640 \\
                  --heuristics $name --json | tr -d '\\n'; echo; wait; done""")
            for line in out.splitlines():
                run, = json.loads(line)["results"]
                name = run["heuristic"]
                real_s = run["real"]["makespan_s"]
                shortest_s[name] = min(real_s, shortest_s.get(name, real_s))
            if shortest_s["Adaptive"] < shortest_s["ODDOML"]:
                break
        else:
            self.fail(shortest_s)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("slurmd") and shutil.which("munged"),
                         "needs root, slurm-wlm and munge")
    def test_slurm_starts_a_rank_on_each_node(self):
        platform = self.write((0.8e-3, 1e-4, 60), (0.8e-3, 1e-4, 60))
        out, _ = self.run_star(platform, "--", STAR.with_name("slurm_star.sh"), platform, "--problem", 240,
                               "--heuristics", "ODDOML")
        self.assertNotIn("was measured on", out)
        self.assertIn("C is right", out)

    def test_a_node_that_disappears_ends_the_run(self):
        platform = self.write((0.8e-3, 1e-5, 60), (0.8e-3, 1e-5, 60))
        star = self.start(platform, "--", "sh", "-c", f"""
            mpirun -n 3 starport-mpi execute {platform} --problem 1600x1600x1600 --heuristics ODDOML \\
              --time-out 5 & run=$!
            until on switch "awk '/w2:/ {{exit \\$10 < 1000000}}' /proc/net/dev"; do sleep 0.1; done
            on w2 ip link set dev eth0 down
            wait $run""")
        out, err = star.communicate()
        self.assertNotEqual(star.returncode, 0)
        self.assertEqual(left_by(star), [])

    def test_a_leftover_of_the_same_number_is_removed(self):
        # The shell becomes the star, and has made a folder of its number before.
        platform = self.write((1e-3, 1e-4, 60))
        star = subprocess.run(["sh", "-c", 'mkdir "$0/starport-star.$$"; exec "$@"', tempfile.gettempdir(), sys.executable,
                               "-B", STAR, "--build", BUILD, platform, "--", "true"], text=True, capture_output=True)
        self.assertEqual(star.returncode, 0, star.stderr)

    def test_a_run_that_fails_ends_the_comparison_on_a_slow_link(self):
        ready = 'case $2 in set*) eval "${2%%;*}"; touch "$1";; esac'
        for name, script in [("on", ready), ("starport", 'echo \'{"results": [{"makespan_s": 1}]}\''),
                             ("mpirun", "echo out of order >&2; exit 1")]:
            (self.folder / name).write_text(f"#!/bin/sh\n{script}\n")
            (self.folder / name).chmod(0o755)
        done = subprocess.run([STAR.with_name("slow_link.sh"), "platform.json", "1"], text=True, capture_output=True, env={
            **os.environ, "STARPORT_STAR": "here", "PATH": f"{self.folder}:{os.environ['PATH']}"})
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("out of order", done.stderr)


unittest.main()
