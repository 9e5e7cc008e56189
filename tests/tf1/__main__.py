"""Train trials on TensorFlow 1.14 and here, and print how far the two differ.

    python -m tf1 --python PYTHON_3_7 [--batches N] [DIR or CONFIG ...]

A training that begins equally and differs later is repeated in float64 on both sides: what
rounding did vanishes. Returns 1 if anything differs that is not in ``known.py``.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.config.reader import read_config
from tf1.comparison import COLUMNS, Comparison, compared
from tf1.known import NOT_ON_TENSORFLOW_1, reason_of

HERE = Path(__file__).parent
EXAMPLES = HERE.parent.parent / "legacy_examples"
BATCH_SIZES = ("global_batch_size", "batch_size")


class SideError(Exception):
    """One side did not train."""


@dataclass(frozen=True)
class Task:
    """One training, as ``old/there.py`` reads it."""

    directory: str
    config: dict[str, Any]
    hparams: dict[str, Any]
    seed: int
    batch_size: int | None
    batches_per_step: int
    is_legacy: bool
    batches: int
    floatx: str = "float32"


def main() -> int:
    """Compare each config of each trial."""
    options = _options()
    print(f"{'trial':32} {'type':8} batches  {'  '.join(f'{c:10}' for c in COLUMNS)}")
    configs = [config for trial in options.trials for config in _configs(trial.resolve())]
    different = [config for config in configs if not _is_same(config, options)]
    print(f"{len(configs)} trainings, {len(different)} with unknown differences")
    return 1 if different else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tf1", description=__doc__.partition("\n")[0])
    parser.add_argument("--python", required=True, help="a Python 3.7 with TensorFlow 1.14")
    parser.add_argument("--batches", type=int, default=30)
    parser.add_argument("trials", nargs="*", type=Path, help="directories or configs")
    options = parser.parse_args()
    options.trials = options.trials or sorted(
        path for path in EXAMPLES.glob("[!.]*/") if not path.name.endswith("_migrated")
    )
    return options


def _configs(trial: Path) -> list[Path]:
    """Return the configs of a trial that train in one process, or the config itself."""
    if trial.is_file():
        return [trial]
    if reason := NOT_ON_TENSORFLOW_1.get(trial.name):
        print(f"{trial.name:32} skipped: {reason}")
        return []
    return sorted(path for path in trial.rglob("*.yaml") if path.stem != "distributed")


def _is_same(config: Path, options: argparse.Namespace) -> bool:
    """Compare one training, print each difference, and return whether all are known."""
    home = next(above for above in config.parents if [*above.glob("*.py")])
    name = f"{home.name}/{config.stem}"
    try:
        differences = _differences(name, config, home, options)
    except SideError as error:
        differences = [str(error)]
    for difference in differences:
        print(f"    {difference} ({reason_of(name, difference) or 'UNKNOWN'})", flush=True)
    return all(reason_of(name, difference) for difference in differences)


def _differences(name: str, config: Path, home: Path, options: argparse.Namespace) -> list[str]:
    """Return the names that differ, and the columns that differ by more than rounding."""
    task = _task(config, home, options.batches)
    single = _compare(name, config, task, options.python)
    large = single.large
    if single.begins_equal and any(reason_of(name, column) is None for column in large):
        with contextlib.suppress(SideError):  # a trial may demand float32
            double = _compare(name, config, replace(task, floatx="float64"), options.python)
            large = large & double.large
    return [*single.names, *sorted(large)]


def _task(config_file: Path, home: Path, batches: int) -> Task:
    config = read_config(config_file)
    info = TrialInfo.of(config, Path("out"))
    sizes = [info.hparams[name] for name in BATCH_SIZES if name in info.hparams]
    return Task(
        directory=str(home),
        config=config.raw,
        hparams=info.hparams,
        seed=info.seed,
        batch_size=sizes[0] if sizes else None,
        batches_per_step=config.report_period,
        is_legacy=config.is_legacy,
        batches=batches,
    )


def _compare(name: str, config: Path, task: Task, python: str) -> Comparison:
    """Train on both sides, and print a row of the table.

    Raises:
        SideError: one side does not train.
    """
    with tempfile.TemporaryDirectory(prefix="tf1-") as scratch:
        (Path(scratch) / "task.json").write_text(json.dumps(asdict(task)))
        _train([python, "-m", "tf1.old.there", f"{scratch}/task.json", scratch])
        run = ["run", task.directory, "-c", str(config), "--out", f"{scratch}/out", "--trace"]
        run += ["--max-batches", str(task.batches), "--set", "min_validation_period=null"]
        _train([sys.executable, "-m", "tf1.here", scratch, *run, "--traceback"])
        comparison = compared(Path(scratch))
    values = "  ".join(f"{comparison.largest[column]:<10.1e}" for column in COLUMNS)
    print(f"{name:32} {task.floatx:8} {comparison.batches:7}  {values}", flush=True)
    return comparison


def _train(command: list[str]) -> None:
    """Run one side; its working directory is the one of this package, from which it is imported."""
    ended = subprocess.run(command, capture_output=True, text=True, cwd=HERE.parent)
    if ended.returncode:
        said = ended.stderr.strip().splitlines() or [f"exit code {ended.returncode}"]
        raise SideError(f"{command[2]}: {said[-1]}")


if __name__ == "__main__":
    sys.exit(main())
