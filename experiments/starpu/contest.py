#!/usr/bin/python3 -B
"""Compares the strategies of the tile model on four machines that StarPU has measured, with GPUs of 350 MiB, of 700 MiB and as
they are, for n from 4 to 32: with one worker a core, with two workers of half of the cores each, and with one worker a core and
the machines' buses. Writes contest.csv and contest.svg beside this file, and prints tables.

Usage: contest.py [STARPORT]        (default: build/release/starport; three minutes. With 'tables' instead, reads contest.csv.)
       contest.py STARPORT held-out   tables of other cases, by which no parameter of ours was chosen; writes nothing
"""
import concurrent.futures
import csv
import itertools
import pathlib
import statistics
import sys
import tempfile

from compare import run

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "plots"))
import figure  # noqa: E402

OURS = "ZoneGrowth"
# Points that the user can choose: the least volume at a time at most this share above the fastest's. Not run with buses.
FRONT = [f"ZoneGrowth[slower={slower}]" for slower in (0.1, 0.25, 0.5)]
# The number of each is that of its colour, as `starport plot` chooses it.
STRATEGIES = {OURS: 15, "EffectiveSteal[cpus=timely]": 21, "EffectiveDyn[cpus=timely]": 22, "ChoiceDyn[cpus=timely]": 23,
              "EffectiveSteal": 4, "DMDA": 8, "DMDAR": 9, "DMDAS": 10, "HeteroPrio": 11, "LWS": 12, "Eager": 13, "DARTS": 14,
              "DARTS[cpus=timely]": 32}
MACHINES = ["sirocco", "mirage", "attila", "idgraf"]
SIZES = (4, 6, 8, 12, 16, 20, 24, 32)
HELD_OUT = (5, 7, 10, 14, 18, 22, 28, "6x12x18", "20x16x4", "12x3x12", "8x40x8")
VARIANTS = {"cores": {}, "grouped": {"grouped": True}, "buses": {"bus": "shipped"}}
COLUMNS = ["variant", "machine", "memory_mib", "n", "strategy", "time_s", "volume_gib", "time_x_bound", "volume_x_bound"]


def measure(starport, machines, sizes, front, path):
    """Runs everything, with the points of `front` unless buses are shared, two processes at a time, and writes a CSV file."""

    def run_case(case):
        variant, *instance = case
        return run(starport, *instance, [*STRATEGIES, *(front if variant != "buses" else [])], **VARIANTS[variant])

    cases = list(itertools.product(VARIANTS, machines, (0, 700, 350), sizes))
    with open(path, "w", newline="") as file, concurrent.futures.ThreadPoolExecutor(2) as pool:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for case, results in zip(cases, pool.map(run_case, cases)):
            for result in results:
                table.writerow([*case, result["heuristic"], f"{result['makespan_s']:.5g}", f"{result['volume_gib']:.5g}",
                                f"{result['times_any_run_bound']:.4f}", f"{result['times_volume_bound']:.4f}"])


def read(path):
    """Returns the rows of a file of measure() by case (variant, machine, memory, n) and strategy."""
    cases = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            case = cases.setdefault((row["variant"], row["machine"], int(row["memory_mib"]), row["n"]), {})
            case[row["strategy"]] = row
            row["volume"] = float(row["volume_x_bound"])
    for case in cases.values():
        best = min(float(row["time_s"]) for row in case.values())
        for row in case.values():
            row["time"] = float(row["time_s"]) / best
    return cases


def split(cases):
    """Returns the cases without and with a limit on the memory of GPUs."""
    return [[case for key, case in cases.items() if (key[2] > 0) == limited] for limited in (False, True)]


def quantiles(values):
    """Returns the first decile, the median and the last decile."""
    cuts = statistics.quantiles(values, n=10, method="inclusive")
    return cuts[0], statistics.median(values), cuts[-1]


