"""Results as objects: runs, their comparison, bounds, traces, schedules."""
from __future__ import annotations

import csv
import functools
import io
import json
import math
import pathlib
import re
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, Optional, Sequence, Union, overload

from ._errors import HeuristicTraceback, NotApplicable, SimulationError
from ._native import Files, PathLike, _starport
from ._platforms import html_table

if TYPE_CHECKING:
    import numpy
    import pandas
    from matplotlib.axes import Axes

    from ._figures import Figure

__all__ = ["Bounds", "Results", "Run", "Schedule", "Trace"]

_WHOLE = ("count", "yes_no")  # formats of figures that are None, not nan, when there is no value
_FIRST = ("heuristic", "status", "error", "cause", "model")
# Columns of the printed table, where a run has them.
_SHOWN = ("heuristic", "makespan_s", "relative_cost", "enrolled_workers", "times_tightest_bound",
          "times_any_run_bound", "of_balanced_speed", "port_utilisation", "blocks_moved", "volume_gib",
          "speed_tflops", "error")


@functools.lru_cache(maxsize=None)
def _figures(scope: str) -> dict[str, dict[str, dict[str, str]]]:
    """Return the declarations of figures of a scope, by model and key."""
    figures: dict[str, dict[str, dict[str, str]]] = {}
    for figure in json.loads(_starport.figures()):
        if figure["scope"] == scope:
            figures.setdefault(figure["model"], {})[figure["key"]] = figure
    return figures


def _columns(models: Iterable[str]) -> dict[str, Any]:
    """Return the columns of runs of these models, each with its value in a failed run."""
    columns: dict[str, Any] = dict.fromkeys(_FIRST, None)
    for model in dict.fromkeys(models):
        for key, figure in _figures("run").get(model, {}).items():
            columns[key] = None if figure["form"] in _WHOLE else math.nan
    columns["details"] = {}
    return columns


def _text(value: Any) -> str:
    if value is None or isinstance(value, float) and math.isnan(value):
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


