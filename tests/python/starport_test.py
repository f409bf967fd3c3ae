"""Tests of the Python package."""
import copy
import doctest
import gc
import importlib
import importlib.util
import inspect
import io
import json
import math
import os
import pathlib
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock
import weakref

import starport

TOP = pathlib.Path(__file__).parent.parent.parent
PACKAGE = pathlib.Path(starport.__file__).parent
PLATFORM = TOP / "platforms" / "first-try.json"
PRODUCT = "800x800x800"
NEEDS_MATPLOTLIB = unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib")


def earliest(view):
    """Serves the earliest request."""
    return min(view.requests, key=lambda request: (request.date_s, request.worker)).worker


class OneWorker:
    """Gives all of C to one worker, a block at a time."""

    details = {"worker": "1"}

    def plan(self, platform, problem, worker="1"):
        updates = 0
        number = int(worker)
        for row in range(problem.r):
            for column in range(problem.s):
                i, j = [row, row + 1], [column, column + 1]
                yield {"worker": number, "to": "worker", "c": {"rows": i, "columns": j},
                       "after_update": updates}
                for k in range(problem.t):
                    a = {"rows": i, "inner": [k, k + 1]}
                    b = {"inner": [k, k + 1], "columns": j}
                    yield {"worker": number, "to": "worker", "a": a, "b": b,
                           "after_update": updates,
                           "update": {"rows": i, "columns": j, "inner": [k, k + 1],
                                      "release_a": a, "release_b": b}}
                    updates += 1
                yield {"worker": number, "to": "master", "c": {"rows": i, "columns": j},
                       "after_update": updates}


class Worst(unittest.TestCase):
    def test_finds_where_a_heuristic_loses(self):
        found = starport.worst("ODDOML", against=["Het", "BMM"], evaluations=320, seed=2, jobs=1)
        self.assertEqual(found["against"], "the best of Het, BMM")
        rows = starport.compare(found["platform"], found["problem"], ["ODDOML", "Het", "BMM"])
        rivals = min(rows[1]["makespan_s"], rows[2]["makespan_s"])
        self.assertAlmostEqual(rows[0]["makespan_s"] / rivals, found["ratio"])
        self.assertEqual(found, starport.worst("ODDOML", against=["Het", "BMM"], evaluations=320,
                                               seed=2, jobs=2))

    def test_of_a_heuristic_in_python(self):
        found = starport.worst(earliest, against="ODDOML", evaluations=32, within="anything")
        self.assertEqual(found["heuristic"], "earliest")
        self.assertGreater(found["ratio"], 0)
        found = starport.worst("BMM", against=[earliest, "Hom"], evaluations=32, jobs=1, within={
            "schema_version": 1, "workers": [1, 4], "bandwidth": "10MBps", "speed": {"uniform": ["1Gf", "20Gf"]},
            "memory": "10MB", "r": 9, "s": 9, "t": [1, 9]})
        self.assertEqual((found["against"], found["within"]), ("the best of earliest, Hom", "within"))
        rows = starport.compare(found["platform"], found["problem"], ["BMM", earliest, "Hom"])
        rivals = min(rows[1]["makespan_s"], rows[2]["makespan_s"])
        self.assertAlmostEqual(rows[0]["makespan_s"] / rivals, found["ratio"])
        with self.assertRaisesRegex(ValueError, "bound"):
            starport.worst("Het", against="Het")

    def test_table(self):
        cells = starport.worst_table(["ODDOML", earliest], evaluations=32, within="anything", seed=2)
        self.assertEqual([(cell["heuristic"], cell["against"]) for cell in cells],
                         [("ODDOML", "earliest"), ("ODDOML", "bound"), ("earliest", "ODDOML"), ("earliest", "bound")])
        self.assertEqual(cells[1], starport.worst("ODDOML", evaluations=32, within="anything", seed=2))
        # HoLM applies to workers that are all alike only.
        self.assertIn("none in 200 draws", starport.worst_table("HoLM", evaluations=32)[0]["error"])


