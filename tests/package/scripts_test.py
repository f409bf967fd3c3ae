"""Tests of scripts that people run, in a copy of the folder, with stand-ins for the programs that they start."""
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import tempfile
import unittest

TOP = pathlib.Path(__file__).parent.parent.parent


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        self.log = self.top / "log"
        self.program("bin/sudo", 'exec "$@"')

    def program(self, path, text):
        """Writes a program of bash, which logs its name and arguments."""
        path = self.top / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/bash\necho "${{0##*/}} $*" >> {self.log}\n{text}\n')
        path.chmod(0o755)

    def copy(self, *paths):
        for path in paths:
            (self.top / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / path, self.top / path)

    def run_bash(self, *words):
        return subprocess.run(["bash", *words], cwd=self.top, text=True, capture_output=True,
                              env=dict(os.environ, PATH=f"{self.top / 'bin'}:{os.environ['PATH']}"))

    def calls(self, name):
        return [line for line in self.log.read_text().splitlines() if line.startswith(name + " ")]

    def test_what_was_installed_is_looked_for(self):
        self.copy("sim/setup.sh")
        (self.top / "build/release").mkdir(parents=True)
        (self.top / "build/release/build.ninja").touch()
        for program in ["apt-get", "cmake"]:
            self.program(f"bin/{program}", "")
        for is_there, configured in [("installed", 0), ("", 1)]:
            self.program("bin/dpkg-query", f"echo {is_there}")
            run = self.run_bash("-euc", "source sim/setup.sh; packages=(one); set_up release starport")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(self.calls("cmake").count("cmake --preset release"), configured, is_there)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("runuser"), "only root makes files of another user")
    def test_results_belong_to_the_owner(self):
        self.copy("sim/setup.sh", "experiments/worst/run.sh", "experiments/polaris/run.sh")
        for program in ["apt-get", "cmake", "python3"]:
            self.program(f"bin/{program}", "echo x")
        self.program("bin/dpkg-query", "echo installed")
        self.program("experiments/worst/table.py", "")
        self.program("build/release/starport", "if [ $1 = sweep ]; then mkdir -p $4; echo 1,2,3,4 > $4/timings.csv; fi; echo x")
        self.log.touch()
        owner = pwd.getpwnam("nobody")
        for path in [self.top, *self.top.rglob("*")]:
            os.chown(path, owner.pw_uid, owner.pw_gid)
        for paper, files in [("worst", ["table.json"]),
                             ("polaris", ["planning.txt", "parts.md", "effort.md", "map.md", "noise.md"])]:
            run = self.run_bash(f"experiments/{paper}/run.sh", str(self.top / "out"))
            self.assertEqual(run.returncode, 0, run.stderr)
            for file in files:
                self.assertEqual((self.top / "out" / file).owner(), "nobody", file)

    def test_fits_are_resumed(self):
        self.copy("experiments/fitted.sh")
        fit = f'for word; do [[ $word = *.csv ]] && file=$word; done; cat $file 2> {os.devnull}; '
        self.program("starport", fit + "echo campaign >> $file; echo killed >&2; exit 137")
        for campaigns in [1, 2]:
            run = self.run_bash("experiments/fitted.sh", str(self.top / "starport"), "out", "1")
            self.assertNotEqual(run.returncode, 0)
            self.assertIn("killed", run.stderr)
            self.assertEqual((self.top / "out/fit-ppopp08.csv").read_text(), "campaign\n" * campaigns)
        # The messages by which the script knows answers to another input are those of the program.
        messages = re.search("grep -Eq '(.*?)'", (TOP / "experiments/fitted.sh").read_text())[1].split("|")
        sources = [(TOP / file).read_text() for file in ("sim/report/claims/campaign.cpp", "sim/sweep/row_file.cpp")]
        for message, source in zip(messages, sources, strict=True):
            self.assertIn(message, source)
            (self.top / "out/fit-ppopp08.csv").touch()
            self.program("starport", fit + f"echo 'starport: fit-ppopp08.csv: line 1: {message}' >&2; exit 2")
            self.assertNotEqual(self.run_bash("experiments/fitted.sh", str(self.top / "starport"), "out", "1").returncode, 0)
            self.assertFalse((self.top / "out/fit-ppopp08.csv").exists())

    def test_reference_pages_need_a_directory(self):
        self.copy("sim/manual/reference.py")
        for words in [[], ["--help"], ["pages"]]:
            run = self.run_bash("-c", 'exec /usr/bin/env python3 -B sim/manual/reference.py "$@"', "bash", *words)
            self.assertEqual(run.returncode, 1)
            self.assertIn("reference.py DIRECTORY PROGRAM...", run.stderr)
            self.assertEqual(sorted(path.name for path in self.top.iterdir()), ["bin", "sim"])


if __name__ == "__main__":
    unittest.main()
