"""Heuristics in Python: how they are registered, planned and called."""
from __future__ import annotations

import contextlib
import json
import os
import tempfile
import threading
import traceback
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Optional, Protocol, Union

from ._errors import InputError, NotApplicable
from ._native import Files, PathLike, _starport
from ._platforms import Problem, Star, to_problem, to_star
from .lib._starport import View

__all__ = ["Allocator", "Decide", "Divider", "Heuristic", "IdleStrategy", "Planner", "ReadyStrategy", "Task", "TileView",
           "heuristics", "load_plugin", "register"]


class Decide(Protocol):
    """A deciding function: receives a View, returns the number of the worker to serve, or None.

    Examples
    --------
    >>> import starport
    >>> first: starport.Decide = lambda view: view.requests[0].worker
    >>> starport.compare("platforms/first-try.json", 800, first)[0].status
    'ok'
    """

    def __call__(self, view: View, /) -> Optional[int]:
        """Return the worker to serve."""


class Planner(Protocol):
    """An object whose method plan() returns a deciding function or the transfers of a schedule.

    Examples
    --------
    >>> import starport
    >>> class Fastest:
    ...     def plan(self, platform: starport.Star, problem: starport.Problem) -> starport.Decide:
    ...         links = [worker.c_s for worker in platform.workers]
    ...         best = links.index(min(links)) + 1
    ...         return lambda view: best if best in [request.worker for request in view.requests] else None
    >>> starport.compare("platforms/first-try.json", 800, Fastest())[0].enrolled_workers
    1
    """

    def plan(self, platform: Star, problem: Problem) -> Union[Decide, Iterable[Mapping[str, Any]]]:
        """Return a function of a View, or transfers as in schedule files (heuristics/PROTOCOL.md)."""


class Task(NamedTuple):
    """A tile task T_ijk, C_ij += A_ik.B_kj: the indices i, j, k from 0.

    Examples
    --------
    >>> import starport
    >>> starport.Task(0, 1, 2) == (0, 1, 2)
    True
    """

    i: int
    j: int
    k: int


class TileView:
    """What a strategy for tile tasks sees of a run.

    Attributes
    ----------
    now_s : float
        The current date, in seconds.
    node, product
        The machine and the size of the product, as in the first message of the protocol
        (heuristics/PROTOCOL.md): `node.workers[0].task_s`, `node.links[0].in_s`, `product.r`.
    ready : list of Task
        With `idle`: the tasks that are ready and have no worker, in the order in which they became
        ready.

    Examples
    --------
    >>> import starport
    >>> class Nearest:
    ...     def idle(self, worker: int, view: starport.TileView) -> starport.Task:
    ...         return min(view.ready, key=lambda task: view.missing(task, worker))
    >>> starport.compare("platforms/sirocco.json", 3840, Nearest())[0].status
    'ok'
    """

    def __init__(self, node: Any, product: Any, count_missing: Callable[[int, int, int, int], int]) -> None:
        self.now_s: float = node.start_up_s
        self.node, self.product = node, product
        self._count_missing = count_missing
        self._ready: dict[Task, None] = {}

    @property
    def ready(self) -> list[Task]:
        """The tasks that are ready and have no worker."""
        return list(self._ready)

    def missing(self, task: tuple[int, int, int], worker: int) -> int:
        """Return how many of the three tiles of a task are absent in the memory of a worker, given by its number."""
        return self._count_missing(*task, worker)


class Allocator(Protocol):
    """An object whose method allocate() returns a static allocation of tile tasks.

    Examples
    --------
    >>> import starport
    >>> from typing import Any
    >>> class Alternating:
    ...     def allocate(self, node: Any, product: Any) -> list[int]:
    ...         nodes = [worker.node for worker in node.workers]
    ...         return [nodes[tile % len(nodes)] for tile in range(product.r * product.s)]
    >>> starport.compare("platforms/sirocco.json", 3840, Alternating())[0].status
    'ok'
    """

    def allocate(self, node: Any, product: Any) -> Iterable[int]:
        """Return the memory node (0: main memory, from 1: GPUs) of each tile of C, row by row, or of each task."""