class Compare(unittest.TestCase):
    def test_rows_are_those_of_the_command(self):
        rows = starport.compare(PLATFORM, PRODUCT)
        self.assertEqual([row["heuristic"] for row in rows],
                         ["Het", "Hom", "HomI", "ORROML", "OMMOML", "ODDOML", "BMM", "Polaris"])
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        self.assertTrue(rows.recommendation[0].startswith("Run "), rows.recommendation)
        self.assertGreater(rows.bounds["any_schedule_bound_s"], 0)
        self.assertEqual(rows.bounds["any_schedule_bound_s"],
                         starport.bounds(PLATFORM, PRODUCT)["any_schedule_bound_s"])
        self.assertIn("makespan_s", str(rows).splitlines()[0])
        self.assertIn("<td>Het</td>", rows._repr_html_())

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "no pandas")
    def test_a_frame(self):
        frame = starport.compare(PLATFORM, PRODUCT, ["Het", "BMM"]).to_frame()
        self.assertEqual(list(frame["heuristic"]), ["Het", "BMM"])
        self.assertTrue((frame["makespan_s"] > 0).all())

    def test_a_function_that_decides_on_requests(self):
        for engine in ["simgrid", "analytic"]:
            mine, theirs = starport.compare(PLATFORM, PRODUCT, [earliest, "ODDOML"], engine=engine)
            self.assertEqual(mine["heuristic"], "earliest")
            self.assertEqual(mine["status"], "ok", mine)
            # SimGrid wakes the master at the date of a request, which rounding may shift.
            self.assertAlmostEqual(mine["makespan_s"], theirs["makespan_s"], delta=1e-12)

    def test_several_of_one_name(self):
        rows = starport.compare(PLATFORM, PRODUCT, [lambda view: view.requests[0].worker,
                                                    lambda view: view.requests[-1].worker],
                                engine="analytic")
        self.assertEqual([row["heuristic"] for row in rows], ["lambda", "lambda-2"])
        self.assertNotEqual(rows[0]["makespan_s"], rows[1]["makespan_s"])

    def test_what_is_no_worker(self):
        row, = starport.compare(PLATFORM, PRODUCT, [lambda view: view.requests[0]],
                                engine="analytic")
        self.assertIn("a Request is returned; expected the number of a worker, or None",
                      row["error"])
        with self.assertRaisesRegex(ValueError, "register: expected names of heuristics without"):
            starport.register("a,b", earliest)
        with self.assertRaisesRegex(ValueError, "expected at least one"):
            starport.compare(PLATFORM, PRODUCT, [])

    def test_a_class_that_plans(self):
        rows = starport.compare(PLATFORM, PRODUCT, [OneWorker(), "OneWorker[worker=2]"])
        self.assertEqual([row["status"] for row in rows], ["ok", "ok"])
        self.assertEqual([row["enrolled_workers"] for row in rows], [1, 1])
        self.assertEqual(rows[0]["details"], {"worker": "1"})
        self.assertNotEqual(rows[0]["makespan_s"], rows[1]["makespan_s"])

    def test_a_plan_that_decides_on_requests(self):
        class Fastest:
            def plan(self, platform, problem):
                links = [worker.c_s for worker in platform.workers]
                best = links.index(min(links)) + 1
                return lambda view: best if best in [r.worker for r in view.requests] else None
        row, = starport.compare(PLATFORM, PRODUCT, Fastest())
        self.assertEqual((row["status"], row.get("enrolled_workers")), ("ok", 1), row)

    def test_under_noise(self):
        row, = starport.compare(PLATFORM, PRODUCT, earliest, noise="cv=10%,seed=4", repetitions=3)
        self.assertEqual(row["status"], "ok")
        self.assertEqual(row["repetitions"], 3)

    def test_what_is_wrong_is_a_row(self):
        def crashes(view):
            os.kill(os.getpid(), 11)

        def fails(view):
            return 1 / 0

        def colours(view):
            raise ValueError("\x1b[31mred\u200b")

        def absent(view):
            return 77

        class Declines:
            def plan(self, platform, problem):
                raise starport.NotApplicable(f"{len(platform.workers)} workers")

        class Liar:
            def plan(self, platform, problem):
                return []

        rows = starport.compare(PLATFORM, PRODUCT, [crashes, fails, absent, Declines(), Liar(), colours])
        errors = [row["error"] for row in rows]
        self.assertTrue(errors[0].startswith("crashed: Segmentation fault"), errors[0])
        self.assertTrue(errors[1].startswith("ZeroDivisionError: division by zero ("), errors[1])
        self.assertEqual(errors[2], "worker 77 is served, which has no request")
        self.assertEqual((rows[3]["status"], errors[3]), ("not applicable", "3 workers"))
        self.assertEqual(errors[4],
                         "the trace breaks the model at transfer 1: "
                         "only 0 of the 100 blocks of C are returned")
        self.assertTrue(errors[5].startswith("ValueError:  [31mred "), repr(errors[5]))
        self.assertTrue(errors[5].isprintable(), repr(errors[5]))

    def test_one_that_never_ends(self):
        def endless(view):
            while True:
                pass
        row, = starport.compare(PLATFORM, PRODUCT, endless, time_limit_s=0.5)
        self.assertEqual((row["status"], row["cause"]), ("error", "time"))

    def test_other_threads_go_on(self):
        ended = threading.Event()

        def waits(view):
            return earliest(view)

        counts = []

        def count():
            while not ended.is_set():
                counts.append(None)
        thread = threading.Thread(target=count)
        thread.start()
        rows = [starport.compare(PLATFORM, PRODUCT, [waits, "Het"]) for _ in range(5)]
        ended.set()
        thread.join()
        self.assertEqual({row["status"] for both in rows for row in both}, {"ok"})
        self.assertGreater(len(counts), 0)

    def test_input_that_is_wrong(self):
        with self.assertRaisesRegex(ValueError, "Did you mean 'Het'"):
            starport.compare(PLATFORM, PRODUCT, "Hett")
        with self.assertRaisesRegex(ValueError, "/workers"):
            starport.compare({"schema_version": 1, "name": "x", "workers": 3}, PRODUCT)
        with self.assertRaisesRegex(ValueError, "names of their own"):
            starport.register("Het", earliest)
        with self.assertRaises(TypeError):
            starport.register("Number", 7)

    def test_what_heuristics_see(self):
        star = starport.star(PLATFORM)
        self.assertEqual(len(star.workers), 3)
        self.assertGreater(star.workers[0].m_blocks, 0)
        self.assertEqual(star.port, "one-port")
        product = starport.problem("800x160x400", 80)
        self.assertEqual((product.r, product.t, product.s), (10, 2, 5))


