"""How a run looks: a bar on a terminal, lines in a pipe, JSON for programs, or nothing."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import shlex
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from pedl2det.errors import Pedl2DetError, report_defect
from pedl2det.terminal import Quiet, display
from pedl2det.terminal.bar import Bar
from pedl2det.visible import visible_lines
from pedl2det_runtime.checkpoint.manager import Best
from pedl2det_runtime.training.display import Ended, Report, format_time
from pedl2det_runtime.training.run_options import RunOptions
from support import ROOT, pedl2det, read_tree, write_tree
from test_run import CONFIG, MODEL, SMALL, reports

NOTICED = {**SMALL, "const.yaml": CONFIG + "max_restarts: 3\ndescription: small\n"}


OLD_CONFIG = """\
description: small
entrypoint: model_def:T
hyperparameters: {batch_size: 8}
batches_per_step: 20
searcher: {name: single, metric: val_loss, max_steps: 1}
"""


def trained(tmp_path: Path, *arguments: str) -> Any:
    trial = write_tree(tmp_path / "trial", NOTICED)
    done = pedl2det("run", trial, "--out", tmp_path / "out", *arguments)
    assert done.returncode == 0, done.stderr
    return done


def best_of(out: Path) -> dict[str, Any]:
    validations = [one for one in reports(out) if one["kind"] == "validation"]
    return min(validations, key=lambda one: one["metrics"]["val_loss"])


@pytest.mark.slow
def test_in_a_pipe_a_run_ends_with_its_best_validation(tmp_path: Path) -> None:
    done = trained(tmp_path, "--set", "checkpoint_policy=all")

    *_, ended, best = done.stdout.splitlines()
    assert re.fullmatch(
        rf"trained 60 batches in \d+\.\d s; results in {re.escape(str(tmp_path / 'out'))}", ended
    )
    value, path = best.removeprefix("best val_loss ").split(" at batch ")
    expected = best_of(tmp_path / "out")
    batches, checkpoint = path.split(": ")
    assert float(value) == pytest.approx(expected["metrics"]["val_loss"], rel=1e-5)
    assert int(batches) == expected["batches"]
    metadata = json.loads((Path(checkpoint) / "metadata.json").read_text())
    assert metadata["steps_completed"] == expected["batches"]


@pytest.mark.slow
def test_for_programs_each_line_is_an_object_with_an_event(tmp_path: Path) -> None:
    done = trained(tmp_path, "--log-format", "json")

    begin, *events, end = map(json.loads, done.stdout.splitlines())
    told = [one for one in events if one["event"] != "notice"]
    written = reports(tmp_path / "out")
    assert begin == {"event": "begin", "title": "small", "seed": begin["seed"]} | {
        "out": str(tmp_path / "out")
    }
    assert [one["event"] for one in told] == [one["kind"] for one in written]
    assert [one["metrics"] for one in told] == [one["metrics"] for one in written]
    assert {one["total"] for one in told} == {60}
    assert (end["event"], end["batches"]) == ("end", 60)
    assert end["best"]["batches"] == best_of(tmp_path / "out")["batches"]


@pytest.mark.slow
def test_programs_get_the_best_of_a_trial_that_shows_people_no_reports(tmp_path: Path) -> None:
    """A search is such a program."""
    wraps = "        model = self.context.wrap_model("
    silent = MODEL.replace(wraps, f"        self.context.configure_fit(verbose=False)\n{wraps}")
    assert silent != MODEL
    trial = write_tree(tmp_path / "trial", NOTICED | {"model_def.py": silent})

    shown = pedl2det("run", trial, "--out", tmp_path / "shown")
    told = pedl2det("run", trial, "--out", tmp_path / "told", "--log-format", "json")

    assert shown.returncode == told.returncode == 0, told.stderr
    assert "val_loss" not in shown.stdout
    end = json.loads(told.stdout.splitlines()[-1])
    last = reports(tmp_path / "told")[-1]["metrics"]["val_loss"]
    assert end["last"] == last
    assert end["best"]["value"] == best_of(tmp_path / "told")["metrics"]["val_loss"]


@pytest.mark.slow
def test_a_quiet_run_prints_notices_on_stderr_and_nothing_else(tmp_path: Path) -> None:
    done = trained(tmp_path, "--quiet")

    assert done.stdout == ""
    assert "max_restarts" in done.stderr
    assert "training" not in done.stderr


@pytest.mark.slow
def test_on_a_terminal_a_run_shows_a_bar_and_how_to_go_on(tmp_path: Path) -> None:
    old = {"const.yaml": OLD_CONFIG}
    trial = write_tree(tmp_path / "trial", NOTICED | old)
    ours, its = pty.openpty()
    command = [sys.executable, "-m", "pedl2det", "run", str(trial), "--out", "out"]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
    process = subprocess.Popen(
        command, stdout=its, stderr=subprocess.PIPE, env=environment, text=True, cwd=tmp_path
    )
    os.close(its)
    shown = seen(ours)
    assert process.wait() == 0, process.stderr and process.stderr.read()

    assert re.search(r"^ +batch +epoch +val_loss$", shown, re.MULTILINE)
    assert "tensorboard --logdir out/tensorboard" in shown
    (command,) = re.findall("^train twice as long: pedl2det (.*)$", shown, re.MULTILINE)
    assert command == f"run {trial} --out out --set searcher.max_steps=2 --resume"

    longer = pedl2det(*shlex.split(command), cwd=tmp_path)

    assert longer.returncode == 0, longer.stderr
    assert re.search(r"^trained 20 batches in \d+\.\d s, 40 in all; ", longer.stdout, re.MULTILINE)
    assert_says_at_once_that_nothing_is_left(shlex.split(command), tmp_path)


def assert_says_at_once_that_nothing_is_left(command: list[str], cwd: Path) -> None:
    """Without TensorFlow, which cannot be imported; but not if the code has changed since."""
    broken = write_tree(cwd / "broken", {"tensorflow.py": "raise ImportError('not needed')\n"})
    path = os.pathsep.join([str(broken), os.environ.get("PYTHONPATH", "")])
    files = read_tree(cwd / "out")

    told = pedl2det(*command, "--log-format=json", cwd=cwd, PYTHONPATH=path)
    said = pedl2det(*command, cwd=cwd, PYTHONPATH=path)

    assert (told.returncode, said.returncode) == (0, 0), told.stderr + said.stderr
    begin, end = map(json.loads, told.stdout.splitlines())
    best = best_of(cwd / "out")
    assert (begin["event"], begin["seed"]) == ("begin", 0)
    assert (end["trained"], end["batches"], end["seconds"]) == (0, 40, 0.0)
    assert end["best"]["value"] == best["metrics"]["val_loss"]
    assert end["last"] == reports(cwd / "out")[-1]["metrics"]["val_loss"]
    first, second, *_ = said.stdout.splitlines()
    assert first == "small: seed 0"
    assert second == "nothing is left to train: 40 batches are trained; results in out"
    assert read_tree(cwd / "out") == files
    (cwd / "trial" / "model_def.py").write_text(MODEL + "# changed\n")
    assert "not needed" in pedl2det(*command, cwd=cwd, PYTHONPATH=path).stderr


def seen(terminal: int) -> str:
    """What stands on a terminal at the end."""
    written = b""
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:  # its other end is closed
            break
        if not more:
            break
        written += more
    os.close(terminal)
    return "\n".join(lines_on_screen(written.decode().replace("\r\n", "\n")))


def lines_on_screen(written: str) -> list[str]:
    """Lines without colours and movements, and without what was overwritten."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written)
    return [line.rsplit("\r", 1)[-1].rstrip() for line in plain.split("\n")]


