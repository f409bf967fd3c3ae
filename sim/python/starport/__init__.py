"""Simulates and compares schedules of matrix products on heterogeneous platforms, and heuristics of yours.

    import starport
    rows = starport.compare("platforms/ppopp08-memory.json", "8000x8000x64000", ["Het", "ODDOML"])
    print(rows)

Arguments of the functions below:
  platform   path of a platform file, or its content as a dict
  product    text as `starport run --problem` takes it, such as "8000x8000x64000"
  heuristic  name as --heuristics takes it, or a Python object: a function that receives a View and
             returns the number of the worker to serve, or None; or an object whose method
             plan(platform, problem) returns such a function or a list of transfers, as in schedule
             files (heuristics/PROTOCOL.md)
Bad input raises ValueError, a run that fails RuntimeError.
"""

import csv
import io
import json
import os
import pathlib
import sys
import tempfile

# RTLD_GLOBAL: heuristics in shared libraries call functions of the module.
_flags = sys.getdlopenflags()
sys.setdlopenflags(_flags | os.RTLD_GLOBAL)
from . import _starport
sys.setdlopenflags(_flags)
from ._starport import Platform, Problem, Request, View, Worker, load_plugin

__all__ = ["Figure", "NotApplicable", "Platform", "Problem", "Request", "Rows", "View", "Worker",
           "bounds", "compare", "gantt", "load_plugin", "plot", "problem", "read_results",
           "register", "report", "schedule", "star", "sweep", "trace", "worst"]
__version__ = _starport.version


class NotApplicable(Exception):
    """Raised by a heuristic that does not apply to a platform or product. Its row gives the reason."""


class Rows(list):
    """A list of dicts, one per row, which prints as a table and shows as one in a notebook."""

    bounds = {}
    recommendation = ()

    def frame(self):
        """Returns the rows as a pandas DataFrame."""
        import pandas
        return pandas.DataFrame(self)

    def _table(self):
        columns = list(dict.fromkeys(key for row in self for key, value in row.items()
                                     if not isinstance(value, (dict, list))))
        return columns, [["" if row.get(key) is None else
                          f"{row[key]:.6g}" if isinstance(row[key], float) else str(row[key])
                          for key in columns] for row in self]

    def __str__(self):
        columns, cells = self._table()
        widths = [max(map(len, column)) for column in zip(columns, *cells)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                         for row in [columns, *cells])

    def _repr_html_(self):
        from html import escape
        columns, cells = self._table()
        head = "".join(f"<th>{escape(column)}</th>" for column in columns)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
                       for row in cells)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Figure:
    """A figure, which a notebook shows. It is drawn anew for each output."""

    def __init__(self, draw):
        self._draw = draw

    def save(self, path):
        """Writes the figure to a file that ends in .svg, .pdf or .png."""
        path = pathlib.Path(path)
        path.write_bytes(self._draw(path.suffix.lstrip(".")))

    def _repr_svg_(self):
        return self._draw("svg").decode()


def _instance(platform, product, block_size):
    if isinstance(platform, dict):
        return _starport.Instance(json.dumps(platform), "platform", str(product), block_size)
    return _starport.Instance(pathlib.Path(platform).read_text(), str(platform), str(product),
                              block_size)


def star(platform, block_size=None):
    """Returns the Platform that heuristics see: its workers for blocks of block_size matrix elements."""
    return _instance(platform, "1", block_size).platform


def problem(product, block_size=80):
    """Returns the Problem that heuristics see: the product in blocks of block_size matrix elements."""
    any_platform = {"schema_version": 1, "name": "none", "workers": [
        {"bandwidth": "1GBps", "speed": "1Gf", "memory": "1GB"}]}
    return _instance(any_platform, product, block_size).problem


def _answer(plan):
    return json.dumps({"protocol": 1} | plan)