class OtherModels(unittest.TestCase):
    NODE = TOP / "platforms" / "sirocco.json"
    TASKS = "1920x2880x3840"

    def test_the_examples_of_the_page(self):
        page = (TOP / "heuristics" / "PROTOCOL.md").read_text()
        code = page[page.index("    class Rows:"):page.index('    starport.compare("platforms/sirocco.json"')]
        own = {}
        exec(re.sub("^    ", "", code, flags=re.M), own)
        examples = TOP / "heuristics" / "examples"
        rows = starport.compare(self.NODE, self.TASKS, [
            own["Rows"](), f"exec-tiles:{examples}/rows.py", own["Nearest"](), "EffectiveDyn", own["Dealt"]()])
        self.assertEqual([row["status"] for row in rows], ["ok"] * 5, [row["error"] for row in rows])
        for mine, theirs in [(rows[0], rows[1]), (rows[2], rows[3])]:
            self.assertEqual(mine["makespan_s"], theirs["makespan_s"])
            self.assertEqual(mine["transfers"], theirs["transfers"])
        self.assertEqual(rows[4]["enrolled_workers"], 6)
        mine, theirs = starport.compare(TOP / "platforms" / "two-processors.json", 3200, [
            own["Columns"](), f"exec-spmd:{examples}/columns.py"], block_size=100)
        self.assertEqual((mine["status"], mine["makespan_s"]), ("ok", theirs["makespan_s"]))

    def test_events_and_parameters(self):
        class Watches:
            def start(self, view, depth="0"):
                self.depth, self.ends = int(depth), 0

            def ended(self, worker, task, view):
                self.ends += 1

            def stopped(self, worker, view):
                raise RuntimeError(f"worker {worker} stops, depth {self.depth}, some ends: {self.ends > 0}")

            def idle(self, worker, view):
                return view.ready[0]
        starport.register("Watches", Watches())
        row, = starport.compare(self.NODE, self.TASKS, "Watches[depth=3,prefetch=0]", engine="analytic",
                                noise="stop=3@0.07")
        self.assertIn("RuntimeError: worker 3 stops, depth 3, some ends: True", row["error"])
        self.assertIn("in stopped", row.traceback)

    def test_what_is_wrong_is_a_row(self):
        def strategy(**methods):
            return type("Own", (), {name: staticmethod(method) for name, method in methods.items()})()

        def declines(node, product):
            raise starport.NotApplicable(f"{product.r} rows")

        def endless(worker, view):
            while True:
                pass
        wrong = [(strategy(idle=lambda worker, view: (0, 0, 9)), "there is no task (0, 0, 9)"),
                 (strategy(idle=lambda worker, view: (0, 0, 1)),
                  "worker 1 is given task (0, 0, 1), which is not ready or has a worker"),
                 (strategy(idle=lambda worker, view: "first"), "a str is returned; expected a task (i, j, k), or None"),
                 (strategy(idle=lambda worker, view: None), "24 tasks are assigned to no worker"),
                 (strategy(idle=lambda worker, view: os.kill(os.getpid(), 11)), "crashed: Segmentation fault"),
                 (strategy(ready=lambda task, view: 77), "there is no worker 77, only 1 to 6"),
                 (strategy(ready=lambda task, view: "x"), "a str is returned; expected the number of a worker"),
                 (strategy(allocate=lambda node, product: [1]), "the allocation has 1 memory nodes instead of 8"),
                 (strategy(allocate=lambda node, product: os.kill(os.getpid(), 11)), "crashed: Segmentation fault"),
                 (strategy(allocate=declines), "2 rows")]
        rows = starport.compare(self.NODE, self.TASKS, [own for own, _ in wrong], engine="analytic")
        for row, (_, error) in zip(rows, wrong):
            self.assertTrue(row["error"].startswith(error), (row["error"], error))
        row, = starport.compare(self.NODE, self.TASKS, strategy(idle=endless), engine="analytic", time_limit_s=0.5)
        self.assertEqual((row["status"], row["cause"]), ("error", "time"))
        row, = starport.compare(TOP / "platforms" / "two-processors.json", 400,
                                strategy(divide=lambda cluster, product: [((0, 2), (0, 4)), ((1, 4), (0, 4))]),
                                block_size=100)
        self.assertEqual(row["error"], "worker 1 and worker 2 both have a part of C")
        starport.register("Changes", strategy(idle=endless))
        with self.assertRaisesRegex(ValueError, "a heuristic for the model tiles again"):
            starport.register("Changes", earliest)


