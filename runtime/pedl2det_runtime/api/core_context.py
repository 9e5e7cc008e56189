"""``determined.core.init`` for ``DeterminedCallback``: reports and checkpoints are local files.

Other names of the Core API raise an error: Determined itself serves them without a cluster.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from pedl2det_runtime import refusals
from pedl2det_runtime.api.trial_info import current, get_cluster_info
from pedl2det_runtime.checkpoint.json_lines import REPORT, JsonLines, scalars
from pedl2det_runtime.checkpoint.ownership import METADATA
from pedl2det_runtime.distributed import DistributedContext, DummyDistributedContext
from pedl2det_runtime.errors import CheckpointNotFound, ConfigError, NoTrialError

_log = logging.getLogger("determined.core")


class _Part(refusals.RefusesInternals):
    """A part of the Core API."""

    _module = "determined.core"


class TrainContext(_Part):
    """Write the reports of a training to ``metrics.jsonl``, in the format of a run.

    Args:
        directory: the directory for the results.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._reports: JsonLines | None = None

    def report_metrics(self, group: str, steps_completed: int, metrics: dict[str, Any]) -> None:
        """Report metrics of a group.

        Args:
            group: ``"training"`` or ``"validation"``.
            steps_completed: the number of batches trained.
            metrics: numbers by name; ``epochs`` is the number of epochs trained, 0 if missing.

        Raises:
            ConfigError: ``metrics.jsonl`` holds something else, or cannot be written.
        """
        try:
            if self._reports is None:
                self._directory.mkdir(parents=True, exist_ok=True)
                self._reports = JsonLines(self._directory / "metrics.jsonl", REPORT, keep=None)
        except OSError as error:
            raise ConfigError(f"{self._directory}: cannot be written: {error.strerror}") from None
        values = scalars(metrics)
        epochs = values.get("epochs", 0.0)
        line = {"kind": group, "batches": steps_completed, "epochs": epochs, "metrics": values}
        self._reports.write(line)

    def report_training_metrics(self, steps_completed: int, metrics: dict[str, Any]) -> None:
        """Report training metrics; see :meth:`report_metrics`."""
        self.report_metrics("training", steps_completed, metrics)

    def report_validation_metrics(self, steps_completed: int, metrics: dict[str, Any]) -> None:
        """Report validation metrics; see :meth:`report_metrics`."""
        self.report_metrics("validation", steps_completed, metrics)

    def report_progress(self, progress: float) -> None:
        """Log how much of the training is done, from 0 to 1."""
        _log.info("report_progress with progress=%s", progress)

    def set_status(self, status: str) -> None:
        """Log what the training does."""
        _log.info("status: %s", status)

    def get_tensorboard_path(self) -> Path:
        """Return the directory for TensorBoard's files."""
        return self._directory / "tensorboard"


class CheckpointContext(_Part):
    """Write and read checkpoints: directories named by UUID, complete with ``metadata.json``.

    Args:
        directory: the directory of the checkpoints.
        distributed: the processes of the training.
    """

    def __init__(self, directory: Path, distributed: DistributedContext) -> None:
        self._directory, self._distributed = directory, distributed

    @contextlib.contextmanager
    def store_path(
        self, metadata: dict[str, Any] | None = None, *, shard: bool = False
    ) -> Iterator[tuple[Path, str]]:
        """Yield a new directory and its UUID; it becomes a checkpoint when the block ends.

        If the block raises, the directory is removed.

        Args:
            metadata: the content of ``metadata.json``.
            shard: whether all processes call this and write to the directory.
        """
        name = str(uuid.uuid4())
        name = self._distributed.broadcast(name) if shard else name
        directory = self._directory / name
        directory.mkdir(parents=True, exist_ok=shard)
        try:
            yield directory, name
            if shard:
                self._distributed.allgather(None)  # wait until all have written
            if self._distributed.rank == 0:
                text = json.dumps(metadata or {}, indent=2)
                (directory / METADATA).write_text(text, encoding="utf-8")
                _log.info("saved checkpoint %s", name)
        except BaseException:
            shutil.rmtree(directory, ignore_errors=True)
            raise
        if shard:
            self._distributed.broadcast(None)

    @contextlib.contextmanager
    def restore_path(self, storage_id: str) -> Iterator[Path]:
        """Yield the directory of a checkpoint.

        Raises:
            CheckpointNotFound: there is no complete checkpoint with this UUID.
        """
        directory = self._directory / str(storage_id)
        if directory.parent != self._directory or not (directory / METADATA).is_file():
            raise CheckpointNotFound(f"{self._directory}: no complete checkpoint {storage_id}")
        yield directory


class PreemptContext(_Part):
    """Whether a training should stop: never, because there is no scheduler."""

    def should_preempt(self) -> bool:
        """Return False."""
        return False


class Context(_Part):
    """What ``DeterminedCallback`` needs. Use ``with core.init() as context``.

    Attributes:
        train: reports.
        checkpoint: checkpoints.
        preempt: whether to stop.
        distributed: the processes.
        info: the running trial; None without ``pedl2det run``.
    """

    def __init__(self, directory: Path, checkpoints: Path, distributed: DistributedContext) -> None:
        self.train = TrainContext(directory)
        self.checkpoint = CheckpointContext(checkpoints, distributed)
        self.preempt = PreemptContext()
        self.distributed = distributed
        self.info = get_cluster_info()

    def close(self, *_: object) -> None:
        """Close the connections to the other processes, unless a run opened them."""
        if self.info is None:
            self.distributed.close()

    def __enter__(self) -> Self:
        return self

    __exit__ = close


def init(
    *,
    distributed: DistributedContext | None = None,
    checkpoint_storage: str | os.PathLike[str] | None = None,
) -> Context:
    """Create the context of ``DeterminedCallback``.

    Results go to ``runs/core`` in the working directory, or to ``core`` in the results directory of
    ``pedl2det run``: ``metrics.jsonl``, ``tensorboard/`` and ``checkpoints/<uuid>/``.

    Args:
        distributed: the processes; one by default.
        checkpoint_storage: the directory for checkpoints, instead of ``checkpoints/``.

    Raises:
        ConfigError: ``checkpoint_storage`` is not a local path.
    """
    results = Path("runs/core").resolve()
    with contextlib.suppress(NoTrialError):
        info = current()
        results = info.tensorboard_dir.parent / "core"
        distributed = distributed or info.distributed
    place = results / "checkpoints" if checkpoint_storage is None else checkpoint_storage
    if not isinstance(place, str | os.PathLike) or "://" in os.fspath(place) or not str(place):
        reason = refusals.message("determined.core")
        raise ConfigError(f"checkpoint_storage: expected a directory, got {place!r}; {reason}")
    _log.info("results are in %s", results)
    return Context(results, Path(place).resolve(), distributed or DummyDistributedContext())
