"""Tests of .ci/release, in a copy of the committed state."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).parent.parent.parent


def git(*words, **options):
    return subprocess.run(["git", *words], check=True, text=True, stdout=subprocess.PIPE, **options).stdout


@unittest.skipUnless((TOP / ".git").exists() and shutil.which("git"), "no git, or these are not the sources of a repository")
class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name, "copy")
        # The files as they are now, committed to a repository of their own.
        paths = git("-C", TOP, "ls-files", "-z", "--", ".ci", ".github", "CMakeLists.txt", "CITATION.cff", "pyproject.toml",
                    "sim/package", "tests/package").split("\0")[:-1]
        for path in paths:
            if (TOP / path).is_file():
                (self.top / path).parent.mkdir(parents=True, exist_ok=True)
                (self.top / path).write_bytes((TOP / path).read_bytes())
                (self.top / path).chmod((TOP / path).stat().st_mode)
        git("init", "--quiet", self.top)
        for key, value in [("user.name", "Test"), ("user.email", "test@localhost")]:
            git("-C", self.top, "config", key, value)
        git("-C", self.top, "add", ".")
        git("-C", self.top, "commit", "--quiet", "--message", "All")

    def release(self, *words):
        return subprocess.run([sys.executable, "-B", self.top / ".ci" / "release", *words], text=True, capture_output=True)

    def test_a_release(self):
        run = self.release("9.8.7")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout, "v9.8.7 is tagged. To publish it: git push --follow-tags\n")
        self.assertEqual(git("-C", self.top, "status", "--porcelain"), "")
        message = git("-C", self.top, "tag", "--list", "--format=%(contents)", "v9.8.7")
        self.assertTrue(message.startswith("Starport 9.8.7\n\n- "), message)
        changelog = (self.top / ".github" / "CHANGELOG.md").read_text()
        self.assertRegex(changelog, r"## Unreleased\n\n## 9\.8\.7, \d{4}-\d\d-\d\d\n\n- ")
        # Files that state a version state this one.
        before = git("-C", self.top, "show", "HEAD~:CMakeLists.txt")
        old = re.search(r"project\(starport VERSION ([\d.]+)", before)[1]
        for path in ["CMakeLists.txt", "CITATION.cff"]:
            text = (self.top / path).read_text()
            self.assertIn("9.8.7", text, path)
            self.assertNotRegex(text, rf"(?<![\d.]){re.escape(old)}(?![\d.])", path)
        self.assertIn("find_package(starport 9.8 ", (self.top / "tests/package/consumer/CMakeLists.txt").read_text())
        # Nothing is left to release.
        again = self.release("9.8.8")
        self.assertEqual((again.returncode, again.stderr),
                         (1, "release: .github/CHANGELOG.md: there is nothing under 'Unreleased'. Say what has changed\n"))

    def test_what_is_refused(self):
        for words, message in [([], "expected a version"), (["1.0"], "expected a version"), (["0.0.1"], "is not later than")]:
            run = self.release(*words)
            self.assertEqual(run.returncode, 1)
            self.assertIn(message, run.stderr)
        (self.top / "CITATION.cff").write_text("changed")
        self.assertIn("not committed", self.release("9.8.7").stderr)
        git("-C", self.top, "commit", "--quiet", "--all", "--message", "Changed")
        run = self.release("9.8.7")
        self.assertIn("release: CITATION.cff: '^version: .*$' stands 0 times instead of once", run.stderr)


if __name__ == "__main__":
    unittest.main()