class Files(unittest.TestCase):
    def test_a_schedule_of_this_process(self):
        seen = []

        def watched(view):
            seen.append(view.now_s)
            return earliest(view)
        schedule = starport.plan(PLATFORM, PRODUCT, watched)
        theirs, = starport.compare(PLATFORM, PRODUCT, "ODDOML")
        self.assertAlmostEqual(schedule["makespan_s"], theirs["makespan_s"], delta=1e-9)
        self.assertEqual(len(seen), len(schedule["transfers"]))

        def fails(view):
            raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            starport.plan(PLATFORM, PRODUCT, fails)

    def test_traces(self):
        rows = starport.trace(PLATFORM, PRODUCT, earliest)
        makespan, = starport.compare(PLATFORM, PRODUCT, earliest)
        self.assertEqual(max(row["end_s"] for row in rows), makespan["makespan_s"])

    @NEEDS_MATPLOTLIB
    def test_figures(self):
        one = starport.sweep({
            "schema_version": 1, "name": "x", "heuristics": ["ODDOML", "Het"],
            "experiments": [{"name": "x", "problems": [PRODUCT], "platforms": [str(PLATFORM)]}]}, jobs=1)
        self.assertIn("<svg", starport.plot(one, "cost", where="heuristic <> 'Het'")._repr_svg_())
        compared = starport.compare(PLATFORM, PRODUCT, ["ODDOML", "Het"], engine="analytic")
        self.assertNotIn("workers", starport.plot(compared, "cost")._repr_svg_())
        self.assertIn("<svg", starport.plot(compared, "enrolled")._repr_svg_())
        chart = starport.gantt(PLATFORM, PRODUCT, earliest, to=0.3, size_cm=(17, 7))
        self.assertIn("<svg", chart._repr_svg_())
        with tempfile.TemporaryDirectory() as directory:
            chart.save(pathlib.Path(directory, "chart.png"))
            self.assertTrue(pathlib.Path(directory, "chart.png").read_bytes().startswith(b"\x89PNG"))

    @NEEDS_MATPLOTLIB
    def test_figures_on_axes(self):
        """Every kind is drawn on given axes, here of a part of a figure in a vector format, and makes no figure of its own."""
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.collections import Collection
        from matplotlib.figure import Figure
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch
        results = starport.sweep({
            "schema_version": 1, "name": "x", "heuristics": ["ODDOML", "Het"], "experiments": [
                {"name": "x", "problems": [PRODUCT, "1600x1600x1600"], "platforms": [str(PLATFORM)]}]}, jobs=1, engine="analytic")
        het, bmm = (starport.trace(PLATFORM, PRODUCT, name, engine="analytic") for name in ["Het", "BMM"])
        with self.assertRaises(starport.InputError) as caught:
            starport.plot(results, "none").plot()
        kinds = caught.exception.hint.partition("Choose one of: ")[2].split(", ")
        self.assertIn("memory", kinds)
        options = {"lines": {"x": "s"}, "tradeoff": {"where": f"problem = '{PRODUCT}'"}}
        figures = {kind: starport.plot(het if kind in ("gantt", "memory") else results, kind, **options.get(kind, {}))
                   for kind in kinds}
        figures.update({"partition": starport.partition([1, 1, 4, 9]).figure, "two runs": starport.compare_runs(het, bmm).figure,
                        "cube": starport.partition([1, 1, 4, 9], method="NRRP3D").figure})
        for kind, chart in figures.items():
            whole = Figure()
            FigureCanvasSVG(whole)
            axes, other = whole.subfigures(1, 2)[1].subplots(2, 1)
            before, place, untouched = axes.get_children(), axes.get_position(True).bounds, other.get_children()
            with self.subTest(kind), unittest.mock.patch.object(Figure, "__init__", side_effect=AssertionError(kind)):
                self.assertIs(chart.plot(axes), axes)
                drawn = [artist for artist in axes.get_children() if artist not in before]
                self.assertTrue(any(isinstance(artist, (Collection, Line2D, Patch)) for artist in drawn), drawn)
                self.assertEqual((whole.axes, other.get_children(), axes.get_position(True).bounds),
                                 ([axes, other], untouched, place))
                whole.savefig(io.BytesIO())
        with self.assertRaisesRegex(starport.InputError, "^ax: this figure has 2 axes, one per problem"):
            starport.plot(results, "tradeoff").plot(axes)

    def test_sweeps(self):
        starport.register("Mine", earliest)
        specification = {
            "schema_version": 1, "name": "x", "seed": 3, "heuristics": ["Mine", "ODDOML", "Het"],
            "experiments": [{
                "name": "x", "problems": [PRODUCT], "repetitions": 4,
                "platforms": [str(PLATFORM), {"generate": {
                    "name": "g", "workers": 4, "bandwidth": {"uniform": ["10MBps", "90MBps"]},
                    "speed": "1Gf", "memory": "8MB"}}]}]}
        one = starport.sweep(specification, jobs=1)
        self.assertEqual(len(one), 8 * 3)
        for engine in ["simgrid", "analytic"]:
            many = starport.sweep(specification, jobs=3, engine=engine)
            mine = [row["makespan_s"] for row in many if row["heuristic"] == "Mine"]
            theirs = [row["makespan_s"] for row in many if row["heuristic"] == "ODDOML"]
            self.assertEqual(len(mine), len(theirs))
            for ours_s, their_s in zip(mine, theirs):
                self.assertAlmostEqual(ours_s, their_s, delta=1e-12)
            self.assertEqual({row["status"] for row in many}, {"ok"})
            if engine == "simgrid":
                self.assertEqual(one, many)
        with tempfile.TemporaryDirectory() as directory:
            results = pathlib.Path(directory, "results")
            starport.sweep(specification, results, engine="analytic")
            starport.report(results, pathlib.Path(directory, "page.html"))
            self.assertIn("Mine", pathlib.Path(directory, "page.html").read_text())

    def test_names_of_digits_stay_names(self):
        platforms = [{"platform": dict(json.loads(PLATFORM.read_text()), name=name)} for name in ("007", "1e999")]
        rows = starport.sweep({"schema_version": 1, "name": "1_0", "seed": 3, "heuristics": ["ODDOML"],
                               "experiments": [
                                   {"name": "x", "problems": [PRODUCT], "platforms": platforms}]}, jobs=1)
        self.assertEqual([row["platform"] for row in rows], ["007", "1e999"])
        self.assertEqual([row["heuristic"] for row in rows], ["ODDOML", "ODDOML"])
        self.assertIsInstance(rows[0]["makespan_s"], float)

    def test_memory_is_limited(self):
        # Without the limit, each would go on until the machine has no memory left; the time limit is for that case.
        with self.assertRaisesRegex(starport.InputError, "a run that fits in memory"):
            starport.plan(PLATFORM, 40_000_000, earliest)
        rows = starport.sweep({
            "schema_version": 1, "name": "x", "heuristics": ["DMDA"], "experiments": [{
                "name": "x", "problems": ["3000000"], "block_sizes": [960],
                "platforms": [str(PLATFORM.parent / "sirocco.json")]}]}, jobs=1, time_limit_s=1)
        self.assertEqual([row["cause"] for row in rows], ["memory"])
        self.assertIn("would not fit in memory", rows[0]["error"])


class Arguments(unittest.TestCase):
    """Arguments as people write them."""

    def makespan(self, platform=PLATFORM, problem=PRODUCT, heuristic="Het", **options):
        run, = starport.compare(platform, problem, heuristic, engine="analytic", **options)
        self.assertEqual(run.status, "ok", run.error)
        return run.makespan_s

    def test_problems(self):
        self.assertEqual({self.makespan(problem=problem) for problem in
                          [800, (800, 800, 800), [800, 800, 800], "800", PRODUCT, starport.Problem(800)]},
                         {self.makespan()})
        self.assertEqual(self.makespan(problem=(800, 160, 400)), self.makespan(problem="800x160x400"))
        self.assertEqual(self.makespan(problem=starport.Problem(800, block_size=40)), self.makespan(block_size=40))
        for wrong, place in [(-1, "rows"), ((800, 800), "one size or three, found 2"), ("8k", "found '8k'"),
                             (8.5, "rows: expected a number of matrix elements"), (True, "found True")]:
            with self.assertRaisesRegex(starport.InputError, place):
                starport.compare(PLATFORM, wrong)

    def test_platforms(self):
        platform = starport.Platform.load(PLATFORM)
        self.assertEqual({self.makespan(given) for given in
                          [str(PLATFORM), platform, platform.to_dict(), "platforms/first-try.json"]}, {self.makespan()})

    def test_noise(self):
        noisy = self.makespan(noise="cv=6%,seed=3")
        self.assertNotEqual(noisy, self.makespan())
        self.assertEqual(self.makespan(noise={"cv": 0.06, "seed": 3}), noisy)
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "noise.json")
            path.write_text('{"cv": 0.06, "seed": 3}')
            self.assertEqual(self.makespan(noise=path), noisy)
        with self.assertRaises(starport.InputError) as caught:
            self.makespan(noise={"vc": 0.06})
        self.assertEqual(caught.exception.file, "noise")

    def test_names_of_functions(self):
        results = starport.compare(PLATFORM, PRODUCT, {"first": lambda view: view.requests[0].worker, "Het": "Het"})
        self.assertEqual([run.heuristic for run in results], ["first", "Het"])
        with self.assertRaises(TypeError):
            starport.compare(PLATFORM, PRODUCT, [7])