def shown_by_bar(*events: Report | Ended) -> list[str]:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=100, color_system=None)
    options = RunOptions(Path("iris"), Path("runs/iris"), overrides=("searcher.max_steps=5", "a=1"))
    with Bar(Path("runs/iris"), partial(options.to_resume, begun=True), console) as bar:
        for event in events:
            if isinstance(event, Ended):
                bar.end(event, verbose=True)
            else:
                bar.advance(event.batches, 10_000)
                bar.report(event, 10_000)
    return lines_on_screen(written.getvalue().rstrip("\n"))


LONGER = "searcher.max_steps=10"


def validation(batches: int, loss: float, *, is_best: bool = False) -> Report:
    metrics = {"val_loss": loss, "val_accuracy_of_all": 0.5}
    return Report("validation", batches, batches / 100, metrics, is_best)


def test_validations_are_rows_of_one_table() -> None:
    lines = shown_by_bar(validation(500, 0.25, is_best=True), validation(10_000, 1.0 / 3))

    table = [line for line in lines if "val_loss" in line or "0.25" in line or "0.33" in line]
    assert table == [
        "   batch     epoch   val_loss  val_accuracy_of_all",
        "     500      5.00       0.25                  0.5  best",
        "  10,000    100.00   0.333333                  0.5",
    ]


