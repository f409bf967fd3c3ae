"""Executes the notebook experiments/tutorial.ipynb and looks at what its cells show."""
import importlib.util
import pathlib
import tempfile
import unittest

TOP = pathlib.Path(__file__).parent.parent.parent
NEEDED = ["nbclient", "nbformat", "ipykernel", "numpy", "pandas", "matplotlib"]


@unittest.skipUnless(all(map(importlib.util.find_spec, NEEDED)), f"needs {', '.join(NEEDED)}")
class Notebook(unittest.TestCase):
    def test_the_tutorial(self):
        import nbclient
        import nbformat
        notebook = nbformat.read(TOP / "experiments" / "tutorial.ipynb", as_version=4)
        with tempfile.TemporaryDirectory() as directory:
            nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3",
                                    resources={"metadata": {"path": directory}}).execute()
            self.assertTrue(pathlib.Path(directory, "links.pdf").read_bytes().startswith(b"%PDF"))
        shown = {}
        for cell in notebook.cells:
            for output in cell.get("outputs", []):
                for kind, text in output.get("data", {}).items():
                    shown.setdefault(kind, []).append(text)
                if output.output_type == "stream":
                    shown.setdefault(output.name, []).append(output.text)
        self.assertNotIn("stderr", shown)
        self.assertIn("Run Polaris", "".join(shown["text/html"]))
        self.assertIn("IndexError", "".join(shown["stdout"]))
        self.assertEqual(len([text for text in shown["image/svg+xml"] if "<svg" in text]), 2)
        self.assertEqual(len(shown["image/png"]), 1)


if __name__ == "__main__":
    unittest.main()
