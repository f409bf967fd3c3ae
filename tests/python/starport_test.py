"""Tests of the Python package."""
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

import starport

TOP = pathlib.Path(__file__).parent.parent.parent
PLATFORM = TOP / "platforms" / "first-try.json"
PRODUCT = "800x800x800"


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
        with self.assertRaisesRegex(ValueError, "bound"):
            starport.worst("Het", against="Het")


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
            self.assertEqual(mine["makespan_s"], theirs["makespan_s"])

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

        def absent(view):
            return 77

        class Declines:
            def plan(self, platform, problem):
                raise starport.NotApplicable(f"{len(platform.workers)} workers")

        class Liar:
            def plan(self, platform, problem):
                return []

        rows = starport.compare(PLATFORM, PRODUCT, [crashes, fails, absent, Declines(), Liar()])
        errors = [row["error"] for row in rows]
        self.assertTrue(errors[0].startswith("crashed: Segmentation fault"), errors[0])
        self.assertTrue(errors[1].startswith("ZeroDivisionError: division by zero ("), errors[1])
        self.assertEqual(errors[2], "worker 77 is served, which has no request")
        self.assertEqual((rows[3]["status"], errors[3]), ("not applicable", "3 workers"))
        self.assertEqual(errors[4],
                         "the trace breaks the model at transfer 1: "
                         "only 0 of the 100 blocks of C are returned")

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

    def test_traces_and_figures(self):
        rows = starport.trace(PLATFORM, PRODUCT, earliest)
        makespan, = starport.compare(PLATFORM, PRODUCT, earliest)
        self.assertEqual(max(row["end_s"] for row in rows), makespan["makespan_s"])
        chart = starport.gantt(PLATFORM, PRODUCT, earliest, to=0.3, size_cm=(17, 7))
        self.assertIn("<svg", chart._repr_svg_())
        with tempfile.TemporaryDirectory() as directory:
            chart.save(pathlib.Path(directory, "chart.png"))
            self.assertTrue(pathlib.Path(directory, "chart.png").read_bytes().startswith(b"\x89PNG"))

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
            self.assertEqual([row["makespan_s"] for row in many if row["heuristic"] == "Mine"],
                             [row["makespan_s"] for row in many if row["heuristic"] == "ODDOML"])
            self.assertEqual({row["status"] for row in many}, {"ok"})
            if engine == "simgrid":
                self.assertEqual(one, many)
        with tempfile.TemporaryDirectory() as directory:
            results = pathlib.Path(directory, "results")
            starport.sweep(specification, results, engine="analytic")
            starport.report(results, pathlib.Path(directory, "page.html"))
            self.assertIn("Mine", pathlib.Path(directory, "page.html").read_text())
        figure = starport.plot(one, "cost", where="heuristic <> 'Mine'")
        self.assertIn("<svg", figure._repr_svg_())


class Programs(unittest.TestCase):
    def test_a_shared_library(self):
        # The package lies in the build folder.
        libraries = pathlib.Path(starport._starport.__file__).parents[3] / "plugins"
        starport.load_plugin(str(libraries / "libscarce.so"))
        row, = starport.compare(PLATFORM, PRODUCT, "Scarce")
        self.assertEqual(row["status"], "ok", row)

    def test_examples(self):
        examples = TOP / "heuristics" / "examples"
        rows = starport.compare(PLATFORM, PRODUCT, [f"exec:{examples}/earliest.py", "ODDOML",
                                                    f"exec:{examples}/rounds.py"])
        self.assertEqual([row["status"] for row in rows], ["ok"] * 3)
        self.assertEqual(rows[0]["makespan_s"], rows[1]["makespan_s"])

    def test_the_tutorial(self):
        """The heuristic in the tutorial prints what the page says."""
        text = (TOP / "sim" / "manual" / "tutorial.md").read_text()
        section = text.partition("## 5. Write a heuristic\n")[2].partition("\n## ")[0]
        blocks = re.findall(r"(?:^(?:    .*)?\n)*^    .*\n", section, re.M)
        program, session = (re.sub("^    ", "", block, flags=re.M) for block in blocks[:2])
        run = subprocess.run([sys.executable, "-c", program], cwd=TOP, text=True, capture_output=True, check=True)
        self.assertEqual(run.stdout, session.partition("python3 mine.py\n")[2])


if __name__ == "__main__":
    unittest.main()
