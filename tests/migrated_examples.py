"""Every old example as `pedl2det migrate` makes it, and how the oracle is to train it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from migrating import run
from pedl2det.engine import migrate
from pedl2det.engine.migration import Options
from pedl2det.files.write import write_all
from support import EXAMPLES, OLD_EXAMPLES

#: More than one pass of each, workloads and validations that end amid a pass.
BATCHES = 60
SHORT: dict[str, Any] = {
    "scheduling_unit": 20,
    "min_validation_period": {"batches": 25},
    "min_checkpoint_period": {"batches": 30},
}

#: What is left out of a config because Determined has no one answer to compare with.
CHANGES: dict[str, dict[str, Any]] = {
    # Its images are turned at random. Two workers draw as they happen to run; and Determined does
    # not end while a process of its own holds batches that nobody reads any more.
    "digits": {
        "data": {
            "file": "data/digits.npz",
            "validation_set_size": 297,
            "acceleration": {"workers": 1, "use_multiprocessing": False},
        }
    },
    # Its validation draws random numbers too, though it has no use for them, and Determined's
    # thread is up to ten training batches ahead by then: pedl2det's waits. So validate once, last.
    "digits_script": {"min_validation_period": {"batches": 0}},
}


#: Copies that are carried over whole, by their names here.
CARRIED = {
    f"{name}_carried": name
    for name in (
        *("iris", "cancer_dataset", "wine_two_outputs", "early_wine", "iris_download"),
        "digits_script",
    )
}


def migrate_examples(home: Path) -> dict[str, Path]:
    """Migrate a copy of each; those with generators, which stay on in a process, come last."""
    for name in OLD_EXAMPLES:
        shutil.copytree(EXAMPLES / name, home / name)
    done = run("--force", "--no-verify", home)
    assert done.exit_code == 0, done.output
    for name, example in CARRIED.items():
        shutil.copytree(EXAMPLES / example, home / name)
        result = migrate([home / name], Options(carries=lambda _: True))
        assert [one.status.is_finished for one in result.outcomes] == [True], result.findings
        write_all(result.files, [home / name])
    names = sorted((*OLD_EXAMPLES, *CARRIED), key=lambda name: _draws(home / name))
    return {name: home / name for name in names}


def _draws(trial: Path) -> bool:
    """Whether a trial enables generators (P039)."""
    return any("tf_random_generator" in path.read_text() for path in trial.glob("*.py"))


def changes_of(name: str) -> dict[str, Any]:
    """What an example's config has otherwise here."""
    changes = CHANGES.get(name.removesuffix("_carried"), {})
    return {**SHORT, "searcher": {"max_length": {"batches": BATCHES}}, **changes}
