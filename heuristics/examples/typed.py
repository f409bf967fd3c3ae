"""Heuristics in Python with types, which mypy --strict accepts:

    PYTHONPATH=build/release/python python3 heuristics/examples/typed.py
"""
from __future__ import annotations

from typing import Optional

import starport


def scarcest(view: starport.View) -> Optional[int]:
    """Serves the worker that runs out of work first."""
    return min(view.requests, key=lambda request: request.works_until_s).worker


class Fastest:
    """Gives everything to the worker with the fastest link."""

    def plan(self, platform: starport.Star, problem: starport.Problem) -> starport.Decide:
        links = [worker.c_s for worker in platform.workers]
        best = links.index(min(links)) + 1

        def decide(view: starport.View) -> Optional[int]:
            return best if best in [request.worker for request in view.requests] else None
        return decide


class Nearest:
    """Schedules tile tasks: an idle worker gets the ready task of which it lacks the fewest tiles."""

    def idle(self, worker: int, view: starport.TileView) -> Optional[starport.Task]:
        return min(view.ready, key=lambda task: view.missing(task, worker))


if __name__ == "__main__":
    results = starport.compare("platforms/first-try.json", (800, 800, 800), [scarcest, Fastest(), "Het"])
    for run in results:
        print(f"{run.heuristic:10} {run.makespan_s:8.4f} s, {run.times_tightest_bound:.2f} x bound")
    print(results.recommendation[0])
    print(starport.compare("platforms/sirocco.json", (7680, 3840, 15360), [Nearest(), "DMDA"]))
