"""A verification is long enough for a second validation, and short enough to wait for."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det.verify.configs import Settings, settings_of
from pedl2det.verify.training import TrainingLength, training_length

CURRENT = """\
hyperparameters: {{global_batch_size: 10}}
records_per_epoch: 500
searcher: {{name: single, metric: loss, max_length: {{{length}}}}}
min_validation_period: {{{period}}}
"""
STEPS = """\
hyperparameters: {batch_size: 10}
searcher: {name: single, metric: loss, max_steps: 7}
"""


def length(tmp_path: Path, text: str, asked: int | None = None, **known: object) -> str:
    config = tmp_path / "const.yaml"
    config.write_text(text)
    return str(training_length(settings_of(config), asked, **known))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("first", "batches"), [(0, 300), (150, 300), (300, 400), (1000, 1100), (1001, 300)]
)
def test_training_goes_on_after_the_first_validation(first: int, batches: int) -> None:
    assert training_length(Settings(5000, first, {}), None).batches == batches


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    config = STEPS.replace("max_steps: 7", "max_steps: 17")
    assert length(tmp_path, STEPS) == "all 700 batches"
    assert length(tmp_path, config) == "300 of 1,700 batches; --batches 1700 trains all"


@pytest.mark.parametrize(
    ("total", "pace", "batches"),
    [(1700, 300.0, 1700), (1700, 50.0, 1500), (1700, 15.0, None), (300, 300.0, None)],
)
def test_equal_batches_that_were_quick_are_followed_by_more(
    total: int, pace: float, batches: int | None
) -> None:
    """As many as 30 seconds train, if that is more than twice as many."""
    assert TrainingLength(300, total).affordable(pace) == batches


def test_records_and_epochs_are_counted_in_batches(tmp_path: Path) -> None:
    config = CURRENT.format(length="epochs: 20", period="records: 4000")
    assert length(tmp_path, config) == "all 1,000 batches"


def test_known_differences_get_time_to_act(tmp_path: Path) -> None:
    def told(steps: int, asked: int | None = None) -> str:
        config = STEPS.replace("max_steps: 7", f"max_steps: {steps}")
        return length(tmp_path, config, asked, has_known_differences=True)

    assert told(12) == "all 1,200 batches"
    assert told(50) == "2,000 of 5,000 batches; --batches 5000 trains all"
    assert told(12, asked=300) == "300 of 1,200 batches; --batches 1200 trains all"


def test_all_is_not_said_where_the_new_config_trains_more(tmp_path: Path) -> None:
    new = tmp_path / "new.yaml"
    new.write_text(CURRENT.format(length="batches: 80", period="epochs: 1"))
    old = CURRENT.format(length="batches: 40", period="epochs: 1")

    assert length(tmp_path, old, new=settings_of(new)) == (
        "40 batches; the old config asks for 40, the new one for 80"
    )


def test_a_short_training_is_trained_whole(tmp_path: Path) -> None:
    config = CURRENT.format(length="batches: 20", period="epochs: 1")
    assert length(tmp_path, config) == "all 20 batches"
    assert length(tmp_path, config, asked=50) == "all 20 batches"


def test_the_user_has_the_last_word(tmp_path: Path) -> None:
    assert length(tmp_path, STEPS, asked=5) == "5 of 700 batches; --batches 700 trains all"


def test_a_config_that_cannot_be_read_is_left_to_the_run(tmp_path: Path) -> None:
    assert length(tmp_path, "searcher: [") == "all batches"