def _planner(heuristic):
    """Returns the function that Starport calls to plan: it gives an answer of the protocol, and the
    function that decides on requests or None."""
    def planned(platform, problem, parameters):
        try:
            if hasattr(heuristic, "plan"):
                plan = heuristic.plan(platform, problem, **parameters)
            else:
                def plan(view):
                    return heuristic(view, **parameters)
            about = {"details": getattr(heuristic, "details", {})}
            if not callable(plan):
                return _answer(about | {"transfers": list(plan)}), None
            layout = getattr(heuristic, "layout", "optimized, overlapped")
            return _answer(about | {"decides": "requests", "layout": layout}), plan
        except NotApplicable as reason:
            return _answer({"not_applicable": str(reason)}), None
    return planned


def register(name, heuristic):
    """Registers a heuristic under a name for lists, sweeps and results, or replaces it. Returns the name."""
    plans = getattr(heuristic, "plan", heuristic)
    about = (getattr(heuristic, "__doc__", None) or "").strip().partition("\n")[0]
    if not callable(plans):
        raise TypeError(f"{name}: a function, or an object with a method plan")
    _starport.register_heuristic(name, about or "in Python", _planner(heuristic))
    return name


def _name(heuristic, taken=()):
    """Returns the name of a heuristic for a list. Registers an object under its own name, with a
    number if that is in `taken`."""
    if isinstance(heuristic, str):
        return heuristic
    name = getattr(heuristic, "name", None) or getattr(heuristic, "__name__", None)
    name = name or type(heuristic).__name__
    number = 1
    while (one := name if number == 1 else f"{name}-{number}") in taken:
        number += 1
    return register(one, heuristic)


def _list(heuristics):
    if isinstance(heuristics, str) or not hasattr(heuristics, "__iter__"):
        heuristics = [heuristics]
    names = []
    for heuristic in heuristics:
        names.append(_name(heuristic, names))
    if not names:
        raise ValueError("heuristics: expected at least one, found none")
    return ",".join(names)


def _compare(platform, product, heuristics, block_size, engine, noise, repetitions, time_limit_s,
             traces=False):
    text, trace = _starport.compare(_instance(platform, product, block_size),
                                    "" if heuristics is None else _list(heuristics), engine,
                                    noise, repetitions, time_limit_s, traces)
    return json.loads(text), trace


def compare(platform, product, heuristics=None, *, block_size=None, engine="simgrid", noise="",
            repetitions=1, time_limit_s=3600.0):
    """Simulates heuristics (None: those that suit the platform) and returns Rows, a dict per heuristic
    as in `starport run --json`. Their attribute `bounds` has the bounds of the instance,
    `recommendation` the lines that say which heuristic to run and why. Each heuristic plans and runs in a process of its own."""
    document, _ = _compare(platform, product, heuristics, block_size, engine, noise, repetitions,
                           time_limit_s)
    rows = Rows(document["results"])
    rows.bounds = document["bounds"]
    rows.recommendation = document.get("recommendation", {}).get("lines", ())
    return rows


def bounds(platform, product, *, block_size=None):
    """Returns the bounds that no schedule for a star can beat, as a dict with SI units."""
    return json.loads(_starport.bounds(_instance(platform, product, block_size)))


def schedule(platform, product, heuristic, *, block_size=None):
    """Returns the schedule of a heuristic, the content of a schedule file as a dict. The heuristic runs
    in this process, so that its output appears and its exceptions reach the caller."""
    return json.loads(_starport.schedule(_instance(platform, product, block_size),
                                         _name(heuristic)))


def _number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


def _read_csv(lines):
    return Rows({key: _number(value) for key, value in row.items()} for row in csv.DictReader(lines))


def _trace(platform, product, heuristic, block_size, engine, noise):
    document, text = _compare(platform, product, heuristic, block_size, engine, noise, 1, 3600.0,
                              True)
    for row in document["results"]:
        if row["status"] != "ok":
            raise RuntimeError(f"{row['heuristic']}: {row['error']}")
    return text


def trace(platform, product, heuristic, *, block_size=None, engine="simgrid", noise=""):
    """Simulates one heuristic. Returns its transfers and updates with their dates, a dict each, as in the
    CSV files of --trace."""
    return _read_csv(io.StringIO(_trace(platform, product, heuristic, block_size, engine, noise)))