class Errors(unittest.TestCase):
    def test_input_error(self):
        with self.assertRaises(starport.InputError) as caught:
            starport.compare({"schema_version": 1, "name": "x", "workers": [{"speed": 3}]}, PRODUCT)
        error = caught.exception
        self.assertEqual((error.file, error.place), ("platform", "/workers/0"))
        self.assertIn(error.found, str(error))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.place), (str(error), error.place))
        for options, place in [({"engine": "fast"}, "engine"), ({"block_size": 0}, "block_size"),
                               ({"repetitions": 2}, "repetitions"), ({"time_limit_s": -1}, "time_limit")]:
            with self.assertRaises(starport.InputError) as caught:
                starport.compare(PLATFORM, PRODUCT, "Het", **options)
            self.assertEqual(caught.exception.place, place)
            self.assertNotIn("--", str(caught.exception))

    def test_a_traceback_arrives(self):
        def helper():
            return {}["missing"]

        def deep(view):
            return helper()

        class Planner:
            def plan(self, platform, problem):
                return helper()
        results = starport.compare(PLATFORM, PRODUCT, [deep, Planner(), "Het"])
        for run in results[:2]:
            self.assertIn("in helper", run.traceback)
            self.assertIn("KeyError: 'missing'", run.traceback)
            with self.assertRaisesRegex(starport.SimulationError, "KeyError") as caught:
                run.raise_for_status()
            self.assertIn("in helper", str(caught.exception.__cause__))
        self.assertIn("in helper", results._repr_html_())
        self.assertIsNone(results[2].traceback)
        results[2].raise_for_status()
        with self.assertRaises(starport.SimulationError):
            starport.trace(PLATFORM, PRODUCT, deep)

    def test_kinds(self):
        with self.assertRaises(starport.NotApplicable):
            starport.plan(PLATFORM, PRODUCT, "HoLM")
        with self.assertRaises(starport.InputError):
            starport.plan(PLATFORM, PRODUCT, "Het,BMM")

        class Liar:
            def plan(self, platform, problem):
                return []
        with self.assertRaisesRegex(starport.SimulationError, "breaks the model"):
            starport.plan(PLATFORM, PRODUCT, Liar())

    def test_ctrl_c(self):
        """A signal to the interpreter alone ends what would take minutes."""
        programs = {
            "compare": "starport.compare(platform, 800, endless)",
            "a schedule": "starport.plan(platform, 800, endless)",
            "worst": "starport.worst('Het', evaluations=10**9)",
            "sweep": "starport.sweep({'schema_version': 1, 'name': 'x', 'seed': 1, 'heuristics': ['Het'], 'experiments':"
                     "[{'name': 'x', 'problems': ['8000'], 'repetitions': 10**6, 'platforms': [{'generate': {'name': 'g',"
                     "'workers': 8, 'bandwidth': '1MBps', 'speed': '1Gf', 'memory': '1MB'}}]}]})"}
        for name, call in programs.items():
            run = subprocess.Popen([sys.executable, "-B", "-c", f"import starport\nplatform = {str(PLATFORM)!r}\n"
                                    "def endless(view):\n    while True: pass\n"
                                    f"print('begun', flush=True)\n{call}"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
            run.stdout.readline()
            run.send_signal(signal.SIGINT)
            _, error = run.communicate(timeout=600)
            self.assertRegex(error.splitlines()[-1], "^KeyboardInterrupt", name)


class Objects(unittest.TestCase):
    def test_runs(self):
        results = starport.compare(PLATFORM, PRODUCT, ["Het", "HoLM", "BMM"])
        failed = results["HoLM"]
        self.assertEqual((failed.status, failed.enrolled_workers), ("not applicable", None))
        self.assertTrue(math.isnan(failed.makespan_s) and math.isnan(failed["ccr"]))
        self.assertEqual(list(failed)[:len(results[0])], list(results[0])[:len(failed)])
        self.assertEqual([run.makespan_s > 0 for run in results], [True, False, True])
        self.assertEqual(results.best.heuristic, "Het")
        part = results[::2]
        self.assertEqual((part.bounds, part.recommendation, len(part)), (results.bounds, results.recommendation, 2))
        self.assertEqual(repr(failed), "<Run of HoLM: not applicable: the workers are not all alike>")
        with self.assertRaisesRegex(AttributeError, "has no figure 'makespan'"):
            failed.makespan
        with self.assertRaises(AttributeError):
            failed.makespan_s = 3
        again = pickle.loads(pickle.dumps(results))
        self.assertEqual((again == results, again.bounds == results.bounds, copy.deepcopy(results) == results),
                         (True, True, True))

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "no pandas")
    def test_columns_are_the_same_when_a_run_fails(self):
        complete = starport.compare(PLATFORM, PRODUCT, ["Het", "BMM"]).to_frame()
        failed = starport.compare(PLATFORM, PRODUCT, ["HoLM"]).to_frame()
        self.assertEqual(list(complete), list(failed))
        self.assertTrue(failed["makespan_s"].isna().all())

    def test_bounds_of_the_model_that_is_meant(self):
        self.assertEqual(starport.bounds(PLATFORM, PRODUCT).model, "star")
        tiles = starport.bounds("platforms/sirocco.json", 7680, block_size=960)
        compared = starport.compare("platforms/sirocco.json", 7680, "DMDA", block_size=960)
        self.assertEqual((tiles.model, tiles.any_run_bound_s), ("tiles", compared.bounds.any_run_bound_s))
        star = starport.bounds("platforms/sirocco.json", 7680, block_size=960, model="star")
        self.assertEqual(star.model, "star")
        with self.assertRaisesRegex(starport.InputError, "model: 'stars' is not a model. Did you mean 'star'"):
            starport.bounds(PLATFORM, PRODUCT, model="stars")

    def test_platforms(self):
        for path in sorted((TOP / "platforms").glob("*.json")):
            if path.name == "platform.schema.json":
                continue
            platform = starport.Platform.load(path)
            self.assertEqual(starport.Platform.from_dict(platform.to_dict()), platform)
            self.assertEqual((copy.deepcopy(platform), pickle.loads(pickle.dumps(platform))), (platform, platform))
            with tempfile.TemporaryDirectory() as directory:
                platform.save(pathlib.Path(directory, "again.json"))
                again = starport.Platform.load(pathlib.Path(directory, "again.json"))
            self.assertEqual(again, platform)
        platform = starport.Platform.load(PLATFORM)
        changed = copy.deepcopy(platform)
        changed.workers[0].speed = 4e9
        self.assertNotEqual(changed, platform)
        self.assertEqual(changed.star().workers[0].w_s, platform.star().workers[0].w_s / 2)
        self.assertIn("<td>100MBps</td>", platform._repr_html_())

    def test_stars_and_problems(self):
        seen = []

        class Looks:
            def plan(self, platform, problem):
                seen.append((platform, problem))
                return earliest
        starport.plan(PLATFORM, "800x160x400", Looks())
        self.assertEqual(seen, [(starport.star(PLATFORM), starport.problem("800x160x400"))])
        self.assertEqual(pickle.loads(pickle.dumps(seen)), seen)

    def test_views_print_what_they_are(self):
        texts = []

        def watched(view):
            texts.append(repr(view))
            return earliest(view)
        starport.plan(PLATFORM, PRODUCT, watched)
        self.assertRegex(texts[0], r"^View\(now_s=0, columns_left=10, requests=\[Request\(worker=1, kind='chunk'")

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "no NumPy")
    def test_traces_are_arrays(self):
        results = starport.compare(PLATFORM, PRODUCT, ["Het", "BMM"], traces=True)
        for run in results:
            self.assertEqual((run.trace.heuristic, run.trace.end_s.max()), (run.heuristic, run.makespan_s))
            updates = run.trace.kind == "update"
            self.assertEqual(run.trace.block_updates[updates].sum(), 1000)
            self.assertEqual(pickle.loads(pickle.dumps(run.trace)).text, run.trace.text)
        with tempfile.TemporaryDirectory() as directory:
            results[0].trace.save(pathlib.Path(directory, "het.csv"))
            self.assertIn("a valid trace", starport.validate(pathlib.Path(directory, "het.csv")))


