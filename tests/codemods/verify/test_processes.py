"""A forked process runs what it is told to, whatever the program is that starts it."""

from __future__ import annotations

import os
import sys
import time
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest

from pedl2det.verify import processes

pytestmark = pytest.mark.slow

COMMAND = ["pedl2det.verify.look_up", "no.such"]


def test_the_main_module_of_the_program_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.py"
    script.write_text("raise SystemExit('it was imported')\n")
    main = ModuleType("__main__")
    main.__file__ = str(script)
    monkeypatch.setitem(sys.modules, "__main__", main)
    before = dict(os.environ)

    started: list[BaseProcess] = []
    processes.start(COMMAND, tmp_path, tmp_path / "said", started)
    (process,) = started
    process.join()

    assert (process.exitcode, (tmp_path / "said").read_text()) == (0, "no.such\n")
    assert sys.modules["__main__"] is main
    assert dict(os.environ) == before


def test_what_was_stopped_before_it_could_be_ended_does_nothing(tmp_path: Path) -> None:
    class Stopped(list[BaseProcess]):
        def append(self, process: BaseProcess) -> NoReturn:
            raise SystemExit

    said = tmp_path / "said"
    with pytest.raises(SystemExit):
        processes.start(COMMAND, tmp_path, said, Stopped())
    until = time.monotonic() + 3
    while not said.read_text() and time.monotonic() < until:
        time.sleep(0.05)

    assert said.read_text() == ""
