"""Sweeps on this machine, and on executors of concurrent.futures."""
from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import logging
import math
import os
import pathlib
import pickle
import sys
import tempfile
import time
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Optional, Union

from ._errors import InputError, SimulationError
from ._heuristics import register, registered
from ._native import Files, PathLike, _starport, find_file
from ._results import Results, read_results

__all__ = ["SweepProgress", "sweep"]

Rows = tuple[int, int, bytes, bytes]  # instance, failed rows, lines of results.csv, of timings.csv
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


@contextlib.contextmanager
def _display(progress: ProgressLike) -> Iterator[Callable[[SweepProgress], None]]:
    """Yield a function that shows progress: tqdm in notebooks, a line on a terminal, else the log."""
    if callable(progress):
        yield progress
        return
    if progress is False:
        yield lambda _: None
        return
    start = time.monotonic()
    first: list[int] = []
    shown = [start]

    def text(state: SweepProgress) -> str:
        rate = (state.done - first[0]) / max(time.monotonic() - start, 1e-9)
        left = f", {(state.total - state.done) / rate:.0f} s left" if rate > 0 else ""
        failed = f", {state.failures} rows failed" if state.failures else ""
        return f"{state.done}/{state.total} instances, {rate:.3g} a second{left}{failed}"

    if _in_notebook():
        with contextlib.suppress(ImportError):
            from tqdm.auto import tqdm
            with tqdm(unit="instance") as bar:
                def advance(state: SweepProgress) -> None:
                    bar.total = state.total
                    bar.update(state.done - bar.n)
                yield advance
            return
    terminal = sys.stderr.isatty()
    every_s = 0.2 if terminal else 30

    def show(state: SweepProgress) -> None:
        if not first:
            first.append(state.done)
        if time.monotonic() - shown[0] < every_s:
            return
        shown[0] = time.monotonic()
        if terminal:
            print(f"\r\033[K{text(state)}", end="", file=sys.stderr, flush=True)
        else:
            logging.getLogger("starport").info(text(state))
    try:
        yield show
    finally:
        if terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


# In the processes of an executor.

@functools.lru_cache(maxsize=4)
def _opened(digest: str, settings: tuple[str, float, float]) -> _starport.Sweep:
    with tempfile.TemporaryDirectory(prefix="starport-") as directory:
        path = pathlib.Path(directory, "sweep.json")
        path.write_text(_specifications[digest])
        return _starport.Sweep(str(path), *settings)


_specifications: dict[str, str] = {}


def _register_pickled(heuristics: bytes) -> None:
    for name, heuristic in pickle.loads(heuristics).items():
        if name not in registered:
            register(name, heuristic)


def run_batch(specification: str, settings: tuple[str, float, float], heuristics: Optional[bytes],
              instances: list[int]) -> tuple[float, list[Rows]]:
    """Run instances of a specification; return the seconds that it took, and the rows.

    Runs in a process of an executor, which needs no files of the process that sends the batch.
    """
    begin = time.perf_counter()
    if heuristics is not None:
        _register_pickled(heuristics)
    digest = hashlib.sha256(specification.encode()).hexdigest()
    _specifications[digest] = specification
    rows: list[Rows] = []
    _opened(digest, settings).run(instances, 1, lambda number, failures, lines, timings: rows.append(
        (number, failures, lines, timings)))
    return time.perf_counter() - begin, rows


# In the process that calls sweep().

def _pickled(specification: str) -> Optional[bytes]:
    """Return the registered heuristics that the specification names, for other processes."""
    named = {name: heuristic for name, heuristic in registered.items() if name in specification}
    if not named:
        return None
    for module in ("cloudpickle", "pickle"):
        with contextlib.suppress(Exception):
            return bytes(__import__(module).dumps(named))
    return None  # workers that were forked from this process have them


def _workers(executor: Executor) -> int:
    """Return how many batches an executor runs at once, as far as it says so."""
    for key in ("_max_workers", "num_workers", "max_workers"):
        count = getattr(executor, key, None)
        if isinstance(count, int) and count > 0:
            return count
    client = getattr(executor, "_client", None)  # Dask
    if client is not None and hasattr(client, "nthreads"):
        return max(1, sum(map(int, client.nthreads().values())))
    return os.cpu_count() or 1


