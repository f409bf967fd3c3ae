"""Executes the notebook experiments/tutorial.ipynb and looks at what its cells show; progress and Ctrl-C in notebooks."""
import importlib.util
import os
import pathlib
import queue
import signal
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

    SWEEP = """
def sweep(repetitions):
    return starport.sweep({"schema_version": 1, "name": "x", "seed": 1, "heuristics": ["Het"], "experiments": [
        {"name": "x", "problems": ["800"], "repetitions": repetitions, "platforms": [{"generate": {
            "name": "g", "workers": 8, "bandwidth": "1MBps", "speed": "1Gf", "memory": "1MB"}}]}]})
"""

    @unittest.skipUnless(importlib.util.find_spec("tqdm"), "no tqdm")
    def test_a_bar(self):
        import nbclient
        import nbformat
        cell = nbformat.v4.new_code_cell(f"import starport\n{self.SWEEP}\nsweep(8);")
        notebook = nbformat.v4.new_notebook(cells=[cell])
        nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
        # Text, or with ipywidgets a widget.
        shown = "".join(output.get("text", "") + str(output.get("data", "")) for output in notebook.cells[0].outputs)
        self.assertRegex(shown, r"8/8 \[.*instance/s|jupyter.widget-view")

    def test_an_interrupt(self):
        """A signal to the interpreter alone ends what would take hours, and the kernel goes on."""
        from jupyter_client.manager import start_new_kernel
        manager, client = start_new_kernel()
        self.addCleanup(manager.shutdown_kernel, now=True)
        self.addCleanup(client.stop_channels)

        def run(code, interrupted):
            """Returns the last line that the code shows, and the name of its exception."""
            shown, error = "", ""
            # After an error the kernel would refuse, for a moment, whatever is sent next.
            request = client.execute(code, stop_on_error=False)
            begun = False
            while True:
                try:
                    message = client.get_iopub_msg(timeout=20 if begun else 600)
                except queue.Empty:  # Python ignores an exception in a callback, such as one of its garbage collector
                    self.assertTrue(begun, code)
                    os.kill(int(pid), signal.SIGINT)
                    continue
                if message["parent_header"].get("msg_id") != request:
                    continue
                content = message["content"]
                if message["msg_type"] == "stream":
                    shown += content["text"]
                    if interrupted and not begun and "begun" in shown:
                        begun = True
                        os.kill(int(pid), signal.SIGINT)
                elif message["msg_type"] == "error":
                    error = content["ename"]
                elif message["msg_type"] == "status" and content["execution_state"] == "idle":
                    return shown.strip().rpartition("\n")[2], error
        pid, _ = run(f"import os, starport\n{self.SWEEP}\ndef endless(view):\n  while True: pass\nprint(os.getpid())", False)
        for code in [f"starport.compare({str(TOP / 'platforms' / 'first-try.json')!r}, 800, endless)", "sweep(10**6)"]:
            self.assertEqual(run(f"print('begun', flush=True)\n{code}", True)[1], "KeyboardInterrupt", code)
        self.assertEqual(run("print(1 + 1)", False), ("2", ""))


if __name__ == "__main__":
    unittest.main()