class Run(Mapping[str, Any]):
    """One run of a heuristic: its figures as attributes, and by key as in `starport run --json`.

    `starport.explain()` lists all figures with their units. In a run that failed, real figures are
    nan and counts are None, so that the same code reads all runs.

    Attributes
    ----------
    heuristic : str
        Name, with parameters.
    status : str
        "ok", "error" or "not applicable".
    error : str or None
        Why the status is not "ok".
    cause : str or None
        Cause of an error: "model", or "time", "memory", "killed" on this machine.
    traceback : str or None
        The traceback of a heuristic in Python that raised an exception.
    makespan_s : float
        When the last block of C is home, in seconds; under noise the mean of the repetitions.
    relative_cost : float
        Makespan over the smallest one of the comparison.
    enrolled_workers : int or None
        Workers that get work.
    blocks_moved : int or None
        Blocks of A, B and C through the master's port, both ways.
    ccr : float
        Blocks moved per block update.
    port_utilisation : float
        Share of the makespan in which the port is busy.
    times_tightest_bound : float
        Makespan over the largest bound that holds for the schedule.
    decision_s : float
        Wall-clock time of planning, in seconds.
    details : dict
        Decisions of the heuristic.
    workers : list of dict
        Figures of each worker.
    trace : Trace or None
        Transfers and updates, if `compare` was asked for them.

    Examples
    --------
    >>> import starport
    >>> run, = starport.compare("platforms/first-try.json", 800, "Het")
    >>> run
    <Run of Het: 0.48128 s>
    >>> run.makespan_s == run["makespan_s"]
    True
    >>> run.enrolled_workers, run.blocks_moved, run.status
    (1, 400, 'ok')
    """

    heuristic: str
    status: str
    error: Optional[str]
    cause: Optional[str]
    model: Optional[str]
    makespan_s: float
    relative_cost: float
    relative_work: float
    enrolled_workers: Optional[int]
    blocks_moved: Optional[int]
    block_updates: Optional[int]
    ccr: float
    port_utilisation: float
    bound_ratio: float
    times_tightest_bound: float
    times_bound: float
    decision_s: float
    simulation_s: float
    details: dict[str, str]
    workers: list[dict[str, Any]]
    traceback: Optional[str]
    trace: Optional["Trace"]

    def __init__(self, figures: Mapping[str, Any], columns: Mapping[str, Any],
                 traceback: Optional[str] = None) -> None:
        data = {**columns, **figures}
        for key, absent in columns.items():
            if data[key] is None:
                data[key] = absent
        self.__dict__.update(_data=data, traceback=traceback, trace=None)

    def __getattr__(self, key: str) -> Any:
        data = self.__dict__.get("_data", {})
        if key in data:
            return data[key]
        if key == "workers":
            return []
        raise AttributeError(f"a run of the model {data.get('model')} has no figure '{key}'; "
                             "starport.explain() lists all figures")

    def __setattr__(self, key: str, value: Any) -> None:
        if key != "trace":
            raise AttributeError("the figures of a run cannot be changed")
        self.__dict__[key] = value

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self.__dict__["_data"]]

    def __getitem__(self, key: str) -> Any:
        return self.__dict__["_data"][key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__["_data"])

    def __len__(self) -> int:
        return len(self.__dict__["_data"])

    def __repr__(self) -> str:
        text = f"{self.makespan_s:.6g} s" if self.ok else f"{self.status}: {self.error}"
        return f"<Run of {self.heuristic}: {text}>"

    def _repr_html_(self) -> str:
        rows = [[key, _text(value)] for key, value in self.items()
                if not isinstance(value, (dict, list)) and _text(value)]
        return html_table(["figure", "value"], rows) + _html_traceback(self)

    @property
    def ok(self) -> bool:
        """True if the run is complete and its schedule obeys the model."""
        return self.status == "ok"

    def raise_for_status(self) -> None:
        """Do nothing for a complete run.

        Raises
        ------
        SimulationError
            If the run failed, with the traceback of a heuristic in Python as its cause.
        NotApplicable
            If the heuristic does not apply.

        Examples
        --------
        >>> import starport
        >>> starport.compare("platforms/first-try.json", 800, "Het")[0].raise_for_status()
        """
        if self.ok:
            return
        kind = NotApplicable if self.status == "not applicable" else SimulationError
        raise kind(f"{self.heuristic}: {self.error}") from (
            HeuristicTraceback(self.traceback) if self.traceback else None)


def _html_traceback(run: Run) -> str:
    from html import escape
    if not run.traceback:
        return ""
    return (f"<details><summary>{escape(run.heuristic)}: traceback</summary>"
            f"<pre>{escape(run.traceback)}</pre></details>")


class Bounds(Mapping[str, float]):
    """Lower bounds that no schedule of a model can beat, as attributes and by key.

    Attributes
    ----------
    model : str
        "star", "tiles" or "spmd".
    any_schedule_bound_s : float
        Star: no schedule of the model ends before, in seconds.
    c_stationary_bound_s : float
        Star: none does whose workers keep one rectangle of C at a time, in seconds.
    steady_state_updates_per_s : float
        Star: the most block updates per second in the long run.
    any_run_bound_s : float
        Tiles: no run ends before, in seconds.

    Examples
    --------
    >>> import starport
    >>> starport.bounds("platforms/first-try.json", 800)
    <Bounds of star: steady_state_updates_per_s=6194.2, steady_state_bound_s=0.161441, c_stationary_bound_s=0.300318, any_schedule_bound_s=0.339821>
    """

    model: str
    any_schedule_bound_s: float
    c_stationary_bound_s: float
    steady_state_bound_s: float
    steady_state_updates_per_s: float
    any_run_bound_s: float
    area_bound_s: float

    def __init__(self, model: str, values: Mapping[str, float]) -> None:
        self.__dict__.update(model=model, _values=dict(values))

    def __getattr__(self, key: str) -> float:
        values: dict[str, float] = self.__dict__.get("_values", {})
        if key in values:
            return values[key]
        raise AttributeError(f"the model {self.__dict__.get('model')} has no bound '{key}' here")

    def __getitem__(self, key: str) -> float:
        values: dict[str, float] = self.__dict__["_values"]
        return values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__["_values"])

    def __len__(self) -> int:
        return len(self.__dict__["_values"])

    def __repr__(self) -> str:
        values = ", ".join(f"{key}={value:.6g}" for key, value in self.items())
        return f"<Bounds of {self.model}: {values}>"

    def _repr_html_(self) -> str:
        return html_table(["bound", "value"], [[key, _text(value)] for key, value in self.items()])


