"""Checkpoints of Determined 0.38.1: what it trains on from them, and what pedl2det does.

Determined trains trials, then begins new ones with their checkpoints, as
``searcher.source_checkpoint_uuid`` has it do; ``pedl2det run`` begins with the same ones.

Needs the environment of test_oracle.py.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from pedl2det_runtime.training.load_model import load_model_from_checkpoint_path
from test_oracle import COMMAND_LINES, DRIVER, SMALL, Trained, _python

pytestmark = pytest.mark.oracle

NAMES = ("Tuple", "Legacy", "DictInputs", "TwoOptimizers")
BEGIN = 14  # batches of the checkpoint to begin with


@dataclass(frozen=True)
class Source:
    """A trial that Determined trained, to go on from.

    Attributes:
        out: what Determined left behind.
        config: the file of its config.
    """

    out: Path
    config: Path

    def checkpoint(self, batches: int) -> Path:
        """Its checkpoint at this batch."""
        for path in (self.out / "checkpoints").iterdir():
            if json.loads((path / "metadata.json").read_text())["steps_completed"] == batches:
                return path
        raise AssertionError(f"no checkpoint at batch {batches}")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("checkpoints")


@pytest.fixture(scope="module")
def sources(home: Path) -> dict[str, Source]:
    """Each trial, trained by Determined."""
    found = {}
    for name in NAMES:
        given = yaml.safe_load((SMALL / "const.yaml").read_text())
        config = home / f"{name}.yaml"
        config.write_text(yaml.safe_dump(given | {"entrypoint": f"model_def:{name}"}))
        found[name] = Source(home / "first" / name, config)
    _by_determined([[SMALL, source.config, source.out] for source in found.values()])
    return found


@pytest.fixture(scope="module")
def pairs(home: Path, sources: dict[str, Source]) -> dict[str, tuple[Trained, Trained]]:
    """Each trial, begun with a checkpoint by Determined and by pedl2det."""
    theirs, ours = home / "theirs", home / "ours"
    starts = {name: (each.config, each.checkpoint(BEGIN)) for name, each in sources.items()}
    _by_determined(
        [[SMALL, config, theirs / name, path] for name, (config, path) in starts.items()]
    )
    lines = [
        ["run", SMALL, "-c", config, "--out", ours / name, "--trace", "--from-checkpoint", path]
        for name, (config, path) in starts.items()
    ]
    _python("-c", COMMAND_LINES, json.dumps([[str(word) for word in line] for line in lines]))
    return {
        name: (Trained.by_determined(theirs / name), Trained.by_us(ours / name)) for name in NAMES
    }


def _by_determined(jobs: list[list[Any]]) -> None:
    _python(str(DRIVER), json.dumps([[str(part) for part in job] for job in jobs]))


@pytest.mark.parametrize("name", NAMES)
def test_a_new_run_computes_what_determined_does(
    name: str, pairs: dict[str, tuple[Trained, Trained]]
) -> None:
    """Batches, reports, weights and optimizers, to the last bit.

    An optimizer of Keras before 2.11 lists its variables in the order in which they were created.
    """
    theirs, ours = pairs[name]

    assert ours.batches == theirs.batches
    assert len(ours.batches) == 20
    assert ours.reports == theirs.reports
    assert sorted(ours.weights.values()) == sorted(theirs.weights.values())
    assert ours.told("load_state") == theirs.told("load_state") != []


@pytest.mark.parametrize("name", NAMES)
def test_the_model_of_a_checkpoint_predicts_what_determined_predicted(
    name: str, sources: dict[str, Source]
) -> None:
    """To the last bit."""
    source = sources[name]
    model = load_model_from_checkpoint_path(source.checkpoint(20), trust=True)

    with np.load(source.out / "predictions.npz") as saved:
        inputs = {key: saved[key] for key in saved.files if key != "predicted"}
        predicted = model.predict(inputs.get("x", inputs), verbose=0)
        assert np.array_equal(predicted, saved["predicted"])
