"""What several test files use: the command line in a process, and trees of files."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from zygote import Forked, Zygote

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "legacy_examples"
LEGACY = ("iris", "digits")
#: All that are written for the APIs that migrate rewrites.
OLD_EXAMPLES = (
    *("iris", "digits", "digits_keras_trial", "wine_two_outputs", "cancer_dataset"),
    *("digits_script", "iris_download", "early_wine"),
)
SMALL_TRIAL = {
    "model_def.py": """\
import pedl
from pedl.frameworks.keras import TFKerasTrial


class T(TFKerasTrial):
    def build_model(self, hparams):
        model = make()
        model.compile("adam", "mse")
        return model
""",
    "data.py": "def make_data_loaders(experiment_config, hparams):\n    return 1, 2\n",
    "const.yaml": "hyperparameters: {batch_size: 2}\nsearcher:\n  name: single\n  max_steps: 1\n",
}


#: Commands that a test calls without a process of their own.
IN_PROCESS = ("eject", "migrate", "rules")

#: What forks processes for the tests of this one; conftest.py has it for the session.
zygote: Zygote | None = None


def pedl2det(
    *arguments: object, cwd: Path | None = None, fresh: bool = False, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command line: what trains in a process of its own, the rest in this one.

    Args:
        arguments: of the command line.
        cwd: the directory that it is run in.
        fresh: start a new process, whatever it is that runs.
        environment: variables that are added to those of this process.
    """
    started = [str(argument) for argument in arguments]
    if not fresh and started[0] in IN_PROCESS and "--verify" not in started:
        return _called(started, cwd, environment)
    process = start(started, cwd, {**os.environ, **environment}, fresh)
    said, errors = process.communicate()
    assert process.returncode is not None
    return subprocess.CompletedProcess(started, process.returncode, said, errors)


def _called(
    arguments: list[str], cwd: Path | None, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    from pedl2det.cli import cli

    with contextlib.chdir(cwd or Path.cwd()):
        done = CliRunner().invoke(cli, arguments, env=environment, prog_name="pedl2det")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


def start(
    arguments: list[str], cwd: Path | None, environment: dict[str, str], fresh: bool = False
) -> subprocess.Popen[str] | Forked:
    """Start the command line in a process of its own; forked, where that makes no difference."""
    if not fresh and zygote is not None and zygote.can_serve(arguments[0], environment):
        return zygote.start(arguments, cwd, environment)
    return subprocess.Popen(
        [sys.executable, "-m", "pedl2det", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env=environment,
    )


def heed_signals() -> None:
    """Before a program is run: heed what a shell's background jobs, tests too, ignore."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def write_tree(directory: Path, files: dict[str, str]) -> Path:
    """Write some files below a directory."""
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return directory


def read_tree(directory: Path) -> dict[str, bytes]:
    """Every file below a directory, by name."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
