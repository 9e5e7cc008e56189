"""A trial is found where its config says, and what a config lacks is called by its own name."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.config.notices import notices
from pedl2det_runtime.config.reader import config_from
from pedl2det_runtime.errors import InvalidConfigurationException, TrialLoadError
from pedl2det_runtime.training.trial_loading import at_home, load_trial
from support import write_tree

OLD_TRIAL = """\
from pedl2det_runtime.api.trial import Trial


class Outer:
    class T(Trial):
        @classmethod
        def as_context_trial(cls, package):
            return package
"""
LOADERS = "def make_data_loaders(): pass\n\n\ndef download_data(): pass\n"


def loaded(directory: Path, files: dict[str, str], *entry: Any) -> Any:
    """What stands beside the trial when it is made a context-based one."""
    write_tree(directory, files)
    with at_home(directory):
        return load_trial(directory, *entry)


def test_a_trial_may_stand_in_another_class(tmp_path: Path) -> None:
    files = {"model_def.py": OLD_TRIAL}
    for entrypoint in (
        "model_def:Outer.T",
        "python3 -m determined.launch --trial model_def:Outer.T",
    ):
        package = loaded(tmp_path, files, entrypoint)
        assert isinstance(package, ModuleType)
        assert package.__name__ == "model_def"


def test_the_trial_of_a_package_is_not_its_abstract_base(tmp_path: Path) -> None:
    base = OLD_TRIAL.replace(
        "class Outer:\n    class T", "import abc\n\n\nclass Outer:\n    class T"
    )
    base += "        @abc.abstractmethod\n        def layers(self): ...\n\n\nBase = Outer.T\n"
    own = "from base import Base\n\n\nclass Own(Base):\n    layers = list\n"
    init = "from base import Base\nfrom own import Own\n" + LOADERS
    files = {"__init__.py": init, "base.py": base, "own.py": own}

    assert loaded(tmp_path, files, None).__file__ == str(tmp_path / "__init__.py")


@pytest.mark.parametrize(
    ("entrypoint", "said"),
    [
        ("model_def:Outer.X", "entrypoint model_def:Outer.X: model_def has no Outer.X"),
        ("model_def.Outer", "entrypoint model_def.Outer: expected module:object"),
    ],
)
def test_an_entrypoint_that_names_nothing(entrypoint: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(TrialLoadError, match=f"^{said}"):
        loaded(tmp_path, {"model_def.py": OLD_TRIAL}, entrypoint)


def test_what_plural_entrypoints_do_not_name_is_beside_the_trial(tmp_path: Path) -> None:
    files = {"model_def.py": OLD_TRIAL + LOADERS, "data.py": "def make(): pass\n"}
    package = loaded(tmp_path, files, None, {"trial_class": "model_def:Outer.T"})
    assert package.make_data_loaders.__name__ == "make_data_loaders"
    assert package.download_data.__name__ == "download_data"
    assert package.__file__ == str(tmp_path / "model_def.py")

    named = {"trial_class": "model_def:Outer.T", "data_loaders_function": "data:make"}
    package = loaded(tmp_path, files, None, named)
    assert package.make_data_loaders.__name__ == "make"
    assert not hasattr(package, "download_data")


def given(hparams: dict[str, Any], **searcher: Any) -> dict[str, Any]:
    return {
        "hyperparameters": hparams,
        "searcher": {"name": "single", "metric": "val_loss", **searcher},
    }


@pytest.mark.parametrize(
    ("searcher", "said"),
    [
        ({"max_steps": 2}, "hyperparameters.batch_size (of Determined 0.12, global_batch_size)"),
        ({"max_length": {"batches": 2}}, "hyperparameters.global_batch_size"),
    ],
)
def test_a_missing_batch_size(searcher: dict[str, Any], said: str, tmp_path: Path) -> None:
    info = TrialInfo.of(config_from(given({"rate": 1}, **searcher)), tmp_path)
    with pytest.raises(InvalidConfigurationException) as told:
        _ = info.per_slot_batch_size
    assert str(told.value) == f"{said}: this key is required"


def test_a_trial_sees_no_options_of_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own flags, such as those of `tf.app.flags`, would not know them."""
    monkeypatch.setattr(sys, "argv", ["pedl2det", "run", "--out", "here"])
    with at_home(tmp_path):
        assert sys.argv == ["pedl2det"]
    assert sys.argv == ["pedl2det", "run", "--out", "here"]


def test_two_batch_sizes() -> None:
    hparams = {"global_batch_size": 4, "batch_size": 8}
    (line,) = notices(config_from(given(hparams, max_steps=2)), hparams)
    assert line.startswith("hyperparameters.batch_size has no effect: global_batch_size is set too")


@pytest.mark.parametrize(
    ("rounds", "batches"),
    [({"steps_per_round": 3}, 1500), ({"length_per_round": {"batches": 20}}, 100)],
)
def test_a_trial_of_a_population_trains_all_rounds(rounds: dict[str, Any], batches: int) -> None:
    searcher = {"name": "pbt", "num_rounds": 5, "population_size": 4, **rounds}
    config = config_from(given({"batch_size": 4}, **searcher))
    assert config.training_batches(4) == batches