class Commands(unittest.TestCase):
    def test_all_have_a_function(self):
        described = subprocess.run([PACKAGE / "bin" / "starport", "--describe"], text=True, capture_output=True, check=True)
        names = {"run": "compare", "list": "heuristics", "bound": "bounds"}
        for command in json.loads(described.stdout)["commands"]:
            name = names.get(command["name"], command["name"].replace("-", "_"))
            self.assertTrue(callable(getattr(starport, name)), name)

    def test_sweeps_are_merged_verified_and_checked(self):
        specification = {"schema_version": 1, "name": "x", "seed": 3, "heuristics": ["ODDOML", "Het"], "experiments": [
            {"name": "x", "problems": ["800", "1600"], "platforms": [str(PLATFORM)]}]}
        with tempfile.TemporaryDirectory() as directory:
            top = pathlib.Path(directory)
            (top / "sweep.json").write_text(json.dumps(specification))
            results = starport.sweep(top / "sweep.json", top / "whole", progress=False)
            for shard in ["1/2", "2/2"]:
                subprocess.run([PACKAGE / "bin" / "starport", "sweep", top / "sweep.json", "--shard", shard, "-o",
                                top / shard[0]], check=True, capture_output=True)
            with self.assertRaisesRegex(starport.InputError, "expected all 2 shards"):
                starport.merge(str(top / "1"), top / "merged")
            starport.merge([top / "1", top / "2"], top / "merged")
            self.assertEqual(starport.read_results(top / "merged"), results)
            self.assertIn("every byte", starport.verify(top / "merged"))
            (top / "claims.json").write_text(json.dumps({
                "schema_version": 1, "title": "x", "claims": [{
                    "source": "here", "statement": "four rows", "expect": {"value": 4, "tolerance": 0},
                    "sql": "SELECT count(*) FROM results"}]}))
            self.assertEqual(len(starport.check(top / "whole" / "results.csv", top / "claims.json")), 1)
            with open(top / "merged" / "results.csv", "a") as file:
                file.write("x")
            with self.assertRaises((starport.InputError, starport.SimulationError)):
                starport.verify(top / "merged")

    def test_paths_may_have_any_bytes(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.fsdecode(os.fsencode(directory) + b"/caf\xe9.json")
            for function in [starport.compare, starport.bounds]:
                with self.assertRaises(starport.InputError) as caught:
                    function(path, PRODUCT)
                self.assertEqual(caught.exception.file, path)
            shutil.copy(PLATFORM, path)
            for function in [starport.compare, starport.bounds]:
                self.assertEqual(str(function(path, PRODUCT)), str(function(PLATFORM, PRODUCT)))
            self.assertEqual(starport.star(path).workers, starport.star(PLATFORM).workers)

    def test_calibrate(self):
        if not (PACKAGE / "bin" / "starport-calibrate").exists():
            self.skipTest("no BLAS")
        platform = starport.calibrate(link="125MBps", memory="64MiB", seconds=0.01, name="this machine")
        self.assertEqual((platform.name, platform.workers[0].bandwidth), ("this machine", "125000000Bps"))
        with self.assertRaises(starport.InputError) as caught:
            starport.calibrate(link="fast")
        self.assertEqual(caught.exception.place, "link")


def examples():
    """Returns the examples of all docstrings of the package, one object per docstring."""
    found = {}
    modules = ["starport", *(f"starport.{path.stem}" for path in PACKAGE.glob("_[a-z]*.py"))]
    for name, value in [*((name, importlib.import_module(name)) for name in modules),
                        *((f"starport.{name}", getattr(starport, name)) for name in starport.__all__)]:
        # Of the public classes also the methods, whose module is another one.
        for test in doctest.DocTestFinder().find(value, name, module=None if inspect.ismodule(value) else False):
            if test.examples:
                found[test.docstring] = test
    return list(found.values())


class Documentation(unittest.TestCase):
    @unittest.skipUnless(all(map(importlib.util.find_spec, ["numpy", "pandas", "matplotlib"])),
                         "no NumPy, pandas or matplotlib")
    def test_examples(self):
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        for test in examples():
            runner.run(test)
        page = (TOP / "sim" / "python" / "README.md").read_text()
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as directory:
            os.chdir(directory)
            self.addCleanup(os.chdir, before)
            runner.run(doctest.DocTestParser().get_doctest(page, {}, "sim/python/README.md", None, 0))
            os.chdir(before)
        self.assertEqual(runner.failures, 0)
        self.assertGreater(runner.tries, 100)

    def test_every_public_name_has_an_example(self):
        tested = {test.docstring for test in examples()}
        for name in starport.__all__:
            public = getattr(starport, name)
            text = inspect.getdoc(public) or ""
            self.assertRegex(text.partition("\n")[0], r"^[A-Z].*[.:]$", name)
            self.assertIn(">>> ", text, name)
            self.assertTrue(public.__doc__ in tested, name)
            if not inspect.isclass(public):
                continue
            for key, value in vars(public).items():
                value = getattr(value, "__func__", value)  # of a class method
                if key.startswith("_") or not (callable(value) or isinstance(value, property)):
                    continue
                self.assertRegex(inspect.getdoc(value) or "", r"^[A-Z]", f"{name}.{key}")
                # The only method of a protocol is in the example of its class.
                if inspect.isfunction(value) and not getattr(public, "_is_protocol", False) and (name, key) != ("TileView", "missing"):
                    self.assertTrue(value.__doc__ in tested, f"{name}.{key}")
                    self.assertIn(">>> ", value.__doc__, f"{name}.{key}")

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "no mypy")
    def test_types(self):
        """mypy --strict accepts the package and all examples: of its documentation, heuristics, and the notebook."""
        with tempfile.TemporaryDirectory() as directory:
            top = pathlib.Path(directory)
            (top / "examples").mkdir()
            for number, test in enumerate(sorted(examples(), key=lambda test: test.name)):
                if not any(example.exc_msg for example in test.examples):
                    source = "".join(example.source for example in test.examples)
                    (top / "examples" / f"example_{number}.py").write_text(source)
            notebook = json.loads((TOP / "experiments" / "tutorial.ipynb").read_text())
            (top / "examples" / "notebook.py").write_text(
                "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"))
            programs = [*(top / "examples").iterdir(), *(TOP / "heuristics" / "examples").glob("*.py")]
            self.assertGreater(len(programs), 40)
            # One run for all. The types of these libraries take longer to read than everything else.
            skipped = ",".join(f"{name}.*" for name in ["pandas", "matplotlib", "dask", "distributed", "IPython", "tqdm"])
            (top / "mypy.ini").write_text("[mypy]\nstrict = True\nignore_missing_imports = True\n"
                                          f"[mypy-{skipped}]\nfollow_imports = skip\nfollow_imports_for_stubs = True\n")
            run = subprocess.run([sys.executable, "-m", "mypy", "--config-file=mypy.ini", "--explicit-package-bases",
                                  *(str(path) for path in [*PACKAGE.glob("*.py"), *sorted(programs)])], cwd=top, text=True,
                                 capture_output=True,
                                 env=dict(os.environ, MYPYPATH=f"{PACKAGE.parent}:{top}"))
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