class IdleStrategy(Protocol):
    """An object that schedules tile tasks when workers are idle.

    Examples
    --------
    >>> import starport
    >>> class Oldest:
    ...     def idle(self, worker: int, view: starport.TileView) -> starport.Task:
    ...         return view.ready[0]
    >>> starport.compare("platforms/sirocco.json", 3840, Oldest())[0].status
    'ok'
    """

    def idle(self, worker: int, view: TileView) -> Optional[tuple[int, int, int]]:
        """Return one of the tasks in `view.ready` for a worker, given by its number from 1, or None."""


class ReadyStrategy(Protocol):
    """An object that schedules tile tasks as soon as they are ready.

    Examples
    --------
    >>> import starport
    >>> class Dealt:
    ...     def ready(self, task: starport.Task, view: starport.TileView) -> int:
    ...         return 1 + int(task.i * view.product.s + task.j) % len(view.node.workers)
    >>> starport.compare("platforms/sirocco.json", 3840, Dealt())[0].status
    'ok'
    """

    def ready(self, task: Task, view: TileView) -> int:
        """Return the number of the worker, from 1, that gets a task."""


class Divider(Protocol):
    """An object whose method divide() returns a partition of C for a distributed product.

    Examples
    --------
    >>> import starport
    >>> from typing import Any
    >>> class Columns:
    ...     def divide(self, cluster: Any, product: Any) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    ...         count, side = len(cluster.workers), product.side
    ...         return [((0, side), (side * n // count, side * (n + 1) // count)) for n in range(count)]
    >>> starport.compare("platforms/two-processors.json", 3200, Columns(), block_size=100)[0].status
    'ok'
    """

    def divide(self, cluster: Any, product: Any) -> Iterable[tuple[tuple[int, int], tuple[int, int]]]:
        """Return for each worker its rows and its columns of C in blocks, as ranges (from, to)."""


HeuristicLike = Union[str, Decide, Planner, Allocator, IdleStrategy, ReadyStrategy, Divider]
HeuristicsLike = Union[HeuristicLike, Iterable[HeuristicLike], Mapping[str, HeuristicLike]]

_recording = threading.local()  # .directory: where tracebacks go while runs are under way
registered: dict[str, Any] = {}
versions: dict[str, tuple[int, bytes]] = {}  # of each registered heuristic: the process, and bytes of no other registration
plugins: list[str] = []


@contextlib.contextmanager
def recorded_tracebacks() -> Iterator[dict[str, str]]:
    """Collect the tracebacks of heuristics, which run in other processes, by their names."""
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="starport-") as directory:
        before = getattr(_recording, "directory", None)
        _recording.directory = directory
        try:
            yield found
        finally:
            _recording.directory = before
            for entry in os.scandir(directory):
                with open(entry.path) as file:
                    found.update([json.load(file)])


def _record(name: str, parameters: Mapping[str, str]) -> None:
    directory = getattr(_recording, "directory", None)
    if directory is None:
        return
    if parameters:
        name += "[" + ",".join(f"{key}={value}" for key, value in parameters.items()) + "]"
    file, path = tempfile.mkstemp(dir=directory)
    with open(file, "w") as out:
        json.dump([name, traceback.format_exc()], out)


def _answer(plan: Mapping[str, Any]) -> str:
    return json.dumps({"protocol": 1, **plan})


def _planner(name: str, heuristic: Any) -> Callable[..., tuple[str, Optional[Callable[[View], Any]]]]:
    """Return the function that plans for the native module: it gives an answer of the protocol, and
    the function that decides on requests or None."""
    def planned(platform: Any, problem: Any, parameters: Mapping[str, str]) -> tuple[str, Any]:
        try:
            if not hasattr(heuristic, "plan"):
                def plan(view: View) -> Any:
                    return heuristic(view, **parameters)
            else:
                plan = heuristic.plan(to_star(platform), to_problem(problem), **parameters)
            about = {"details": getattr(heuristic, "details", {})}
            if not callable(plan):
                return _answer({**about, "transfers": list(plan)}), None
        except NotApplicable as reason:
            return _answer({"not_applicable": str(reason)}), None
        except Exception:
            _record(name, parameters)
            raise

        def decide(view: View) -> Any:
            try:
                return plan(view)
            except Exception:
                _record(name, parameters)
                raise
        layout = getattr(heuristic, "layout", "optimized, overlapped")
        return _answer({**about, "decides": "requests", "layout": layout}), decide
    return planned