def gantt(platform, product, heuristic, *, block_size=None, engine="simgrid", noise="", title="",
          **options):
    """Simulates one heuristic and returns its Gantt chart. Options are those of `starport plot`, such as
    from_ and to, in seconds."""
    text = _trace(platform, product, heuristic, block_size, engine, noise)
    return _figure("gantt", lambda directory: [_written(directory, "trace.csv", text)], title,
                   options)


def plot(results, figure, *, title="", **options):
    """Returns a figure of kind `figure` (see `starport plot --help`) of rows, or of the CSV file at a path.
    Options are those of that command."""
    if not isinstance(results, list):
        return _figure(figure, lambda _: [os.fspath(results)], title, options)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(key for row in results for key in row)),
                            lineterminator="\n")
    writer.writeheader()
    writer.writerows(results)
    return _figure(figure, lambda directory: [_written(directory, "results.csv", text.getvalue())],
                   title, options)


def _written(directory, name, text):
    path = pathlib.Path(directory, name)
    path.write_text(text)
    return str(path)


def _figure(kind, files, title, options):
    width_cm, height_cm = options.pop("size_cm", (0, 0))
    texts = {key.rstrip("_"): str(value) for key, value in options.items()}

    def draw(image):
        with tempfile.TemporaryDirectory() as directory:
            return _starport.plot(kind, files(directory), texts, title, width_cm, height_cm, image)
    return Figure(draw)


def read_results(directory):
    """Returns the rows of a sweep's result directory."""
    with open(pathlib.Path(directory, "results.csv"), newline="") as lines:
        return _read_csv(lines)


def _resolved(specification):
    """Returns a copy whose platform paths are absolute, since the specification moves to another folder."""
    copy = json.loads(json.dumps(specification))
    for experiment in copy.get("experiments", []):
        experiment["platforms"] = [str(pathlib.Path(platform).absolute())
                                   if isinstance(platform, str) else platform
                                   for platform in experiment.get("platforms", [])]
    return copy


def sweep(specification, output=None, *, engine="simgrid", jobs=None, time_limit_s=3600.0,
          resume=False):
    """Runs a sweep and returns its rows. `specification` is the path of a specification or its content
    as a dict; it may name registered heuristics. `output` is the result directory (default: none)."""
    with tempfile.TemporaryDirectory() as directory:
        path = specification
        if isinstance(specification, dict):
            path = _written(directory, "sweep.json", json.dumps(_resolved(specification)))
        if output is None:
            output = pathlib.Path(directory, "results")
        jobs = jobs or len(os.sched_getaffinity(0))
        _starport.sweep(os.fspath(path), os.fspath(output), engine, jobs, time_limit_s, resume)
        return read_results(output)


def worst(heuristic, *, against="bound", within="typical", evaluations=20000, seed=1, jobs=None,
          time_limit_s=3600.0):
    """Searches for the platform and the product on which a heuristic loses most against the best of
    others, or against the lower bound that no schedule beats, as `starport worst` does. Returns the
    simplified instance as a dict: "ratio", "platform" (which compare() takes), "problem", and others.
    `within` is "typical", "anything" or the path of a file of ranges."""
    tested = _name(heuristic)
    if isinstance(against, str) or not hasattr(against, "__iter__"):
        against = [against]
    rivals = []
    for rival in against:
        rivals.append(_name(rival, [tested, *rivals]))
    jobs = jobs or len(os.sched_getaffinity(0))
    return json.loads(_starport.worst(tested, ",".join(rivals), os.fspath(within), evaluations, seed,
                                      jobs, time_limit_s))


def report(results, output, *, runs="auto"):
    """Writes the HTML page of a sweep's result directory to `output`, as `starport report` does, also if
    the sweep names registered heuristics. `runs` selects the runs with a Gantt chart."""
    _starport.report(os.fspath(results), os.fspath(output), runs)
