"""Statements are marked as executed, and mean what they meant."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path

import pytest

from pedl2det.verify.executed import Executed

SOURCE = '''\
"""What it is."""
from __future__ import annotations

def documented() -> Missing:
    """Nothing else."""

class Layer:
    __size = 3

    def choose(self, value):
        if value:
            return self.__size
        else:
            value = [number
                     for number in range(2)]
        try:
            return value[7]
        except IndexError:
            return documented()

layer = Layer()
'''


def test_each_statement_is_written_when_it_is_first_executed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builtins, "compile", compile)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file, log = str(tmp_path / "trial" / "a.py"), tmp_path / "log"
    executed = Executed(str(tmp_path / "trial"), str(log))
    executed.watch()

    def lines() -> list[str]:
        return [line.removesuffix(f" {file}") for line in log.read_text().splitlines()]

    names: dict[str, object] = {"__name__": "a"}
    exec(compile(SOURCE, file, "exec", dont_inherit=True), names)
    elsewhere = compile(SOURCE, str(tmp_path / "b.py"), "exec", dont_inherit=True)
    exec(elsewhere, {"__name__": "b"})

    assert names["__doc__"] == "What it is."
    assert names["documented"].__annotations__ == {"return": "Missing"}
    assert lines() == ["2", "4", "7", "8", "10", "21"]
    assert names["layer"].choose(True) == 3
    assert lines()[6:] == ["11", "12"]
    assert names["layer"].choose(False) is None
    assert lines()[8:] == ["14", "16", "17", "19", "5"]
    assert eval(compile("1 + 1", file, "eval")) == 2
