"""Figures that notebooks show."""
from __future__ import annotations

import csv
import io
import os
import pathlib
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Union, cast

from ._errors import InputError
from ._native import Files, PathLike
from ._results import Results, Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DrawnResult", "Figure", "plot"]


class Figure:
    """A figure, which a notebook shows. Matplotlib draws it, by the script that `starport plot` uses.

    Examples
    --------
    >>> import starport, tempfile, pathlib
    >>> chart = starport.gantt("platforms/first-try.json", 800, ["Het", "BMM"])
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     chart.save(pathlib.Path(directory, "chart.pdf"))
    """

    def __init__(self, write: Callable[[str], bytes]) -> None:
        self._write = write  # by ending: the script of the figure, or its data

    def _call(self, function: str, *arguments: object) -> Any:
        """Call a function of the script of the figure."""
        script: dict[str, Any] = {"__name__": "starport_figure"}
        exec(compile(self._write("py"), "figure.py", "exec"), script)
        try:
            return script[function](*arguments)
        except script["TooSmall"] as error:
            raise InputError(f"size_cm: this figure needs at least {error}", "", "size_cm",
                             f"at least {error}", "less") from None
        except script["ManyAxes"] as error:
            raise InputError(f"ax: {error}", "", "ax") from None

    def save(self, path: PathLike) -> None:
        """Write the figure to a file: .svg, .pdf, .png, .csv for its data, .py for its script.

        Examples
        --------
        >>> import starport, tempfile, pathlib
        >>> chart = starport.gantt("platforms/first-try.json", 800, "Het")
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     chart.save(pathlib.Path(directory, "chart.csv"))
        """
        path = pathlib.Path(path)
        suffix = path.suffix.lstrip(".")
        if suffix in ("svg", "pdf", "png"):
            self._call("save", path, suffix)
        else:
            path.write_bytes(self._write(suffix))

    def plot(self, ax: Optional["Axes"] = None) -> "Axes":
        """Draw the figure on axes of Matplotlib, new ones by default, and return these (the first ones if it has several).

        Given axes keep their place and size; the title of the figure, its size, and a panel for each heuristic are for
        figures of their own.

        Raises
        ------
        InputError
            If the figure has axes for each of several problems, and `ax` is given.

        Examples
        --------
        >>> import starport
        >>> results = starport.compare("platforms/first-try.json", 800, ["Het", "BMM"])
        >>> starport.plot(results, "cost").plot().get_ylabel()
        'relative cost'
        """
        drawn = self._call("draw", ax)
        return ax if ax is not None else cast("Axes", drawn.axes[0])

    def _repr_svg_(self) -> str:
        picture = io.BytesIO()
        self._call("save", picture, "svg")
        return picture.getvalue().decode()


class DrawnResult(dict[str, Any]):
    """What `partition` and `compare_runs` return: a dict, with a figure that notebooks show.

    Attributes
    ----------
    figure : Figure
        The figure, drawn when it is used.

    Examples
    --------
    >>> import starport
    >>> result = starport.partition([1, 1, 4, 9])
    >>> sorted(result)
    ['bound', 'cost', 'dimensions', 'method', 'processors', 'ratio']
    >>> axes = result.figure.plot()
    """

    def __init__(self, run: Callable[[Optional[PathLike]], Mapping[str, Any]], output: Optional[PathLike]) -> None:
        """Run a command that can write its figure to a path."""
        super().__init__(run(output))

        def write(suffix: str) -> bytes:
            with Files() as files:
                path = files.path(f"figure.{suffix}")
                run(path)
                return pathlib.Path(path).read_bytes()
        self.figure = Figure(write)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)

    def _repr_svg_(self) -> str:
        return self.figure._repr_svg_()


def draw(kind: str, sources: Mapping[str, Union[str, "os.PathLike[str]"]], *, title: str = "",
         size_cm: Optional[tuple[float, float]] = None, **options: Any) -> Figure:
    """Return a figure of kind `kind` of files: their contents, or their paths."""
    if size_cm is not None:
        options["size"] = f"{size_cm[0]}x{size_cm[1]}"

    def write(suffix: str) -> bytes:
        with Files() as files:
            paths = [str(source) if isinstance(source, os.PathLike) else files.write(source, name, name)
                     for name, source in sources.items()]
            output = files.path(f"figure.{suffix}")
            files.run("plot", paths, figure=kind, output=output, title=title or None, **options)
            return pathlib.Path(output).read_bytes()
    return Figure(write)


def plot(results: Union[Results, Trace, PathLike], figure: str, *, title: str = "",
         size_cm: Optional[tuple[float, float]] = None, **options: Any) -> Figure:
    """Return a figure of results, of a trace, or of the CSV file at a path, as `starport plot` draws it.

    Parameters
    ----------
    results : Results, Trace or path
        What `compare`, `sweep` or `trace` returned, or the file results.csv of a sweep.
    figure : str
        Kind of figure, such as "cost", "lines" or "sorted"; "gantt" or "memory" of a trace.
    title : str
        Title above the figure.
    size_cm : (float, float), optional
        Width and height in cm.
    **options
        Options of `starport plot`, such as x="ratio", value="relative_cost", log="x", where="...".

    Examples
    --------
    >>> import starport
    >>> results = starport.compare("platforms/first-try.json", 800, ["Het", "BMM"])
    >>> figure = starport.plot(results, "cost")
    """
    if isinstance(results, Trace):
        return draw(figure, {"trace.csv": results.text}, title=title, size_cm=size_cm, **options)
    if not isinstance(results, Results):
        return draw(figure, {"results": pathlib.Path(results)}, title=title, size_cm=size_cm, **options)
    frame = [{key: value for key, value in run.items() if value == value and not isinstance(value, (dict, list))}
             for run in results]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(key for row in frame for key in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(frame)
    return draw(figure, {"results.csv": text.getvalue()}, title=title, size_cm=size_cm, **options)


for _class in (DrawnResult, Figure):
    _class.__module__ = "starport"
