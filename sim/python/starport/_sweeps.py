"""Sweeps on this machine, and on executors of concurrent.futures."""
from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import json
import logging
import math
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Optional, Union

from ._errors import InputError, SimulationError
from ._heuristics import plugins, register, registered, versions
from ._native import PACKAGE, Files, PathLike, _starport, absolute_samples, find_file
from ._results import Results, read_results

__all__ = ["SweepProgress", "sweep"]

Rows = tuple[int, int, bytes, bytes]  # instance, failed rows, lines of results.csv, of timings.csv
SentHeuristics = dict[str, tuple[tuple[int, bytes], Optional[bytes]]]  # by name: version, and the pickle if there can be one
ExecutorLike = Union[Executor, Callable[[], Executor]]


class SweepProgress(NamedTuple):
    """The progress of a sweep: instances with results, all instances, failed rows.

    Examples
    --------
    >>> import starport
    >>> starport.SweepProgress(done=3, total=8, failures=0)
    SweepProgress(done=3, total=8, failures=0)
    """

    done: int
    total: int
    failures: int


SweepProgress.__module__ = "starport"
ProgressLike = Union[None, bool, Callable[[SweepProgress], None]]


def _in_notebook() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return type(get_ipython()).__name__ == "ZMQInteractiveShell"


_BAR_EVERY_S = 0.2
_LOG_EVERY_S = 30.0


def _progress_text(state: SweepProgress, done_before: int, elapsed_s: float) -> str:
    """Return progress in words, as `starport sweep` shows it."""
    rate = (state.done - done_before) / max(elapsed_s, 1e-9)
    left_s = int((state.total - state.done) / rate) if rate > 0 else 0
    left = f", {left_s // 3600:02}:{left_s // 60 % 60:02}:{left_s % 60:02} left" if rate > 0 else ""
    failed = f", {state.failures} row{'' if state.failures == 1 else 's'} failed" if state.failures else ""
    return f"{state.done}/{state.total} instances, {rate:.3g} a second{left}{failed}"


