"""Heuristics in Python: how they are registered, planned and called."""
from __future__ import annotations

import contextlib
import json
import os
import tempfile
import threading
import traceback
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Protocol, Union

from ._errors import InputError, NotApplicable
from ._native import Files, PathLike, _starport
from ._platforms import Problem, Star, to_problem, to_star
from .lib._starport import View

__all__ = ["Decide", "Heuristic", "Planner", "heuristics", "load_plugin", "register"]


#: A deciding function: receives a View, returns the number of the worker to serve, or None.
Decide = Callable[[View], Optional[int]]


class Planner(Protocol):
    """An object whose method plan() returns a deciding function or the transfers of a schedule."""

    def plan(self, platform: Star, problem: Problem) -> Union[Decide, Iterable[Mapping[str, Any]]]:
        """Return a function of a View, or transfers as in schedule files (heuristics/PROTOCOL.md)."""


HeuristicLike = Union[str, Decide, Planner]
HeuristicsLike = Union[HeuristicLike, Iterable[HeuristicLike], Mapping[str, HeuristicLike]]

_recording = threading.local()  # .directory: where tracebacks go while runs are under way
registered: dict[str, Any] = {}


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


def register(name: str, heuristic: HeuristicLike) -> str:
    """Register a heuristic under a name for lists, sweeps and results, or replace it.

    Parameters
    ----------
    name : str
        Name without commas, brackets, colons and spaces.
    heuristic : callable or object
        A function that receives a View and returns the number of the worker to serve, or None; or
        an object whose method plan(platform, problem) receives a Star and a Problem, and returns
        such a function or a list of transfers (heuristics/PROTOCOL.md).

    Returns
    -------
    str
        The name.

    Raises
    ------
    InputError
        If the name is not allowed or a built-in heuristic has it.
    TypeError
        If the object is neither a function nor has a method plan.

    Examples
    --------
    >>> import starport
    >>> starport.register("First", lambda view: view.requests[0].worker)
    'First'
    >>> starport.compare("platforms/first-try.json", 800, "First,Het").best.heuristic
    'Het'
    """
    plans: Any = getattr(heuristic, "plan", heuristic)
    about = (getattr(heuristic, "__doc__", None) or "").strip().partition("\n")[0]
    if not callable(plans):
        raise TypeError(f"{name}: expected a function, or an object with a method plan, found "
                        f"{type(heuristic).__name__}")
    _starport.register_heuristic(name, about or "in Python", _planner(name, heuristic))
    registered[name] = heuristic
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
        _starport.load_plugin(os.fspath(path))
    except InputError as error:
        raise Files().error(error) from None


def name_of(heuristic: HeuristicLike, taken: Iterable[str] = ()) -> str:
    """Return the name of a heuristic for a list. Registers an object under its own name, with a
    number if that is in `taken`."""
    if isinstance(heuristic, str):
        return heuristic
    name = getattr(heuristic, "name", None) or getattr(heuristic, "__name__", None)
    name = "lambda" if name == "<lambda>" else name or type(heuristic).__name__
    number = 1
    while (one := name if number == 1 else f"{name}-{number}") in taken:
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


for _class in (Heuristic, Planner):
    _class.__module__ = "starport"
