"""migrate in several processes, and the progress that a terminal shows."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from migrating import TRIAL, run, trials
from pedl2det.engine import in_order
from pedl2det.errors import Pedl2DetError
from support import read_tree, write_tree


def test_several_processes_say_and_write_what_one_does(tmp_path: Path) -> None:
    one, two = trials(tmp_path / "one", 7), trials(tmp_path / "two", 7)
    for root in (one, two):
        for trial, nets in (
            ("t3", "import pedl\nL = pedl.Experiment()\n"),
            ("t5", "print 'two'\n"),
        ):
            model = f"import nets\n{TRIAL['model_def.py']}"
            write_tree(root, {f"{trial}/nets.py": nets, f"{trial}/model_def.py": model})

    said = [run("--jobs", count, root) for count, root in ((1, one), (3, two))]

    assert said[0].exit_code == said[1].exit_code == 1
    assert "5 of 7 trials rewritten" in said[0].output
    assert said[0].output == said[1].output.replace(str(two), str(one))
    assert read_tree(one) == read_tree(two)


def test_processes_are_used_where_they_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    def process(_: int) -> int:
        return os.getpid()

    assert set(in_order(process, list(range(5)), 4)) == {os.getpid()}
    assert set(in_order(process, list(range(20)), 1)) == {os.getpid()}
    several = set(in_order(process, list(range(20)), 2))
    assert os.getpid() not in several
    assert 1 <= len(several) <= 2


def test_a_process_that_is_killed_is_told() -> None:
    def work(item: int) -> int:
        if item == 7:
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    with pytest.raises(Pedl2DetError, match="a process was killed .* try --jobs 1"):
        list(in_order(work, list(range(10)), 2))


def test_a_defect_in_a_process_is_a_defect() -> None:
    def work(item: int) -> float:
        return 1 / (item - 4)

    with pytest.raises(ZeroDivisionError):
        list(in_order(work, list(range(10)), 2))


KILLED = """\
import os, time
from pedl2det.engine import in_order
def work(item):
    os.write(1, b"%d\\n" % os.getpid())  # one write a line
    time.sleep(600)
list(in_order(work, list(range(10)), 2))
"""


@pytest.mark.kills
def test_processes_end_with_the_one_that_started_them() -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            lines = [process.stdout.readline() for _ in range(2)]
        finally:
            process.kill()
        process.stdout.read()  # until nobody may write to it any more
    assert len({int(line) for line in lines} | {process.pid}) == 3
