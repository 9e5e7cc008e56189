"""The migration tool as variants call it: the only file that knows its entry points."""

from __future__ import annotations

import enum
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from pedl2det.engine import Options, Result, migrate
from zygote import Zygote

MARK = "TODO(pedl2det"


class Outcome(enum.StrEnum):
    """What became of a trial."""

    FINISHED = "finished"  # rewritten, and nothing is left to a person
    BEGUN = "begun"  # rewritten, with marks
    LEFT = "left"  # not touched
    CRASHED = "crashed"  # an error of the tool


@dataclass(frozen=True)
class Migration:
    """A migration of one directory.

    Attributes:
        outcome: what became of the trial.
        output: what the tool said.
        files: how many files changed.
    """

    outcome: Outcome
    output: str
    files: int


def migrate_in_process(directory: Path) -> Migration:
    """Migrate a directory in place, without a process of its own."""
    try:
        result = migrate([directory], Options(partial=True))
    except Exception as error:  # what it raises is what a campaign counts
        return Migration(Outcome.CRASHED, f"{type(error).__name__}: {error}", 0)
    for file in result.files:
        file.path.write_bytes(file.new)
    text = "\n".join(str(finding) for finding in result.findings)
    return Migration(_outcome(directory, _is_done(result)), text, len(result.files))


def migrate_by_command(directory: Path) -> Migration:
    """Migrate a directory in place with the command line."""
    before = _code(directory)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pedl2det",
            "migrate",
            "--force",
            "--no-verify",
            "--jobs",
            "1",
            str(directory),
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "XDG_STATE_HOME": str(directory.parent / "state")},
    )
    text = done.stdout + done.stderr
    if done.returncode not in (0, 1):
        return Migration(Outcome.CRASHED, text, 0)
    after = _code(directory)
    changed = sum(before.get(path) != new for path, new in after.items())
    return Migration(_outcome(directory, done.returncode == 0), text, changed)


class Trainer:
    """Runs `pedl2det run` and `verify` in processes forked from one that has TensorFlow."""

    def __init__(self) -> None:
        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
        self._zygote = Zygote()

    def __enter__(self) -> Trainer:
        return self

    def __exit__(self, *_: object) -> None:
        self._zygote.stop()

    def run(self, directory: Path, config: Path, out: Path, batches: int) -> tuple[int, str]:
        """Train a trial; `out` receives `batches.jsonl` and `metrics.jsonl`."""
        options = ["--trace", "--slots", "1", "--max-batches", str(batches), "--out", str(out)]
        return self._call(directory.parent, "run", str(directory), "-c", str(config), *options)

    def verify(self, directory: Path, config: Path, batches: int) -> tuple[int, str]:
        """Migrate a copy of a trial and compare both trainings."""
        options = ["-c", str(config), "--batches", str(batches)]
        return self._call(directory.parent, "verify", str(directory), *options)

    def _call(self, cwd: Path, *arguments: str) -> tuple[int, str]:
        process = self._zygote.start(list(arguments), cwd, dict(os.environ))
        said, errors = process.communicate()
        assert process.returncode is not None
        return process.returncode, said + errors


def prepare_imports() -> None:
    """Load TensorFlow and serve `import determined`, as `pedl2det run` does."""
    from pedl2det_runtime import stub_path
    from pedl2det_runtime.backends import keras_versions

    keras_versions.choose_keras_2()
    stub_path.serve_first()
    keras_versions.load_tensorflow()


def _outcome(directory: Path, is_done: bool) -> Outcome:
    if any(MARK in text for text in _code(directory).values()):
        return Outcome.BEGUN
    return Outcome.FINISHED if is_done else Outcome.LEFT


def _is_done(result: Result) -> bool:
    finished = all(one.status.is_finished for one in result.outcomes)
    return finished and not any(one.kind.is_left for one in result.findings)


def _code(directory: Path) -> dict[Path, str]:
    paths = [path for path in directory.rglob("*") if path.suffix in (".py", ".yaml", ".yml")]
    return {path: path.read_text(encoding="utf-8") for path in paths}
