"""Sweeps by Dask and MPI on nodes of their own, network namespaces that talk over TCP (experiments/real/star.py). CMake
skips this test where the machine cannot make network namespaces. Usage: nodes_test.py BUILD_FOLDER"""
import importlib.util
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

import starport

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
STAR = pathlib.Path(__file__).resolve().parents[2] / "experiments" / "real" / "star.py"
SPECIFICATION = {
    "schema_version": 1, "name": "nodes", "seed": 3, "heuristics": ["ODDOML", "Het"],
    "experiments": [{"name": "random", "problems": ["1600x1600x3200"], "repetitions": 40, "platforms": [
        {"generate": {"name": "g", "workers": 4, "bandwidth": {"uniform": ["10MBps", "90MBps"]},
                      "speed": "1Gf", "memory": "8MB"}}]}]}
NODES = {"schema_version": 1, "name": "two nodes", "block_size": 40,
         "workers": [{"c_s": 1e-4, "w_s": 1e-5, "m_blocks": 60, "count": 2}]}
# The scheduler is on the master. Of the workers, one is killed and one begins when there are results.
DASK = """
python={python} specification={specification} results={results}
cd {folder}
node() {{ echo "$python -B -m distributed.cli.dask_worker tcp://master:8786 --nthreads 1 --no-nanny --no-dashboard"; }}
$python -B -m distributed.cli.dask_scheduler --host master --port 8786 --no-dashboard & scheduler=$!
on w1 "echo \\$\\$ >w1.pid; hostname >>hosts; exec $(node)" &
starport sweep $specification -o $results --engine analytic --executor dask://master:8786 & sweep=$!
until [ -s $results/results.csv ] && [ "$(wc -l <$results/results.csv)" -gt 10 ]; do
  kill -0 $sweep || exit 1
  sleep 0.1
done
kill -KILL "$(cat w1.pid)"
on w2 "hostname >>hosts; exec $(node)" &
wait $sweep
status=$?
kill $scheduler
exit $status
"""


class Nodes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.specification = self.folder / "sweep.json"
        self.specification.write_text(json.dumps(SPECIFICATION))
        (self.folder / "nodes.json").write_text(json.dumps(NODES))

    def run_on_star(self, *words):
        # `starport sweep --executor` starts the python3 of PATH.
        environment = dict(os.environ, PATH=os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]))
        run = subprocess.run([sys.executable, "-B", STAR, "--build", BUILD, self.folder / "nodes.json", "--", *words],
                             text=True, capture_output=True, env=environment)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        expected = self.folder / "expected"
        subprocess.run([BUILD / "starport", "sweep", self.specification, "-o", expected, "--engine", "analytic"],
                       check=True, stdout=subprocess.DEVNULL)
        for file in ["results.csv", "specification.json"]:
            self.assertEqual((self.folder / "results" / file).read_bytes(), (expected / file).read_bytes(), file)
        starport.verify(self.folder / "results")

    @unittest.skipUnless(importlib.util.find_spec("mpi4py"), "no mpi4py")
    def test_mpi(self):
        hosts = self.folder / "hosts"
        self.run_on_star("mpirun", "-n", "3", "sh", "-c", f"hostname >>{hosts}; exec starport sweep {self.specification} "
                         f"-o {self.folder}/results --engine analytic --executor mpi")
        self.assertEqual(sorted(hosts.read_text().split()), ["master", "w1", "w2"])

    @unittest.skipUnless(importlib.util.find_spec("distributed"), "no distributed (Dask)")
    def test_dask(self):
        self.run_on_star("bash", "-c", DASK.format(python=shlex.quote(sys.executable), specification=self.specification,
                                                   results=self.folder / "results", folder=self.folder))
        self.assertEqual((self.folder / "hosts").read_text(), "w1\nw2\n")


unittest.main()
