"""`starport sweep --executor`: runs a sweep on MPI or Dask. The program starts it with `python3 -m starport`."""
from __future__ import annotations

import argparse
import contextlib
import logging
import signal
import sys
from concurrent.futures import Executor
from typing import Any, Iterator, Optional

from ._errors import InputError, SimulationError
from ._sweeps import sweep


@contextlib.contextmanager
def _executor(name: str) -> Iterator[Optional[Executor]]:
    """Yield the executor of `mpi` or `dask://HOST:PORT`; None in the other ranks of MPI, once it has ended."""
    if name == "mpi":
        try:
            from mpi4py.futures import MPICommExecutor
        except ImportError as error:
            raise InputError(f"--executor: mpi needs mpi4py ({error}). Debian: apt install python3-mpi4py", "",
                             "--executor") from None
        with MPICommExecutor() as executor:
            yield executor
        return
    try:
        import distributed
    except ImportError as error:
        raise InputError(f"--executor: Dask needs distributed ({error}). Debian: apt install python3-distributed", "",
                         "--executor") from None
    connect: Any = distributed.Client
    try:
        client = connect("tcp://" + name.partition("://")[2], timeout=10)
    except OSError as error:
        raise InputError(f"--executor: no Dask scheduler answers at {name}: {error}", "", "--executor") from None
    with client:
        yield client.get_executor()


def main() -> int:
    """Run the sweep of the command line, which `starport sweep` has checked."""
    parser = argparse.ArgumentParser(prog="starport sweep")
    parser.add_argument("specification")
    parser.add_argument("--output", required=True)
    parser.add_argument("--executor", required=True)
    parser.add_argument("--engine", default="simgrid")
    parser.add_argument("--time-limit", type=float, default=3600.0)
    parser.add_argument("--cross-check", type=float, default=0.0)
    parser.add_argument("--resume", action="store_true")
    given = parser.parse_args()
    log = logging.getLogger("starport")  # lines of progress, where standard error is no terminal
    log.addHandler(logging.StreamHandler())
    log.handlers[-1].setFormatter(logging.Formatter("starport: %(message)s"))
    log.setLevel(logging.INFO)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stops in good order, as Ctrl-C does
    try:
        with _executor(given.executor) as executor:
            if executor is None:
                return 0
            results = sweep(given.specification, given.output, engine=given.engine, time_limit_s=given.time_limit,
                            cross_check=given.cross_check, resume=given.resume, executor=executor)
    except KeyboardInterrupt:
        print("starport: stopped; to go on, give --resume", file=sys.stderr)
        return 130
    except (InputError, SimulationError) as error:
        print(f"starport: {error}", file=sys.stderr)
        return 2 if isinstance(error, InputError) else 1
    failed = sum(run.status == "error" for run in results)
    print(f"{given.output}/results.csv: {len(results)} rows, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
