"""How many batches a verification trains."""

from __future__ import annotations

from dataclasses import dataclass

from pedl2det.verify.settings import Settings

#: Batches that are trained by default.
USUAL = 300
#: Batches that are trained by default where migrate knows that the new trial trains differently.
#: What acts after several validations or epochs has mostly acted by then.
WITH_KNOWN_DIFFERENCES = 2000
#: A first validation up to this batch is waited for, so that training goes on after one.
LATEST_VALIDATION = 1000
_AFTER_VALIDATION = 100


@dataclass(frozen=True)
class TrainingLength:
    """How many batches are trained.

    Attributes:
        batches: what is trained; None for all, where the config cannot be read.
        total: what the config asks for.
        new_total: what the config of the new trial asks for; None if that is the same.
    """

    batches: int | None
    total: int | None
    new_total: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all batches are trained."""
        if self.batches is None:
            return True
        return self.total is not None and self.batches >= max(self.total, self.new_total or 0)

    def __str__(self) -> str:
        if self.batches is None:
            return "all batches"
        if self.total is None:
            return f"{self.batches:,} batches"
        if self.new_total is not None:
            totals = f"the old config asks for {self.total:,}, the new one for {self.new_total:,}"
            return f"{self.batches:,} batches; {totals}"
        if self.is_whole:
            return f"all {self.total:,} batches"
        return f"{self.batches:,} of {self.total:,} batches; --batches {self.total} trains all"


def training_length(
    settings: Settings | None,
    asked: int | None,
    *,
    new: Settings | None = None,
    has_known_differences: bool = False,
) -> TrainingLength:
    """Choose how many batches to train.

    By default these are the batches of the config, but no more than 300. If the first validation
    comes later than that, training goes on until 100 batches after it (a run also validates at
    its end, so that there are two), unless it comes later than batch 1000. With known differences
    it is no more than 2000, so that they can act.

    Args:
        settings: those of the old trial's config; None if it cannot be read.
        asked: what the user asks for, if anything.
        new: the settings of the new trial's config, if it has one.
        has_known_differences: whether migrate says that the new trial trains differently.
    """
    if settings is None:
        return TrainingLength(asked, None)
    usual = usual_length(settings.validation_period)
    if has_known_differences:
        usual = WITH_KNOWN_DIFFERENCES
    other = new.length if new is not None and new.length != settings.length else None
    return TrainingLength(min(asked or usual, settings.length), settings.length, other)


def usual_length(first_validation: int) -> int:
    """Return how many batches to train at most, where no difference is known.

    Args:
        first_validation: the batch of the first validation; 0 if there is one only at the end.
    """
    if USUAL <= first_validation <= LATEST_VALIDATION:
        return first_validation + _AFTER_VALIDATION
    return USUAL
