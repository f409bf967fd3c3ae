"""Loads the native module and runs commands of the program."""
from __future__ import annotations

import json
import os
import pathlib
import re
import sys
import tempfile
from types import TracebackType
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Union

from ._errors import InputError

# RTLD_GLOBAL: heuristics in shared libraries call functions of the module.
_flags = sys.getdlopenflags()
sys.setdlopenflags(_flags | os.RTLD_GLOBAL)
try:
    from .lib import _starport as _starport  # noqa: E402
except ImportError as error:
    _built = sorted(path.name for path in (pathlib.Path(__file__).parent / "lib").glob("_starport*.so"))
    raise ImportError(
        f"{error}. This is Python {sys.version.split()[0]}, and Starport was built as {_built}: call the "
        "python3 that it was built for, such as /usr/bin/python3, or run `pip install .` with this one"
    ) from error

sys.setdlopenflags(_flags)

PathLike = Union[str, "os.PathLike[str]"]
PACKAGE = pathlib.Path(__file__).parent


class Output(NamedTuple):
    """What a command printed, and its exit status: 0 success, 1 a run or check failed."""

    status: int
    text: str
    notice: str


def find_file(path: PathLike) -> str:
    """Return `path`, or that of the installed file if it is relative and does not exist."""
    text = os.fspath(path)
    installed = PACKAGE / "share" / "starport" / text
    return str(installed) if not os.path.exists(text) and installed.is_file() else text


def absolute_samples(noise: Any) -> Any:
    """Return noise with the absolute path of its file of samples, if it is an object that names one."""
    if not isinstance(noise, Mapping) or not isinstance(noise.get("samples"), str):
        return noise
    return {**noise, "samples": os.path.abspath(noise["samples"])}


def _argument_names(text: str) -> str:
    """Return a message with names of arguments, `block_size`, for those of options."""
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*)", lambda match: match[1].replace("-", "_"), text)


class Files:
    """Temporary files by which objects are handed to commands; errors name them by their labels."""

    def __init__(self) -> None:
        self._directory: Optional[tempfile.TemporaryDirectory[str]] = None
        self._labels: dict[str, str] = {}

    def __enter__(self) -> "Files":
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if self._directory is not None:
            self._directory.cleanup()

    def path(self, name: str, label: Optional[str] = None) -> str:
        """Return a path for a file of that name, which does not exist yet."""
        if self._directory is None:
            self._directory = tempfile.TemporaryDirectory(prefix="starport-")
        path = os.path.join(self._directory.name, name)
        self._labels[path] = label or name
        return path

    def write(self, content: Union[str, Mapping[str, Any]], name: str, label: str) -> str:
        """Write a text, or an object as JSON, and return the path."""
        path = self.path(name, label)
        pathlib.Path(path).write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return path

    def renamed(self, text: str) -> str:
        """Return a message with the labels for the paths of these files."""
        for path, label in self._labels.items():
            text = text.replace(path, label)
        return text

    def error(self, error: InputError) -> InputError:
        """Return an error of a command in the words of Python."""
        parts = [self.renamed(part) for part in (error.message, error.file, error.place,
                                                 error.expected, error.found, error.hint)]
        return InputError(*map(_argument_names, parts))

    def run(self, command: str, arguments: Iterable[object] = (), /,
            **options: Union[None, str, int, float, bool, "os.PathLike[str]"]) -> Output:
        """Run a command. Options that are None or False are left out, True is a flag."""
        words = [command]
        for key, value in options.items():
            if value is None or value is False:
                continue
            words.append("--" + key.rstrip("_").replace("_", "-"))
            if value is not True:
                words[-1] += "=" + (os.fspath(value) if isinstance(value, os.PathLike) else
                                    str(value))
        positional = [os.fspath(argument) if isinstance(argument, os.PathLike) else str(argument)
                      for argument in arguments]
        if any(text.startswith("-") for text in positional):
            words.append("--")
        try:
            # Encoded, since a path may have bytes that are not UTF-8.
            status, text, notice = _starport.command(list(map(os.fsencode, words + positional)))
        except InputError as error:
            raise self.error(error) from None
        return Output(status, text.decode(errors="replace"), notice.decode(errors="replace"))
