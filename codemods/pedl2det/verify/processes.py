"""Processes that train: each is forked from one that has imported TensorFlow, which takes seconds.

Where TensorFlow cannot be forked, each imports it by itself.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys
import tempfile
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import ModuleType
from typing import Any

from pedl2det.engine import end_with_parent
from pedl2det.errors import Pedl2DetError


def start(command: list[str], cwd: Path, errors: Path, started: list[BaseProcess]) -> None:
    """Start ``python -m command``, which writes to a file what it says to stderr.

    It does nothing before it is in ``started``, for the caller to end, and ends with the process
    that starts it, however that ends.

    Raises:
        Pedl2DetError: the process that imports TensorFlow was killed, as by a wrong kind of CPU.
    """
    own, main = dict(os.environ), sys.modules["__main__"]
    environment = {"PYTHONHASHSEED": "0"} | own  # a set of strings has the same order in all
    may_fork = sys.platform == "linux" and len(tempfile.gettempdir()) <= 70  # or no socket fits
    context: Any = multiprocessing.get_context("forkserver" if may_fork else "spawn")
    multiprocessing.set_forkserver_preload(["pedl2det.verify.preloaded"])
    turn, begin = context.Pipe(duplex=False)
    process: BaseProcess = context.Process(
        target=_become, args=(turn, command, cwd, errors, environment), name="MainProcess"
    )
    errors.touch()  # it may end before it writes
    os.environ.update(environment)  # which the server reads when it starts
    sys.modules["__main__"] = ModuleType("__main__")  # or each would import our own
    try:
        process.start()
    except EOFError:
        raise Pedl2DetError("TensorFlow ends Python when it is imported: pedl2det doctor") from None
    finally:
        sys.modules["__main__"] = main
        for name in environment.keys() - own.keys():
            del os.environ[name]
    started.append(process)
    begin.send(None)


def _become(
    turn: Connection, command: list[str], cwd: Path, errors: Path, environment: dict[str, str]
) -> None:
    try:
        turn.recv()
    except EOFError:  # stopped while it waited for TensorFlow
        os._exit(1)
    for path, number in ((Path(os.devnull), 1), (errors, 2)):
        with path.open("wb") as file:
            os.dup2(file.fileno(), number)
    end_with_parent()
    multiprocessing.set_start_method(None, force=True)  # that of a process by itself
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed()  # what Python's own generator does at every fork
    sys.argv = command
    runpy.run_module(command[0], run_name="__main__", alter_sys=True)
