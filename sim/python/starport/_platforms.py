"""Platforms, workers and problems as objects."""
from __future__ import annotations

import copy
import dataclasses
import html
import json
import math
import os
import pathlib
import re
from dataclasses import dataclass, field
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence, Union

from ._errors import InputError
from ._native import Files, PathLike, _starport, find_file

__all__ = ["Platform", "Problem", "Star", "StarWorker", "Worker"]

Quantity = Union[str, float, int, None]
ProblemLike = Union[str, int, Sequence[int], "Problem"]

_UNITS = {"bandwidth": "Bps", "return_bandwidth": "Bps", "memory_bandwidth": "Bps", "speed": "f",
          "memory": "B", "latency": "s"}


def _text_of(key: str, value: Quantity) -> Quantity:
    """Return a number in SI units as the text that platform files have."""
    if isinstance(value, str) or value is None:
        return value
    return f"{value:.17g}" + _UNITS[key]


@dataclass
class Worker:
    """A worker of a platform file, or `count` identical ones.

    A worker is given as hardware (bandwidth, speed, memory), by the figures of the model for one
    block size (c_s, w_s, m_blocks), or as one that shares the master's memory (shares_memory,
    speed).

    Parameters
    ----------
    bandwidth : str or float, optional
        Bandwidth of its link: a text such as "1Gbps", or bytes per second.
    speed : str or float, optional
        A text such as "40Gf", or flop per second.
    memory : str or float, optional
        Memory for blocks: a text such as "16GiB", or bytes.
    latency : str or float, optional
        Start-up time of each message: a text such as "50us", or seconds.
    count : int
        Number of identical workers.
    name : str, optional
        Name in results; "old" with a count of 2 stands for old-1 and old-2.
    c_s, w_s : float, optional
        Seconds to move a block, and for a block update.
    m_blocks : int, optional
        Blocks that fit in the memory.
    latency_s : float, optional
        Seconds that each message takes more, of a worker given by c_s, w_s and m_blocks.
    shares_memory : bool
        True for a worker that computes in the master's memory.
    other : dict
        Further keys of platform files, such as "devices" or "speed_function".

    Examples
    --------
    >>> import starport
    >>> starport.Worker("1Gbps", "40Gf", "16GiB", count=2, name="fast")
    Worker(bandwidth='1Gbps', speed='40Gf', memory='16GiB', count=2, name='fast')
    >>> starport.Worker(bandwidth=1.25e8, speed=4e10, memory=2**34).bandwidth
    125000000.0
    """

    bandwidth: Quantity = None
    speed: Quantity = None
    memory: Quantity = None
    latency: Quantity = None
    count: int = 1
    name: Optional[str] = None
    c_s: Optional[float] = None
    w_s: Optional[float] = None
    m_blocks: Optional[int] = None
    latency_s: Optional[float] = None
    shares_memory: bool = False
    other: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        given = ((item.name, getattr(self, item.name)) for item in dataclasses.fields(self))
        changed = [f"{key}={value!r}" for key, value in given
                   if value != (1 if key == "count" else {} if key == "other" else
                                False if key == "shares_memory" else None)]
        return f"Worker({', '.join(changed)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the entry of a platform file.

        Examples
        --------
        >>> import starport
        >>> starport.Worker("1Gbps", 4e10, "16GiB").to_dict()
        {'bandwidth': '1Gbps', 'speed': '40000000000f', 'memory': '16GiB'}
        """
        entry: dict[str, Any] = {}
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            if item.name == "other" or value is None or value is False or (item.name, value) == ("count", 1):
                continue
            entry[item.name] = _text_of(item.name, value) if item.name in _UNITS else value
        return {**entry, **copy.deepcopy(self.other)}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> "Worker":
        """Return the worker of an entry of a platform file.

        Examples
        --------
        >>> import starport
        >>> starport.Worker.from_dict({"c_s": 0.1, "w_s": 0.2, "m_blocks": 50})
        Worker(c_s=0.1, w_s=0.2, m_blocks=50)
        """
        own = {item.name for item in dataclasses.fields(cls)} - {"other"}
        other = {key: copy.deepcopy(value) for key, value in entry.items() if key not in own}
        return cls(**{key: value for key, value in entry.items() if key in own}, other=other)


@dataclass
class Platform:
    """A master and its workers, the content of a platform file.

    Parameters
    ----------
    name : str
        Name in results.
    workers : list of Worker
        The workers, numbered from 1 in this order.
    port : str or dict
        "one-port", "two-port" or "multi-port": how many transfers the master takes part in at once;
        a dict as in platform files gives a multi-port more.
    block_size : int, optional
        Side of a block in matrix elements: the default for this platform, and the size for which
        the c_s, w_s and m_blocks of workers hold.
    other : dict
        Further keys of platform files, such as "provenance" or "start_up".

    Examples
    --------
    >>> import starport
    >>> platform = starport.Platform("mine", [starport.Worker("1Gbps", "40Gf", "16GiB", count=2)])
    >>> platform.workers[0].speed = "80Gf"
    >>> platform.workers.append(starport.Worker("100Mbps", "10Gf", "4GiB", name="remote"))
    >>> print(platform)
    mine: 3 workers, one-port
    >>> starport.compare(platform, 8000, "Polaris", engine="analytic")[0].status
    'ok'
    """

    name: str
    workers: list[Worker] = field(default_factory=list)
    port: Union[str, dict[str, Any]] = "one-port"
    block_size: Optional[int] = None
    other: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        count = sum(worker.count for worker in self.workers)
        port = self.port if isinstance(self.port, str) else self.port.get("kind", "one-port")
        size = f", blocks of {self.block_size} x {self.block_size}" if self.block_size else ""
        return f"{self.name}: {count} worker{'' if count == 1 else 's'}, {port}{size}"

    def _repr_html_(self) -> str:
        rows = [worker.to_dict() for worker in self.workers]
        columns = list(dict.fromkeys(key for row in rows for key, value in row.items()
                                     if not isinstance(value, (dict, list))))
        return f"<p>{html.escape(str(self))}</p>" + html_table(
            columns, [[str(row.get(key, "")) for key in columns] for row in rows])

    def to_dict(self) -> dict[str, Any]:
        """Return the content of the platform file.

        Examples
        --------
        >>> import starport
        >>> starport.Platform("mine", [starport.Worker("1Gbps", "40Gf", "16GiB")]).to_dict()["name"]
        'mine'
        """
        content: dict[str, Any] = {"schema_version": 1, "name": self.name}
        content.update(copy.deepcopy(self.other))
        if self.block_size is not None:
            content["block_size"] = self.block_size
        if self.port != "one-port":
            content["port"] = copy.deepcopy(self.port)
        content["workers"] = [worker.to_dict() for worker in self.workers]
        return content

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Platform":
        """Return the platform of the content of a file. Its figures are checked when it is used.

        Raises
        ------
        InputError
            If there are no "name" and no list of "workers".

        Examples
        --------
        >>> import starport
        >>> starport.Platform.from_dict({"schema_version": 1, "name": "mine", "workers": []}).name
        'mine'
        """
        if not isinstance(content.get("name"), str) or not isinstance(content.get("workers"), list):
            raise InputError("platform: expected an object with a name and a list of workers",
                             "platform", "", "an object with a name and a list of workers")
        own = {"schema_version", "$schema", "name", "block_size", "port", "workers"}
        other = {key: copy.deepcopy(value) for key, value in content.items() if key not in own}
        return cls(content["name"], [Worker.from_dict(entry) for entry in content["workers"]],
                   copy.deepcopy(content.get("port", "one-port")), content.get("block_size"), other)

    @classmethod
    def load(cls, path: PathLike) -> "Platform":
        """Read a platform file. A relative path that does not exist is looked for among the published ones.

        Raises
        ------
        InputError
            If the file cannot be read or is not a valid platform.

        Examples
        --------
        >>> import starport
        >>> print(starport.Platform.load("platforms/first-try.json"))
        three workers to try: 3 workers, one-port, blocks of 80 x 80
        """
        path = find_file(path)
        with Files() as files:
            files.run("validate", [path])
        return cls.from_dict(json.loads(pathlib.Path(path).read_bytes()))

    def save(self, path: PathLike) -> None:
        """Check the platform and write its file.

        Raises
        ------
        InputError
            If the platform is not valid; nothing is written then.

        Examples
        --------
        >>> import starport, tempfile, pathlib
        >>> platform = starport.Platform("mine", [starport.Worker("1Gbps", "40Gf", "16GiB")])
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     platform.save(pathlib.Path(directory, "mine.json"))
        ...     starport.Platform.load(pathlib.Path(directory, "mine.json")) == platform
        True
        >>> starport.Platform("mine", [starport.Worker("1Gbps", "fast", "16GiB")]).save("mine.json")
        Traceback (most recent call last):
        starport.InputError: platform: /workers/0/speed: expected a speed such as "1.4Gf", found "fast"
        """
        with Files() as files:
            files.run("validate", [files.write(self.to_dict(), "platform.json", "platform")])
        pathlib.Path(path).write_text(json.dumps(self.to_dict(), indent=2) + "\n")

    def star(self, block_size: Optional[int] = None) -> "Star":
        """Return what heuristics see of the platform, for blocks of that side in matrix elements.

        Examples
        --------
        >>> import starport
        >>> starport.Platform.load("platforms/first-try.json").star(40).workers[0].m_blocks
        327
        """
        with Files() as files:
            return star_of_file(files.write(self.to_dict(), "platform.json", "platform"), block_size, files)


@dataclass(frozen=True)
class StarWorker:
    """A worker as heuristics see it, for one block size.

    Parameters
    ----------
    name : str
        Its name, P1, P2, ... unless the platform gives others.
    c_s, w_s : float
        Seconds to move one block over its link, and for one block update.
    m_blocks : int
        Blocks that fit in its memory.
    latency_s : float
        Seconds that each message takes more.

    Examples
    --------
    >>> import starport
    >>> starport.star("platforms/first-try.json").workers[0]
    StarWorker(name='P1', c_s=0.000512, w_s=0.000512, m_blocks=81, latency_s=0.0)
    """

    name: str
    c_s: float
    w_s: float
    m_blocks: int
    latency_s: float = 0.0


@dataclass(frozen=True)
class Star:
    """A platform as heuristics see it, for one block size: what a method plan() receives.

    Parameters
    ----------
    name : str
        Name of the platform.
    port : str
        "one-port", "two-port" or "multi-port".
    workers : tuple of StarWorker
        The workers; number 1 is `workers[0]`.

    Examples
    --------
    >>> import starport
    >>> star = starport.star("platforms/first-try.json")
    >>> star.port, len(star.workers)
    ('one-port', 3)
    """

    name: str
    port: str
    workers: tuple[StarWorker, ...]

    @property
    def worker_names(self) -> list[str]:
        """Names of the workers."""
        return [worker.name for worker in self.workers]


def to_star(values: tuple[str, str, list[tuple[str, float, float, int, float]]]) -> Star:
    """Return the star of what the native module sends."""
    return Star(values[0], values[1], tuple(StarWorker(*worker) for worker in values[2]))


def star_of_file(path: str, block_size: Optional[int], files: Files) -> Star:
    """Return the star of a platform file."""
    try:
        return to_star(_starport.star(os.fsencode(path), block_size, ""))
    except InputError as error:
        raise files.error(error) from None


@dataclass(frozen=True)
class Problem:
    """A product C += A.B: A is rows x inner elements, B is inner x columns.

    Parameters
    ----------
    rows, inner, columns : int
        Sizes in matrix elements. `Problem(n)` is three times n.
    block_size : int, optional
        Side of a block in matrix elements; None: the platform's.

    Examples
    --------
    >>> import starport
    >>> starport.Problem(8000)
    Problem(rows=8000, inner=8000, columns=8000, block_size=None)
    >>> problem = starport.Problem(800, 160, 400, block_size=80)
    >>> problem.r, problem.s, problem.t
    (10, 5, 2)
    >>> str(problem)
    '800x160x400'
    >>> problem == starport.Problem.parse("800x160x400", 80)
    True
    """

    rows: int
    inner: int = None  # type: ignore[assignment]  # like rows
    columns: int = None  # type: ignore[assignment]
    block_size: Optional[int] = None

    def __post_init__(self) -> None:
        if self.inner is None and self.columns is None:
            object.__setattr__(self, "inner", self.rows)
            object.__setattr__(self, "columns", self.rows)
        for key in ("rows", "inner", "columns"):
            value = getattr(self, key)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"problem: {key}: expected a number of matrix elements, at least 1, "
                                 f"found {value!r}", "", f"problem: {key}",
                                 "a number of matrix elements, at least 1", repr(value))

    def __str__(self) -> str:
        return f"{self.rows}x{self.inner}x{self.columns}"

    def _blocks(self, elements: int) -> int:
        if self.block_size is None:
            raise InputError("problem: block_size: expected the side of a block in elements, but "
                             "nothing is given", "", "problem: block_size",
                             "the side of a block in elements", "nothing")
        return math.ceil(elements / self.block_size)

    @property
    def r(self) -> int:
        """Block rows of A and C. Raises InputError without a block size."""
        return self._blocks(self.rows)

    @property
    def s(self) -> int:
        """Block columns of B and C. Raises InputError without a block size."""
        return self._blocks(self.columns)

    @property
    def t(self) -> int:
        """Block columns of A and block rows of B. Raises InputError without a block size."""
        return self._blocks(self.inner)

    @property
    def updates(self) -> int:
        """Block updates of the product, r s t. Raises InputError without a block size."""
        return self.r * self.s * self.t

    @classmethod
    def parse(cls, problem: ProblemLike, block_size: Optional[int] = None) -> "Problem":
        """Return the problem of a text "800x160x400", of a number, or of three numbers.

        Examples
        --------
        >>> import starport
        >>> starport.Problem.parse((800, 160, 400)) == starport.Problem.parse("800x160x400")
        True
        """
        if isinstance(problem, Problem):
            return dataclasses.replace(problem, block_size=block_size or problem.block_size)
        sizes: list[Any]
        if isinstance(problem, str):
            if not re.fullmatch(r"\s*\d+(x\d+x\d+)?\s*", problem):
                raise InputError(f"problem: expected nAxnABxnB or N, found '{problem}'", "",
                                 "problem", "nAxnABxnB or N", f"'{problem}'")
            sizes = [int(size) for size in problem.split("x")]
        else:
            sizes = list(problem) if isinstance(problem, Iterable) else [problem]
        if len(sizes) not in (1, 3):
            raise InputError(f"problem: expected one size or three, found {len(sizes)}", "",
                             "problem", "one size or three", str(len(sizes)))
        sizes = [size if isinstance(size, bool) or not hasattr(size, "__index__") else
                 size.__index__() for size in sizes]
        return cls(sizes[0], sizes[len(sizes) // 2], sizes[-1], block_size)


def to_problem(values: tuple[int, int, int, int]) -> Problem:
    """Return the problem of what the native module sends: r, s, t and the block size."""
    r, s, t, q = values
    return Problem(r * q, t * q, s * q, q)


def html_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return an HTML table of texts."""
    def cells(kind: str, texts: Sequence[str]) -> Iterator[str]:
        return (f"<{kind}>{html.escape(text)}</{kind}>" for text in texts)
    body = "".join(f"<tr>{''.join(cells('td', row))}</tr>" for row in rows)
    return f"<table><thead><tr>{''.join(cells('th', columns))}</tr></thead><tbody>{body}</tbody></table>"


for _class in (Platform, Problem, Star, StarWorker, Worker):
    _class.__module__ = "starport"
