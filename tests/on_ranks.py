"""Run by ``horovodrun``: jobs for several ranks at once, which leave files for the tests.

``horovodrun -np 2 python tests/on_ranks.py JOB DIRECTORY [ARGUMENT ...]``. TensorFlow starts
slowly, so a job does much in one process.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

os.environ["TF_USE_LEGACY_KERAS"] = "1"


def examples(directory: Path, *names: str) -> None:
    """Train some examples, and save the weights that each rank ends with."""
    import click

    from pedl2det.commands.run import command
    from pedl2det_runtime.training.loop import TrainingLoop
    from support import EXAMPLES

    train = TrainingLoop.train

    def watched(self: TrainingLoop) -> Any:
        progress = train(self)
        save(
            directory / name,
            {str(n): w for n, w in enumerate(self._setup.context.model.get_weights())},
        )
        return progress

    TrainingLoop.train = watched  # type: ignore[method-assign]
    for name in names:
        arguments = [str(EXAMPLES / name), "--out", str(directory / name), "--max-batches", "30"]
        click.echo(f"example {name}")
        command.main([*arguments, "--slots", str(rank_and_size()[1])], standalone_mode=False)


def trials(directory: Path) -> None:
    """Train what one process trains too, and what only several can get wrong."""
    import rank_trials as given

    for name, trial in given.SAME_ON_TWO.items():
        keep(directory / name, training().run(trial, directory / name / "out"))
    config = training().config(1)
    keep(directory / "FirstStep", training().run(given.FirstStep, directory / "f", config))
    for name, averages in (("Averaged", True), ("Summed", False)):
        settings = {"aggregation_frequency": 2, "average_aggregated_gradients": averages}
        config = training().config(4, optimizations=settings)
        keep(directory / name, training().run(given.Ordered, directory / name / "out", config))
    config = training().config(optimizations={"gradient_compression": True})
    keep(directory / "Compressed", training().run(given.Ordered, directory / "c", config))
    for kind in (given.Normalized, given.StopsOnOne):
        name = kind.__name__
        config = training().config(20, scheduling_unit=5)
        keep(directory / name, training().run(kind, directory / name / "out", config))
    try:
        training().run(given.Diverges, directory / "Diverges")
    except Exception as error:
        (directory / f"diverged_{rank_and_size()[0]}.txt").write_text(
            f"{type(error).__name__}: {error}"
        )


def resumes(directory: Path) -> None:
    """Train in one go, and in two: with what each rank has for itself."""
    import rank_trials as given

    config = training().config(20, min_checkpoint_period={"batches": 7}, scheduling_unit=7)
    summed = {"optimizations": {"aggregation_frequency": 3}}
    for name, more in (("Random", {}), ("Summed", summed)):
        whole, halves = directory / name / "whole", directory / name / "halves"
        keep(whole, training().run(given.Random, whole / "out", config | more))
        training().run(given.Random, halves / "out", config | more, max_batches=7)
        keep(halves, training().run(given.Random, halves / "out", config | more, resume=True))


def starts(directory: Path, source: str) -> None:
    """Begin with a checkpoint, in one go and after a failure that left no checkpoint."""
    import rank_trials as given

    class Fails(given.Adam):
        def build_training_data_loader(self) -> Any:
            raise FileNotFoundError("the data")

    config, options = training().config(5), {"from_checkpoint": Path(source)}
    whole, again = directory / "whole", directory / "again"
    keep(whole, training().run(given.Adam, whole / "out", config, **options))
    with suppress(FileNotFoundError):
        training().run(Fails, again / "out", config, **options)
    keep(again, training().run(given.Adam, again / "out", config, resume=True))


def training() -> Any:
    """What trains a trial of this process."""
    import training

    return training


def keep(directory: Path, trained: Any) -> None:
    """Save the weights that a training ended with."""
    weights = trained.trial.context.model.get_weights()
    save(directory, {str(number): weight for number, weight in enumerate(weights)})


def save(directory: Path, arrays: dict[str, Any]) -> None:
    """Leave arrays where the test finds them, for each rank its own."""
    directory.mkdir(parents=True, exist_ok=True)
    np.savez(directory / f"of_rank_{rank_and_size()[0]}.npz", **arrays)


def rank_and_size() -> tuple[int, int]:
    """Which of the ranks this process is, and how many there are."""
    return int(os.environ["HOROVOD_RANK"]), int(os.environ["HOROVOD_SIZE"])


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    import pedl2det_runtime  # noqa: F401 - serves `determined`

    job, directory, *arguments = sys.argv[1:]
    globals()[job](Path(directory), *arguments)