class Programs(unittest.TestCase):
    def test_a_shared_library(self):
        # The package lies in the build folder.
        libraries = pathlib.Path(starport._starport.__file__).parents[3] / "plugins"
        starport.load_plugin(str(libraries / "libscarce.so"))
        row, = starport.compare(PLATFORM, PRODUCT, "Scarce")
        self.assertEqual(row["status"], "ok", row)
        self.assertEqual(starport.plan(PLATFORM, PRODUCT, "Scarce").makespan_s, row["makespan_s"])

    def test_examples(self):
        examples = TOP / "heuristics" / "examples"
        rows = starport.compare(PLATFORM, PRODUCT, [f"exec:{examples}/earliest.py", "ODDOML",
                                                    f"exec:{examples}/rounds.py"])
        self.assertEqual([row["status"] for row in rows], ["ok"] * 3)
        self.assertAlmostEqual(rows[0]["makespan_s"], rows[1]["makespan_s"], delta=1e-12)

    def test_the_tutorial(self):
        """The heuristic in the tutorial prints what the page says."""
        text = (TOP / "sim" / "manual" / "tutorial.md").read_text()
        section = text.partition("## 5. Write a heuristic\n")[2].partition("\n## ")[0]
        blocks = re.findall(r"(?:^(?:    .*)?\n)*^    .*\n", section, re.M)
        program, session = (re.sub("^    ", "", block, flags=re.M) for block in blocks[:2])
        run = subprocess.run([sys.executable, "-c", program], cwd=TOP, text=True, capture_output=True, check=True)
        self.assertEqual(run.stdout, session.partition("python3 mine.py\n")[2])