class _TileDecisions:
    """Calls the methods of a strategy for tile tasks on the events of a run."""

    def __init__(self, strategy: Any, view: TileView, failed: Callable[[], None], parameters: Mapping[str, str]) -> None:
        self.strategy, self.view, self.failed = strategy, view, failed
        if hasattr(strategy, "start"):
            self.call("start", view, **parameters)

    def call(self, method: str, *arguments: Any, **parameters: str) -> Any:
        try:
            return getattr(self.strategy, method)(*arguments, **parameters)
        except Exception:
            self.failed()
            raise

    def push(self, indices: tuple[int, int, int], now_s: float) -> Any:
        task = Task(*indices)
        self.view.now_s = now_s
        if hasattr(self.strategy, "ready"):
            return self.call("ready", task, self.view)
        self.view._ready[task] = None
        return None

    def pop(self, worker: int) -> Any:
        if not self.view._ready:
            return None
        task = self.call("idle", worker, self.view)
        self.view._ready.pop(task, None)
        return task

    def ended(self, worker: int, indices: tuple[int, int, int], now_s: float) -> None:
        self.view.now_s = now_s
        if hasattr(self.strategy, "ended"):
            self.call("ended", worker, Task(*indices), self.view)

    def stopped(self, worker: int) -> None:
        if hasattr(self.strategy, "stopped"):
            self.call("stopped", worker, self.view)


def _asked_planner(name: str, heuristic: Any) -> Callable[..., tuple[str, Any]]:
    """Return the function that answers the first message of the protocol about tile tasks or a distributed product. It
    gives the answer and, for decisions on tile tasks, a function that makes their `_TileDecisions`. Tracebacks are
    recorded without parameters, of which this function does not get all."""
    def planned(text: str) -> tuple[str, Any]:
        question = json.loads(text, object_hook=lambda values: SimpleNamespace(**values))
        parameters = json.loads(text)["parameters"]
        try:
            if hasattr(heuristic, "divide"):
                ranges = heuristic.divide(question.platform, question.problem, **parameters)
                return _answer({"rectangles": [{"rows": list(rows), "columns": list(columns)}
                                               for rows, columns in ranges]}), None
            if hasattr(heuristic, "allocate"):
                nodes = heuristic.allocate(question.platform, question.problem, **parameters)
                return _answer({"allocation": [int(node) for node in nodes],
                                "redux": bool(getattr(heuristic, "redux", False))}), None
        except NotApplicable as reason:
            return _answer({"not_applicable": str(reason)}), None
        except Exception:
            _record(name, {})
            raise

        def start(count_missing: Callable[[int, int, int, int], int]) -> _TileDecisions:
            view = TileView(question.platform, question.problem, count_missing)
            return _TileDecisions(heuristic, view, lambda: _record(name, {}), parameters)
        return _answer({"decides": "ready" if hasattr(heuristic, "ready") else "idle"}), start
    return planned


_METHODS = {"tiles": ("allocate", "idle", "ready"), "spmd": ("divide",), "star": ("plan", "__call__")}


def _model_of(heuristic: Any) -> Optional[str]:
    """Return the model of a heuristic by its methods."""
    for model, methods in _METHODS.items():
        if any(callable(getattr(heuristic, method, None)) for method in methods):
            return model
    return None


def register(name: str, heuristic: HeuristicLike) -> str:
    """Register a heuristic under a name for lists, sweeps and results, or replace it.

    Parameters
    ----------
    name : str
        Name without commas, brackets, colons and spaces.
    heuristic : callable or object
        For a star, a function that receives a View and returns the number of the worker to serve, or
        None; or an object whose method plan(platform, problem) receives a Star and a Problem, and
        returns such a function or a list of transfers. For tile tasks, an object with a method
        allocate (an Allocator), idle (an IdleStrategy) or ready (a ReadyStrategy). For distributed
        products, one with a method divide (a Divider). See heuristics/PROTOCOL.md.

    Returns
    -------
    str
        The name.

    Raises
    ------
    InputError
        If the name is not allowed, or a built-in heuristic or one of another model has it.
    TypeError
        If the object is neither a function nor has one of these methods.

    Examples
    --------
    >>> import starport
    >>> starport.register("First", lambda view: view.requests[0].worker)
    'First'
    >>> starport.compare("platforms/first-try.json", 800, "First,Het").best.heuristic
    'Het'
    """
    about = (getattr(heuristic, "__doc__", None) or "").strip().partition("\n")[0] or "in Python"
    model = _model_of(heuristic)
    if model is None:
        raise TypeError(f"{name}: expected a function, or an object with a method plan, allocate, idle, ready or divide, "
                        f"found {type(heuristic).__name__}")
    planner = _planner(name, heuristic) if model == "star" else _asked_planner(name, heuristic)
    _starport.register_heuristic(name, about, model, planner)
    registered[name] = heuristic
    versions[name] = (os.getpid(), os.urandom(16))
    return name


