"""The figures of `starport plot` as pictures: no two texts touch, areas are those of the data, equal bytes twice.

    figures_test.py PATH_OF_STARPORT
"""
import io
import itertools
import os
import pathlib
import random
import re
import runpy
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import warnings
import xml.etree.ElementTree as ElementTree

try:
    import matplotlib
except ImportError:
    if sys.executable == "/usr/bin/python3":
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3", "-B", *sys.argv])  # such as under another python3 in PATH
import matplotlib.image
import numpy
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

TOP = pathlib.Path(__file__).resolve().parents[2]
STARPORT = sys.argv.pop(1)


def starport(*arguments):
    """Run the program at the top of the checkout; return what it prints."""
    done = subprocess.run([STARPORT, *map(str, arguments)], cwd=TOP, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return done.stdout


def load(script):
    """Return the functions of a script that the program wrote."""
    names = {"__name__": "figure"}
    exec(compile(pathlib.Path(script).read_text(), str(script), "exec"), names)
    return names


def visible_texts(figure):
    """Return the texts of a figure with their boxes, in points."""
    with matplotlib.rc_context({"text.parse_math": False}):
        figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    scale = 72 / figure.dpi
    texts = []
    for text in figure.findobj(matplotlib.text.Text):
        hidden = text.axes is not None and not text.axes.axison and text not in text.axes.texts + [text.axes.title]
        if text.get_visible() and text.get_text().strip() and not hidden:
            box = text.get_window_extent(renderer)
            texts.append((text.get_text(), (box.x0 * scale, box.y0 * scale, box.x1 * scale, box.y1 * scale)))
    return texts


def faults(texts, width, height):
    """Return which texts lie on each other by more than half a point, or stick out."""
    def apart(a, b):
        return a[0] > b[2] - 0.5 or b[0] > a[2] - 0.5 or a[1] > b[3] - 0.5 or b[1] > a[3] - 0.5
    out = [name for name, (x0, y0, x1, y1) in texts if x0 < -0.5 or y0 < -0.5 or x1 > width + 0.5 or y1 > height + 0.5]
    return out + [(a, b) for (a, box), (b, other) in itertools.combinations(texts, 2) if not apart(box, other)]


def svg_texts(path):
    """Return the texts of an SVG file with their boxes, and its size, in points. Widths are those of the font."""
    root = ElementTree.parse(path).getroot()
    width, height = map(float, root.get("viewBox").split()[2:])
    measure, texts = TextToPath(), []
    warnings.simplefilter("ignore")  # letters that this font lacks
    for node in root.iter("{http://www.w3.org/2000/svg}text"):
        content = "".join(node.itertext())
        style = node.get("style", "")
        size = float(re.search(r"([\d.]+)px", style)[1])
        anchor = (re.search(r"text-anchor: (\w+)", style) or [0, "start"])[1]
        place = node.get("transform", "")
        found = re.search(r"translate\(([-\d.]+)[ ,]+([-\d.]+)\)", place)
        x, y = (float(found[1]), float(found[2])) if found else (float(node.get("x", 0)), float(node.get("y", 0)))
        turned = re.search(r"rotate\(([-\d.]+)", place)
        length, tall, below = measure.get_text_width_height_descent(content, FontProperties("Liberation Sans", size=size), False)
        start = {"start": 0, "middle": -length / 2, "end": -length}[anchor]
        box = (start, -tall + below, start + length, below)
        angle = float(turned[1]) if turned else 0
        if abs(angle + 90) < 1:
            box = (box[1], -box[2], box[3], -box[0])
        elif angle:
            continue  # slanted: their boxes overlap where they do not
        texts.append((content, (x + box[0], y + box[1], x + box[2], y + box[3])))
    return texts, width, height


def results(instances, names, repetitions=1, factors=(0.5, 1, 2, 4)):
    """Return the CSV of a sweep that varies a factor, with random makespans."""
    draw = random.Random(1)
    rows = ["instance,experiment,platform,problem,block_size,repetition,seed,bandwidth_factor,memory_bytes,workers,s,heuristic,"
            "status,makespan_s,enrolled_workers,relative_cost,relative_work,times_tightest_bound,blocks_moved,volume_gib"]
    number = 0
    for index, repetition in itertools.product(range(instances), range(repetitions)):
        number += 1
        for name in names:
            cost = 1 + draw.random() * (0.2 + names.index(name))
            factor = factors[index % len(factors)]
            rows.append(f"{number},experiment {index // len(factors)},\"a platform, of long links {index // 7}\",8000x8000x64000,80,"
                        f"{repetition + 1},{number},{factor},{2**27 + 2**26 * (index % len(factors))},8,{100 * index},\"{name}\",ok,"
                        f"{2000 * cost * factor:.6g},{draw.randint(1, 8)},{cost:.4f},{cost:.4f},{cost * 1.1:.4f},"
                        f"{draw.randint(10**6, 10**7)},{draw.random() * 100:.5g}")
    return "\n".join(rows) + "\n"


TRACE = ("heuristic,kind,worker,direction,start_s,end_s,held_blocks,m_blocks,bound_s,port,makespan_s,group,lane,other_group,"
         "other_lane,waits,slice,role,held_from\n")
NAMES = ["Het", "HomI", "ODDOML", "BMM", "Hom", "OMMOML", "ORROML", "Polaris", "Het[ratio=local,count_c=no]"]


class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def script(self, text, *options, command=("plot",)):
        """Return the functions of the script of a figure of CSV data."""
        data, script = self.path / "data.csv", self.path / "figure.py"
        data.write_text(text, errors="surrogateescape")
        starport(*command, *([data] if command == ("plot",) else []), *options, "-o", script)
        return load(script)

    def check(self, script, what):
        figure = script["draw"]()
        width, height = figure.get_size_inches() * 72
        texts = visible_texts(figure)
        self.assertEqual(faults(texts, width, height), [], what)
        return [text for text, _ in texts], figure

    def test_no_texts_touch(self):
        kinds = [["--figure", kind] for kind in ("bars", "cost", "enrolled", "sorted", "distribution", "tradeoff")]
        lines = ["--figure", "lines", "--where", "experiment = 'experiment 0'"]
        kinds += [[*lines, "--x", "bandwidth_factor"], [*lines, "--x", "memory_bytes", "--log", "xy"],
                  [*lines, "--x", "bandwidth_factor", "--band", "quartiles"], ["--figure", "sorted", "--log", "y"]]
        for count, repetitions, size in ((2, 1, ["--size", "column"]), (9, 3, [])):
            text = results(8, NAMES[:count], repetitions)
            for kind in kinds:
                self.check(self.script(text, *kind, *size, "--title", "A title that takes more than one line of a column's width"),
                           (kind, size, count))

    def test_ten_million_instances_try_few_ticks(self):
        script, tried = self.script(results(8, NAMES[:2]), "--figure", "sorted"), []
        script["try_ticks"] = lambda _ax, _axis, choices: tried.extend(len(list(ticks)) for ticks in choices)
        script["draw_sorted"]([{"rank": str(rank), "heuristic": "Het", "style": "1", "value": str(rank)} for rank in (1, 10**7)])
        self.assertTrue(tried)
        self.assertLessEqual(max(tried), 102)

    def test_names_of_boxes_do_not_touch(self):
        for count in range(4, len(NAMES)):
            self.check(self.script(results(5, NAMES[:count]), "--figure", "distribution"), count)

    def test_words_and_units(self):
        text = results(4, NAMES[:2], 3)
        texts, _ = self.check(self.script(text, "--figure", "lines", "--x", "memory_bytes"), "memory")
        self.assertLessEqual({"memory (MiB)", "128", "192", "320", "range of the repetitions"}, set(texts))
        texts, _ = self.check(self.script(text, "--figure", "cost"), "cost")
        self.assertIn("bandwidth × 0.5, draw 1", texts)
        self.assertFalse([text for text in texts if "_" in text])
        texts, _ = self.check(self.script(results(4, NAMES[:2]), "--figure", "tradeoff", "--x", "blocks_moved"), "tradeoff")
        self.assertIn("blocks moved (millions)", texts)
        self.assertIn("bandwidth × 0.5, memory 128 MiB", texts)

    def test_many_bands_have_axes_each(self):
        for size in ([], ["--size", "column"]):
            script = self.script(results(4, NAMES, 5), "--figure", "lines", "--x", "bandwidth_factor", "--band", "quartiles", *size)
            _, figure = self.check(script, "bands")
            self.assertEqual(len(figure.axes), len(NAMES))
            for ticks in ("get_xticks", "get_yticks"):
                self.assertEqual(len({tuple(getattr(ax, ticks)()) for ax in figure.axes}), 1, ticks)

    def test_too_small(self):
        text = results(8, NAMES[:3])
        for options in (["cost"], ["lines", "--x", "bandwidth_factor", "--where", "experiment = 'experiment 0'"], ["sorted"],
                        ["distribution"], ["tradeoff"]):
            script = self.script(text, "--figure", *options, "--size", "3x3")
            with self.assertRaises(script["TooSmall"]) as caught:
                script["draw"]()
            self.check(self.script(text, "--figure", *options, "--size", caught.exception), options)

    def test_traces(self):
        trace = self.path / "trace.csv"
        starport("run", "platforms/ppopp08-memory.json", "--problem", "8000x8000x16000", "--heuristics", "Het,ODDOML,BMM",
                 "--engine", "analytic", "--trace", trace)
        for size in ([], ["--size", "column"], ["--size", "17x12"]):
            texts, _ = self.check(self.script(trace.read_text(), "--figure", "gantt", "--heuristics", "Het,ODDOML", *size), size)
            self.assertTrue({"port", "P1", "computation"} <= set(texts), texts)
            for kind in ("gantt", "memory"):
                texts, _ = self.check(self.script(trace.read_text(), "--figure", kind, "--heuristics", "Het", *size), (kind, size))
        self.assertTrue([text for text in texts if re.fullmatch(r"[\d.]+ % of [\d,]+ blocks", text)], texts)
        # Only what occurs is in the key.
        texts, _ = self.check(self.script(trace.read_text(), "--figure", "gantt", "--heuristics", "BMM", "--to", "1"), "start")
        self.assertNotIn("computation", texts)
        self.assertNotIn("C returned", texts)
        # A hundred workers: not all have names.
        rows = [f"H,update,{k},,{k % 7},{k % 7 + 3},,,,one-port,10,P{k},computation,,,,computation,compute,\n" for k in range(1, 101)]
        texts, _ = self.check(self.script(TRACE + "".join(rows), "--figure", "gantt"), "hundred")
        self.assertIn("P1", texts)
        self.assertNotIn("P2", texts)

    def test_partitions_and_heat_maps(self):
        for options in (["--speeds", "1,1,4,9,0.01"], ["--speeds", "1,1,4,9", "--tiles", "32"],
                        ["--speeds", "1,2,3", "--method", "NRRP3D"]):
            texts, _ = self.check(self.script("", *options, command=("partition",)), options)
            self.assertEqual(sum(": " in text for text in texts), 1)  # the title, once
        text = "row,column,ratio\n" + "".join(f"{a},{b},{1 + i * j * 4.7}\n" for i, a in enumerate(NAMES) for j, b in enumerate(NAMES[:7]))
        figure = load(TOP / "plots" / "figure.py")
        figure["SETTINGS"].update(kind="heat_map", title="Ratios", xlabel="other")
        figure["DATA"] = text.replace("Het[ratio=local,count_c=no]", "Het[x]")
        self.check(figure, "heat map")

    def test_equal_bytes_twice(self):
        script = self.script(results(8, NAMES[:3]), "--figure", "cost")
        for form, begin in (("svg", b"<?xml"), ("pdf", b"%PDF-"), ("png", b"\x89PNG\r")):
            one, other = io.BytesIO(), io.BytesIO()
            script["save"](one, form)
            matplotlib.rcParams["font.size"] = 20  # the reader's settings change nothing
            script["save"](other, form)
            matplotlib.rcdefaults()
            self.assertTrue(one.getvalue().startswith(begin))
            self.assertEqual(one.getvalue(), other.getvalue())
            for year in (b"/CreationDate", b"<dc:date>"):
                self.assertNotIn(year, one.getvalue())

    def test_a_script_draws_what_the_program_draws(self):
        options = ("--figure", "cost", "--size", "12.7x5.08")
        self.script(results(2, [*NAMES[:2], NAMES[-1]]), *options)
        program, script = self.path / "program.svg", self.path / "script.svg"
        starport("plot", self.path / "data.csv", *options, "-o", program)
        with unittest.mock.patch.object(sys, "argv", ["figure.py", str(script)]):
            runpy.run_path(self.path / "figure.py", run_name="__main__")
        svg = script.read_bytes()
        self.assertEqual(svg, program.read_bytes())
        for shown in (b'width="360pt" height="144pt"', b">Het<", b">HomI<", b">Het[ratio=local,count_c=no]<", b"#003a6e"):
            self.assertIn(shown, svg)

    def test_names_are_text(self):
        """Whatever a file says, it is drawn as text."""
        names = ["''' + print(1) + '''", "it's \"quoted\"", "a,b", "back\\slash\\n", "100%s%d", "a_b^c{d} $x$", "<&>", "café",
                 "broken\udcff", "two\nlines"]
        quoted = ['"' + name.replace('"', '""') + '"' for name in names]
        rows = [f"{platform},{heuristic},ok,1.5\n" for platform in quoted for heuristic in quoted]
        svg = io.BytesIO()
        self.script("platform,heuristic,status,relative_cost\n" + "".join(rows), "--figure", "cost", "--size", "40x20",
                    "--title", "'; exit() #")["save"](svg, "svg")
        for shown in ("it's \"quoted\"", "a,b", "back\\slash\\n", "100%s%d", "a_b^c{d} $x$", "&lt;&amp;&gt;", "café", "two lines",
                      "'; exit() #"):
            self.assertIn(f">{shown}<", svg.getvalue().decode())

    def test_shipped_figures(self):
        pictures = list(TOP.glob("experiments/*/*.svg"))
        self.assertGreater(len(pictures), 5)
        for picture in pictures:
            texts, width, height = svg_texts(picture)
            self.assertGreater(len(texts), 5, picture)
            self.assertEqual(faults(texts, width, height), [], picture)

    def test_areas_are_shares_of_time(self):
        """A worker computes 72 % of the time and receives 4.8 %, in slices of which a figure has hundreds on a millimetre, or
        a few on a centimetre: so much of its lanes has these colours, in every format."""
        for slices, width in ((40, 17), (1000, 8.5), (20_000, 8.5)):
            draw, rows = random.Random(1), []
            for k in range(slices):
                period = 100 / slices
                for lane, role, share in (("link", "send_operands", 0.048), ("computation", "compute", 0.72)):
                    start = (k + draw.random() * (1 - share)) * period
                    end = 100 if lane == "computation" and k == slices - 1 else start + share * period
                    kind, direction = ("transfer", "to_worker") if lane == "link" else ("update", "")
                    rows.append((lane, f"H,{kind},1,{direction},{start!r},{end!r},,,,one-port,100,P1,{lane},,,,{role},{role},\n"))
            rows.sort(key=lambda row: row[0] != "link")
            script = self.script(TRACE + "".join(row for _, row in rows), "--figure", "gantt", "--size", f"{width}x6")
            figure = script["draw"]()
            ax = figure.axes[0]
            for form, dots in (("png", 300), ("svg", 96), ("pdf", 72)):
                picture = self.path / f"areas.{form}"
                script["save"](str(picture), form)
                pixels = self.pixels(picture, form, dots)
                for lane, colour, share in ((0.5, "#86c5ee", 0.048), (1.5, "#16704f", 0.72)):
                    left, right = (figure.transFigure.inverted().transform(ax.transAxes.transform((x, 0)))[0] for x in (0, 1))
                    y = figure.transFigure.inverted().transform(ax.transData.transform((0, lane)))[1]
                    row = pixels[int((1 - y) * len(pixels)), round(left * pixels.shape[1]) + 1:round(right * pixels.shape[1]) - 1]
                    idle, own = (numpy.array(matplotlib.colors.to_rgb(shade)) for shade in ("#ececec", colour))
                    found = numpy.mean((row - idle) @ (own - idle) / ((own - idle) @ (own - idle)))
                    self.assertAlmostEqual(found, share, delta=0.02, msg=(slices, width, form, lane))

    def pixels(self, picture, form, dots):
        """Return the colours of a picture, rendered by a program that people use."""
        png = picture.with_suffix(".rendered.png")
        if form == "png":
            png = picture
        elif form == "svg":
            subprocess.run(["rsvg-convert", "--zoom", str(dots / 96), "-o", png, picture], check=True)
        else:
            subprocess.run(["pdftoppm", "-r", str(dots), "-png", "-singlefile", picture, png.with_suffix("")], check=True)
        return matplotlib.image.imread(png)[:, :, :3]


if __name__ == "__main__":
    unittest.main(verbosity=2)
