"""Draws the figures of Starport with Matplotlib.

`starport plot RESULTS --figure KIND -o figure.py` writes this script with the data of one figure, to be changed for a
paper: what is drawn follows from SETTINGS and DATA, fonts and colours from the constants below.

    python3 figure.py figure.pdf        # or .svg, .png

In a notebook, `draw()` returns a figure of Matplotlib, and `draw(axes)` draws on axes that exist.
"""
import csv
import functools
import io
import logging
import math
import sys

try:
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
    from matplotlib.collections import LineCollection, PatchCollection, PolyCollection
    from matplotlib.colors import LinearSegmentedColormap, to_rgb
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, Rectangle
    from matplotlib.patheffects import withStroke
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator
    from matplotlib.transforms import ScaledTranslation
except ImportError as error:
    if __name__ != "__main__":
        raise
    print(error, file=sys.stderr)
    sys.exit(3)

# %% settings
SETTINGS = {}  # what is drawn, without the numbers
# %% common
# Sizes are those of print: 8 pt, and 7 pt for the numbers of axes.
SIZE, SMALL = 8, 7
FONTS = ["Liberation Sans", "Arial", "Helvetica", "DejaVu Sans"]  # the first three have letters of the same widths
STYLE = {
    "font.family": FONTS, "font.size": SIZE, "axes.titlesize": SIZE, "axes.labelsize": SIZE, "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL, "legend.fontsize": SMALL, "axes.linewidth": 0.6, "axes.spines.top": False,
    "axes.spines.right": False, "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.major.size": 2.5,
    "ytick.major.size": 2.5, "axes.labelpad": 2, "axes.titlepad": 3, "lines.linewidth": 1.2, "lines.markersize": 3.5, "grid.color": "#dddddd",
    "grid.linewidth": 0.5, "axes.axisbelow": True, "legend.frameon": False, "legend.handlelength": 2,
    "legend.columnspacing": 1.2, "legend.handletextpad": 0.5, "legend.labelspacing": 0.3, "legend.borderpad": 0,
    "legend.borderaxespad": 0, "text.parse_math": False, "svg.fonttype": "none", "svg.hashsalt": "starport",
    "pdf.fonttype": 42, "hatch.linewidth": 0.4,
}
# By the number of a heuristic's style. tests/report/colours_test.cpp computes how far apart any two colours are, in grey
# and to the colour-blind. Dotted lines are bounds.
COLOURS = ["#003a6e", "#ff923a", "#bd7138", "#007a58", "#e0da12", "#4ea4d4", "#9d2505", "#1b1b1b", "#e8a9cc", "#94a074",
           "#546bee", "#8dcd9d", "#53636d", "#bc9d9d", "#c378a2", "#316e98"]
MARKERS = ["o", "s", "^", "v", "D", "P", "X", "<", ">", "p", "*", "h", "d", "8", "H", "s"]
DASHES = ["-", (0, (5, 1.5)), "-", (0, (5, 1.5, 1.5, 1.5))]
INCH = 2.54  # cm
PAD = 0.05  # around texts, in inches
LEAST = (1.6 / INCH, 1.1 / INCH)  # the smallest axes that can be read
# Units of dates: [(seconds, name)].
TIMES = [(1e-15, "fs"), (1e-12, "ps"), (1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1, "s"), (1e6, "10⁶ s"), (1e9, "10⁹ s")]


class TooSmall(Exception):
    """The figure would have no room; its argument is the size in cm that it needs."""


class ManyAxes(Exception):
    """The figure has several axes and cannot be drawn on given ones."""


def number(text):
    return float(text) if text else math.nan


def scaled(text, axis="y"):
    """Return a number of the data in the unit that the caption of an axis names."""
    return number(text) / SETTINGS.get(axis + "unit", 1)


def clean(text):
    return "".join(c if c.isprintable() else " " for c in text)


def read(data):
    """Return the rows of a CSV text as dictionaries."""
    return list(csv.DictReader(io.StringIO(data, newline="")))


def style_of(rows):
    """Return the colour, marker and dashes of the heuristic of some rows."""
    index = int(rows[0]["style"]) - 1
    return {"color": COLOURS[index % 16], "marker": MARKERS[index % 16], "linestyle": DASHES[index % 4]}


def by(rows, column):
    """Return the rows by their value in a column, in the order of the first ones."""
    groups = {}
    for row in rows:
        groups.setdefault(row[column], []).append(row)
    return groups


def decimal(value, _=None):
    """Return a number as text, without digits that mean nothing: "2,048", "0.05"."""
    if value > 0 and not 2e-4 < value < 2e5 and math.isclose(value, 10.0 ** round(math.log10(value))):
        return "10" + str(round(math.log10(value))).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{value:,.6g}".replace("-", "−") if abs(value) < 1e6 else f"{value:,.0f}"


def renderer_of(figure):
    """Return a renderer to measure texts: that of the canvas or, on a canvas of a vector format, a raster one of the
    same size."""
    if hasattr(figure.canvas, "get_renderer"):
        return figure.canvas.get_renderer()
    return RendererAgg(*map(math.ceil, figure.canvas.figure.bbox.size), figure.dpi)


def inches(ax):
    """Return the width and the height of axes in inches."""
    return ax.get_window_extent().size / ax.figure.dpi


def width_of(figure, text, size):
    """Return the width of a text in inches."""
    font = matplotlib.font_manager.FontProperties(size=size)
    return renderer_of(figure).get_text_width_height_descent(text, font, False)[0] / figure.dpi