def load_plugin(path: PathLike) -> None:
    """Load a shared library with heuristics and register them, as the option --plugin does.

    Raises
    ------
    InputError
        If it cannot be loaded, or was made for another version.

    Examples
    --------
    >>> import starport
    >>> starport.load_plugin("none.so")
    Traceback (most recent call last):
    starport.InputError: plugin: expected a shared library, found ...none.so: cannot open shared object file: ...
    """
    try:
        _starport.load_plugin(os.fsencode(path))
        plugins.append(os.fspath(path))
    except InputError as error:
        raise Files().error(error) from None


def name_of(heuristic: HeuristicLike, taken: Iterable[str] = ()) -> str:
    """Return the name of a heuristic for a list. Registers an object under its own name, with a
    number if that is in `taken` or of another model."""
    if isinstance(heuristic, str):
        return heuristic
    name = getattr(heuristic, "name", None) or getattr(heuristic, "__name__", None)
    name = "lambda" if name == "<lambda>" else name or type(heuristic).__name__
    number = 1
    model = _model_of(heuristic)
    while (one := name if number == 1 else f"{name}-{number}") in taken or _model_of(registered.get(one, heuristic)) != model:
        number += 1
    return register(one, heuristic)


def names_of(heuristics: HeuristicsLike) -> str:
    """Return the list of heuristics, as the option --heuristics takes it."""
    if isinstance(heuristics, Mapping):
        heuristics = [register(name, item) if not isinstance(item, str) else item
                      for name, item in heuristics.items()]
    elif isinstance(heuristics, str) or not isinstance(heuristics, Iterable):
        heuristics = [heuristics]
    names: list[str] = []
    for heuristic in heuristics:
        names.append(name_of(heuristic, names))
    if not names:
        raise InputError("heuristics: expected at least one, found none", "", "heuristics",
                         "at least one", "none")
    return ",".join(names)


@dataclass(frozen=True)
class Heuristic:
    """A heuristic that can be named in lists.

    Attributes
    ----------
    name : str
        Its name in lists.
    description : str
        What it does, in a line.
    source : str
        Paper and section, or "Python".
    groups : tuple of str
        Names that stand for several heuristics, such as "all".
    parameters : dict
        By name: the "values" (an empty list: integers), the "default", the "meaning".

    Examples
    --------
    >>> import starport
    >>> het = starport.heuristics("Het")[0]
    >>> het.source, het.groups
    ("PPoPP'08, section 5", ('all', 'ppopp08'))
    """

    name: str
    description: str
    source: str
    groups: tuple[str, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)


def heuristics(*names: str) -> list[Heuristic]:
    """Return the heuristics that can be named in lists, also registered ones, as `starport list`.

    Parameters
    ----------
    *names : str
        Only these heuristics, or those of these groups.

    Raises
    ------
    InputError
        If there is no heuristic or group of that name.

    Examples
    --------
    >>> import starport
    >>> [heuristic.name for heuristic in starport.heuristics("hcw06")]
    ['SquareCorner', 'StraightLine', 'Sequential']
    """
    found = [Heuristic(item["name"], item["description"], item["source"], tuple(item["groups"]),
                       item["parameters"]) for item in json.loads(_starport.heuristics())]
    if not names:
        return found
    chosen = []
    for name in names:
        matches = [item for item in found if name == item.name or name in item.groups]
        if not matches:
            raise InputError(f"heuristics: '{name}' is not a heuristic or a group", "", "heuristics",
                             "", f"'{name}' is not a heuristic or a group")
        chosen += matches
    return list({item.name: item for item in chosen}.values())


for _class in (Allocator, Divider, Heuristic, IdleStrategy, Planner, ReadyStrategy, TileView):
    _class.__module__ = "starport"
