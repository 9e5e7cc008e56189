"""What two configs ask for is compared, and a new name is no difference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pedl2det.analysis.metric_names import MetricNames
from pedl2det.engine import Options, migrate
from pedl2det.files.write import write_all
from pedl2det.verify.settings import Settings, differing_settings, settings_of
from support import OLD_EXAMPLES

SETTINGS = Settings(40, 10, 20, "single", "val_loss", True, (1, 1))


def differing(names: MetricNames | None = None, **new: object) -> list[str]:
    changed = replace(SETTINGS, **new)  # type: ignore[arg-type]
    return [str(one) for one in differing_settings(SETTINGS, changed, names)]


def test_each_setting_is_named_with_both_values() -> None:
    ends = "in the old config, {} in the new one"

    assert differing() == []
    assert differing(searcher="random") == [f"searcher.name is single {ends.format('random')}"]
    assert differing(metric="val_mae") == [f"searcher.metric is val_loss {ends.format('val_mae')}"]
    assert differing(smaller_is_better=False) == [
        f"searcher.smaller_is_better is true {ends.format('false')}"
    ]
    assert differing(validation_period=0) == [
        f"min_validation_period is 10 batches {ends.format('the whole training')}"
    ]
    assert differing(checkpoint_period=1000) == [
        f"min_checkpoint_period is 20 batches {ends.format('1,000 batches')}"
    ]
    assert differing(retention=None) == [
        "checkpoint_storage is save_trial_best 1 and save_trial_latest 1 "
        + ends.format("all checkpoints")
    ]


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        ("val_acc", "val_accuracy", True),
        ("acc", "accuracy", True),
        ("val_error", "val_wrong", True),  # as the names of the trial say
        ("val_acc", "val_mae", False),
        ("val_acc", "accuracy", False),
    ],
)
def test_a_metric_with_a_new_name_is_the_same(old: str, new: str, is_same: bool) -> None:
    names = MetricNames({}, {"val_error": "val_wrong"})
    before, after = (replace(SETTINGS, metric=one) for one in (old, new))

    assert (not list(differing_settings(before, after, names))) is is_same


def test_a_searcher_that_is_gone_is_its_successor() -> None:
    before, after = (replace(SETTINGS, searcher=one) for one in ("adaptive", "adaptive_asha"))

    assert not list(differing_settings(before, after, None))
    assert list(differing_settings(after, before, None))


@pytest.mark.parametrize("name", OLD_EXAMPLES)
def test_a_migrated_config_trains_as_long(name: str, example: object) -> None:
    directory: Path = example(name)  # type: ignore[operator]
    config = directory / "const.yaml"
    old = settings_of(config)

    write_all(migrate([directory], Options()).files)
    new = settings_of(config)

    assert old is not None and new is not None
    assert replace(new, metric=old.metric) == old


def test_a_config_that_is_not_valid_has_no_settings(tmp_path: Path) -> None:
    config = tmp_path / "const.yaml"
    config.write_text("searcher: [")

    assert settings_of(config) is None
