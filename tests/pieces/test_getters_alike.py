"""What a trial asks of its run, it is told as by the shim: at import, and by its context."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from determined.keras import TFKerasTrialContext

import pedl
import pedl.trial_controller.util
import pedl.util
from training import trial_running

LEGACY = {
    "data": {"url": "there", "parts": [1, 2]},
    "hyperparameters": {"rate": 0.5, "batch_size": 6, "units": 3},
    "searcher": {"name": "single", "metric": "val_loss", "max_steps": 3},
    "reproducibility": {"experiment_seed": 99},
}
MIGRATED = {
    **LEGACY,
    "hyperparameters": {"rate": 0.5, "global_batch_size": 6, "units": 3},
    "searcher": {"name": "single", "metric": "val_loss", "max_length": {"batches": 300}},
}


def asked(module: Any, hyperparameters: Any, rank: Any) -> dict[str, Any]:
    """All that can be asked, in the order of names that the shim keeps."""
    return {
        "rate": module.get_hyperparameter("rate"),
        "batch size": module.get_hyperparameter("batch_size"),
        "all": list(hyperparameters().items()),
        "data": module.get_experiment_config()["data"],
        "data or nothing": module.get_experiment_config().get("data", {}),
        "seed": module.get_trial_seed(),
        "ids": (module.get_experiment_id(), module.get_trial_id()),
        "rank": rank(),
    }


@pytest.fixture
def shim(tmp_path: Path) -> dict[str, Any]:
    with trial_running(LEGACY, tmp_path):
        rank = pedl.trial_controller.util.get_rank
        return asked(pedl, pedl.util.get_hyperparameters, rank)


@pytest.fixture
def info(tmp_path: Path) -> Iterator[Any]:
    with trial_running(MIGRATED, tmp_path) as info:
        yield info


def test_at_import(shim: Any, info: Any, pieces: Any) -> None:
    assert asked(pieces, pieces.get_hyperparameters, pieces.get_rank) == shim
    assert pieces.get_data_config() == LEGACY["data"]
    assert pieces.get_container_gpus() == []


def test_by_the_context(shim: Any, info: Any, pieces: Any) -> None:
    pieces.bind(TFKerasTrialContext(info))

    assert asked(pieces, pieces.get_hyperparameters, pieces.get_rank) == shim
    assert pieces.get_data_config() == LEGACY["data"]


@pytest.mark.parametrize("is_bound", [True, False])
def test_a_batch_size_that_only_the_migrated_config_has(
    is_bound: bool, tmp_path: Path, pieces: Any
) -> None:
    before = {"hyperparameters": {"batch_size": None}}
    with trial_running(MIGRATED | {"data": {"legacy_config": before}}, tmp_path) as info:
        if is_bound:
            pieces.bind(TFKerasTrialContext(info))
        assert pieces.get_hyperparameters() == {"rate": 0.5, "units": 3}


def test_the_config_is_as_it_was(tmp_path: Path, info: Any, pieces: Any) -> None:
    with trial_running(LEGACY, tmp_path):
        before = list(pedl.get_experiment_config().items())
    at_import = pieces.get_experiment_config()["data"]
    at_import["parts"].append(3)
    pieces.bind(TFKerasTrialContext(info))

    config = pieces.get_experiment_config()

    assert config["data"] is at_import  # all code changes one dict
    assert pieces.get_data_config() is at_import
    at_import["parts"].pop()
    assert list(config.items()) == before
    assert pieces.get_experiment_config() is config


def test_a_changed_config_is_seen_by_all(tmp_path: Path) -> None:
    with trial_running(LEGACY, tmp_path) as info:
        TFKerasTrialContext(info).get_experiment_config()["data"]["url"] = "here"

        assert pedl.get_experiment_config()["data"]["url"] == "here"
        assert TFKerasTrialContext(info).get_data_config()["url"] == "here"


def test_hyperparameters_are_of_the_callers_own(info: Any, pieces: Any) -> None:
    for _ in range(2):
        pieces.get_hyperparameters()["rate"] = 7
        assert pieces.get_hyperparameter("rate") == 0.5
        pieces.bind(TFKerasTrialContext(info))


def test_shared_hyperparameters_are_one_dict_of_which_the_context_sees_all_changes(
    info: Any, pieces: Any
) -> None:
    context = TFKerasTrialContext(info)
    pieces.bind(context)
    shared = pieces.shared_hyperparameters()

    shared["rate"] *= 2
    shared |= {"drop": 3}
    shared.update(late=4)
    del shared["units"]

    assert pieces.shared_hyperparameters() is shared
    assert context.get_hparam("rate") == 1.0
    assert (context.get_hparams()["drop"], context.get_hparams()["late"]) == (3, 4)
    assert "units" not in context.get_hparams()
    options = argparse.Namespace()
    options.__dict__ = shared  # whose attributes are written past any method of the dict
    options.rate, options.batch_size = 0.25, 3
    assert context.get_hparam("rate") == 0.25
    assert context.get_per_slot_batch_size() == 3
    assert pieces.get_hyperparameters() == {"rate": 0.5, "units": 3, "batch_size": 6}


@pytest.mark.parametrize("name", ["luck", "global_batch_size"])
def test_a_hyperparameter_that_is_missing(name: str, info: Any, pieces: Any) -> None:
    said = f"no hyperparameter '{name}': the config has batch_size, rate, units"
    with pytest.raises(KeyError, match=said):
        pedl.get_hyperparameter(name)
    with pytest.raises(KeyError, match=said):
        pieces.get_hyperparameter(name)


def test_all_sections_are_known_at_import(tmp_path: Path, info: Any, pieces: Any) -> None:
    with trial_running(LEGACY, tmp_path):
        before = list(pedl.get_experiment_config().items())

    assert list(pieces.get_experiment_config().items()) == before


def test_nothing_is_known_where_no_trial_runs(pieces: Any) -> None:
    with pytest.raises(RuntimeError, match="no trial is running"):
        pieces.get_trial_seed()
    with pytest.raises(RuntimeError, match=r"call legacy_keras.bind\(context\) first"):
        pieces.context()
    assert pieces.get_container_gpus() == []


class Machine:
    """The processes of one machine, each with what the first of them was told."""

    def __init__(self, local_rank: int, said: Any = None) -> None:
        self.distributed = self
        self._local_rank, self._said = local_rank, said

    def get_local_rank(self) -> int:
        return self._local_rank

    def broadcast_local(self, directory: Any) -> Any:
        return directory if self._local_rank == 0 else self._said


def test_data_are_downloaded_once_on_a_machine(pieces: Any) -> None:
    calls = []

    def download() -> str:
        calls.append(1)
        return "here"

    assert pieces.download_once(Machine(0), download) == "here"
    assert pieces.get_download_data_dir() == "here"
    assert pieces.download_once(Machine(1, said="there"), download) == "there"
    assert pieces.get_download_data_dir() == "there"
    assert len(calls) == 1


def test_a_directory_that_nobody_returned(pieces: Any) -> None:
    with pytest.raises(RuntimeError, match="has not downloaded its data"):
        pieces.get_download_data_dir()
