"""Figures that notebooks show."""
from __future__ import annotations

import csv
import io
import os
import pathlib
from typing import Any, Callable, Mapping, Optional, Union

from ._native import Files, PathLike
from ._results import Results

__all__ = ["Figure", "plot"]


class Figure:
    """A figure, which a notebook shows. It is drawn anew for each output, with gnuplot.

    Examples
    --------
    >>> import starport, tempfile, pathlib
    >>> chart = starport.gantt("platforms/first-try.json", 800, ["Het", "BMM"])
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     chart.save(pathlib.Path(directory, "chart.pdf"))
    """

    def __init__(self, draw: Callable[[str], bytes]) -> None:
        self._draw = draw

    def save(self, path: PathLike) -> None:
        """Write the figure to a file that ends in .svg, .pdf, .png, or .csv for its data."""
        path = pathlib.Path(path)
        path.write_bytes(self._draw(path.suffix.lstrip(".")))

    def _repr_svg_(self) -> str:
        return self._draw("svg").decode()


def draw(kind: str, sources: Mapping[str, Union[str, "os.PathLike[str]"]], *, title: str = "",
         size_cm: Optional[tuple[float, float]] = None, **options: Any) -> Figure:
    """Return a figure of kind `kind` of files: their contents, or their paths."""
    if size_cm is not None:
        options["size"] = f"{size_cm[0]}x{size_cm[1]}"

    def image(suffix: str) -> bytes:
        with Files() as files:
            paths = [str(source) if isinstance(source, os.PathLike) else files.write(source, name, name)
                     for name, source in sources.items()]
            output = files.path(f"figure.{suffix}")
            files.run("plot", paths, figure=kind, output=output, title=title or None, **options)
            return pathlib.Path(output).read_bytes()
    return Figure(image)


def plot(results: Union[Results, PathLike], figure: str, *, title: str = "",
         size_cm: Optional[tuple[float, float]] = None, **options: Any) -> Figure:
    """Return a figure of results, or of the CSV file at a path, as `starport plot` draws it.

    Parameters
    ----------
    results : Results or path
        What `compare` or `sweep` returned, or the file results.csv of a sweep.
    figure : str
        Kind of figure, such as "cost", "lines" or "sorted".
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
    if not isinstance(results, Results):
        return draw(figure, {"results": pathlib.Path(results)}, title=title, size_cm=size_cm, **options)
    frame = [{key: value for key, value in run.items() if value == value} for run in results]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(key for row in frame for key in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(frame)
    return draw(figure, {"results.csv": text.getvalue()}, title=title, size_cm=size_cm, **options)


for _class in (Figure,):
    _class.__module__ = "starport"
