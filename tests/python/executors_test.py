"""Tests of sweeps on executors: the same bytes as the program, whatever happens to the workers."""
import concurrent.futures
import contextlib
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

import starport

PROGRAM = pathlib.Path(starport.__file__).parent / "bin" / "starport"
FILES = ["results.csv", "specification.json"]
SPECIFICATION = {
    "schema_version": 1, "name": "executors", "seed": 3, "heuristics": ["ODDOML", "Het"],
    "experiments": [{"name": "random", "problems": ["1600x1600x3200"], "repetitions": 40, "platforms": [
        {"generate": {"name": "g", "workers": [2, 4], "bandwidth": {"uniform": ["10MBps", "90MBps"]},
                      "speed": "1Gf", "memory": "8MB"}}]}]}
INSTANCES = 80


def run_or_die(function, /, *arguments):
    """Runs a batch, or kills the process that has to run instance 50."""
    if 50 in arguments[-1]:
        os.kill(os.getpid(), signal.SIGKILL)
    return function(*arguments)


class KilledBy50(concurrent.futures.ProcessPoolExecutor):
    def submit(self, function, /, *arguments):
        return super().submit(run_or_die, function, *arguments)


class OwnThreads(concurrent.futures.Executor):
    """The least that an executor can be: a thread for each batch. The answers to some batches are lost, or wrong."""

    def __init__(self, lost=(), answer=lambda rows: rows):
        self.lost, self.answer, self.batches = lost, answer, []

    def submit(self, function, /, *arguments):
        future = concurrent.futures.Future()
        future.set_running_or_notify_cancel()
        number = len(self.batches)
        self.batches.append(arguments[-1])

        def run():
            try:
                answer = self.answer(function(*arguments))
                if number not in self.lost:
                    future.set_result(answer)
            except Exception as error:
                future.set_exception(error)
        threading.Thread(target=run, daemon=True).start()
        return future


class FirstBatchIsLate(concurrent.futures.ThreadPoolExecutor):
    """An executor whose first batch does not end before the others."""

    def __init__(self):
        super().__init__(3)
        self.release = threading.Event()
        self.batches = []

    def submit(self, function, /, *arguments):
        first = not self.batches
        self.batches.append(arguments[-1])

        def late(*values):
            if first:
                self.release.wait(120)
            return function(*values)
        return super().submit(late, *arguments)


class FailsOnce(concurrent.futures.ThreadPoolExecutor):
    """An executor of which every batch with an instance divisible by 7 fails the first time."""

    def __init__(self):
        super().__init__(2)
        self.failed = set()

    def submit(self, function, /, *arguments):
        lost = {number for number in arguments[-1] if number % 7 == 0} - self.failed
        self.failed |= lost

        def run(*values):
            if lost:
                raise ConnectionError("the node is gone")
            return function(*values)
        return super().submit(run, *arguments)


