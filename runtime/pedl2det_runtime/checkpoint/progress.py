"""Training progress: batches, last validation and last checkpoint. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Progress:
    """Training progress of a trial, stored in checkpoints.

    Attributes:
        batches: batches trained.
        last_validation: batches at the last validation, -1 before the first.
        last_checkpoint: batches at the last checkpoint, -1 before the first.
    """

    batches: int = 0
    last_validation: int = -1
    last_checkpoint: int = -1

    def trained_to(self, batches: int) -> Progress:
        """Return the progress after training up to ``batches``."""
        return replace(self, batches=batches)

    def validated(self) -> Progress:
        """Return the progress after a validation at the current batch."""
        return replace(self, last_validation=self.batches)

    def checkpointed(self) -> Progress:
        """Return the progress after a checkpoint at the current batch."""
        return replace(self, last_checkpoint=self.batches)