@contextlib.contextmanager
def _display(progress: ProgressLike) -> Iterator[Callable[[SweepProgress], None]]:
    """Yield a function that shows progress: tqdm in notebooks, a bar on a terminal, else the log."""
    if callable(progress):
        yield progress
        return
    if progress is False:
        yield lambda _: None
        return
    if _in_notebook():
        with contextlib.suppress(ImportError):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # without ipywidgets, the bar is text
                from tqdm.auto import tqdm
            with contextlib.ExitStack() as shown:
                bar: Any = None

                def advance(state: SweepProgress) -> None:
                    nonlocal bar
                    if bar is None:
                        bar = shown.enter_context(tqdm(total=state.total, initial=state.done, unit="instance"))
                    if state.failures:
                        bar.set_postfix(failed_rows=state.failures, refresh=False)
                    bar.update(state.done - bar.n)
                yield advance
            return
    terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    start = time.monotonic()
    first: list[int] = []
    next_s = start + (0 if terminal else _LOG_EVERY_S)

    def show(state: SweepProgress) -> None:
        nonlocal next_s
        if not first:
            first.append(state.done)
        now = time.monotonic()
        if now < next_s:
            return
        next_s = now + (_BAR_EVERY_S if terminal else _LOG_EVERY_S)
        text = _progress_text(state, first[0], now - start)
        if terminal:
            bar = "#" * (20 * state.done // state.total)
            print(f"\r\033[K[{bar:<20}] {text}", end="", file=sys.stderr, flush=True)
        else:
            logging.getLogger("starport").info(text)
    try:
        yield show
    finally:
        if terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


# In the processes of an executor.

class _Program:
    """A process of the program `starport` that runs batches of one specification.

    It is small and has one thread, so that it forks a process for each run in a fraction of the time that this process
    needs. It ends with this process.
    """

    def __init__(self, specification: str, settings: tuple[str, float, float]) -> None:
        self.killed = False
        self._errors = tempfile.TemporaryFile()
        file = os.memfd_create("sweep.json")
        try:
            with open(file, "w", closefd=False, encoding="utf-8") as text:
                text.write(specification)
            # In a session of its own: Ctrl-C on the terminal is for this process.
            self._process = subprocess.Popen(
                [PACKAGE / "bin" / "starport", "sweep", "--batches", f"/proc/self/fd/{file}", *map(str, settings)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, pass_fds=[file], start_new_session=True)
        finally:
            os.close(file)

    def run(self, instances: list[int]) -> list[Rows]:
        """Run instances and return their rows."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write((" ".join(map(str, instances)) + "\n").encode())
            self._process.stdin.flush()
        rows: list[Rows] = []
        while (line := self._process.stdout.readline()) != b"end\n":
            if not line:
                raise self._failure()
            number, failures, length, timings_length = map(int, line.split())
            rows.append((number, failures, self._process.stdout.read(length),
                         self._process.stdout.read(timings_length)))
        return rows

    def _failure(self) -> Exception:
        status = self._process.wait()
        self._errors.seek(0)
        message = self._errors.read().decode(errors="replace").strip().removeprefix("starport: ")
        if status == 2:
            return InputError(message, "", message.partition(":")[0])
        return SimulationError(f"starport ended with status {status}: {message}")

    def kill(self) -> None:
        """Kill the process, so that a thread in run() gets an exception."""
        self.killed = True
        self._process.kill()

    def close(self) -> None:
        """Kill the process and close its pipes. No thread may be in run()."""
        self._process.kill()
        self._process.communicate()  # closes the pipes
        self._errors.close()


_programs: dict[_Program, Optional[str]] = {}  # of this process; with what they run when they are idle, None when busy
_programs_lock = threading.Lock()  # held by who reads or changes `_programs`


def _forget_programs() -> None:
    """Forget the programs of the process that this one is forked from."""
    global _programs_lock
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # that process closes their pipes
        _programs.clear()
    _programs_lock = threading.Lock()


os.register_at_fork(after_in_child=_forget_programs)


def _end_idle_programs(but: str = "") -> None:
    """End the idle programs of this process, except those that run `but`. The caller holds `_programs_lock`."""
    for program, idle in list(_programs.items()):
        if idle not in (None, but):
            del _programs[program]
            program.close()


def _end_programs() -> None:
    """End the programs of this process. Threads in which one is busy close it."""
    with _programs_lock:
        _end_idle_programs()
        for program in _programs:
            program.kill()


def _run_in_program(specification: str, settings: tuple[str, float, float], instances: list[int]) -> list[Rows]:
    content = hashlib.sha256(repr((specification, settings)).encode()).hexdigest()
    with _programs_lock:
        _end_idle_programs(content)
        program = next((program for program, idle in _programs.items() if idle == content), None)
        if program is None:
            program = _Program(specification, settings)
        _programs[program] = None
    try:
        return program.run(instances)
    except BaseException:
        program.killed = True
        raise
    finally:
        with _programs_lock:
            if program.killed:
                del _programs[program]
                program.close()
            else:
                _programs[program] = content


@functools.lru_cache(maxsize=1)
def _opened(specification: str, settings: tuple[str, float, float]) -> _starport.Sweep:
    with tempfile.TemporaryDirectory(prefix="starport-") as directory:
        path = pathlib.Path(directory, "sweep.json")
        path.write_text(specification, "utf-8")
        return _starport.Sweep(os.fsencode(path), *settings)


def _register_sent(heuristics: SentHeuristics) -> None:
    """Register the heuristics of another process, unless this one has the same."""
    for name, (version, pickled) in heuristics.items():
        own = versions.get(name, version)
        if pickled is not None and versions.get(name) != version:
            register(name, pickle.loads(pickled))
            versions[name] = version
        elif own != version and own[0] != os.getpid():
            raise InputError(f"executor: its workers have '{name}' as it was registered before, and it cannot be pickled. "
                             "Make the executor after register(), or install cloudpickle", "", "executor")


def run_batch(specification: str, settings: tuple[str, float, float], heuristics: SentHeuristics, number: int,
              instances: list[int]) -> tuple[float, list[Rows]]:
    """Run instances of a specification; return the seconds that it took, and the rows.

    Runs in a process of an executor, which needs no files of the process that sends the batch. `number` differs in
    each call, because Dask runs a function only once for the same arguments.
    """
    begin = time.perf_counter()
    _register_sent(heuristics)
    if plugins or any(name in specification for name in registered):
        rows: list[Rows] = []
        _opened(specification, settings).run(instances, 1, lambda number, failures, lines, timings: rows.append(
            (number, failures, lines, timings)), len(os.sched_getaffinity(0)))
    else:
        rows = _run_in_program(specification, settings, instances)
    return time.perf_counter() - begin, rows


# In the process that calls sweep().

def _pickled(heuristic: Any) -> Optional[bytes]:
    for module in ("cloudpickle", "pickle"):
        with contextlib.suppress(Exception):
            return bytes(__import__(module).dumps(heuristic))
    return None  # workers that are forked from this process have it


def _workers(executor: Executor) -> int:
    """Return how many batches an executor runs at once, as far as it says so."""
    for key in ("_max_workers", "num_workers", "max_workers"):
        count = getattr(executor, key, None)
        if isinstance(count, int) and count > 0:
            return count
    client = getattr(executor, "_client", None)  # Dask
    if client is not None and hasattr(client, "nthreads"):
        with contextlib.suppress(Exception):  # what is wrong shows when a batch is sent
            return max(1, sum(map(int, client.nthreads().values())))
    return os.cpu_count() or 1


def _is_executor(value: object) -> bool:
    return hasattr(value, "submit") and not isinstance(value, type)


def _no_executor(found: object) -> InputError:
    return InputError(f"executor: expected an executor of concurrent.futures, or a function that makes one, found {found!r}",
                      "", "executor", "an executor", repr(found))


def _one_line(error: Optional[BaseException]) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split()).rstrip(":")


class _Batches:
    """Sends the missing instances of a sweep to an executor and yields rows as they arrive, each
    instance once.

    A batch is meant to last about `target_s`; what was measured of earlier ones says how many
    instances that are. A batch that fails is sent again in halves, so that an instance that kills
    its worker is found. An instance that has failed `attempts` times is set aside. The sweep ends
    when `attempts` instances are set aside, or one before any result has arrived. A batch that is
    late while nothing else arrives is sent to another worker too.
    """

    target_s = 2.0
    attempts = 4
    patience_s = 20.0  # the duration that is expected of a batch before one was measured
    recount_s = 10.0  # how often the workers of the executor are counted

    def __init__(self, executor: ExecutorLike, missing: list[int], jobs: Optional[int],
                 send: Callable[[Executor, list[int]], "Future[tuple[float, list[Rows]]]"]) -> None:
        given: Any = executor
        self._make: Optional[Callable[[], Executor]] = None if _is_executor(executor) else given
        self._executor: Executor = self._made() if self._make else given
        self._own = self._make is not None
        self._jobs = jobs or _workers(self._executor)
        self._recount_at_s = math.inf if jobs else time.monotonic() + self.recount_s
        self._queue: list[tuple[list[int], int]] = []  # to be sent again, with failed attempts
        self._missing = missing
        self._next = 0
        self._send = send
        self._refusals = 0  # consecutive calls of submit() that failed
        # Batches under way: instances, failed attempts, when sent, and how often; 0 for a copy of another one.
        self._sent: dict["Future[tuple[float, list[Rows]]]", tuple[list[int], int, float, int]] = {}
        self._waiting = dict.fromkeys(missing)
        self._set_aside: list[int] = []
        self._last_error: Optional[BaseException] = None
        self._fail_together = False
        self._instance_s = math.nan
        self._arrival_s = time.monotonic()

    def _made(self) -> Executor:
        assert self._make is not None
        made = self._make()
        if not _is_executor(made):
            raise _no_executor(made)
        return made

    def close(self, interrupted: bool = False) -> None:
        """Abandon what is under way. A pool of processes that is interrupted is of no use afterwards: its processes
        get Ctrl-C on a terminal, and in a notebook its end would wait for batches that have begun."""
        for future in self._sent:
            future.cancel()
        if interrupted and isinstance(self._executor, ProcessPoolExecutor):
            for process in list((self._executor._processes or {}).values()):
                process.terminate()
        if self._own:
            getattr(self._executor, "shutdown", lambda wait: None)(wait=False)
        _end_programs()  # of threads

    def _size(self) -> int:
        left = len(self._missing) - self._next
        if math.isnan(self._instance_s):
            return 1
        wanted = int(self.target_s / max(self._instance_s, 1e-6))
        return max(1, min(wanted, left // (2 * self._jobs), 1000))

    def _take(self) -> Optional[tuple[list[int], int]]:
        """Return a batch that may be sent now. Where all batches fail when one worker dies, one that failed twice is
        sent alone."""
        def is_suspect(failed: int) -> bool:
            return self._fail_together and failed >= 2
        if (sum(copies < 2 for _, _, _, copies in self._sent.values()) >= 2 * self._jobs
                or any(is_suspect(failed) for _, failed, _, _ in self._sent.values())):
            return None
        while self._queue and not any(number in self._waiting for number in self._queue[-1][0]):
            self._queue.pop()  # a copy has arrived
        if self._queue:
            return None if is_suspect(self._queue[-1][1]) and self._sent else self._queue.pop()
        if self._next < len(self._missing):
            size = self._size()
            batch = self._missing[self._next:self._next + size]
            self._next += size
            return batch, 0
        return None

    def _late(self) -> Optional[tuple[list[int], int]]:
        """Return a batch that takes several times as long as expected while nothing else arrives: its worker hangs,
        is slow, or was lost without notice. Each copy is given four times as long as the one before."""
        now = time.monotonic()
        for future, (batch, failed, begin, copies) in self._sent.items():
            expected = self.patience_s if math.isnan(self._instance_s) else self._instance_s * len(batch) + 0.5
            if copies > 0 and now - begin > 3 * expected * 4 ** (copies - 1) and now - self._arrival_s > expected:
                self._sent[future] = (batch, failed, begin, copies + 1)
                return [number for number in batch if number in self._waiting], failed
        return None

    def _fill(self) -> None:
        if getattr(getattr(self._executor, "_client", None), "status", None) == "closed":  # Dask: submit() on a closed client raises nothing
            self._renew(ConnectionError("the client is closed"))
        if time.monotonic() > self._recount_at_s:
            self._recount_at_s = time.monotonic() + self.recount_s
            self._jobs = _workers(self._executor)
        while True:
            taken, copies = self._take(), 1
            if taken is None:
                taken, copies = self._late(), 0
            if taken is None:
                return
            batch, failed = taken
            try:
                future = self._send(self._executor, batch)
                if not isinstance(future, Future):
                    raise TypeError(f"submit() returned {future!r} instead of a Future of concurrent.futures")
            except Exception as error:
                self._queue += [(batch, failed)] * copies
                self._renew(error)
                continue
            self._refusals = 0
            self._sent[future] = (batch, failed, time.monotonic(), copies)

    def _renew(self, error: Exception) -> None:
        """Replace an executor that takes no work, such as a process pool one of whose processes has died."""
        self._refusals += 1
        old = self._executor
        again = self._refusals < self.attempts
        if again and self._make is not None:
            getattr(old, "shutdown", lambda wait: None)(wait=False)
            try:
                self._executor = self._made()
            except InputError:
                raise
            except Exception as failure:
                raise SimulationError(f"executor: it cannot be replaced ({_one_line(failure)}); what has arrived is "
                                      "stored. Resume with another one") from failure
        elif again and type(old) is ProcessPoolExecutor and isinstance(error, BrokenExecutor):
            pool: Any = old
            self._executor = ProcessPoolExecutor(self._jobs, pool._mp_context, pool._initializer, pool._initargs)
            self._own = True
        else:
            raise SimulationError(f"executor: it accepts no more work ({_one_line(error)}); what has arrived is stored. "
                                  "Resume with another one, or give a function that makes one") from error

    def _retry(self, batch: list[int], failed: int, error: BaseException) -> None:
        """Queue what is missing of a batch that failed, or set it aside."""
        batch = [number for number in batch if number in self._waiting]
        self._fail_together |= isinstance(error, BrokenExecutor)
        if len(batch) > 1 or failed + 1 < self.attempts:
            half = len(batch) // 2
            self._queue += [(part, failed + 1) for part in (batch[:half], batch[half:]) if part]
            return
        for number in batch:
            del self._waiting[number]
            self._set_aside.append(number)
            self._last_error = error
        if math.isnan(self._instance_s) or len(self._set_aside) == self.attempts:
            self._fail()

    def _drop_arrived(self) -> None:
        """Forget copies of batches that have arrived."""
        for future, (batch, *_) in list(self._sent.items()):
            if not any(number in self._waiting for number in batch):
                future.cancel()
                del self._sent[future]

    def _fail(self) -> None:
        numbers = ", ".join(map(str, self._set_aside))
        raise SimulationError(
            f"executor: instance{'s' if len(self._set_aside) > 1 else ''} {numbers} failed {self.attempts} times or more "
            f"({_one_line(self._last_error)}); what has arrived is stored. Remove the cause, then resume"
        ) from self._last_error

    def __iter__(self) -> Iterator[Rows]:
        while self._waiting:
            self._drop_arrived()
            self._fill()
            wait_for(self._sent, timeout=0.2, return_when=FIRST_COMPLETED)
            # An executor that is shut down cancels futures without notice to those who wait for them.
            for future in [future for future in self._sent if future.done()]:
                batch, failed, _, _ = self._sent.pop(future)
                try:
                    duration_s, rows = future.result()
                    instance_s = duration_s / len(batch)
                    if sorted(number for number, _, _, _ in rows) != sorted(batch):
                        raise ValueError("the executor returned other rows than those of the batch")
                except (InputError, KeyboardInterrupt):
                    raise
                except (Exception, CancelledError) as error:
                    self._retry(batch, failed, error)
                    continue
                self._arrival_s = time.monotonic()
                self._instance_s = instance_s
                for row in rows:
                    if row[0] in self._waiting:
                        del self._waiting[row[0]]
                        yield row
        if self._set_aside:
            self._fail()


def _path(specification: Union[PathLike, Mapping[str, Any]], files: Files) -> str:
    if not isinstance(specification, Mapping):
        return find_file(specification)
    copy = json.loads(json.dumps(specification))
    # Relative paths in an object are those of this process.
    for experiment in copy.get("experiments", []) if isinstance(copy.get("experiments"), list) else []:
        if not isinstance(experiment, dict):
            continue
        if "noise" in experiment:
            experiment["noise"] = absolute_samples(experiment["noise"])
        if isinstance(experiment.get("platforms"), list):
            experiment["platforms"] = [str(pathlib.Path(find_file(item)).absolute()) if isinstance(item, str)
                                       else item for item in experiment["platforms"]]
    return files.write(copy, "sweep.json", "specification")


def sweep(specification: Union[PathLike, Mapping[str, Any]], output: Optional[PathLike] = None, *,
          engine: str = "simgrid", jobs: Optional[int] = None, time_limit_s: float = 3600.0,
          cross_check: float = 0.0, resume: bool = False, executor: Optional[ExecutorLike] = None,
          progress: ProgressLike = None) -> Results:
    """Run a sweep and return its rows, with the same bytes in its files as `starport sweep`.

    Ctrl-C stops it in good order: what has arrived is stored, and `resume` continues.

    Parameters
    ----------
    specification : path or dict
        The campaign (experiments/README.md); it may name registered heuristics.
    output : path, optional
        The result directory, new or empty unless `resume`. Default: none is kept.
    engine : {"simgrid", "analytic"}
        As in `compare`.
    jobs : int, optional
        Instances to run at once. Default: one per processor, or as many as the executor has workers.
    time_limit_s : float
        Wall-clock limit of each run in seconds; 0: none.
    cross_check : float
        With engine "analytic", the share of the instances that SimGrid simulates too.
    resume : bool
        Continue a sweep that was stopped, or start it.
    executor : concurrent.futures.Executor, or a function that makes one, optional
        Where instances run: processes, threads, Dask (`client.get_executor()`), MPI
        (`mpi4py.futures.MPICommExecutor()`), or any other with a method `submit`. Its workers need this
        package, and no files of this machine. A batch whose worker dies is sent again, one that is late to a second worker too.
    progress : bool or callable, optional
        A function of a SweepProgress; False shows nothing. Default: tqdm in notebooks, a bar on a
        terminal, else a line in the log "starport" every 30 s (level INFO).

    Raises
    ------
    InputError
        If the specification or an argument is wrong.
    SimulationError
        If the executor accepts no more work, or an instance fails again and again; what has arrived
        is stored.

    Examples
    --------
    >>> import starport
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> specification = {"schema_version": 1, "name": "x", "seed": 1, "heuristics": ["Het", "BMM"],
    ...     "experiments": [{"name": "x", "problems": ["800", "1600"], "platforms": ["platforms/first-try.json"]}]}
    >>> with ThreadPoolExecutor(2) as threads:
    ...     results = starport.sweep(specification, executor=threads)
    >>> results == starport.sweep(specification, jobs=1)
    True
    """
    if jobs is not None and jobs < 1:
        raise InputError(f"jobs: expected at least 1, found {jobs}", "", "jobs", "at least 1", str(jobs))
    for name, value, most, expected in [
            ("time_limit_s", time_limit_s, sys.float_info.max, "a number of seconds, 0 or greater"),
            ("cross_check", cross_check, 1.0, "a share from 0 to 1")]:
        if not 0 <= value <= most:
            raise InputError(f"{name}: expected {expected}, found {value}", "", name, expected, str(value))
    if executor is not None and not _is_executor(executor) and not callable(executor):
        raise _no_executor(executor)
    with Files() as files:
        try:
            return _sweep(_path(specification, files), output, (engine, time_limit_s, cross_check), jobs,
                          resume, executor, progress)
        except InputError as error:
            raise files.error(error) from None


def _sweep(path: str, output: Optional[PathLike], settings: tuple[str, float, float], jobs: Optional[int],
           resume: bool, executor: Optional[ExecutorLike], progress: ProgressLike) -> Results:
    native = _starport.Sweep(os.fsencode(path), *settings)
    here = jobs or len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="starport-") as scratch, _display(progress) as show:
        directory = os.fspath(output) if output is not None else os.path.join(scratch, "results")
        native.open(os.fsencode(directory), resume, here)
        try:
            if not native.complete:
                _run(native, settings, jobs, here, executor, show)
        finally:
            native.close()
        return read_results(directory)


def _run(native: _starport.Sweep, settings: tuple[str, float, float], jobs: Optional[int], here: int,
         executor: Optional[ExecutorLike], show: Callable[[SweepProgress], None]) -> None:
    """Run what is missing of a sweep, append it, and finish the directory, also when stopped."""
    begin = time.monotonic()
    missing = native.missing()
    state = SweepProgress(native.size - len(missing), native.size, native.failures)
    show(state)

    def store(number: int, failures: int, rows: bytes, timings: bytes) -> None:
        nonlocal state
        native.append(number, rows, timings)
        state = SweepProgress(state.done + 1, state.total, state.failures + failures)
        show(state)
    try:
        if executor is None:
            native.run(missing, here, store, 1)
            return
        specification = native.resolved
        heuristics: SentHeuristics = {name: (versions[name], _pickled(heuristic))
                                      for name, heuristic in registered.items() if name in specification}

        numbers = itertools.count()

        def send(pool: Executor, batch: list[int]) -> "Future[tuple[float, list[Rows]]]":
            return pool.submit(run_batch, specification, settings, heuristics, next(numbers), batch)
        batches = _Batches(executor, missing, jobs, send)
        interrupted = False
        try:
            for rows in batches:
                store(*rows)
        except KeyboardInterrupt:
            interrupted = True
            raise
        finally:
            batches.close(interrupted)
    finally:
        native.finish(time.monotonic() - begin)