class _Batches:
    """Sends the missing instances of a sweep to an executor and yields rows as they arrive, each
    instance once.

    A batch is meant to last about `target_s`; what was measured of earlier ones says how many
    instances that are. A batch whose worker died is sent again, up to `attempts` times, in halves
    so that an instance that kills its worker is found. When nothing is left to send, batches that
    are late are sent a second time.
    """

    target_s = 2.0
    attempts = 4

    def __init__(self, executor: ExecutorLike, missing: list[int], jobs: Optional[int],
                 send: Callable[[Executor, list[int]], "Future[tuple[float, list[Rows]]]"]) -> None:
        self._make = executor if not isinstance(executor, Executor) else None
        self._executor = executor if isinstance(executor, Executor) else executor()
        self._own = self._make is not None
        self._jobs = jobs or _workers(self._executor)
        self._queue: list[tuple[list[int], int]] = []  # to be sent again, with failed attempts
        self._missing = missing
        self._next = 0
        self._send = send
        self._sent: dict["Future[tuple[float, list[Rows]]]", tuple[list[int], int, float, int]] = {}
        self._waiting = dict.fromkeys(missing)
        self._instance_s = math.nan

    def close(self) -> None:
        """Abandon what is under way."""
        for future in self._sent:
            future.cancel()
        if self._own:
            self._executor.shutdown(wait=False, cancel_futures=True)

    def _size(self) -> int:
        left = len(self._missing) - self._next
        if math.isnan(self._instance_s):
            return 1
        wanted = int(self.target_s / max(self._instance_s, 1e-6))
        return max(1, min(wanted, left // (2 * self._jobs), 1000))

    def _take(self) -> Optional[tuple[list[int], int]]:
        if self._queue:
            return self._queue.pop()
        if self._next < len(self._missing):
            size = self._size()
            batch = self._missing[self._next:self._next + size]
            self._next += size
            return batch, 0
        return None

    def _late(self) -> Optional[tuple[list[int], int]]:
        """Return a batch that takes three times as long as expected and was sent once only."""
        if math.isnan(self._instance_s):
            return None
        now = time.monotonic()
        for future, (batch, failed, begin, copies) in self._sent.items():
            expected = self._instance_s * len(batch) + 0.5
            if copies == 1 and now - begin > 3 * expected and future.running():
                self._sent[future] = (batch, failed, begin, 2)
                return [number for number in batch if number in self._waiting], failed
        return None

    def _fill(self) -> None:
        while len(self._sent) < 2 * self._jobs:
            taken = self._take()
            copies = 1
            if taken is None:
                taken = self._late() if len(self._sent) < self._jobs else None
                copies = 2
            if taken is None or not taken[0]:
                return
            batch, failed = taken
            try:
                future = self._send(self._executor, batch)
            except (BrokenExecutor, RuntimeError):
                self._queue.append((batch, failed))
                self._renew()
                continue
            self._sent[future] = (batch, failed, time.monotonic(), copies)

    def _renew(self) -> None:
        """Replace an executor that broke, as a process pool does when one of its processes dies."""
        if self._make is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = self._make()
        elif isinstance(self._executor, ProcessPoolExecutor):
            self._executor = ProcessPoolExecutor(
                self._jobs, mp_context=getattr(self._executor, "_mp_context", None))
            self._own = True
        else:
            raise SimulationError("executor: it accepts no more work; what has arrived is stored. "
                                  "Resume with another one, or give a function that makes one")

    def _retry(self, batch: list[int], failed: int, error: BaseException) -> None:
        batch = [number for number in batch if number in self._waiting]
        if failed + 1 >= self.attempts:
            raise SimulationError(f"executor: instances {batch[0]} to {batch[-1]} failed {failed + 1} times: "
                                  f"{type(error).__name__}: {error}") from error
        half = len(batch) // 2
        self._queue += [(part, failed + 1) for part in (batch[:half], batch[half:]) if part]

    def __iter__(self) -> Iterator[Rows]:
        while self._waiting:
            self._fill()
            done, _ = wait_for(self._sent, timeout=0.2, return_when=FIRST_COMPLETED)
            for future in done:
                batch, failed, _, _ = self._sent.pop(future)
                try:
                    duration_s, rows = future.result()
                except (InputError, KeyboardInterrupt):
                    raise
                except (Exception, CancelledError) as error:
                    if any(number in self._waiting for number in batch):
                        self._retry(batch, failed, error)
                    continue
                self._instance_s = duration_s / max(len(batch), 1)
                for row in rows:
                    if row[0] in self._waiting:
                        del self._waiting[row[0]]
                        yield row


def _path(specification: Union[PathLike, Mapping[str, Any]], files: Files) -> str:
    if not isinstance(specification, Mapping):
        return find_file(specification)
    copy = json.loads(json.dumps(specification))
    # Relative paths in an object are those of this process.
    for experiment in copy.get("experiments", []) if isinstance(copy.get("experiments"), list) else []:
        if isinstance(experiment, dict) and isinstance(experiment.get("platforms"), list):
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
        (`mpi4py.futures.MPIPoolExecutor()`). Its workers need this package, and no files of this
        machine. A batch whose worker dies is sent again, one that is late is sent twice.
    progress : bool or callable, optional
        A function of a SweepProgress; False shows nothing. Default: tqdm in notebooks, a line on a
        terminal, else lines in the log "starport".

    Raises
    ------
    InputError
        If the specification or an argument is wrong.
    SimulationError
        If the workers of the executor keep dying; results that have arrived are stored.

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
    with Files() as files:
        try:
            return _sweep(_path(specification, files), output, (engine, time_limit_s, cross_check), jobs,
                          resume, executor, progress)
        except InputError as error:
            raise files.error(error) from None


def _sweep(path: str, output: Optional[PathLike], settings: tuple[str, float, float], jobs: Optional[int],
           resume: bool, executor: Optional[ExecutorLike], progress: ProgressLike) -> Results:
    native = _starport.Sweep(path, *settings)
    here = jobs or len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="starport-") as scratch, _display(progress) as show:
        directory = os.fspath(output) if output is not None else os.path.join(scratch, "results")
        native.open(directory, resume, here)
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
            native.run(missing, here, store)
            return
        specification = native.resolved
        heuristics = _pickled(specification)

        def send(pool: Executor, batch: list[int]) -> "Future[tuple[float, list[Rows]]]":
            return pool.submit(run_batch, specification, settings, heuristics, batch)
        batches = _Batches(executor, missing, jobs, send)
        try:
            for rows in batches:
                store(*rows)
        finally:
            batches.close()
    finally:
        native.finish(time.monotonic() - begin)
