"""A forked process runs what it is told to, whatever the program is that starts it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from pedl2det.verify import processes

pytestmark = pytest.mark.slow


def test_the_main_module_of_the_program_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.py"
    script.write_text("raise SystemExit('it was imported')\n")
    main = ModuleType("__main__")
    main.__file__ = str(script)
    monkeypatch.setitem(sys.modules, "__main__", main)
    before = dict(os.environ)

    process = processes.start("pedl2det.verify.look_up", ["no.such"], tmp_path, tmp_path / "said")
    process.join()

    assert (process.exitcode, (tmp_path / "said").read_text()) == (0, "no.such\n")
    assert sys.modules["__main__"] is main
    assert dict(os.environ) == before