class Results(Sequence[Run]):
    """The runs of a comparison or a sweep, which print as a table and show as one in notebooks.

    An index gives a Run, a name the first run of that heuristic, a slice Results with the same
    bounds and recommendation.

    Attributes
    ----------
    bounds : Bounds
        Bounds of the instance; empty for a sweep.
    recommendation : tuple of str
        Which heuristic to run, and why, a sentence each.
    document : dict
        All that `starport run --json` prints; empty for a sweep.

    Examples
    --------
    >>> import starport
    >>> results = starport.compare("platforms/first-try.json", 800, ["Het", "BMM", "HoLM"])
    >>> print(results)
    heuristic  makespan_s  relative_cost  enrolled_workers  times_tightest_bound  port_utilisation  blocks_moved  error
    Het        0.48128     1              1                 1.41627               0.851064          400
    BMM        0.5504      1.14362        2                 1.61967               0.744186          550
    HoLM                                                                                                          the workers are not all alike
    >>> [run.makespan_s for run in results]
    [0.48127999999999993, 0.5504, nan]
    >>> results["BMM"].enrolled_workers
    2
    >>> results[:1].bounds == results.bounds
    True
    """

    def __init__(self, runs: Sequence[Run], bounds: Optional[Bounds] = None,
                 recommendation: Sequence[str] = (), document: Optional[Mapping[str, Any]] = None) -> None:
        self._runs = list(runs)
        self.bounds = Bounds("", {}) if bounds is None else bounds
        self.recommendation = tuple(recommendation)
        self.document = dict(document or {})

    def _like(self, runs: Sequence[Run]) -> "Results":
        return Results(runs, self.bounds, self.recommendation, self.document)

    @overload
    def __getitem__(self, index: Union[int, str]) -> Run: ...

    @overload
    def __getitem__(self, index: slice) -> "Results": ...

    def __getitem__(self, index: Union[int, str, slice]) -> Union[Run, "Results"]:
        if isinstance(index, slice):
            return self._like(self._runs[index])
        if isinstance(index, str):
            for run in self._runs:
                if run.heuristic == index:
                    return run
            raise KeyError(index)
        return self._runs[index]

    def __len__(self) -> int:
        return len(self._runs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Results) and self._table(True) == other._table(True)

    __hash__ = None  # type: ignore[assignment]

    def where(self, **values: Any) -> "Results":
        """Return the runs whose figures have these values.

        Examples
        --------
        >>> import starport
        >>> results = starport.compare("platforms/first-try.json", 800, ["Het", "HoLM"])
        >>> results.where(status="ok")
        <Results: 1 run>
        """
        return self._like([run for run in self._runs
                           if all(run.get(key) == value for key, value in values.items())])

    @property
    def best(self) -> Run:
        """The run with the smallest makespan. Raises ValueError if all runs failed."""
        return min((run for run in self._runs if run.ok), key=lambda run: run.makespan_s)

    def _table(self, all_columns: bool = False) -> tuple[list[str], list[list[str]]]:
        columns = list(dict.fromkeys(key for run in self._runs for key, value in run.items()
                                     if not isinstance(value, (dict, list))))
        cells = {key: [_text(run.get(key)) for run in self._runs] for key in columns}
        if not all_columns:
            columns = [key for key in columns if any(cells[key])]
            if all(run.get("instance") is None for run in self._runs):
                columns = [key for key in _SHOWN if key in columns]
        return columns, [[cells[key][row] for key in columns] for row in range(len(self._runs))]

    def __repr__(self) -> str:
        return f"<Results: {len(self)} run{'' if len(self) == 1 else 's'}>"

    def __str__(self) -> str:
        columns, rows = self._table()
        widths = [max(map(len, column)) for column in zip(columns, *rows)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                         for row in [columns, *rows])

    def _repr_html_(self) -> str:
        lines = "".join(f"<p>{line}</p>" for line in self.recommendation)
        limit = 1000
        columns, rows = self._table()
        more = f"<p>... and {len(rows) - limit} more</p>" if len(rows) > limit else ""
        return html_table(columns, rows[:limit]) + more + lines + "".join(map(_html_traceback, self._runs))

    def to_frame(self) -> "pandas.DataFrame":
        """Return a pandas frame, a row per run; columns are the same whether runs failed or not.

        Examples
        --------
        >>> import starport
        >>> frame = starport.compare("platforms/first-try.json", 800, ["Het", "HoLM"]).to_frame()
        >>> frame["makespan_s"].min()
        0.48127999999999993
        """
        import pandas
        columns = list(dict.fromkeys(key for run in self._runs for key in run
                                     if key not in ("workers", "makespans_s")))
        return pandas.DataFrame([[run.get(key) for key in columns] for run in self._runs], columns=columns)

    def plot(self, ax: Optional["Axes"] = None, figure: str = "makespan_s") -> "Axes":
        """Draw a column of the complete runs as bars with Matplotlib, and return the axes.

        Examples
        --------
        >>> import starport
        >>> axes = starport.compare("platforms/first-try.json", 800, ["Het", "BMM"]).plot()
        >>> axes.get_ylabel()
        'makespan (ms)'
        """
        from ._figures import plot
        return plot(self, "bars", value=figure).plot(ax)


