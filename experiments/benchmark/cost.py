#!/usr/bin/python3 -B
"""Draws what planning and running each heuristic costs: against the workers for about 10^6 transfers, and against the
transfers for 1000 workers.

    experiments/benchmark/cost.py cost.csv cost.svg     # the CSV of build/benchmark/.../heuristics_benchmark
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plots"))
import figure  # noqa: E402


def draw_cost(rows, given=None):
    """Draw both axes."""
    rows = [row for row in rows if row["workers"] == "different" and row["cpu_s"]]
    drawn = figure.make_figure(17, 8)
    axes = [drawn.add_subplot(1, 2, number) for number in (1, 2)]
    handles = []
    for name, own in figure.by(rows, "heuristic").items():
        look = figure.style_of(own)
        for ax, column, fixed, value in zip(axes, ("p", "asked"), ("asked", "p"), (1e6, 1000)):
            points = sorted((float(row[column]), float(row["cpu_s"])) for row in own if float(row[fixed]) == value)
            ax.plot(*zip(*points), **look)
        handles.append(figure.sample(look, name))
    for ax, caption, column in zip(axes, ("workers, for about 10⁶ transfers", "transfers asked for, over 1000 workers"), ("p", "asked")):
        figure.limits(ax, "x", [float(row[column]) for row in rows], True)
        figure.limits(ax, "y", [float(row["cpu_s"]) for row in rows], True)
        figure.caption(ax, "xlabel", caption, True)
        ax.grid()
    figure.caption(axes[0], "ylabel", "CPU time (s)", True)

    def fit(ax):
        figure.fit_axis(ax, "x")
        figure.fit_axis(ax, "y")

    figure.arrange(drawn, [axes], fit, handles)
    return drawn


if __name__ == "__main__":
    figure.SETTINGS.update(kind="cost", log="xy")
    figure.DATA = pathlib.Path(sys.argv[1]).read_text()
    figure.draw_cost = draw_cost
    figure.save(sys.argv[2], sys.argv[2].rpartition(".")[2])