def print_tables(cases):
    """Prints tables of all strategies and of the points to choose from, and the cases in which ours misses its aims."""
    for chosen, title in zip(split(cases), ("without a limit", "with 350 or 700 MiB")):
        print(f"\n{len(chosen)} cases {title}:\n")
        print("| strategy | time over the best: median, mean, at most | fastest (within 1 %) | volume over the bound: median, mean, "
              "at most | ZoneGrowth wins, loses |\n| --- | --- | --- | --- | --- |")
        for strategy in [*STRATEGIES, *FRONT]:
            run_in = [case for case in chosen if strategy in case]
            if not run_in:
                continue
            times = [case[strategy]["time"] for case in run_in]
            volumes = [case[strategy]["volume"] for case in run_in]
            wins = sum(case[OURS]["time"] < 0.99 * case[strategy]["time"] for case in run_in)
            losses = sum(0.99 * case[OURS]["time"] > case[strategy]["time"] for case in run_in)
            print(f"| {strategy} | {statistics.median(times):.2f}, {statistics.mean(times):.2f}, {max(times):.2f} | "
                  f"{sum(time <= 1.01 for time in times)} | {statistics.median(volumes):.2f}, {statistics.mean(volumes):.2f}, "
                  f"{max(volumes):.1f} | {'' if strategy == OURS else f'{wins}, {losses}'} |")
    for name in VARIANTS:
        missed = []
        for (variant, machine, memory, n), case in cases.items():
            if variant != name:
                continue
            rival = min((case[strategy] for strategy in STRATEGIES if strategy != OURS), key=lambda row: row["time"])
            ratio = case[OURS]["time"] / rival["time"]
            volume = case[OURS]["volume"]
            if ratio > 1.02 or volume > (2 if memory else 1.25):
                missed.append(f"{machine}, {memory or 'all'}, n = {n}: {ratio:.3f} of {rival['strategy']} "
                              f"({rival['volume']:.2f}), volume {volume:.2f}")
        print(f"\n{name}: {OURS} misses its aims in {len(missed)} of {len(cases) // len(VARIANTS)} cases:")
        print("\n".join(missed))


@figure.in_style
def draw(cases):
    """Draws medians and deciles of all strategies, and the points of ours to choose from, as contest.svg."""
    drawn = figure.make_figure(17, 8.5)
    axes = [drawn.add_subplot(1, 2, number) for number in (1, 2)]
    ours = figure.style_of([{"style": STRATEGIES[OURS]}])["color"]
    for chosen, ax, title in zip(split(cases), axes, ("GPUs with all their memory", "GPUs with 350 or 700 MiB")):
        ax.set(xscale="log", yscale="log", xlim=(0.98, 3), ylim=(0.6, 20))
        front = [[statistics.median(case[point][axis] for case in chosen if FRONT[0] in case) for point in [OURS, *FRONT]]
                 for axis in ("time", "volume")]
        ax.plot(*front, color=ours, linewidth=1, marker=".", markersize=4)
        for strategy, style in reversed(STRATEGIES.items()):  # ours on top
            time = quantiles([case[strategy]["time"] for case in chosen])
            volume = quantiles([case[strategy]["volume"] for case in chosen])
            look = figure.style_of([{"style": style}])
            ax.plot([time[0], time[2]], [volume[1]] * 2, color=look["color"], linewidth=0.7)
            ax.plot([time[1]] * 2, [volume[0], volume[2]], color=look["color"], linewidth=0.7)
            ax.plot(time[1], volume[1], **{**look, "linestyle": "none", "markersize": 5})
        ax.grid()
        figure.caption(ax, "title", title)
        figure.caption(ax, "xlabel", "time over the fastest", True)
    figure.caption(axes[0], "ylabel", "volume over the lower bound", True)
    axes[1].tick_params(labelleft=False)

    def fit(ax):
        figure.fit_axis(ax, "x")
        figure.fit_axis(ax, "y", (0.7, 1, 1.5, 2, 3, 5, 10, 20))

    handles = [figure.sample(figure.style_of([{"style": style}]), strategy, linestyle="none")
               for strategy, style in STRATEGIES.items()]
    handles.append(figure.sample({"color": ours, "linewidth": 1, "marker": ".", "markersize": 4}, "ZoneGrowth[slower=0.1 to 0.5]"))
    handles.append(figure.sample({"color": "#777777", "linewidth": 0.7}, "first to last decile"))
    figure.arrange(drawn, [axes], fit, handles)
    drawn.savefig(HERE / "contest.svg", metadata={"Date": None})


if __name__ == "__main__":
    argument = sys.argv[1] if len(sys.argv) > 1 else "build/release/starport"
    if sys.argv[2:] == ["held-out"]:
        with tempfile.NamedTemporaryFile() as held_out:
            measure(argument, [*MACHINES, "h200"], HELD_OUT, [], held_out.name)
            print_tables(read(held_out.name))
        sys.exit()
    if argument != "tables":
        measure(argument, MACHINES, SIZES, FRONT, HERE / "contest.csv")
    everything = read(HERE / "contest.csv")
    print_tables(everything)
    draw(everything)
