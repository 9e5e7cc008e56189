"""At which batches to report, validate and checkpoint. Pure arithmetic.

A *workload* is the training from one stop to the next; each stop reports. The order at a stop is
that of Determined 0.38.1 (docs/semantics.md, *Workloads*): periodic actions first, validation
before checkpoint; at the end of the training a checkpoint, then a validation, unless already done.
When a callback stops the training, a checkpoint is written and nothing else. Periods count from
the last action of their kind, whatever caused it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pedl2det_runtime.checkpoint.state import Progress


@dataclass(frozen=True)
class Schedule:
    """The lengths of one trial, all in batches; 0 means *never*."""

    total: int  #: batches of the whole trial
    report_every: int = 100  #: the longest workload
    validate_every: int = 0  #: the longest way from one validation to the next
    checkpoint_every: int = 0  #: the longest way from one checkpoint to the next
    epoch: int = 0  #: batches in an epoch
    validates_first: bool = False  #: whether an untrained model is validated at batch 0


def next_stop(schedule: Schedule, progress: Progress) -> int:
    """Return the batch at which the present workload ends."""
    return min(progress.batches + schedule.report_every, next_pause(schedule, progress))


def next_pause(schedule: Schedule, progress: Progress) -> int:
    """Return the next batch at which something other than a report may happen.

    Data may be prepared up to here and no further: a validation or a checkpoint must find the
    random state that belongs to exactly this batch.
    """
    candidates = [schedule.total]
    if schedule.validate_every:
        candidates.append(max(progress.last_validation, 0) + schedule.validate_every)
    if schedule.checkpoint_every:
        candidates.append(max(progress.last_checkpoint, 0) + schedule.checkpoint_every)
    return min(max(candidate, progress.batches + 1) for candidate in candidates)


def next_epoch_end(schedule: Schedule, batches: int) -> int | None:
    """Return the next batch that ends an epoch; None where there are no epochs."""
    if not schedule.epoch:
        return None
    return (batches // schedule.epoch + 1) * schedule.epoch


def next_action(
    schedule: Schedule, progress: Progress, *, stopping: bool = False
) -> Literal["validate", "checkpoint"] | None:
    """Return what to do next at the present batch; None when training can continue.

    Ask again after each action, with its progress. ``stopping`` ends the training before its total.
    """
    batches = progress.batches
    if stopping:
        return "checkpoint" if progress.last_checkpoint < batches else None
    if batches == 0 and schedule.total:
        wanted = schedule.validates_first and progress.last_validation < 0
        return "validate" if wanted else None
    if _is_over(schedule.validate_every, progress.last_validation, batches):
        return "validate"
    if batches >= schedule.total:
        if progress.last_checkpoint < batches:
            return "checkpoint"
        return "validate" if progress.last_validation < batches else None
    if _is_over(schedule.checkpoint_every, progress.last_checkpoint, batches):
        return "checkpoint"
    return None


def _is_over(period: int, last: int, batches: int) -> bool:
    return period > 0 and batches - max(last, 0) >= period
