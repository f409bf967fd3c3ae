"""The exceptions of the package."""
from __future__ import annotations

__all__ = ["InputError", "NotApplicable", "SimulationError"]


class InputError(ValueError):
    """Bad input: a file, an argument or a value that is refused. Nothing was run.

    Attributes
    ----------
    file : str
        Path of the file at fault; "platform" or "noise" for one that was given as an object; "" if
        an argument is at fault.
    place : str
        JSON pointer, line, or name of the argument; may be "".
    expected, found : str
        What is accepted there, and what was given. `expected` is "" when `found` is a sentence.
    hint : str
        How to mend it, such as the name that was probably meant; may be "".

    Examples
    --------
    >>> import starport
    >>> try:
    ...     starport.compare("platforms/first-try.json", 800, "Hett")
    ... except starport.InputError as error:
    ...     print(error.place, "|", error.found, "|", error.hint[:19])
    heuristics | 'Hett' is not a heuristic or a group | did you mean 'Het'?
    """

    def __init__(self, message: str, file: str = "", place: str = "", expected: str = "",
                 found: str = "", hint: str = "") -> None:
        super().__init__(message, file, place, expected, found, hint)
        self.message = message
        self.file = file
        self.place = place
        self.expected = expected
        self.found = found
        self.hint = hint

    def __str__(self) -> str:
        return self.message


class SimulationError(RuntimeError):
    """A run failed: the heuristic raised an exception, broke the model, or ran out of time.

    If a heuristic in Python raised it, the traceback there is printed with it.

    Examples
    --------
    >>> import starport
    >>> def fails(view: starport.View) -> int:
    ...     return 1 // 0
    >>> run, = starport.compare("platforms/first-try.json", 800, fails)
    >>> run.error
    'ZeroDivisionError: integer division or modulo by zero (<doctest starport.SimulationError[1]>:2)'
    >>> run.raise_for_status()  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    starport.SimulationError: fails: ZeroDivisionError: integer division or modulo by zero
    """


class NotApplicable(Exception):
    """Raised by a heuristic that does not apply to a platform or product. Its row gives the reason.

    Examples
    --------
    >>> import starport
    >>> class Pair:
    ...     def plan(self, platform: starport.Star, problem: starport.Problem) -> starport.Decide:
    ...         raise starport.NotApplicable(f"{len(platform.workers)} workers are not 2")
    >>> run, = starport.compare("platforms/first-try.json", 800, Pair())
    >>> run.status, run.error
    ('not applicable', '3 workers are not 2')
    """


class HeuristicTraceback(Exception):
    """The cause of a SimulationError: prints the traceback of a function in the run's process."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f'\n"""\n{self.text.rstrip()}\n"""'


for _error in (InputError, SimulationError, NotApplicable):
    _error.__module__ = "starport"