class Inputs(unittest.TestCase):
    """Inputs that look like others, or lie elsewhere."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        self.specification = {"schema_version": 1, "name": "x", "seed": 1, "heuristics": ["Het"], "experiments": [
            {"name": "x", "problems": [PRODUCT], "platforms": [str(PLATFORM)]}]}

    def test_a_schedule_is_for_stars(self):
        class Columns:
            def divide(self, cluster, product):
                return [((0, product.side), (0, product.side))]
        with self.assertRaises(starport.InputError) as caught:
            starport.plan(PLATFORM, PRODUCT, Columns())
        self.assertEqual(str(caught.exception), "heuristic: expected a heuristic for stars, found 'Columns'")
        with self.assertRaises(starport.InputError) as caught:
            starport.plan(PLATFORM, PRODUCT, "Static")
        self.assertEqual((caught.exception.place, caught.exception.found), ("heuristics", "'Static'"))

    @unittest.skipUnless((PACKAGE / "bin" / "starport-explore").exists(), "no HTTP library")
    def test_explore_with_blocks_of_another_size(self):
        pages = []
        for number, problem in enumerate([PRODUCT, starport.Problem(800, block_size=40)]):
            path = self.top / f"page-{number}.html"
            starport.explore(PLATFORM, problem, path, "Het")
            pages.append(path.read_text())
        self.assertEqual(['"block_size":40' in page for page in pages], [False, True])

    def test_samples_in_the_working_directory(self):
        (self.top / "durations.json").write_text('{"updates_s": [4, 5, 6]}')
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.top)
        noise = {"samples": "durations.json", "seed": 2}
        run, = starport.compare(PLATFORM, PRODUCT, "Het", engine="analytic", noise=noise)
        self.assertEqual((run.status, run.makespan_s), ("ok", starport.compare(
            PLATFORM, PRODUCT, "Het", engine="analytic", noise="samples=durations.json,seed=2")[0].makespan_s))
        self.specification["experiments"][0]["noise"] = noise
        row, = starport.sweep(self.specification, engine="analytic", jobs=1, progress=False)
        self.assertEqual(row.status, "ok", row.error)

    def test_an_exception_on_several_lines(self):
        def fails(view):
            raise ValueError("shapes differ:\n  (3,) and (4,)")
        run, = starport.compare(PLATFORM, PRODUCT, fails, engine="analytic")
        self.assertTrue(run.error.startswith("ValueError: shapes differ: (3,) and (4,) ("), run.error)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "no NumPy")
    def test_traces_that_nobody_has_are_freed(self):
        trace = starport.trace(PLATFORM, PRODUCT, "Het", engine="analytic")
        self.assertIs(trace.end_s, trace["end_s"])
        released = weakref.ref(trace)
        del trace
        gc.collect()
        self.assertIsNone(released())

    def test_names_that_look_like_numbers(self):
        self.specification["heuristics"] = [starport.register("10", earliest)]
        rows = starport.sweep(self.specification, engine="analytic", jobs=1, progress=False)
        self.assertEqual((rows["10"].heuristic, len(rows.where(heuristic="10"))), ("10", 1))
        run, = starport.compare(PLATFORM, PRODUCT, {"1e-3": earliest}, engine="analytic", traces=True)
        self.assertEqual((run.trace.heuristic, run.trace[0]["heuristic"]), ("1e-3", "1e-3"))

    def test_bounds_can_be_interrupted(self):
        """They are computed in another process, which Ctrl-C ends, while threads of this one go on."""
        forks = []
        os.register_at_fork(before=lambda: forks.append(None))
        starport.bounds(PLATFORM, PRODUCT)
        self.assertEqual(len(forks), 1)

    def test_sizes_of_zero(self):
        for wrong in ["800x0x0", (800, 0, 0), 0]:
            with self.assertRaisesRegex(starport.InputError, "at least 1, found 0"):
                starport.compare(PLATFORM, wrong, "Het")
        with self.assertRaisesRegex(starport.InputError, "inner: .* found 0"):
            starport.Problem(800, 0, 0)

    def test_names_of_files_with_any_bytes(self):
        path = os.fsdecode(os.fsencode(self.top) + b"/caf\xe9.json")
        pathlib.Path(path).write_text(json.dumps(self.specification))
        rows = starport.sweep(path, path + ".results", engine="analytic", jobs=1, progress=False)
        self.assertEqual(rows, starport.read_results(path + ".results"))
        with self.assertRaisesRegex(starport.InputError, "expected a shared library"):
            starport.load_plugin(path)

    def test_texts_where_the_locale_is_not_utf_8(self):
        platform = dict(json.loads(PLATFORM.read_text()), name="M\u00fcller")
        (self.top / "platform.json").write_text(json.dumps(platform, ensure_ascii=False), "utf-8")
        self.specification["name"] = "\u03b2 sweep"
        self.specification["experiments"][0].update(name="\u03b2", platforms=[platform])
        (self.top / "sweep.json").write_text(json.dumps(dict(self.specification, experiments=[dict(
            self.specification["experiments"][0], platforms=["platform.json"])]), ensure_ascii=False), "utf-8")
        program = """if True:
            import concurrent.futures, json, starport
            platform = starport.Platform.load("platform.json")
            with concurrent.futures.ThreadPoolExecutor(1) as threads:
                row, = starport.sweep("sweep.json", executor=threads, engine="analytic", progress=False)
            starport.trace(platform, 800, "Het", engine="analytic").save("trace.csv")
            starport.validate(starport.plan(platform, 800, engine="analytic"))
            print(json.dumps([platform.name, row["platform"], row["experiment"]]))"""
        run = subprocess.run([sys.executable, "-B", "-c", program], cwd=self.top, text=True, capture_output=True, env=dict(
            os.environ, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(json.loads(run.stdout), [platform["name"], platform["name"], "\u03b2"])


if __name__ == "__main__":
    unittest.main()