class Executors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.top = pathlib.Path(cls.folder.name)
        cls.specification = cls.top / "sweep.json"
        cls.specification.write_text(json.dumps(SPECIFICATION))
        subprocess.run([PROGRAM, "sweep", cls.specification, "-o", cls.top / "expected", "-j2", "--engine", "analytic"],
                       check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def sweep(self, name, **options):
        return starport.sweep(self.specification, self.top / name, engine="analytic", progress=options.pop("progress", False),
                              **options)

    def assert_same(self, name):
        for file in FILES:
            self.assertEqual((self.top / name / file).read_bytes(), (self.top / "expected" / file).read_bytes(), file)
        self.assertIn("every byte is as it was written", starport.verify(self.top / name))

    def test_this_machine(self):
        states = []
        results = self.sweep("here", jobs=2, progress=states.append)
        self.assert_same("here")
        self.assertEqual(len(results), 2 * INSTANCES)
        self.assertEqual(states[-1], starport.SweepProgress(INSTANCES, INSTANCES, 0))

    def terminal(self, *words):
        """Returns what a command prints on standard error, which is a terminal, and on standard output."""
        try:
            master, slave = os.openpty()
        except OSError as error:
            self.skipTest(f"no terminal can be made: {error}")
        run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=slave, env=dict(os.environ, TERM="xterm"))
        os.close(slave)
        shown = bytearray()
        with contextlib.suppress(OSError):  # the terminal is closed
            while part := os.read(master, 4096):
                shown += part
        os.close(master)
        printed, _ = run.communicate()
        self.assertEqual(run.returncode, 0, shown)
        return shown.decode(), printed.decode()

    def test_a_bar_on_a_terminal(self):
        bar = rf"\r\x1b\[K\[[# ]{{20}}\] (\d+)/{INSTANCES} instances, [\d.e+]+ a second(, \d\d:\d\d:\d\d left)?"
        program = (f"import starport\nstarport.sweep({str(self.specification)!r}, {str(self.top / 'bar-2')!r}, jobs=1, "
                   "engine='analytic')")
        for words in [[PROGRAM, "sweep", self.specification, "-o", self.top / "bar-1", "-j1", "--engine", "analytic"],
                      [sys.executable, "-B", "-c", program]]:
            shown, printed = self.terminal(*words)
            self.assertRegex(shown, f"^({bar})+\r\x1b\\[K$")  # erased at the end
            self.assertNotIn("left", printed)

    def test_progress_in_words(self):
        state = starport.SweepProgress
        text = starport._sweeps._progress_text
        self.assertEqual(text(state(840, 2000, 0), 40, 100.0), "840/2000 instances, 8 a second, 00:02:25 left")
        self.assertEqual(text(state(1, 8000, 1), 0, 1.0), "1/8000 instances, 1 a second, 02:13:19 left, 1 row failed")
        self.assertEqual(text(state(5, 8, 2), 5, 9.0), "5/8 instances, 0 a second, 2 rows failed")

    def test_lines_in_the_log(self):
        with unittest.mock.patch("starport._sweeps._LOG_EVERY_S", 0), self.assertLogs("starport", "INFO") as log:
            self.sweep("log", jobs=1, progress=None)
        self.assertRegex(log.output[-1], f"^INFO:starport:{INSTANCES}/{INSTANCES} instances, .* a second, 00:00:00 left$")

    def test_threads_and_processes(self):
        with concurrent.futures.ThreadPoolExecutor(2) as threads:
            self.sweep("threads", executor=threads)
        self.assert_same("threads")
        with concurrent.futures.ProcessPoolExecutor(2) as processes:
            self.sweep("processes", executor=processes)
        self.assert_same("processes")

    def test_simgrid(self):
        specification = dict(SPECIFICATION, experiments=[dict(SPECIFICATION["experiments"][0], repetitions=2)])
        with concurrent.futures.ThreadPoolExecutor(2) as threads:
            self.assertEqual(starport.sweep(specification, executor=threads, progress=False),
                             starport.sweep(specification, jobs=2, progress=False))

    def test_a_process_that_is_killed(self):
        for renewed_by in ["sweep", "caller"]:
            killed, pools = [], []
            processes = self.top / f"processes-{renewed_by}"
            processes.mkdir()

            def pool():
                # The initializer leaves a file for each process.
                pools.append(concurrent.futures.ProcessPoolExecutor(2, initializer=tempfile.mkstemp,
                                                                    initargs=("", "", processes)))
                return pools[-1]

            def kill(state):
                if state.done >= 3 and not killed:
                    killed.append(next(iter(pools[-1]._processes)))
                    os.kill(killed[0], signal.SIGKILL)
            self.sweep(f"killed-{renewed_by}", executor=pool if renewed_by == "caller" else pool(), jobs=2, progress=kill)
            self.assertEqual((len(killed), len(pools)), (1, 2 if renewed_by == "caller" else 1))
            self.assertGreater(len(list(processes.iterdir())), 2)
            self.assert_same(f"killed-{renewed_by}")

    def test_a_batch_that_is_late_is_sent_twice(self):
        executor = FirstBatchIsLate()
        self.addCleanup(executor.release.set)
        self.sweep("late", executor=executor, jobs=3)
        self.assert_same("late")
        sent = [number for batch in executor.batches for number in batch]
        self.assertGreaterEqual(sent.count(executor.batches[0][0]), 2)

    def test_batches_that_fail_are_sent_again(self):
        with FailsOnce() as executor:
            self.sweep("again", executor=executor)
        self.assertEqual(executor.failed, set(range(7, INSTANCES + 1, 7)))
        self.assert_same("again")

    def test_an_executor_that_loses_answers(self):
        executor = OwnThreads(lost=[0, 1, 2, 3, 9])  # the first four are all that are sent before an answer
        with unittest.mock.patch.object(starport._sweeps._Batches, "patience_s", 0.1):
            self.sweep("lost", executor=executor, jobs=2)
        self.assert_same("lost")
        for number in executor.lost:
            self.assertGreaterEqual(sum(set(executor.batches[number]) <= set(batch) for batch in executor.batches), 2)

    def test_workers_that_join_later(self):
        class Growing(OwnThreads):
            """One worker becomes four, of which the first two answer once the others are used too."""
            max_workers = 1
            grown = threading.Event()
            grew_in_time = True

            def submit(self, function, /, *arguments):
                def wait(*values):
                    self.grew_in_time &= self.grown.wait(50)
                    return function(*values)
                future = super().submit(wait, *arguments)
                self.max_workers = 4
                if len(self.batches) > 2:
                    self.grown.set()
                return future
        executor = Growing()
        with unittest.mock.patch.multiple(starport._sweeps._Batches, recount_s=0, _late=lambda batches: None):
            self.sweep("growing", executor=executor)
        self.assertTrue(executor.grew_in_time)
        self.assert_same("growing")
        self.assertEqual(sum(map(len, executor.batches)), INSTANCES)  # none was sent twice

    def assert_fails(self, name, executor, message, **options):
        """Asserts that a sweep ends with one line, and that what has arrived is stored."""
        with self.assertRaisesRegex(starport.SimulationError, message) as caught:
            self.sweep(name, executor=executor, resume=True, **options)
        self.assertNotIn("\n", str(caught.exception).strip())
        rows = [(run["instance"], run.heuristic) for run in starport.read_results(self.top / name)]
        self.assertEqual(len(rows), len(set(rows)))
        return len(rows)

    def test_an_instance_that_always_fails(self):
        """It is found in its batch, is named, and does not keep others from being run."""
        class Fails(concurrent.futures.ThreadPoolExecutor):
            def submit(self, function, /, *arguments):
                if 50 in arguments[-1]:
                    return super().submit(os.stat, "/nowhere")
                return super().submit(function, *arguments)
        with Fails(2) as threads:
            rows = self.assert_fails("fails", threads, r"^executor: instance 50 failed 4 times or more \(FileNotFoundError")
        self.assertEqual(rows, 2 * (INSTANCES - 1))
        rows = self.assert_fails("killer", lambda: KilledBy50(2),
                                 r"^executor: instance 50 failed 4 times or more \(BrokenProcessPool: ", jobs=2)
        self.assertEqual(rows, 2 * (INSTANCES - 1))
        for name in ["fails", "killer"]:
            with self.assertRaisesRegex(starport.InputError, "resume"):
                self.sweep(name)
            with concurrent.futures.ThreadPoolExecutor(2) as threads:
                self.sweep(name, executor=threads, resume=True)
            self.assert_same(name)

    def test_executors_that_break(self):
        """Each ends the sweep with a message, and the next one goes on from there."""
        class Refuses(OwnThreads):
            limit = 8

            def submit(self, function, /, *arguments):
                if len(self.batches) == self.limit:
                    raise OSError("the queue is full")
                return super().submit(function, *arguments)

        class RefusesAll(Refuses):
            limit = 0
        threads = concurrent.futures.ThreadPoolExecutor(2)
        cases = {
            "no rows": (OwnThreads(answer=lambda rows: None), r"failed 4 times or more \(TypeError"),
            "other rows": (OwnThreads(answer=lambda rows: (0.1, [])), r"\(ValueError: the executor returned other rows"),
            "no future": (type("Own", (), {"submit": lambda *_: 7})(), r"\(TypeError: submit\(\) returned 7 instead of a Future"),
            "refuses": (Refuses(), r"it accepts no more work \(OSError: the queue is full\); what has arrived is stored"),
            "all refuse": (RefusesAll, r"it accepts no more work \(OSError: the queue is full\)"),
            "is shut down": (threads, r"it accepts no more work \(RuntimeError: cannot schedule new futures")}
        stored = []
        for name, (executor, message) in cases.items():
            def progress(state):
                if name == "is shut down" and 2 * state.done > stored[-1]:
                    threads.shutdown(wait=False, cancel_futures=True)
            stored.append(self.assert_fails("breaks", executor, message, jobs=2, progress=progress))
        self.assertEqual(stored[:3], [0, 0, 0])
        self.assertTrue(0 < stored[3] == stored[4] < stored[5] < 2 * INSTANCES, stored)
        self.sweep("breaks", resume=True)
        self.assert_same("breaks")

    def test_an_interrupt_and_resume(self):
        def interrupt(state):
            if state.done == 5:
                raise KeyboardInterrupt
        for name, executor in [("stopped", None), ("stopped-threads", concurrent.futures.ThreadPoolExecutor(2)),
                               ("stopped-processes", concurrent.futures.ProcessPoolExecutor(2))]:
            with self.assertRaises(KeyboardInterrupt):
                self.sweep(name, executor=executor, jobs=2, progress=interrupt)
            self.sweep(name, executor=executor, jobs=2, resume=True)
            self.assert_same(name)

    def test_heuristics_of_ones_own(self):
        def mine(view):
            """Serves the earliest request."""
            return min(view.requests, key=lambda request: (request.date_s, request.worker)).worker
        starport.register("Own", mine)
        specification = dict(SPECIFICATION, heuristics=["Own", "ODDOML"])
        with concurrent.futures.ProcessPoolExecutor(2) as processes:
            results = starport.sweep(specification, executor=processes, engine="analytic", progress=False)
        self.assertEqual([run.makespan_s for run in results.where(heuristic="Own")],
                         [run.makespan_s for run in results.where(heuristic="ODDOML")])

    @unittest.skipUnless(importlib.util.find_spec("distributed"), "no distributed (Dask)")
    def test_dask(self):
        # Ctrl-C, and then one of the workers is killed, and the other one hangs with what it is sent; the nanny of the first
        # one starts a third.
        program = f"""
import os, signal, sys
import starport
from distributed import Client, LocalCluster
lost = []
def sweep(client, **options):
    starport.sweep({str(self.specification)!r}, {str(self.top / "dask")!r}, engine="analytic", executor=client.get_executor(),
                   **options)
def interrupt(state):
    if state.done == 20:
        os.kill(os.getpid(), signal.SIGINT)
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        def lose(state):
            if state.done >= 23 and not lost:
                lost[:] = [worker.pid for worker in cluster.workers.values()]
                os.kill(lost[0], signal.SIGKILL)
                os.kill(lost[1], signal.SIGSTOP)
        try:
            sweep(client, progress=interrupt)
        except KeyboardInterrupt:
            print("stopped")
        sweep(client, resume=True, progress=lose)
        os.kill(lost[1], signal.SIGKILL)
        print(len(lost), "lost")
        client.close()
        try:
            starport.sweep({str(self.specification)!r}, executor=client.get_executor())
        except starport.SimulationError as error:
            print(error)
"""
        script = self.top / "on_dask.py"
        script.write_text(program)
        run = subprocess.run([sys.executable, "-B", script], text=True, capture_output=True)
        self.assertEqual((run.returncode, run.stdout), (0, "stopped\n2 lost\nexecutor: it accepts no more work (ConnectionError: "
                         "the client is closed); what has arrived is stored. Resume with another one, or give a function that "
                         "makes one\n"), run.stderr)
        self.assert_same("dask")

    @unittest.skipUnless(importlib.util.find_spec("mpi4py"), "no mpi4py")
    def test_mpi(self):
        # Ctrl-C, and then one of the ranks is killed, with which MPI ends all of them.
        script = self.top / "on_mpi.py"
        script.write_text(f"""
import os, signal
import starport
from mpi4py.futures import MPICommExecutor
def sweep(**options):
    starport.sweep({str(self.specification)!r}, {str(self.top / "on-mpi")!r}, engine="analytic", executor=executor, **options)
def interrupt(state):
    if state.done == 20:
        os.kill(os.getpid(), signal.SIGINT)
with MPICommExecutor() as executor:
    if executor is not None:
        try:
            sweep(progress=interrupt)
        except KeyboardInterrupt:
            print("stopped", flush=True)
        worker = executor.submit(os.getpid).result()
        sweep(resume=True, progress=lambda state: state.done == 40 and os.kill(worker, signal.SIGKILL))
""")
        run = subprocess.run(["mpirun", "--oversubscribe", "-n", "3", sys.executable, "-B", script], text=True,
                             capture_output=True, env=self.environment())
        self.assertNotEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout.splitlines()[0], "stopped", run.stdout + run.stderr)
        self.sweep("on-mpi", resume=True)
        self.assert_same("on-mpi")

    def environment(self):
        return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                    PATH=os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]))

    def program(self, name, executor, *before):
        """Runs `starport sweep --executor`, which starts the python3 of PATH."""
        return subprocess.run([*before, PROGRAM, "sweep", self.specification, "-o", self.top / name, "--engine", "analytic",
                               "--executor", executor], text=True, capture_output=True, env=self.environment())

    @unittest.skipUnless(importlib.util.find_spec("distributed"), "no distributed (Dask)")
    def test_the_program_on_dask(self):
        from distributed import LocalCluster
        with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None, host="127.0.0.1",
                          protocol="tcp://") as cluster:
            run = self.program("program-on-dask", cluster.scheduler_address.replace("tcp", "dask"))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(run.stdout.endswith(f"{2 * INSTANCES} rows, 0 failed\n"), run.stdout)
        self.assert_same("program-on-dask")

    @unittest.skipUnless(importlib.util.find_spec("mpi4py"), "no mpi4py")
    def test_the_program_on_mpi(self):
        run = self.program("mpi", "mpi", "mpirun", "--oversubscribe", "-n", "3")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assert_same("mpi")
        self.assertEqual(self.program("mpi", "mpi", "mpirun", "-n", "1").returncode, 2)  # it is not empty

    def test_what_is_wrong_with_an_executor(self):
        run = self.program("none", "slurm")
        self.assertEqual((run.returncode, run.stderr),
                         (2, "starport: --executor: expected mpi or dask://HOST:PORT, found 'slurm'\n"))
        for options, message in [
                ({"jobs": 0}, "jobs: expected at least 1, found 0"),
                ({"time_limit_s": -1}, "time_limit_s: expected a number of seconds, 0 or greater, found -1"),
                ({"cross_check": 2}, "cross_check: expected a share from 0 to 1, found 2"),
                ({"executor": 3}, "executor: expected an executor of concurrent.futures, or a function that makes one, found 3"),
                ({"executor": lambda: "x"}, "executor: expected .* found 'x'")]:
            with self.assertRaisesRegex(starport.InputError, f"^{message}$"):
                self.sweep("none", **options)


