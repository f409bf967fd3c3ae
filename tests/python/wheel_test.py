"""Tests of the installation by pip: a wheel from the checkout, and the sources, in fresh environments."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import unittest.mock
import venv
import zipfile

TOP = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(TOP / "sim" / "python"))
import build_backend  # noqa: E402

PROGRAM = """
import starport
assert not starport.__file__.startswith({top!r}), starport.__file__
results = starport.compare("platforms/first-try.json", 800, ["Het", "Polaris"])
print([run.status for run in results], results.best.heuristic, starport.__version__)
print(starport.compare("platforms/first-try.json", 800, "Het", engine="analytic")[0].makespan_s)
"""


@unittest.skipUnless(importlib.util.find_spec("ensurepip"), "no ensurepip (python3-venv)")
class Wheel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        self.bin = self.top / "venv" / "bin"

    def run_there(self, *words):
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        run = subprocess.run(words, cwd=self.top, text=True, capture_output=True, env=environment)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def pip(self, *words):
        """Installs in a fresh environment."""
        venv.create(self.top / "venv", with_pip=True)
        return self.run_there(self.bin / "pip", "--disable-pip-version-check", "install", "--no-index", "--no-cache-dir", *words)

    def test_an_installed_wheel(self):
        self.pip(TOP)
        lines = self.run_there(self.bin / "python", "-c", PROGRAM.format(top=str(TOP))).splitlines()
        self.assertEqual(lines[0], f"['ok', 'ok'] Polaris {build_backend._version()}")
        table = self.run_there(self.bin / "starport", "run", "platforms/first-try.json", "--problem", "800")
        self.assertIn("Run Polaris", table)
        self.assertIn("three workers to try", self.run_there(self.bin / "starport", "validate", "platforms/first-try.json"))
        about = self.run_there(self.bin / "pip", "show", "starport")
        self.assertIn("License: Apache-2.0", about)
        package, = self.top.glob("venv/lib/python3*/site-packages/starport")
        self.assertTrue((package / "py.typed").exists())
        # Where SimGrid cannot be loaded, the analytic engine goes on, and the message says how to get it.
        (package / "lib" / "starport" / "starport-simgrid.so").write_bytes(b"")
        told = self.run_there(self.bin / "python", "-c", """
import starport
print(starport.compare("platforms/first-try.json", 800, "Het", engine="analytic")[0].makespan_s)
try:
    run, = starport.compare("platforms/first-try.json", 800, "Het")
    print(run.error)
except starport.InputError as error:
    print(error)
""").splitlines()
        self.assertEqual(told[0], lines[1])
        self.assertIn("Install SimGrid (Debian: apt install libsimgrid3.32), or use the engine analytic", told[1])

    def test_editable(self):
        self.pip("-e", TOP)
        platform = TOP / "platforms" / "first-try.json"
        self.assertIn("Run Polaris", self.run_there(self.bin / "starport", "run", platform, "--problem", "800"))
        where = self.run_there(self.bin / "python", "-c", "import starport; print(starport.__file__)")
        self.assertTrue(where.startswith(os.environ.get("STARPORT_BUILD", str(TOP))), where)

    def test_sources(self):
        name = build_backend.build_sdist(self.top)
        with tarfile.open(self.top / name) as archive:
            archive.extractall(self.top)
        sources = self.top / name.removesuffix(".tar.gz")
        self.assertIn("Requires-Python: >=3.9", (sources / "PKG-INFO").read_text())
        again = subprocess.run([sys.executable, "-c", "import build_backend; print(build_backend.build_sdist('.'))"],
                               cwd=self.top, env=dict(os.environ, PYTHONPATH=str(sources / "sim" / "python")), text=True,
                               capture_output=True, check=True).stdout.strip()
        with tarfile.open(self.top / again) as archive:
            self.assertIn(f"{sources.name}/CMakeLists.txt", archive.getnames())
        # What CMake reads is there: it configures the sources as a package.
        subprocess.run(["cmake", "--preset", "release", "-DBUILD_TESTING=OFF", f"-DPython3_EXECUTABLE={sys.executable}"],
                       cwd=sources, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_addresses_of_the_project(self):
        project = {**build_backend._project(), "urls": {"Documentation": "https://starport.invalid/pages"}}
        with unittest.mock.patch.object(build_backend, "_project", lambda: project):
            self.assertIn("\nProject-URL: Documentation, https://starport.invalid/pages\n", build_backend._metadata())

    def test_the_same_bytes(self):
        first, second = (build_backend._contents(build_backend._build()) for _ in range(2))
        self.assertEqual(first, second)
        self.assertIn("starport/share/starport/platforms/first-try.json", first)
        for kind in ["one", "two"]:
            (self.top / kind).mkdir()
        small = {name: content for name, content in first.items() if len(content) < 100_000}
        names = [build_backend._pack(self.top / kind, small) for kind in ["one", "two"]]
        self.assertEqual((self.top / "one" / names[0]).read_bytes(), (self.top / "two" / names[1]).read_bytes())
        with zipfile.ZipFile(self.top / "one" / names[0]) as archive:
            self.assertIsNone(archive.testzip())


if __name__ == "__main__":
    unittest.main()