def results_of(document: Mapping[str, Any], tracebacks: Mapping[str, str]) -> Results:
    """Return the results of a JSON document of `starport run`."""
    rows = document["results"]
    columns = _columns(row["model"] for row in rows if row.get("model"))
    runs = [Run(row, columns, tracebacks.get(row["heuristic"],
                                             tracebacks.get(row["heuristic"].partition("[")[0])))
            for row in rows]
    models = list(dict.fromkeys(row["model"] for row in rows if row.get("model")))
    return Results(runs, Bounds(models[0] if models else "", document.get("bounds", {})),
                   document.get("recommendation", {}).get("lines", ()), document)


def _number(text: Optional[str]) -> Union[int, float, str, None]:
    if not text:
        return None
    # As in tables: a number with superfluous zeros in front is a name, such as 007.
    if re.match("0[0-9]", text) or not re.fullmatch(r"-?[0-9.]+([eE][-+]?[0-9]+)?", text):
        return text
    try:
        return int(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        return text
    return value if math.isfinite(value) else text  # 1e999 is no number


# Columns of names that users choose, of sentences and of sizes such as 800x800x1600, which stay texts, such as "10".
_TEXTS = ("experiment", "platform", "problem", "heuristic", "error", "source", "statement")


def _value(key: str, text: Optional[str]) -> Union[int, float, str, None]:
    return text or None if key in _TEXTS else _number(text)


def read_csv(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Return the rows of a CSV file: numbers as numbers, empty fields as None."""
    return [{key: _value(key, text) for key, text in row.items()} for row in csv.DictReader(lines)]


def read_results(directory: PathLike) -> Results:
    """Return the rows of the result directory of a sweep.

    Parameters
    ----------
    directory : path
        What `sweep` or `starport sweep -o` has written.

    Examples
    --------
    >>> import starport, tempfile
    >>> specification = {"schema_version": 1, "name": "x", "seed": 1, "heuristics": ["Het"],
    ...     "experiments": [{"name": "x", "problems": ["800"], "platforms": ["platforms/first-try.json"]}]}
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     results = starport.sweep(specification, directory, jobs=1)
    ...     starport.read_results(directory) == results
    True
    """
    kinds = {key: None if figure["form"] in _WHOLE else math.nan
             for figures in _figures("run").values() for key, figure in figures.items()}
    with open(pathlib.Path(directory, "results.csv"), newline="", encoding="utf-8") as lines:
        rows = read_csv(lines)
    columns = {key: kinds.get(key) for key in rows[0]} if rows else {}
    return Results([Run(row, columns) for row in rows])


class Trace:
    """What happened in a run: transfers, updates and removals with their dates.

    Columns are NumPy arrays, as attributes and by key; an index gives one event as a dict.

    Attributes
    ----------
    heuristic : str
        The heuristic that ran.
    kind : array of str
        "transfer" or "update"; of tile tasks also "removal", a tile that leaves a GPU's memory.
    worker : array of float
        Number of the worker, from 1.
    direction : array of str
        "to_worker" or "to_master", of transfers.
    start_s, end_s : array of float
        Dates in seconds.
    a_blocks, b_blocks, c_blocks : array of float
        Blocks that a transfer moves or a removal removes; nan for updates.
    block_updates : array of float
        Block updates of an update; nan for other events.

    Examples
    --------
    >>> import starport
    >>> trace = starport.trace("platforms/first-try.json", 800, "Het")
    >>> trace
    <Trace of Het: 22 events, 0.48128 s>
    >>> float(trace.end_s.max())
    0.48127999999999993
    >>> transfers = trace.kind == "transfer"
    >>> round(float((trace.end_s - trace.start_s)[transfers].sum()), 4)
    0.4096
    """

    heuristic: str
    kind: "numpy.ndarray[Any, Any]"
    worker: "numpy.ndarray[Any, Any]"
    direction: "numpy.ndarray[Any, Any]"
    start_s: "numpy.ndarray[Any, Any]"
    end_s: "numpy.ndarray[Any, Any]"
    block_updates: "numpy.ndarray[Any, Any]"

    def __init__(self, heuristic: str, text: str) -> None:
        self.heuristic = heuristic
        self.text = text
        reader = csv.reader(io.StringIO(text))
        self._names: list[str] = next(reader, [])
        self._arrays: dict[str, "numpy.ndarray[Any, Any]"] = {}  # columns that were asked for
        self._columns: dict[str, list[str]] = {
            name: list(values) for name, values in zip(self._names, zip(*reader))}

    def __getitem__(self, key: Union[str, int]) -> Any:
        if isinstance(key, int):
            return {name: _value(name, values[key]) for name, values in self._columns.items()}
        return self._array(key)

    def _array(self, key: str) -> "numpy.ndarray[Any, Any]":
        import numpy
        if key not in self._arrays:
            texts = self._columns[key]
            try:
                self._arrays[key] = numpy.array([text or "nan" for text in texts], dtype=float)
            except ValueError:
                self._arrays[key] = numpy.array(texts)
        return self._arrays[key]

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_") or key not in self._columns:
            raise AttributeError(f"a trace has no column '{key}'")
        return self._array(key)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), []))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        end = max(map(float, self._columns["end_s"])) if len(self) else 0.0
        return f"<Trace of {self.heuristic}: {len(self)} events, {end:.6g} s>"

    def _repr_html_(self) -> str:
        names = [name for name in ("kind", "worker", "start_s", "end_s", "details") if name in self._columns]
        rows = [[self._columns[name][row] for name in names] for row in range(min(20, len(self)))]
        return html_table(names, rows) + f"<p>{repr(self)[1:-1]}</p>"

    def __getstate__(self) -> tuple[str, str]:
        return self.heuristic, self.text

    def __setstate__(self, state: tuple[str, str]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def to_frame(self) -> "pandas.DataFrame":
        """Return a pandas frame, a row per event.

        Examples
        --------
        >>> import starport
        >>> starport.trace("platforms/first-try.json", 800, "Het").to_frame().shape[0]
        22
        """
        import pandas
        return pandas.DataFrame({name: self[name] for name in self._names})

    def save(self, path: PathLike) -> None:
        """Write the trace as CSV, as `starport run --trace` does.

        Examples
        --------
        >>> import starport, tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     starport.trace("platforms/first-try.json", 800, "Het").save(pathlib.Path(directory, "het.csv"))
        """
        pathlib.Path(path).write_text(self.text, "utf-8")

    def gantt(self, *, title: str = "", from_: Optional[float] = None, to: Optional[float] = None,
              size_cm: Optional[tuple[float, float]] = None) -> "Figure":
        """Return the Gantt chart, from one date to another in seconds.

        Examples
        --------
        >>> import starport
        >>> chart = starport.trace("platforms/first-try.json", 800, "Het").gantt(to=0.3, size_cm=(17, 7))
        """
        from ._figures import draw
        return draw("gantt", {"trace.csv": self.text}, title=title, size_cm=size_cm, from_=from_, to=to)

    def plot(self, ax: Optional["Axes"] = None) -> "Axes":
        """Draw the Gantt chart with Matplotlib and return the axes.

        Examples
        --------
        >>> import starport
        >>> axes = starport.trace("platforms/first-try.json", 800, "Het").plot()
        >>> [label.get_text() for label in axes.get_yticklabels()]
        ['port', 'P2']
        """
        return self.gantt().plot(ax)


class Schedule(Mapping[str, Any]):
    """The transfers of a heuristic in their order, the content of a schedule file.

    Attributes
    ----------
    heuristic : str
        The heuristic that planned it.
    makespan_s : float
        Seconds that it takes on its platform.
    transfers : list of dict
        The transfers, as heuristics/PROTOCOL.md describes them.

    Examples
    --------
    >>> import starport
    >>> schedule = starport.plan("platforms/first-try.json", 800, "Het")
    >>> schedule
    <Schedule of Het: 12 transfers, 0.48128 s>
    >>> starport.replay("platforms/first-try.json", schedule)[0].makespan_s
    0.48127999999999993
    """

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._content = dict(content)

    @classmethod
    def load(cls, path: PathLike) -> "Schedule":
        """Read a schedule file.

        Raises
        ------
        InputError
            If the file cannot be read or is not a valid schedule.

        Examples
        --------
        >>> import starport
        >>> starport.Schedule.load("platforms/none.json")
        Traceback (most recent call last):
        starport.InputError: platforms/none.json: there is no such file
        """
        with Files() as files:
            files.run("validate", [path])
        return cls(json.loads(pathlib.Path(path).read_bytes()))

    def save(self, path: PathLike) -> None:
        """Write the schedule file.

        Examples
        --------
        >>> import starport, tempfile, pathlib
        >>> schedule = starport.plan("platforms/first-try.json", 800, "Het")
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     schedule.save(pathlib.Path(directory, "het.json"))
        ...     starport.Schedule.load(pathlib.Path(directory, "het.json")) == schedule
        True
        """
        pathlib.Path(path).write_text(json.dumps(self._content) + "\n")

    @property
    def heuristic(self) -> str:
        """The heuristic that planned it."""
        return str(self._content["heuristic"])

    @property
    def makespan_s(self) -> float:
        """Seconds that it takes on its platform."""
        return float(self._content["makespan_s"])

    @property
    def transfers(self) -> list[dict[str, Any]]:
        """The transfers in their order."""
        return list(self._content["transfers"])

    def __getitem__(self, key: str) -> Any:
        return self._content[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    def __repr__(self) -> str:
        return f"<Schedule of {self.heuristic}: {len(self.transfers)} transfers, {self.makespan_s:.6g} s>"


for _class in (Bounds, Results, Run, Schedule, Trace):
    _class.__module__ = "starport"
