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

    def rows() -> list[list[str]]:
        found = [line.split("\t") for line in log.read_text().splitlines()]
        assert {row[0] for row in found} == {file}
        return [row[1:] for row in found]

    def lines() -> list[str]:
        return [row[0] for row in rows() if len(row) == 1]

    names: dict[str, object] = {"__name__": "a"}
    exec(compile(SOURCE, file, "exec", dont_inherit=True), names)
    elsewhere = compile(SOURCE, str(tmp_path / "b.py"), "exec", dont_inherit=True)
    exec(elsewhere, {"__name__": "b"})

    assert names["__doc__"] == "What it is."
    assert names["documented"].__annotations__ == {"return": "Missing"}
    statements = [row for row in rows() if len(row) == 3]
    assert [row for row in statements if not row[2]] == [["8", "8", ""], ["21", "21", ""]]
    assert sorted(int(row[0]) for row in statements if row[2]) == [11, 12, 14, 17, 19]
    assert ["14", "15", "Layer.choose"] in statements
    assert lines() == ["4", "7", "8", "10", "21"]
    assert names["layer"].choose(True) == 3
    assert lines()[5:] == ["11", "12"]
    assert names["layer"].choose(False) is None
    assert lines()[7:] == ["14", "16", "17", "19"]
    assert eval(compile("1 + 1", file, "eval")) == 2
