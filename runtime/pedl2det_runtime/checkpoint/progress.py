"""How far a training is: batches, and the last validation and checkpoint. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Progress:
    """How far a trial is: what a checkpoint has to remember of the schedule.

    Attributes:
        batches: batches trained.
        last_validation: batches at the last validation, -1 before the first.
        last_checkpoint: batches at the last checkpoint, -1 before the first.
    """

    batches: int = 0
    last_validation: int = -1
    last_checkpoint: int = -1

    def trained_to(self, batches: int) -> Progress:
        """After training up to ``batches``."""
        return replace(self, batches=batches)

    def validated(self) -> Progress:
        """After a validation at the present batch."""
        return replace(self, last_validation=self.batches)

    def checkpointed(self) -> Progress:
        """After a checkpoint at the present batch."""
        return replace(self, last_checkpoint=self.batches)