def wrap(figure, text, room, size=SIZE):
    """Return a text broken into lines of at most `room` inches, where its words allow it."""
    if "\n" in text:
        return "\n".join(wrap(figure, line, room, size) for line in text.split("\n"))
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(figure, longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def boxes_of(texts, renderer):
    return [text.get_window_extent(renderer) for text in texts if text.get_text()]


def collide(texts, renderer, horizontal, gap):
    """Return whether two neighbours among the labels of an axis are nearer than `gap` pixels."""
    boxes = boxes_of(texts, renderer)
    sides = sorted((box.x0, box.x1) if horizontal else (box.y0, box.y1) for box in boxes)
    return any(after[0] < before[1] + gap for before, after in zip(sides, sides[1:]))


def try_ticks(ax, name, candidates):
    """Give an axis the first of some lists of ticks of which at least two are shown and no labels touch, or the last."""
    axis = getattr(ax, name + "axis")
    gap = ax.figure.dpi / 72 * (4 if name == "x" else 1.5)
    low, high = sorted(axis.get_view_interval())
    near = 1e-9 * (high - low)
    for ticks in candidates:
        shown = [tick for tick in ticks if low - near <= tick <= high + near]
        axis.set_major_locator(FixedLocator(shown))
        axis.set_major_formatter(FuncFormatter(decimal))
        if len(shown) > 1 and not collide(axis.get_ticklabels(), renderer_of(ax.figure), name == "x", gap):
            return


def fit_axis(ax, name, values=()):
    """Choose the ticks of an axis: the values themselves if these are few, else as many round numbers as have room."""
    axis = getattr(ax, name + "axis")
    low, high = sorted(axis.get_view_interval())
    few = sorted({value for value in values if math.isfinite(value)})
    candidates = [few] if 0 < len(few) <= 10 else []
    if axis.get_scale() == "log":
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        fine = [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.2, 2.5, 3, 4, 5, 6, 7, 8, 9]
        sets = [fine, fine[::2], [1, 1.5, 2, 3, 4, 5, 7], [1, 2, 3, 5], [1, 2, 5], [1, 3], [1]]
        sets = sets[-1:] if high > 1e5 * low else sets[3:] if high > 10 * low else sets
        candidates += [[m * 10.0**power for power in powers for m in chosen] for chosen in sets]
        candidates += [[10.0**power for power in powers[::step]] for step in (2, 3, 4)]
        candidates.append([float(f"{low * 1.05:.1g}"), float(f"{high * 0.95:.1g}")])
        axis.set_minor_locator(NullLocator())
    else:
        most = 9 if name == "x" else 7
        candidates += [MaxNLocator(count, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high) for count in range(most, 0, -1)]
    try_ticks(ax, name, candidates)


def overhang(ax, renderer):
    """Return by how many inches the texts of axes stick out: on the left, below, on the right, above."""
    inner, outer, dpi = ax.get_window_extent(renderer), ax.get_tightbbox(renderer), ax.figure.dpi
    return [side / dpi for side in (inner.x0 - outer.x0, inner.y0 - outer.y0, outer.x1 - inner.x1, outer.y1 - inner.y1)]


def wrap_captions(ax):
    """Break the captions of axes into lines that fit beside them."""
    width, height = inches(ax)
    for name, text in getattr(ax, "captions", {}).items():
        getattr(ax, f"set_{name}")(wrap(ax.figure, text, max(height if name == "ylabel" else width, 0.5)))


def place(figure, grid, fit, box, gap=0.12):
    """Place rows of axes in a box (left, bottom, right, top in inches) with their texts. Return the size of one."""
    renderer = renderer_of(figure)
    width, height = figure.get_size_inches()
    rows, columns = range(len(grid)), range(len(grid[0]))
    cell = (max(box[2] - box[0], 0.3) / len(columns) * 0.7, max(box[3] - box[1], 0.3) / len(rows) * 0.7)
    for attempt in range(4):
        before = cell
        for ax in sum(grid, []):
            if attempt == 0:
                ax.set_position([0.1, 0.1, max(cell[0], 0.05) / width, max(cell[1], 0.05) / height])
            wrap_captions(ax)
            fit(ax)
        sides = [[overhang(ax, renderer) for ax in row] for row in grid]
        left, right = ([max(sides[i][j][k] for i in rows if j < len(grid[i])) for j in columns] for k in (0, 2))
        below, above = ([max(side[k] for side in sides[i]) for i in rows] for k in (1, 3))
        cell = ((box[2] - box[0] - sum(left) - sum(right) - gap * (len(columns) - 1)) / len(columns),
                (box[3] - box[1] - sum(below) - sum(above) - gap * (len(rows) - 1)) / len(rows))
        y = box[3]
        for i in rows:
            x = box[0]
            y -= above[i] + max(cell[1], 0.02)
            for j, ax in enumerate(grid[i]):
                x += left[j]
                ax.set_position([x / width, y / height, max(cell[0], 0.02) / width, max(cell[1], 0.02) / height])
                x += max(cell[0], 0.02) + right[j] + gap
            y -= below[i] + gap
        if all(abs(old - new) < 0.01 for old, new in zip(before, cell)):
            break
    return cell


def arrange(figure, grid, fit, handles, beside=True, inset=(0, 0)):
    """Place the title, the key and rows of axes so that no texts touch: the key where it takes the least from the axes.
    `inset` is room on the left and below, in inches."""
    renderer, dpi = renderer_of(figure), figure.dpi
    width, height = figure.get_size_inches()
    box = [PAD + inset[0], PAD + inset[1], width - PAD, height - PAD]
    if SETTINGS.get("title"):
        text = figure.text(0.5, box[3] / height, wrap(figure, clean(SETTINGS["title"]), width - 2 * PAD, SIZE + 1),
                           ha="center", va="top", fontsize=SIZE + 1)
        box[3] -= text.get_window_extent(renderer).height / dpi + 0.06

    def key(columns, location, place):
        legend = figure.legend(handles=handles, ncol=columns, loc=location,
                               bbox_to_anchor=(place[0] / width, place[1] / height))
        extent = legend.get_window_extent(renderer)
        return legend, extent.width / dpi, extent.height / dpi

    def room(cell):
        small = min(size - least for size, least in zip(cell, LEAST))
        return cell[0] * cell[1] if small >= 0 else small

    if handles:
        legend, wide, tall = key(1, "center left", (0, 0))
        columns = max(1, min(len(handles), int((width - 2 * PAD + 0.15) / (wide + 0.15))))
        columns = math.ceil(len(handles) / math.ceil(len(handles) / columns))
        legend.remove()
        legend, _, low = key(columns, "upper center", (width / 2, box[3]))
        above = [*box[:3], box[3] - low - 0.08]
        aside = [*box[:2], box[2] - wide - 0.1, box[3]]
        if beside and tall < box[3] - box[1] and room(place(figure, grid, fit, aside)) > room(place(figure, grid, fit, above)):
            legend.remove()
            key(1, "center left", (aside[2] + 0.1, (aside[1] + aside[3]) / 2))
            box = aside
        else:
            box = above
    cell = place(figure, grid, fit, box)
    comfort = [1 if side in SETTINGS else 2 for side in ("width_cm", "height_cm")]
    lacking = [max(0, least * more - size) * count
               for least, more, size, count in zip(LEAST, comfort, cell, (len(grid[0]), len(grid)))]
    if any(lacking):
        raise TooSmall("x".join(f"{math.ceil(10 * INCH * (side + more) + (more > 0)) / 10:g}"
                                for side, more in zip((width, height), lacking)))


def caption_all(figure):
    """Caption all axes of a figure together; return the room on the left and below that this takes, in inches."""
    width, height = figure.get_size_inches()
    xlabel, ylabel = (clean(SETTINGS[axis + "label"]) + " (log scale)" * is_log(axis) for axis in "xy")
    texts = [figure.text(PAD / width, 0.5, wrap(figure, ylabel, height * 0.8), ha="left", va="center", rotation=90),
             figure.text(0.5, PAD / height, wrap(figure, xlabel, width - 2 * PAD), ha="center", va="bottom")]
    boxes = [text.get_window_extent(renderer_of(figure)) for text in texts]
    return boxes[0].width / figure.dpi + 0.04, boxes[1].height / figure.dpi + 0.04


def is_log(name):
    """Return whether the data along an axis of the figure, x or y, are drawn on a logarithmic scale."""
    return name in SETTINGS.get("log", "")


def limits(ax, name, values, log, from_zero=False):
    """Set the limits of an axis to some values with a little room; from 0 where that costs little."""
    values = [value for value in values if math.isfinite(value) and (value > 0 or not log)]
    low, high = min(values), max(values)
    if log:
        getattr(ax, f"set_{name}scale")("log")
        room = (high / low) ** 0.04 if high > low else 1.1
        getattr(ax, f"set_{name}lim")(low / room, high * room)
        return
    room = 0.04 * (high - low) or 0.1 * abs(high) or 1
    bottom = 0 if from_zero or (name == "y" and 0 <= low < high / 5) else low - room
    getattr(ax, f"set_{name}lim")(min(bottom, low), high + room)


def caption(ax, name, text, log=False):
    """Set the text "xlabel", "ylabel" or "title" of axes; place() breaks it into lines that fit beside them."""
    text = clean(text) + (" (log scale)" if log else "")
    getattr(ax, f"set_{name}")(text)
    ax.captions = {**getattr(ax, "captions", {}), name: text}


def sample(look, name, **changes):
    """Return the entry of the key for a line."""
    return Line2D([], [], **{**look, **changes}, label=clean(name))


def colour_box(colour, name, **changes):
    """Return the entry of the key for an area."""
    return Patch(facecolor=colour, label=clean(name), **changes)


def make_figure(width_cm, height_cm):
    """Return a figure of some size, or of that in the settings."""
    size = (SETTINGS.get("width_cm") or width_cm, SETTINGS.get("height_cm") or height_cm)
    figure = Figure(figsize=[side / INCH for side in size], dpi=300)
    FigureCanvasAgg(figure)
    return figure


def axes_for(ax, width_cm, height_cm):
    """Return the axes of a figure with one plot: those given, or those of a new figure."""
    return ax if ax is not None else make_figure(width_cm, height_cm).add_subplot()


def finish(ax, given, fit, handles, **options):
    """Arrange the figure; on axes that belong to another one, only break captions, choose the ticks and add a key."""
    if given is None:
        arrange(ax.figure, [[ax]], fit, handles, **options)
    else:
        ax.set_axisbelow(True)
        wrap_captions(ax)
        fit(ax)
        if handles:
            ax.legend(handles=handles, borderaxespad=0.5)
    return ax.figure


# %% bars
def draw_bars(rows, given=None):
    """Draw a group of bars for each instance, and a bar for each heuristic."""
    heuristics = by(rows, "heuristic")
    groups = list(by(rows, "position").values())
    ax = axes_for(given, 17 if len(groups) > 6 else 12, 6.5)
    width = 0.84 / len(heuristics)
    for index, (name, own) in enumerate(heuristics.items()):
        values = [(int(row["position"]), scaled(row["value"])) for row in own if row["value"]]
        ax.bar([x + (index - (len(heuristics) - 1) / 2) * width for x, _ in values], [value for _, value in values], width,
               color=style_of(own)["color"], edgecolor="#202020", linewidth=0.3)
    alone = len(groups) == 1  # then the heuristics have their names along the axis
    handles = [] if alone else [colour_box(style_of(own)["color"], name) for name, own in heuristics.items()]
    if alone:
        ticks = [(1 + (index - (len(heuristics) - 1) / 2) * width, clean(name)) for index, name in enumerate(heuristics)]
    else:
        ticks = [(int(group[0]["position"]), clean(group[0]["label"])) for group in groups]
    available = [(int(row["position"]), number(row["available"])) for row in rows if row["available"]]
    if available:
        ax.hlines([y for _, y in available], [x - 0.46 for x, _ in available], [x + 0.46 for x, _ in available], "black",
                  linewidth=1)
        handles.append(sample({"color": "black"}, "workers of the platform"))
    if "reference" in SETTINGS:
        ax.axhline(SETTINGS["reference"], color="black", linewidth=0.7, linestyle=(0, (4, 2)))
    values = [scaled(row["value"]) for row in rows] + [y for _, y in available]
    ax.set_xlim(0.5, len(groups) + 0.5)
    limits(ax, "y", values, is_log("y"), from_zero=True)
    ax.grid(axis="y")
    ax.tick_params(axis="x", length=0)
    sections = [own for name, own in by([group[0] for group in groups], "section").items() if name]
    names = [ax.text(0, 0, "", ha="center", va="top", linespacing=1) for _ in sections]
    for own in sections[1:]:
        ax.axvline(int(own[0]["position"]) - 0.5, color="#888888", linewidth=0.5)
    caption(ax, "ylabel", SETTINGS["ylabel"])

    def fit(ax):
        fit_axis(ax, "y")
        renderer, dpi = renderer_of(ax.figure), ax.figure.dpi
        room = inches(ax)[0] / len(groups)
        each = room * len(groups) / len(ticks)
        turned = any(width_of(ax.figure, label, SMALL) > each - 0.04 for _, label in ticks)
        shown = [] if turned and each < SMALL / 72 * 1.1 else ticks
        ax.set_xticks([x for x, _ in shown], [label for _, label in shown], rotation=90 if turned else 0)
        below = max([box.height for box in boxes_of(ax.get_xticklabels(), renderer)], default=0) / dpi + 0.06
        depth = 0
        for text, own in zip(names, sections):
            first, last = int(own[0]["position"]), int(own[-1]["position"])
            name, across = clean(own[0]["section"]), room * len(own) - 0.03
            lines = wrap(ax.figure, name, across)
            slanted = any(width_of(ax.figure, line, SIZE) > across for line in lines.split("\n"))
            if slanted:
                lines = wrap(ax.figure, name, width_of(ax.figure, name, SIZE) * (0.6 if across > 0.28 else 1))
            text.set(text=lines, rotation=90 if slanted else 0, position=((first + last) / 2, 0), transform=(
                ax.get_xaxis_transform() + ScaledTranslation(0, -below, ax.figure.dpi_scale_trans)))
            depth = max(depth, text.get_window_extent(renderer).height / dpi + 0.03)
        ax.set_xlabel(wrap(ax.figure, clean(SETTINGS.get("xlabel", "")), room * len(groups)), labelpad=2 + depth * 72)

    return finish(ax, given, fit, handles, beside=False)


# %% sorted
def draw_sorted(rows, given=None):
    """Draw the values of all instances in increasing order, a line for each heuristic."""
    ax = axes_for(given, 12, 7)
    handles = []
    ranks = max(int(row["rank"]) for row in rows)
    for name, own in by(rows, "heuristic").items():
        look = {**style_of(own), "markevery": max(1, len(own) // 20), "markersize": 3}
        ax.plot([int(row["rank"]) for row in own], [scaled(row["value"]) for row in own], **look)
        handles.append(sample(look, name))
    limits(ax, "y", [scaled(row["value"]) for row in rows], is_log("y"))
    ax.set_xlim(1 - 0.03 * ranks, ranks * 1.03)
    ax.grid(axis="y")
    caption(ax, "xlabel", "instances, sorted for each heuristic")
    caption(ax, "ylabel", SETTINGS["ylabel"], is_log("y"))

    def fit(ax):
        fit_axis(ax, "y")
        # More than a hundred ticks never fit, and a million would take gigabytes to try.
        try_ticks(ax, "x", [[1, *range(step, ranks + 1, step)] if step > 1 else range(1, ranks + 1)
                            for power in range(8) for step in (10**power, 2 * 10**power, 5 * 10**power)
                            if ranks <= 100 * step])

    return finish(ax, given, fit, handles)


# %% distribution
def draw_distribution(rows, given=None):
    """Draw the quartiles and outliers of a value over the instances, a box for each heuristic."""
    heuristics = by(rows, "heuristic")
    values = [[scaled(row["value"]) for row in own] for own in heuristics.values()]
    names = [clean(name) for name in heuristics]
    figure = given.figure if given is not None else make_figure(12, 7)
    room = (inches(given)[0] if given is not None else figure.get_size_inches()[0] - 0.6) / len(names)
    upright = max(width_of(figure, name, SMALL) for name in names) + 0.06 < room
    ax = axes_for(given, 12, 7 if upright else 2.2 + 0.5 * len(names))
    places = range(1, len(names) + 1) if upright else range(len(names), 0, -1)
    drawn = ax.boxplot(values, positions=places, vert=upright, widths=0.55, patch_artist=True, manage_ticks=False,
                       flierprops={"marker": "o", "markersize": 2.2, "markeredgewidth": 0.5, "markerfacecolor": "none"},
                       medianprops={"color": "black", "linewidth": 1.4, "path_effects": [withStroke(linewidth=2.4, foreground="white")]},
                       boxprops={"linewidth": 0.5}, whiskerprops={"linewidth": 0.6}, capprops={"linewidth": 0.6})
    for box, flier, own in zip(drawn["boxes"], drawn["fliers"], heuristics.values()):
        colour = style_of(own)["color"]
        box.set_facecolor(colour)
        flier.set_markeredgecolor(colour)
    name, other = ("x", "y") if upright else ("y", "x")
    limits(ax, other, [value for own in values for value in own], is_log("y"))
    getattr(ax, f"set_{name}lim")(0.5, len(names) + 0.5)
    getattr(ax, f"set_{name}ticks")(places, names)
    ax.tick_params(axis=name, length=0)
    ax.grid(axis=other)
    caption(ax, other + "label", SETTINGS["ylabel"], is_log("y"))
    note = "boxes: quartiles and median; whiskers: within 1.5 interquartile ranges; circles: outliers"
    if upright:
        caption(ax, "xlabel", note)
        ax.xaxis.label.set(fontsize=SMALL, color="#555555")
    else:
        ax.captions["xlabel"] += "\n" + note
    return finish(ax, given, lambda ax: fit_axis(ax, other), [])


# %% lines
RANGES = {"repetitions": "range of the repetitions", "quartiles": "median and quartiles",
          "interval": "mean and its 95 % interval"}


def draw_lines(rows, given=None):
    """Draw a value against another, a line for each heuristic, with the range of the values at each point."""
    lines = {}
    for name, own in by(rows, "heuristic").items():
        lines[name] = (style_of(own), [scaled(row["x"], "x") for row in own],
                       *([scaled(row[column]) for row in own] for column in ("value", "least", "greatest")))
    bounds = sorted({(scaled(row["x"], "x"), scaled(row["bound"])) for row in rows if row["bound"]})
    kind = SETTINGS.get("range", "")
    ranged = any(high > low for _, _, _, lows, highs in lines.values() for low, high in zip(lows, highs))
    small = given is None and ranged and kind != "repetitions" and len(lines) > 4
    every_x = [x for _, xs, *_ in lines.values() for x in xs]
    every_y = [y for look, xs, *ys in lines.values() for column in ys for y in column] + [bound for _, bound in bounds]

    def prepare(ax):
        limits(ax, "x", every_x, is_log("x"))
        limits(ax, "y", every_y, is_log("y"))
        ax.grid(axis="y")
        if bounds:
            ax.plot(*zip(*bounds), color="black", linestyle=":", linewidth=1.4)
            ax.fill_between(*zip(*bounds), ax.get_ylim()[0], color="#eeeeee", linewidth=0)

    def fit(ax, names="xy"):
        for name in names:
            fit_axis(ax, name, every_x if name == "x" and not SETTINGS.get("binned") else ())

    handles = [sample(look, name) for name, (look, *_) in lines.items()]
    if bounds:
        handles.append(sample({"color": "black", "linestyle": ":", "linewidth": 1.4}, SETTINGS.get("bound_name", "bound")))
    if small:
        return draw_small_multiples(lines, prepare, fit, handles[len(lines):], kind)
    ax = axes_for(given, 12, 7)
    prepare(ax)
    # Ranges at the same x lie side by side, as far apart as there is room.
    width = ax.figure.get_size_inches()[0] if given is None else inches(ax)[0] / 0.6
    places = sorted(set(every_x))
    span = math.log(places[-1] / places[0]) if is_log("x") else places[-1] - places[0]
    gaps = [math.log(b / a) if is_log("x") else b - a for a, b in zip(places, places[1:])]
    step = min(2.2, 0.6 * 72 * 0.6 * width * min(gaps) / span / len(lines)) if gaps and span else 2.2
    whiskers = ranged and (kind == "repetitions" or len(lines) > 4)
    for index, (look, xs, ys, lows, highs) in enumerate(lines.values()):
        shift = (index - (len(lines) - 1) / 2) * step if whiskers else 0
        at = ax.transData + ScaledTranslation(shift / 72, 0, ax.figure.dpi_scale_trans)
        if whiskers:
            ax.vlines(xs, lows, highs, color=look["color"], linewidth=0.9, transform=at)
        elif ranged:
            ax.fill_between(xs, lows, highs, color=look["color"], alpha=0.2, linewidth=0)
        ax.plot(xs, ys, **look, transform=at, markevery=max(1, len(xs) // 15))
    if ranged and kind:
        words = RANGES[kind]
        handles.append(Line2D([], [], color="#777777", marker="|", markersize=7, linestyle="none", label=words) if whiskers
                       else colour_box("#cccccc", words))
    caption(ax, "xlabel", SETTINGS["xlabel"], is_log("x"))
    caption(ax, "ylabel", SETTINGS["ylabel"], is_log("y"))
    return finish(ax, given, fit, handles)


def draw_small_multiples(lines, prepare, fit, handles, kind):
    """Draw axes for each heuristic, with its range, and the others in grey: more than four ranges hide each other."""
    width = SETTINGS.get("width_cm") or 17
    across = max(1, min(len(lines), 4, int(width / 3.8)))
    down = math.ceil(len(lines) / across)
    figure = make_figure(17, 3.3 * down + 1.2)
    grid, labelled, first = [], {}, None
    for index in range(len(lines)):
        # All have the same ticks, chosen for the axes that have labels.
        ax = figure.add_subplot(down, across, index + 1, sharex=first, sharey=first)
        first = first or ax
        prepare(ax)
        name = list(lines)[index]
        for other, (_, xs, ys, *_) in lines.items():
            if other != name:
                ax.plot(xs, ys, color="#bbbbbb", linewidth=0.6)
        look, xs, ys, lows, highs = lines[name]
        ax.fill_between(xs, lows, highs, color=look["color"], alpha=0.25, linewidth=0)
        ax.plot(xs, ys, **{**look, "markersize": 2.5}, markevery=max(1, len(xs) // 15))
        caption(ax, "title", name)
        left, bottom = index % across == 0, index + across >= len(lines)
        ax.tick_params(labelleft=left, labelbottom=bottom)
        labelled[ax] = "x" * bottom + "y" * left
        if left:
            grid.append([])
        grid[-1].append(ax)
    handles.append(colour_box("#bbbbbb", RANGES[kind]))
    handles.append(sample({"color": "#bbbbbb", "linewidth": 0.6}, "the others"))
    arrange(figure, grid, lambda ax: fit(ax, labelled[ax]), handles, beside=False, inset=caption_all(figure))
    return figure


# %% tradeoff
def draw_tradeoff(rows, given=None):
    """Draw the mean (marker) and the range (rectangle) of two values of each heuristic, with axes for each problem."""
    panels = list(by(rows, "panel").values())
    width = SETTINGS.get("width_cm") or (17 if len(panels) > 1 else 12)
    across = min(len(panels), max(1, int(width / 5.4)))
    across = math.ceil(len(panels) / math.ceil(len(panels) / across))
    down = math.ceil(len(panels) / across)
    heuristics = by(rows, "heuristic")
    if given is not None and len(panels) > 1:
        raise ManyAxes(f"this figure has {len(panels)} axes, one per problem. Select a problem, or let the figure make its axes")
    figure = given.figure if given is not None else make_figure(width, 4.8 * down + 1.2)
    axes = [given] if given is not None else [figure.add_subplot(down, across, k + 1) for k in range(len(panels))]
    for index, (ax, own) in enumerate(zip(axes, panels)):
        corners = []
        for row in own:
            look = style_of([row])
            x, left, right = (scaled(row[name], "x") for name in ("x", "x_least", "x_greatest"))
            y, low, high = (scaled(row[name]) for name in ("y", "y_least", "y_greatest"))
            ax.add_patch(Rectangle((left, low), right - left, high - low, facecolor=(*to_rgb(look["color"]), 0.25),
                                   edgecolor=look["color"], linewidth=0.6))
            ax.plot([x], [y], color=look["color"], marker=look["marker"], markersize=4, linestyle="none")
            corners += [(left, low), (right, high)]
        for name, values in zip("xy", zip(*corners)):
            room = 0.08 * (max(values) - min(values)) or 0.05 * abs(max(values)) or 1
            getattr(ax, f"set_{name}lim")(min(values) - room, max(values) + room)
        ax.grid()
        caption(ax, "title", own[0]["name"])
    handles = [sample(style_of(own), name, linestyle="none") for name, own in heuristics.items()]
    if any(row["x_least"] != row["x_greatest"] or row["y_least"] != row["y_greatest"] for row in rows):
        handles.append(Patch(facecolor="#dddddd", edgecolor="#777777", linewidth=0.6, label="smallest to largest"))

    def fit(ax):
        fit_axis(ax, "x")
        fit_axis(ax, "y")

    if given is not None:
        given.set(xlabel=clean(SETTINGS["xlabel"]), ylabel=clean(SETTINGS["ylabel"]))
        return finish(given, given, fit, handles)
    arrange(figure, [axes[k:k + across] for k in range(0, len(axes), across)], fit, handles, beside=len(panels) == 1,
            inset=caption_all(figure))
    return figure


# %% gantt memory
def time_axis(ax, first, last):
    """Set the limits of an axis of dates in seconds; return the length of its unit in seconds, and its caption."""
    unit = [entry for entry in TIMES if entry[0] <= last or entry is TIMES[0]][-1]
    ax.set_xlim(first / unit[0], last / unit[0])
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return unit[0], f"time ({unit[1]})"


def fit_names(ax, named):
    """Label the places of an axis, [(y, name)], at every n-th where there is no room for all."""
    height = inches(ax)[1] * 72
    span = abs(ax.get_ylim()[0] - ax.get_ylim()[1])
    gaps = [b - a for (a, _), (b, _) in zip(named, named[1:])]
    room = min(gaps, default=span) * height / span
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, len(named)) if step * room >= SMALL * 1.1
                or step >= len(named))
    shown = named[::step]
    ax.set_yticks([y for y, _ in shown], [name for _, name in shown])


def short(name):
    name = clean(name)
    return name if len(name) <= 26 else name[:23] + "..."


# %% gantt
# Colours differ in hue and in lightness, also in grey.
ROLES = {"send_c": "#1f3b73", "send_operands": "#86c5ee", "send_all": "#5380b1", "return_c": "#f0790e",
         "compute": "#16704f", "reduce": "#83329b", "steal": "#d77fa8", "lost": "#8d1c1c", "wait": "#f2d349",
         "idle": "#ececec"}


def draw_gantt(rows, given=None):
    """Draw the lanes of each group, such as a worker, over time, and those of several runs below each other."""
    panels = by(rows, "run")
    groups = sum(len(by(own, "group")) for own in panels.values())
    lanes = max(len(by(own, "lane")) for panel in panels.values() for own in by(panel, "group").values())
    many = len(panels) > 1
    # Comfortable for a few groups and thin for a hundred.
    height_pt = min(max(480 / groups, min(6.5, 1700 / groups)), 30) * groups
    ax = axes_for(given, 17, (height_pt / 72 + 0.25 * len(panels) * many) * INCH + 2.6)
    unit, xlabel = time_axis(ax, SETTINGS["from_s"], SETTINGS["to_s"])
    heading = 0.22 * 72 / height_pt * groups * (lanes + 0.5) if many else 0
    y, named, boxes, seams = 0.0, [], [], []
    for name, panel in panels.items():
        if many:
            ax.text(0, y + heading * 0.8, clean(SETTINGS["headings"][name]), transform=ax.get_yaxis_transform())
            y += heading
        top = y
        for group, own in by(panel, "group").items():
            begin = y
            for lane in by(own, "lane").values():
                for row in lane:
                    start, end = float(row["start_s"]) / unit, float(row["end_s"]) / unit
                    if row["role"] == "blank":
                        continue
                    if row["role"] == "seam":
                        seams.append([(start, y), (start, y + 0.25)])
                    else:
                        boxes.append((y, start, end, row["role"]))
                y += 1
            named.append(((begin + y) / 2, short(group)))
            y += 0.5
        if many:
            mark(ax, SETTINGS["makespans_s"][name] / unit, top, y - 0.5)
    ax.set_ylim(y - 0.25, -0.1)
    draw_boxes(ax, boxes, 3 * SETTINGS["column_s"] / unit)
    ax.add_collection(LineCollection(seams, colors="white", linewidths=0.35))
    used = {role for *_, role in boxes}
    handles = [colour_box(colour, SETTINGS["roles"].get(role, role)) for role, colour in ROLES.items() if role in used]
    marks = [(name, date_s / unit) for name, date_s in SETTINGS["marks"]]
    labels = []
    for index, (name, date) in enumerate(marks):
        if SETTINGS["from_s"] / unit <= date <= SETTINGS["to_s"] / unit:
            bound = name == "bound"
            ax.axvline(date, color="black", linewidth=1, linestyle=(0, (6, 3)) if bound else "-", clip_on=False)
            labels.append(ax.text(date, 1, f"{name} {decimal(float(f'{date:.5g}'))}",
                                  transform=ax.get_xaxis_transform(), ha="center", va="bottom", fontsize=SMALL))
    merged = SETTINGS.get("merged_below_s")
    if merged:
        xlabel += f"; what takes less than {merged / unit:.2g} {xlabel[6:-1]} is merged, colours keep their share of the area"
    caption(ax, "xlabel", xlabel)

    def fit(ax):
        fit_axis(ax, "x")
        fit_names(ax, named)
        renderer = renderer_of(ax.figure)
        line = 1.15 * SMALL / 72 / inches(ax)[1]
        # Texts stay within the axes, and go up by a line where they would touch.
        for index, text in enumerate(labels):
            text.set(y=1 + 0.2 * line)
            whole, box = ax.get_window_extent(renderer), text.get_window_extent(renderer)
            text.set_ha("right" if box.x1 > whole.x1 and text.get_ha() == "center" else text.get_ha())
            text.set_ha("left" if box.x0 < whole.x0 and text.get_ha() == "center" else text.get_ha())
            while any(text.get_window_extent(renderer).overlaps(other.get_window_extent(renderer))
                      for other in labels[:index]):
                text.set_y(text.get_position()[1] + line)

    return finish(ax, given, fit, handles, beside=False)


def mark(ax, date, top, bottom):
    """Mark the end of a run in its lanes."""
    if ax.get_xlim()[0] <= date <= ax.get_xlim()[1]:
        ax.plot([date, date], [top, bottom], color="black", linewidth=1, clip_on=False)


def draw_boxes(ax, boxes, beyond):
    """Draw rectangles (y, start, end, role) that follow each other in lanes. Each is wider by `beyond` and then covered by
    the next one: if a viewer widens a thin shape to a pixel, the next shape does not become narrower."""
    boxes.sort()
    ends = {y: end for y, _, end, _ in boxes}
    corners = [(start, min(end + beyond, ends[y]), y) for y, start, end, _ in boxes]
    ax.add_collection(PolyCollection([[(a, y), (b, y), (b, y + 1), (a, y + 1)] for a, b, y in corners], linewidths=0,
                                     facecolors=[ROLES[role] for _, _, _, role in boxes], edgecolors="none", snap=False))


# %% memory
def draw_memory(rows, given=None):
    """Draw how many blocks each worker holds over time, in a strip as high as its memory."""
    groups = by(rows, "group")
    ax = axes_for(given, 17, min(max(480 / len(groups), min(6.5, 1700 / len(groups))), 30) * len(groups) / 72 * INCH + 2.4)
    unit, xlabel = time_axis(ax, SETTINGS["from_s"], SETTINGS["to_s"])
    last = SETTINGS["to_s"] / unit
    named, most = [], []
    for index, (group, own) in enumerate(groups.items()):
        bottom = 1.3 * index + 1
        m = int(own[0]["m_blocks"])
        dates = [float(row["start_s"]) / unit for row in own] + [last]
        ax.add_patch(Rectangle((SETTINGS["from_s"] / unit, bottom - 1), last - SETTINGS["from_s"] / unit, 1, color="#ececec",
                               linewidth=0))
        for column, colour in (("most_blocks", "#9dc3e0"), ("least_blocks", "#2a6fa8")):
            held = [bottom - int(row[column]) / m for row in own]
            ax.fill_between(dates, held + held[-1:], bottom, step="post", color=colour, linewidth=0)
        ax.plot([dates[0], last], [bottom - 1, bottom - 1], color="#d55e00", linewidth=0.7)
        named.append((bottom - 0.5, short(group)))
        greatest = max(int(row["most_blocks"]) for row in own)
        most.append((bottom - 0.5, f"{100 * greatest / m:.1f} % of {m:,} blocks"))
    ax.set_ylim(1.3 * len(groups) - 0.2, -0.1)
    right = ax.secondary_yaxis("right")
    right.spines["right"].set_visible(False)
    right.tick_params(length=0)
    ax.annotate("maximum", (1, 1), (4, 3), xycoords="axes fraction", textcoords="offset points", fontsize=SMALL)
    changes = any(row["least_blocks"] != row["most_blocks"] for row in rows)
    handles = [colour_box("#2a6fa8", "held"),
               *([colour_box("#9dc3e0", "held at times: changes too fast to be drawn")] if changes else []),
               sample({"color": "#d55e00", "linewidth": 0.7}, "size of the memory")]
    caption(ax, "xlabel", xlabel)

    def fit(ax):
        fit_axis(ax, "x")
        fit_names(ax, named)
        shown = set(ax.get_yticks())
        right.set_yticks([y for y, _ in most if y in shown], [text for y, text in most if y in shown])

    return finish(ax, given, fit, handles, beside=False)


# %% partition
def draw_partition(rows, given=None):
    """Draw who has which part of a square, or of the faces of a cube that meet in the corner (0, 0, 0)."""
    cube = min(float(row["x0"]) for row in rows) < -0.5
    ax = axes_for(given, 15.2 if cube else 8.2, 15.8 if cube else 8.8)
    zones = [row for row in rows if row["kind"] == "zone"]
    ax.add_collection(PatchCollection(
        [Rectangle((float(row["x0"]), float(row["y0"])), float(row["x1"]) - float(row["x0"]),
                   float(row["y1"]) - float(row["y0"])) for row in zones],
        facecolors=[COLOURS[int(row["colour"]) - 1] for row in zones],
        edgecolors=[COLOURS[int(row["colour"]) - 1] for row in zones], linewidths=0.3))
    ax.add_collection(LineCollection(
        [[(float(row["x0"]), float(row["y0"])), (float(row["x1"]), float(row["y1"]))] for row in rows if row["kind"] == "edge"],
        colors="black", linewidths=0.8))
    low = -1 if cube else 0
    ax.set(xlim=(low - 0.01, 1.01), ylim=(low - 0.01, 1.01), aspect="equal")
    ax.axis("off")
    for row in rows:
        if row["kind"] == "axis":
            ax.text(float(row["x0"]), float(row["y0"]), row["text"], ha="center", va="center")
    texts = []
    for row in rows:
        if row["kind"] == "name":
            colour = to_rgb(COLOURS[int(row["colour"]) - 1])
            dark = sum(a * b for a, b in zip((0.3, 0.59, 0.11), colour)) < 0.45
            middle = [(float(row[a]) + float(row[b])) / 2 for a, b in (("x0", "x1"), ("y0", "y1"))]
            texts.append((row, ax.text(*middle, "", ha="center", va="center", color="white" if dark else "black")))

    def fit(ax):
        renderer = renderer_of(ax.figure)
        for row, text in texts:
            corners = ax.transData.transform([(float(row["x0"]), float(row["y0"])), (float(row["x1"]), float(row["y1"]))])
            room = abs(corners[1] - corners[0]) - 4
            name, share = clean(row["text"]), f"{100 * float(row['share']):.1f} %"
            for shown in (f"{name}\n{share}", name, ""):
                text.set_text(shown)
                box = text.get_window_extent(renderer)
                if box.width <= room[0] and box.height <= room[1]:
                    break

    return finish(ax, given, fit, [])


# %% heat_map
def draw_heat_map(rows, given=None):
    """Draw a table of ratios in colours: white at 1, red above, blue below."""
    names = list(by(rows, "row"))
    columns = [name for name in names if name in by(rows, "column")]
    columns += [name for name in by(rows, "column") if name not in columns]
    longest = max(map(len, names)) * 0.13
    ax = axes_for(given, longest + 1.3 * len(columns) + 1, 0.6 * longest + 0.7 * len(names) + 1.8)
    greatest = max(abs(math.log(float(row["ratio"]))) for row in rows) or 1
    colours = LinearSegmentedColormap.from_list("ratio", [(0, "#4ea4d4"), (0.5, "#ffffff"), (0.75, "#ff923a"), (1, "#9d2505")])
    for row in rows:
        x, y, ratio = columns.index(row["column"]), names.index(row["row"]), float(row["ratio"])
        ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colours(0.5 + math.log(ratio) / greatest / 2),
                               edgecolor="#cccccc", linewidth=0.5))
        digits = 0 if ratio >= 99.5 else 1 if ratio >= 9.95 else 2
        ax.text(x, y, f"{ratio:.0e}" if ratio >= 999.5 else f"{ratio:.{digits}f}", ha="center", va="center", fontsize=SMALL,
                color="white" if math.log(ratio) > 0.7 * greatest else "black")
    ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(names) - 0.5, -0.5))
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_yticks(range(len(names)), [clean(name) for name in names])
    across = ax.figure.get_size_inches()[0] * 0.8 if given is None else inches(ax)[0]
    ax.set_xlabel(wrap(ax.figure, SETTINGS["xlabel"], across), labelpad=4)
    ax.xaxis.set_label_position("bottom")

    def fit(ax):
        room = inches(ax)[0] / len(columns)
        turned = any(width_of(ax.figure, clean(name), SMALL) > room - 0.04 for name in columns)
        ax.set_xticks(range(len(columns)), [clean(name) for name in columns], rotation=40 if turned else 0,
                      ha="left" if turned else "center", rotation_mode="anchor" if turned else "default")

    return finish(ax, given, fit, [])


# %% data
DATA = ""
# %% main


def in_style(function):
    """Make a function draw in the style of these figures, whatever the reader's settings of Matplotlib are."""
    @functools.wraps(function)
    def styled(*arguments):
        logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # fonts of the list that are missing
        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            matplotlib.rcParams.update(STYLE)
            return function(*arguments)
    return styled


@in_style
def draw(axes=None):
    """Draw the figure and return it, a figure of Matplotlib; on some axes, if they are given."""
    function, rows, asked = globals()["draw_" + SETTINGS["kind"]], read(DATA), SETTINGS.copy()
    try:
        for _ in range(8):
            try:
                drawn = function(rows, axes)
                break
            except TooSmall as error:
                SETTINGS.update(zip(("width_cm", "height_cm"), map(float, str(error).split("x"))))
        else:
            raise RuntimeError("no size gives this figure room")
        size = {side: SETTINGS[side] for side in ("width_cm", "height_cm") if side in SETTINGS}
    finally:
        SETTINGS.clear()
        SETTINGS.update(asked)
    # Only sizes that nobody asked for may grow.
    if any(side in asked and size[side] > asked[side] for side in size):
        raise TooSmall("x".join(f"{side:g}" for side in size.values()))
    return drawn


@in_style
def save(target, form):
    """Write the figure in a format (svg, pdf, png), the same bytes for the same data, Matplotlib and fonts."""
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
    draw().savefig(target, format=form, metadata=metadata)


if __name__ == "__main__":
    try:
        save(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else sys.argv[1].rpartition(".")[2])
    except TooSmall as error:
        print(error, file=sys.stderr)
        sys.exit(4)
    except IndexError:
        sys.exit("usage: figure.py FILE.pdf (or .svg, .png)")
