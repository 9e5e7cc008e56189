"""What two configs ask for is compared, and a new name is no difference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pedl2det.analysis.metric_names import MetricNames
from pedl2det.engine import Options, migrate
from pedl2det.files.write import write_all
from pedl2det.verify.configs import Settings, differing_settings, settings_of
from support import OLD_EXAMPLES

CONFIG = """\
hyperparameters: {global_batch_size: 8}
searcher: {name: single, metric: val_loss, smaller_is_better: true, max_length: {batches: 40}}
min_validation_period: {batches: 10}
min_checkpoint_period: {batches: 20}
checkpoint_storage: {type: shared_fs, save_trial_best: 1, save_trial_latest: 1}
"""


def settings(tmp_path: Path, text: str) -> Settings:
    config = tmp_path / "const.yaml"
    config.write_text(text)
    read = settings_of(config)
    assert read is not None
    return read


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        ("single", "random, max_trials: 2", "searcher.name", ("single", "random")),
        ("val_loss", "val_mae", "searcher.metric", ("val_loss", "val_mae")),
        ("better: true", "better: false", "searcher.smaller_is_better", ("true", "false")),
        ("{batches: 10}", "null", "min_validation_period", ("10 batches", "the whole training")),
        ("batches: 20", "batches: 1000", "min_checkpoint_period", ("20 batches", "1,000 batches")),
        (
            *("trial_best: 1", "trial_best: 2", "checkpoint_storage"),
            [f"save_trial_best {best} and save_trial_latest 1" for best in (1, 2)],
        ),
    ],
)
def test_each_setting_is_named_with_both_values(
    old: str, new: str, key: str, says: tuple[str, str], tmp_path: Path
) -> None:
    before = settings(tmp_path, CONFIG)
    after = settings(tmp_path, CONFIG.replace(old, new))

    assert differing_settings(before, before, None) == {}
    assert differing_settings(before, after, None) == {
        key: f"{key} is {says[0]} in the old config, {says[1]} in the new one"
    }


def test_the_length_is_compared_elsewhere(tmp_path: Path) -> None:
    before = settings(tmp_path, CONFIG)
    after = settings(tmp_path, CONFIG.replace("batches: 40", "batches: 50"))

    assert (before.length, after.length) == (40, 50)
    assert differing_settings(before, after, None) == {}


def only(key: str, value: str) -> Settings:
    return Settings(40, 10, {key: value})


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        ("val_acc", "val_accuracy", True),
        ("acc", "accuracy", True),
        ("error", "val_error", True),  # as the names of the trial say
        ("val_acc", "val_mae", False),
        ("val_acc", "accuracy", False),
    ],
)
def test_a_metric_with_a_new_name_is_the_same(old: str, new: str, is_same: bool) -> None:
    names = MetricNames()
    before, after = (only("searcher.metric", name) for name in (old, new))

    assert (not differing_settings(before, after, names)) is is_same


def test_a_searcher_that_is_gone_is_its_successor() -> None:
    before, after = (only("searcher.name", name) for name in ("adaptive", "adaptive_asha"))

    assert not differing_settings(before, after, None)
    assert differing_settings(after, before, None)


@pytest.mark.parametrize("name", OLD_EXAMPLES)
def test_a_migrated_config_trains_as_long(name: str, example: object) -> None:
    directory: Path = example(name)  # type: ignore[operator]
    config = directory / "const.yaml"
    old = settings_of(config)

    write_all(migrate([directory], Options()).files)
    new = settings_of(config)

    assert old is not None and new is not None
    metric = {"searcher.metric": old.values["searcher.metric"]}
    assert replace(new, values={**new.values, **metric}) == old


def test_a_config_that_is_not_valid_has_no_settings(tmp_path: Path) -> None:
    config = tmp_path / "const.yaml"
    config.write_text("searcher: [")

    assert settings_of(config) is None