def test_the_end_names_what_can_be_done_with_a_run() -> None:
    lines = shown_by_bar(
        validation(500, 0.25),
        Ended(500, 300, 125.0, Best("val_loss", 0.25, 500, "1234"), continue_with=(LONGER,)),
    )

    assert lines[-4:] == [
        "trained 300 batches in 2 min 5 s, 500 in all; results in runs/iris",
        "best val_loss 0.25 at batch 500: runs/iris/checkpoints/1234",
        "curves: tensorboard --logdir runs/iris/tensorboard",
        "train twice as long: pedl2det run iris --out runs/iris --set a=1 --set "
        "searcher.max_steps=10 --resume",
    ]


@pytest.mark.parametrize(
    ("continue_with", "last"),
    [
        ((), "train the rest: pedl2det run iris --out runs/iris --set searcher.max_steps=5 "),
        (None, "curves: tensorboard"),  # a callback stopped it: a resume would train nothing
    ],
)
def test_the_end_names_only_a_command_that_trains(
    continue_with: tuple[str, ...] | None, last: str
) -> None:
    lines = shown_by_bar(Ended(500, 500, 1.0, None, continue_with=continue_with))

    assert lines[-1].startswith(last)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.04, "0.0 s"), (59.94, "59.9 s"), (61, "1 min 1 s"), (7_260, "2 h 1 min")],
)
def test_durations_are_read_by_people(seconds: float, shown: str) -> None:
    assert format_time(seconds) == shown


ESCAPE = "\x1b[2J\x1b]0;title\x07\u202e"
SHOWN = r"\x1b[2J\x1b]0;title\x07\u202e"


def test_no_escape_of_a_name_or_an_error_reaches_the_terminal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """File names, metrics and texts of exceptions are somebody else's."""
    Pedl2DetError(f"{ESCAPE} is damaged").show()
    report_defect(ValueError(ESCAPE))
    Quiet().say(ESCAPE)
    with display(tmp_path, lambda _: "", quiet=False, as_json=False) as lines:
        lines.say(ESCAPE)
        lines.report(Report("validation", 5, 0.0, {ESCAPE: 0.5}), 10)
    console = Console(file=io.StringIO(), force_terminal=False, width=200)
    bar = Bar(tmp_path, lambda _: "", console)
    bar.say(ESCAPE)
    bar.report(Report("validation", 5, 0.0, {ESCAPE: 0.5}), 10)

    captured = capsys.readouterr()
    drawn = console.file.getvalue()  # type: ignore[attr-defined]
    for text, count in ((captured.out, 2), (captured.err, 4), (drawn, 2)):
        assert text.count(SHOWN) == count
        assert not re.search("[\x1b\x07\u202e]", text)


def test_a_stack_keeps_its_lines() -> None:
    assert visible_lines(f"a:\n\tb{ESCAPE}\n") == f"a:\n\tb{SHOWN}\n"


def test_one_place_prints() -> None:
    """The others print what they have made visible and coloured themselves, or what is JSON."""
    source = ROOT / "codemods" / "pedl2det"
    files = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if "click.echo" in path.read_text(encoding="utf-8")
    }
    assert files == {
        "visible.py",
        "commands/migrate.py",  # coloured, and the user's own lines
        "commands/run.py",  # what a trial prints on ranks
        "commands/verify.py",  # coloured
        "terminal/__init__.py",
    }