def first(view):
    """Serves the first request."""
    return view.requests[0].worker


def last(view):
    """Serves the last request."""
    return view.requests[-1].worker


class CannotBePickled:
    lock = None

    def __init__(self):
        self.lock = threading.Lock()

    def __call__(self, view):
        return first(view)


class RegisteredAgain(unittest.TestCase):
    SPECIFICATION = dict(SPECIFICATION, heuristics=["Again"],
                         experiments=[dict(SPECIFICATION["experiments"][0], repetitions=1)])

    def sweep(self, heuristic, executor):
        starport.register("Again", heuristic)
        rows = starport.sweep(self.SPECIFICATION, executor=executor, engine="analytic", progress=False)
        self.assertEqual(rows, starport.sweep(self.SPECIFICATION, jobs=1, engine="analytic", progress=False))
        self.assertIs(starport._heuristics.registered["Again"], heuristic)
        return [row.makespan_s for row in rows]

    def test_workers_have_the_new_one(self):
        with concurrent.futures.ProcessPoolExecutor(1) as processes:
            self.assertNotEqual(self.sweep(first, processes), self.sweep(last, processes))
            self.assertEqual(self.sweep(first, processes), self.sweep(first, processes))
        with concurrent.futures.ThreadPoolExecutor(1) as threads:
            self.assertNotEqual(self.sweep(first, threads), self.sweep(last, threads))

    def test_one_that_cannot_be_sent(self):
        with concurrent.futures.ProcessPoolExecutor(1) as processes:
            self.sweep(CannotBePickled(), processes)  # forked with it
            with self.assertRaisesRegex(starport.InputError, "'Again' as it was registered before, and it cannot be pickled"):
                self.sweep(CannotBePickled(), processes)


if __name__ == "__main__":
    unittest.main()
