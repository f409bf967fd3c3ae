"""The commands of the program as functions."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from ._errors import InputError, SimulationError
from ._figures import DrawnResult, Figure, draw
from ._heuristics import HeuristicLike, HeuristicsLike, name_of, names_of, recorded_tracebacks
from ._native import PACKAGE, Files, Output, PathLike, _starport, absolute_samples, find_file
from ._platforms import Platform, Problem, ProblemLike, Star, star_of_file
from ._results import Bounds, Results, Schedule, Trace, read_csv, results_of

__all__ = ["bounds", "calibrate", "check", "compare", "compare_runs", "convert", "explain", "explore", "fit", "gantt",
           "merge", "partition", "plan", "problem", "replay", "report", "star", "trace", "validate", "verify",
           "worst", "worst_table"]

PlatformLike = Union[str, "os.PathLike[str]", Mapping[str, Any], Platform]
NoiseLike = Union[None, str, "os.PathLike[str]", Mapping[str, Any]]
ScheduleLike = Union[str, "os.PathLike[str]", Schedule]
SpaceLike = Union[str, "os.PathLike[str]", Mapping[str, Any]]


def _platform_path(platform: PlatformLike, files: Files) -> str:
    if isinstance(platform, Platform):
        return files.write(platform.to_dict(), "platform.json", "platform")
    if isinstance(platform, Mapping):
        return files.write(platform, "platform.json", "platform")
    return find_file(platform)


def _problem_text(problem: ProblemLike) -> str:
    return str(Problem.parse(problem))


def _block_size(problem: ProblemLike, block_size: Optional[int]) -> Optional[int]:
    return problem.block_size if block_size is None and isinstance(problem, Problem) else block_size


def _noise_text(noise: NoiseLike, files: Files) -> Optional[str]:
    if isinstance(noise, Mapping):
        return files.write(absolute_samples(noise), "noise.json", "noise") if noise else None
    return os.fspath(noise) if noise else None


def _space_path(space: SpaceLike, files: Files) -> PathLike:
    return files.write(space, "space.json", "within") if isinstance(space, Mapping) else space


def _document(output: Output) -> Any:
    return json.loads(output.text)


def _run_program(files: Files, command: str, arguments: Iterable[PathLike], missing: str) -> None:
    """Runs a command that is a program of its own; `missing` says why this build may lack it."""
    program = PACKAGE / "bin" / f"starport-{command}"
    if not program.exists():
        raise InputError(f"{command}: {missing}", "", command)
    run = subprocess.run([program, *arguments], encoding="utf-8", errors="replace", stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    if run.returncode == 0:
        return
    message = files.renamed(run.stderr.strip().removeprefix(f"starport-{command}: ").removeprefix("starport: "))
    if run.returncode != 2:
        raise SimulationError(message)
    raise files.error(InputError(message, "", message.partition(":")[0]))


def compare(platform: PlatformLike, problem: ProblemLike, heuristics: Optional[HeuristicsLike] = None, *,
            block_size: Optional[int] = None, element_type: Optional[str] = None, engine: str = "simgrid",
            noise: NoiseLike = None, repetitions: int = 1, draws: Optional[int] = None,
            time_limit_s: float = 3600.0, traces: bool = False) -> Results:
    """Simulate heuristics on a platform and compare them, as `starport run` does.

    Each heuristic plans and runs in a process of its own; one that fails is a run that says so.

    Parameters
    ----------
    platform : path, dict or Platform
        The platform. A relative path that does not exist is looked for among the published ones.
    problem : int, tuple of int, str or Problem
        Sizes in matrix elements: 8000, or (8000, 8000, 64000), or "8000x8000x64000".
    heuristics : str, callable, object, list or dict of them
        Names as `starport run --heuristics` takes them, functions of a View, objects with a method
        plan; in a dict by the names that they get. Default: those that suit the platform.
    block_size : int, optional
        Side of a block in matrix elements. Default: the problem's, else the platform's, else 80.
    element_type : {"float64", "float32"}, optional
        Type of the matrix elements. Default: the platform's, else "float64".
    engine : {"simgrid", "analytic"}
        "analytic" gives the same results much faster than "simgrid", the reference.
    noise : str, dict or path, optional
        Durations that vary and workers that fail: "cv=6%,seed=1" or {"cv": 0.06, "seed": 1}.
    repetitions : int
        Runs of each heuristic under noise.
    draws : int, optional
        Platforms drawn from the confidence intervals of a measured platform (default: 100).
    time_limit_s : float
        Wall-clock limit of each run in seconds; 0: none.
    traces : bool
        True to get the attribute `trace` of each run.

    Returns
    -------
    Results
        A Run per heuristic, the bounds of the instance, and a recommendation.

    Raises
    ------
    InputError
        If an argument is wrong; nothing was run then.

    Examples
    --------
    >>> import starport
    >>> results = starport.compare("platforms/first-try.json", (800, 800, 800), ["Het", "ODDOML"])
    >>> results.best.heuristic
    'ODDOML'
    >>> def fast(view: starport.View) -> int:
    ...     return min(view.requests, key=lambda request: request.date_s).worker
    >>> starport.compare("platforms/first-try.json", 800, {"fast": fast}, noise={"cv": 0.06})
    <Results: 1 run>
    """
    with Files() as files, recorded_tracebacks() as tracebacks:
        path = _platform_path(platform, files)
        trace_path = files.path("trace.csv") if traces else None
        output = files.run(
            "run", [path], json=True, problem=_problem_text(problem),
            heuristics=None if heuristics is None else names_of(heuristics),
            block_size=_block_size(problem, block_size), element_type=element_type, engine=engine,
            noise=_noise_text(noise, files), repetitions=None if repetitions == 1 else repetitions,
            draws=draws, time_limit=time_limit_s, trace=trace_path)
        document = _document(output)
        trace_text = pathlib.Path(trace_path).read_text("utf-8") if trace_path else ""
    results = results_of(document, tracebacks)
    if traces:
        header, _, events = trace_text.partition("\n")
        of_run: dict[str, list[str]] = {}
        for line, row in zip(events.splitlines(), read_csv(trace_text.splitlines())):
            of_run.setdefault(str(row["heuristic"]), []).append(line)
        for run in results:
            run.trace = Trace(run.heuristic, "\n".join([header, *of_run.get(run.heuristic, [])]) + "\n")
    return results


def bounds(platform: PlatformLike, problem: ProblemLike, *, block_size: Optional[int] = None,
           element_type: Optional[str] = None, model: Optional[str] = None) -> Bounds:
    """Return the bounds that no schedule can beat.

    Parameters
    ----------
    platform, problem, block_size, element_type
        As in `compare`.
    model : {"star", "tiles", "spmd"}, optional
        The model of the bounds. Default: the one that the platform is meant for, tile tasks for a
        node with GPUs, else the star, else distributed products.

    Returns
    -------
    Bounds
        They have the name of their model.

    Examples
    --------
    >>> import starport
    >>> starport.bounds("platforms/first-try.json", 800).any_schedule_bound_s
    0.33982136941922875
    >>> starport.bounds("platforms/sirocco.json", 7680, block_size=960).model
    'tiles'
    """
    with Files() as files:
        try:
            path = os.fsencode(_platform_path(platform, files))
            values = json.loads(_starport.bounds(path, _problem_text(problem),
                                                 _block_size(problem, block_size), element_type or "",
                                                 model or ""))
        except InputError as error:
            raise files.error(error) from None
    return Bounds(values.pop("model"), values)


def star(platform: PlatformLike, block_size: Optional[int] = None) -> Star:
    """Return the platform as heuristics see it, for blocks of that side in matrix elements.

    Examples
    --------
    >>> import starport
    >>> [worker.m_blocks for worker in starport.star("platforms/first-try.json").workers]
    [81, 327, 327]
    """
    with Files() as files:
        return star_of_file(_platform_path(platform, files), block_size, files)


def problem(product: ProblemLike, block_size: int = 80) -> Problem:
    """Return the product as heuristics see it, in blocks of that side in matrix elements.

    Examples
    --------
    >>> import starport
    >>> starport.problem("800x160x400").t
    2
    """
    return Problem.parse(product, block_size)


def plan(platform: PlatformLike, problem: ProblemLike, heuristic: HeuristicLike = "Het", *,
         block_size: Optional[int] = None, element_type: Optional[str] = None, engine: str = "simgrid",
         time_limit_s: float = 3600.0) -> Schedule:
    """Return the schedule of a heuristic for the star, as `starport plan` saves it.

    A heuristic in Python runs in this process, so that its output appears, a debugger stops in it,
    and its exceptions reach the caller as they are.

    Parameters
    ----------
    platform, problem, block_size, element_type
        As in `compare`.
    heuristic : str, callable or object
        One heuristic.
    engine, time_limit_s
        As in `compare`, for heuristics that are not in Python.

    Raises
    ------
    InputError
        If an argument is wrong, or the heuristic is not one for stars.
    SimulationError
        If the heuristic fails or breaks the model.
    NotApplicable
        If the heuristic does not apply to the platform.

    Examples
    --------
    >>> import starport
    >>> starport.plan("platforms/first-try.json", 800).transfers[0]["worker"]
    2
    """
    name = name_of(heuristic)
    with Files() as files:
        path = _platform_path(platform, files)
        size = _block_size(problem, block_size)
        text = _problem_text(problem)
        if not isinstance(heuristic, str):
            try:
                return Schedule(json.loads(_starport.schedule(os.fsencode(path), text, size,
                                                              element_type or "", name)))
            except InputError as error:
                raise files.error(error) from None
        output = files.path("schedule.json")
        files.run("plan", [path], problem=text, heuristics=name, block_size=size, element_type=element_type,
                  engine=engine, time_limit=time_limit_s, output=output)
        return Schedule(json.loads(pathlib.Path(output).read_bytes()))


def replay(platform: PlatformLike, schedule: ScheduleLike, *, engine: str = "simgrid",
           noise: NoiseLike = None, time_limit_s: float = 3600.0) -> Results:
    """Run a saved schedule, on the same platform or another, as `starport replay` does.

    Parameters
    ----------
    platform, engine, noise, time_limit_s
        As in `compare`.
    schedule : Schedule or path
        What `plan` returned, or a schedule file.

    Examples
    --------
    >>> import starport
    >>> schedule = starport.plan("platforms/first-try.json", 800, "Het")
    >>> platform = starport.Platform.load("platforms/first-try.json")
    >>> platform.workers[1].bandwidth = "25MBps"
    >>> starport.replay(platform, schedule)[0].makespan_s > schedule.makespan_s
    True
    """
    with Files() as files:
        return results_of(_document(files.run(
            "replay", [_platform_path(platform, files), _schedule_path(schedule, "schedule", files)],
            json=True, engine=engine, noise=_noise_text(noise, files), time_limit=time_limit_s)), {})


def _schedule_path(schedule: Union[ScheduleLike, Trace], label: str, files: Files) -> str:
    if isinstance(schedule, Schedule):
        return files.write(dict(schedule), f"{label}.json", label)
    if isinstance(schedule, Trace):
        return files.write(schedule.text, f"{label}.csv", label)
    return os.fspath(schedule)


def compare_runs(a: Union[ScheduleLike, Trace], b: Union[ScheduleLike, Trace], *, first: Optional[str] = None,
                 second: Optional[str] = None, output: Optional[PathLike] = None) -> DrawnResult:
    """Find where two schedules or traces differ, as `starport compare-runs` does.

    Parameters
    ----------
    a, b : Trace, Schedule or path
        The two runs.
    first, second : str, optional
        Heuristic of run `a` and of run `b`, if that trace holds several.
    output : path, optional
        Where to draw both runs: .svg, .pdf, .png, or .csv.

    Returns
    -------
    DrawnResult
        A dict with "first_other_step", "first_other_dates", and the times of each lane under "groups".

    Examples
    --------
    >>> import starport
    >>> het, bmm = (starport.trace("platforms/first-try.json", 800, name) for name in ["Het", "BMM"])
    >>> starport.compare_runs(het, bmm)["first_other_step"]["b"]["text"]
    'C sent, P1: C rows 1-5, columns 1-5'
    """
    def run(path: Optional[PathLike]) -> Any:
        with Files() as files:
            return _document(files.run(
                "compare-runs", [_schedule_path(a, "a", files), _schedule_path(b, "b", files)],
                json=True, first=first, second=second, output=path))
    return DrawnResult(run, output)


def trace(platform: PlatformLike, problem: ProblemLike, heuristic: HeuristicLike, *,
          block_size: Optional[int] = None, engine: str = "simgrid", noise: NoiseLike = None) -> Trace:
    """Simulate one heuristic and return its transfers and updates with their dates.

    Raises
    ------
    SimulationError
        If the run fails.
    NotApplicable
        If the heuristic does not apply.

    Examples
    --------
    >>> import starport
    >>> starport.trace("platforms/first-try.json", 800, "ODDOML").worker.max()
    2.0
    """
    results = compare(platform, problem, heuristic, block_size=block_size, engine=engine, noise=noise,
                      traces=True)
    results[0].raise_for_status()
    found = results[0].trace
    assert found is not None
    return found


def gantt(platform: PlatformLike, problem: ProblemLike, heuristics: HeuristicsLike, *,
          block_size: Optional[int] = None, engine: str = "simgrid", noise: NoiseLike = None, title: str = "",
          from_: Optional[float] = None, to: Optional[float] = None,
          size_cm: Optional[tuple[float, float]] = None) -> Figure:
    """Simulate heuristics and return their Gantt charts on one time axis, from one date to another in seconds.

    Raises
    ------
    SimulationError
        If a run fails.

    Examples
    --------
    >>> import starport
    >>> starport.gantt("platforms/first-try.json", 800, ["Het", "BMM"], to=0.3)._repr_svg_()[:5]
    '<?xml'
    """
    results = compare(platform, problem, heuristics, block_size=block_size, engine=engine, noise=noise,
                      traces=True)
    text = ""
    for run in results:
        run.raise_for_status()
        part = run.trace.text if run.trace is not None else ""
        text += part if not text else part.partition("\n")[2]
    names = ",".join(run.heuristic for run in results) if len(results) > 1 else None
    return draw("gantt", {"trace.csv": text}, title=title, size_cm=size_cm, from_=from_, to=to, heuristics=names)


def validate(file: Union[PlatformLike, Schedule, Trace]) -> str:
    """Check a file of any kind, and return what `starport validate` prints about it.

    Raises
    ------
    InputError
        If the file is not valid.
    SimulationError
        If it is a schedule or a trace that breaks the model.

    Examples
    --------
    >>> import starport
    >>> print(starport.validate({"schema_version": 1, "name": "x", "workers": []}))
    Traceback (most recent call last):
    starport.InputError: platform: /workers: expected at least one worker, found an empty array
    """
    with Files() as files:
        if isinstance(file, (Schedule, Trace)):
            path = _schedule_path(file, "schedule" if isinstance(file, Schedule) else "trace", files)
        else:
            path = _platform_path(file, files)
        output = files.run("validate", [path])
        text = files.renamed(output.text)
        if output.status != 0:
            raise SimulationError(files.renamed(output.notice or output.text).strip())
        return text.rstrip("\n")


def convert(platform: PlatformLike, *, to: str = "simgrid-xml", block_size: Optional[int] = None) -> str:
    """Return a platform in another format, SimGrid's XML, as `starport convert` writes it.

    Examples
    --------
    >>> import starport
    >>> starport.convert("platforms/first-try.json")[:21]
    "<?xml version='1.0'?>"
    """
    with Files() as files:
        return files.run("convert", [_platform_path(platform, files)], to=to, block_size=block_size).text


def partition(speeds: Union[Sequence[float], PlatformLike], *, method: str = "NRRP", tiles: Optional[int] = None,
              rounding: Optional[str] = None, block_size: Optional[int] = None,
              output: Optional[PathLike] = None) -> DrawnResult:
    """Divide a product among processors by their speeds, as `starport partition` does.

    Parameters
    ----------
    speeds : list of float, or a platform
        Speeds in any unit; or the platform whose workers have them.
    method : str
        Method of partitioning, such as "NRRP", "RP", "column" or "NRRP3D".
    tiles : int, optional
        Assign whole tiles, so many in each dimension.
    rounding : {"ROUNDED", "PRECISE"}, optional
        Keep the form of the zones, or their size.
    output : path, optional
        Where to draw the partition: .svg, .pdf, .png, or .csv.

    Returns
    -------
    DrawnResult
        A dict with "cost", "bound", "ratio", and the parts under "processors".

    Examples
    --------
    >>> import starport
    >>> round(starport.partition([1, 1, 4, 9])["ratio"], 3)
    1.033
    """
    given: Any = speeds

    def run(path: Optional[PathLike]) -> Any:
        of: dict[str, Any]
        with Files() as files:
            if isinstance(given, (str, os.PathLike, Mapping, Platform)):
                of = {"speeds_of": _platform_path(given, files)}
            else:
                of = {"speeds": ",".join(f"{float(speed):.17g}" for speed in given)}
            return _document(files.run("partition", json=True, method=method, tiles=tiles, rounding=rounding,
                                       block_size=block_size, output=path, **of))
    return DrawnResult(run, output)


def explain(*figures: str) -> str:
    """Return what the columns of results mean, a line each; with names, their formulas and sources.

    Examples
    --------
    >>> import starport
    >>> print(starport.explain("makespan_s").splitlines()[0])
    makespan_s (s): when the last block of C is home; under noise, the mean over the repetitions
    """
    with Files() as files:
        return files.run("explain", figures).text.rstrip("\n")


def worst(heuristic: HeuristicLike, *, against: HeuristicsLike = "bound", within: SpaceLike = "typical",
          evaluations: int = 20000, seed: int = 1, jobs: Optional[int] = None,
          time_limit_s: float = 3600.0) -> dict[str, Any]:
    """Search for the platform and the problem on which a heuristic loses most, as `starport worst` does.

    Parameters
    ----------
    heuristic : str, callable or object
        The heuristic to test.
    against : heuristics
        Of these the best counts; "bound": the lower bound that no schedule beats.
    within : str, path or dict
        "typical", "anything", or ranges: a file, or its content.
    evaluations : int
        Instances to simulate.
    seed : int
        Seed of the search; the same seed gives the same result.
    jobs : int, optional
        Processes (default: one per processor).

    Returns
    -------
    dict
        The simplified instance: "ratio", "platform" (which `compare` takes), "problem", and others.

    Examples
    --------
    >>> import starport
    >>> starport.worst("ODDOML", against="Het", evaluations=64)["ratio"] > 1
    True
    """
    tested = name_of(heuristic)
    if isinstance(against, str) or not isinstance(against, Iterable):
        against = [against]
    rivals: list[str] = []
    for rival in against:
        rivals.append(name_of(rival, [tested, *rivals]))
    with Files() as files:
        output = files.run("worst", [tested], against=",".join(rivals), within=_space_path(within, files), json=True,
                           evaluations=evaluations, seed=seed, jobs=jobs, time_limit=time_limit_s)
        result: dict[str, Any] = json.loads(files.renamed(output.text))
        return result


def worst_table(heuristics: Optional[HeuristicsLike] = None, *, within: SpaceLike = "typical", evaluations: int = 1000,
                seed: int = 1, jobs: Optional[int] = None, time_limit_s: float = 3600.0) -> list[dict[str, Any]]:
    """Search for the worst case of each heuristic against each other one and the bound: `starport worst --table`.

    Parameters
    ----------
    heuristics : heuristics, optional
        Default: the seven of PPoPP'08 and Polaris.
    evaluations : int
        Instances to simulate in each search.
    within, seed, jobs, time_limit_s
        See `worst`.

    Returns
    -------
    list of dict
        What `worst` returns, for each "heuristic" and what it is "against"; or only these and "error".

    Examples
    --------
    >>> import starport
    >>> cells = starport.worst_table(["ODDOML", "BMM"], evaluations=64)
    >>> [cell["heuristic"] + " against " + cell["against"] for cell in cells]
    ['ODDOML against BMM', 'ODDOML against bound', 'BMM against ODDOML', 'BMM against bound']
    """
    with Files() as files:
        output = files.run("worst", [] if heuristics is None else [names_of(heuristics)], table=True, json=True,
                           within=_space_path(within, files), evaluations=evaluations, seed=seed, jobs=jobs,
                           time_limit=time_limit_s)
        cells: list[dict[str, Any]] = json.loads(files.renamed(output.text))
        return cells


def report(results: PathLike, output: PathLike, *, runs: str = "auto", jobs: Optional[int] = None) -> None:
    """Write the HTML page of a sweep's result directory or of a trace, as `starport report` does.

    Parameters
    ----------
    results : path
        A result directory, whose sweep may name registered heuristics, or a trace (.csv).
    output : path
        The page to write.
    runs : str
        Runs with a Gantt chart: "auto", "all", "best", "none", or instances such as "3,7-9"; only "auto" for a trace.

    Examples
    --------
    >>> import starport
    >>> starport.report("none", "page.html")
    Traceback (most recent call last):
    starport.InputError: none: ...
    """
    with Files() as files:
        files.run("report", [results], output=output, runs=runs, jobs=jobs)


def explore(platform: PlatformLike, problem: ProblemLike, output: PathLike,
            heuristics: Optional[HeuristicsLike] = None) -> None:
    """Write the page of `starport explore`, which shows a comparison, as one file.

    To change the platform in the browser, run the command `starport explore`.

    Parameters
    ----------
    platform : path, dict or Platform
        The platform.
    problem : int, tuple of int, str or Problem
        Sizes in matrix elements.
    output : path
        The HTML page to write.
    heuristics : str or list of str, optional
        Names as `starport explore --heuristics` takes them. Default: those that suit the platform.

    Raises
    ------
    InputError
        If an argument is wrong.

    Examples
    --------
    >>> import starport
    >>> starport.explore("none.json", 800, "page.html")
    Traceback (most recent call last):
    starport.InputError: none.json: ...
    """
    with Files() as files:
        words = [f"--problem={_problem_text(problem)}", f"--export={os.fspath(output)}"]
        words += [] if heuristics is None else [f"--heuristics={names_of(heuristics)}"]
        size = _block_size(problem, None)
        words += [] if size is None else [f"--block-size={size}"]
        _run_program(files, "explore", [*words, "--", _platform_path(platform, files)],
                     "this build has no HTTP library. Install libcpp-httplib-dev and build again")


def merge(directories: Union[PathLike, Iterable[PathLike]], output: PathLike) -> None:
    """Join the results of a sweep's shards into a new directory, as `starport merge` does.

    Examples
    --------
    >>> import starport
    >>> starport.merge(["none-1", "none-2"], "whole")
    Traceback (most recent call last):
    starport.InputError: none-1: ...
    """
    paths = [directories] if isinstance(directories, (str, os.PathLike)) else list(directories)
    with Files() as files:
        files.run("merge", [os.fspath(path) for path in paths], output=output)


def verify(directory: PathLike) -> str:
    """Check that the results of a sweep are unchanged, and return what `starport verify` prints.

    Raises
    ------
    InputError
        If there are no results, or they are damaged.
    SimulationError
        If a check failed.

    Examples
    --------
    >>> import starport
    >>> starport.verify("none")
    Traceback (most recent call last):
    starport.InputError: none: ...
    """
    with Files() as files:
        output = files.run("verify", [directory])
        if output.status != 0:
            raise SimulationError((output.notice or output.text).strip())
        return output.text.rstrip("\n")


def check(results: Union[PathLike, Iterable[PathLike]], claims: PathLike, *,
          without_reasons: bool = False) -> list[dict[str, Any]]:
    """Check a paper's statements against results, as `starport check` does.

    Parameters
    ----------
    results : path or list of paths
        Files results.csv of sweeps.
    claims : path
        The file of statements (experiments/README.md).
    without_reasons : bool
        Ignore the reasons in the file, for results of another calibration.

    Returns
    -------
    list of dict
        A row per statement, with the columns of the command's CSV file.

    Examples
    --------
    >>> import starport
    >>> starport.check("none.csv", "none.json")
    Traceback (most recent call last):
    starport.InputError: none...
    """
    paths = [results] if isinstance(results, (str, os.PathLike)) else list(results)
    with Files() as files:
        table = files.path("table.csv")
        files.run("check", [os.fspath(path) for path in paths], claims=claims, output=table,
                  without_reasons=without_reasons)
        with open(table, newline="", encoding="utf-8") as lines:
            return read_csv(lines)


def fit(specification: PathLike, claims: PathLike, output: PathLike, *, draws: Optional[int] = None,
        refinements: Optional[int] = None, best: Optional[PathLike] = None, seed: int = 1,
        jobs: Optional[int] = None, resume: bool = False) -> list[dict[str, Any]]:
    """Search for the calibration under which most statements of a paper hold, as `starport fit` does.

    Parameters
    ----------
    specification, claims : path
        The campaign and the file of statements, whose section "fit" has the ranges.
    output : path
        CSV file to write, with a row per calibration; must not exist unless `resume`.
    draws, refinements : int, optional
        Random calibrations, and those tried near the best ones (default: 1000 each).
    best : path, optional
        Where to write the best calibration, as a specification for `sweep`.

    Returns
    -------
    list of dict
        The rows of `output`.

    Examples
    --------
    >>> import starport
    >>> starport.fit("none.json", "none.json", "fit.csv")
    Traceback (most recent call last):
    starport.InputError: none.json: ...
    """
    with Files() as files:
        files.run("fit", [specification], claims=claims, output=output, draws=draws, refinements=refinements,
                  best=best, seed=seed, jobs=jobs, resume=resume)
    with open(output, newline="", encoding="utf-8") as lines:
        return read_csv(lines)


def calibrate(output: Optional[PathLike] = None, *, name: Optional[str] = None, workers: Optional[int] = None,
              link: Optional[str] = None, latency: Optional[str] = None, memory: Optional[str] = None,
              threads: Optional[int] = None, block_sizes: Optional[Sequence[int]] = None,
              element_type: Optional[str] = None, seconds: Optional[float] = None,
              speed_function: bool = False) -> Platform:
    """Measure this machine and return its platform, as `starport calibrate` does. Takes seconds to minutes.

    Parameters
    ----------
    output : path, optional
        Where to keep the platform file.
    name, workers, link, latency, memory, threads, block_sizes, element_type, seconds, speed_function
        As the options of the command.

    Raises
    ------
    InputError
        If an argument is wrong or this build cannot measure.
    SimulationError
        If the measurement fails.

    Examples
    --------
    >>> import starport
    >>> starport.calibrate(threads=0)
    Traceback (most recent call last):
    starport.InputError: threads: ...
    """
    with Files() as files:
        path = os.fspath(output) if output is not None else files.path("platform.json", "platform")
        options = {"name": name, "workers": workers, "link": link, "latency": latency, "memory": memory,
                   "threads": threads, "element-type": element_type, "seconds": seconds,
                   "block-sizes": ",".join(map(str, block_sizes)) if block_sizes else None}
        words = [f"--{key}={value}" for key, value in options.items() if value is not None]
        words += ["--speed-function"] if speed_function else []
        _run_program(files, "calibrate", [f"--output={path}", *words],
                     "this build has no BLAS to measure. Install libopenblas-dev and build again")
        return Platform.from_dict(json.loads(pathlib.Path(path).read_bytes()))
