"""The names under which a trial reports its metrics, before and after its migration."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MetricNames:
    """What the metrics of an old trial are called by the new one.

    The new trial may report more: its training and its validation share one list of metrics.

    Attributes:
        training: new names of training metrics by their old ones.
        validation: those of validation metrics.
    """

    training: dict[str, str]
    validation: dict[str, str]

    def of(self, kind: str) -> dict[str, str]:
        """The names in a report of this kind."""
        return self.training if kind == "training" else self.validation

    @property
    def described(self) -> str:
        """The validation metrics with their new names, for people."""
        return ", ".join(f"{old} is {new}" for old, new in self.validation.items() if old != new)
