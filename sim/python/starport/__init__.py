"""Simulates and compares schedules of matrix products on heterogeneous platforms, and heuristics of yours.

    >>> import starport
    >>> results = starport.compare("platforms/first-try.json", 800, ["Het", "ODDOML"])
    >>> results.best
    <Run of ODDOML: 0.47616 s>
    >>> print(results.recommendation[0])
    Run ODDOML: 0.47616 s, 40.1% above the lower bound for any schedule (0.339821 s). Het, the next, takes 1.1% longer.

`compare` simulates heuristics; `bounds` says what no schedule can beat; `sweep` runs campaigns, here or on an executor
of concurrent.futures; `heuristics` lists the heuristics and `register` adds yours. The other functions do what the
commands of the program do. Bad input raises InputError (a ValueError), a run that fails SimulationError (a
RuntimeError).
"""
from ._commands import (bounds, calibrate, check, compare, compare_runs, convert, explain, explore, fit, gantt, merge,
                        partition, plan, problem, replay, report, star, trace, validate, verify, worst, worst_table)
from ._errors import InputError, NotApplicable, SimulationError
from ._figures import DrawnResult, Figure, plot
from ._heuristics import (Allocator, Decide, Divider, Heuristic, IdleStrategy, Planner, ReadyStrategy, Task, TileView,
                          heuristics, load_plugin, register)
from ._native import _starport
from ._platforms import Platform, Problem, Star, StarWorker, Worker
from ._results import Bounds, Results, Run, Schedule, Trace, read_results
from ._sweeps import SweepProgress, sweep
from .lib._starport import Request, View

__all__ = [
    "Allocator", "Bounds", "Decide", "Divider", "DrawnResult", "Figure", "Heuristic", "IdleStrategy", "InputError",
    "NotApplicable", "Planner", "Platform", "Problem", "ReadyStrategy", "Request", "Results", "Run", "Schedule", "SimulationError", "Star",
    "StarWorker", "SweepProgress", "Task", "TileView", "Trace", "View", "Worker",
    "bounds", "calibrate", "check", "compare", "compare_runs", "convert", "explain", "explore", "fit", "gantt", "heuristics",
    "load_plugin", "merge", "partition", "plan", "plot", "problem", "read_results", "register", "replay", "report",
    "star", "sweep", "trace", "validate", "verify", "worst", "worst_table"]
__version__: str = _starport.version
