"""``determined.keras.DeterminedCallback``: reports and checkpoints of ``model.fit``.

Follows the *Keras API* documentation of Determined 0.38. The callback replaces ``TFKerasTrial``.
"""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import tensorflow as tf

from pedl2det_runtime.api import callbacks
from pedl2det_runtime.api.core_context import Context
from pedl2det_runtime.checkpoint import resource_limits, safe_pickle
from pedl2det_runtime.checkpoint.untrusted_files import JSON_BYTES, read_bytes, reading
from pedl2det_runtime.distributed import DistributedContext
from pedl2det_runtime.errors import CheckFailedError, CheckpointError

_WEIGHTS, _STATE = "model_checkpoint", "callback_state"


class DeterminedCallback(tf.keras.callbacks.Callback):
    """Report metrics of ``model.fit``, save checkpoints, and continue from one.

    A checkpoint contains ``model_checkpoint``, which ``model.load_weights`` reads, and the position
    of the training. ``initial_epoch`` of ``fit`` is overridden. At the end of an epoch, metrics are
    reported first, then the checkpoint is saved. Do not use ``BackupAndRestore`` or
    ``ModelCheckpoint`` together with this callback.

    Args:
        core_context: the result of ``core.init()``.
        checkpoint: the UUID of a checkpoint to start from; None for none.
        continue_id: identifies the training. Training continues at the epoch of a checkpoint with
            the same ID; from a checkpoint with another ID, only the weights are loaded.
        train_metrics_report_period: batches between two reports of training metrics, or
            ``"epoch"``.
        checkpoint_epochs: epochs between two checkpoints; 0 saves one at the end only.

    Raises:
        CheckFailedError: a period is invalid.
    """

    #: Tells ``pedl2det run`` that Keras executes a ``fit`` with this callback.
    trains_with_keras = True

    def __init__(
        self,
        core_context: Context,
        checkpoint: str | None,
        continue_id: int | str,
        *,
        train_metrics_report_period: int | Literal["epoch"] = "epoch",
        checkpoint_epochs: int = 1,
    ) -> None:
        super().__init__()
        period = train_metrics_report_period
        if period != "epoch" and (not isinstance(period, int) or period < 1):
            raise CheckFailedError(
                f"train_metrics_report_period: expected 'epoch' or 1 or more, got {period!r}"
            )
        if not isinstance(checkpoint_epochs, int) or checkpoint_epochs < 0:
            raise CheckFailedError(
                f"checkpoint_epochs: expected 0 or more, got {checkpoint_epochs!r}"
            )
        self._core = core_context
        self._checkpoint = checkpoint
        self._continue_id = continue_id
        self._period = period
        self._checkpoint_epochs = checkpoint_epochs
        self._is_chief = core_context.distributed.rank == 0
        self._is_training = False
        self._steps = self._epochs = 0  # completed
        self._saved_at = 0  # completed epochs at the last checkpoint
        self._epoch_began_at = 0  # completed steps

    def save_model(self, model: Any, path: str, distributed: DistributedContext) -> None:
        """Save the model; override this to save it in another way.

        Args:
            model: the model.
            path: the path to save to, inside the checkpoint.
            distributed: the processes; every one calls this.
        """
        if distributed.rank == 0:
            model.save_weights(path)

    def load_model(self, model: Any, path: str, distributed: DistributedContext) -> None:
        """Load what :meth:`save_model` saved; override both or neither.

        Args:
            model: the model.
            path: the path that :meth:`save_model` wrote to.
            distributed: the processes; every one calls this.

        Raises:
            DamagedCheckpointError: the files are damaged, or do not fit the model.
        """
        limit = resource_limits.largest(model) if model.built else math.inf
        resource_limits.check_tensors(Path(path), limit)
        model.load_weights(path)

    def on_train_begin(self, logs: Any = None) -> None:
        """Restore the checkpoint."""
        self._is_training = True
        self._steps = self._epochs = 0
        if self._checkpoint is not None:
            self._core.train.set_status("restoring")
            with self._core.checkpoint.restore_path(self._checkpoint) as path:
                self._restore(path)
        self._saved_at = self._epochs
        # After this hook, Keras asks ``_training_state`` for the first epoch and its first batch.
        start = (self._epochs, 0)
        self.model._training_state = SimpleNamespace(
            maybe_load_initial_counters_from_ckpt=lambda *_, **__: start
        )
        self._core.train.set_status("training")

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Record the number of batches before the epoch."""
        self._epochs, self._epoch_began_at = epoch, self._steps

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Report training metrics, if the period is in batches."""
        before, self._steps = self._steps, self._epoch_began_at + batch + 1
        period = self._period
        if isinstance(period, int) and self._steps // period > before // period:
            self._report("training", logs, self._epochs + 1)

    def on_test_begin(self, logs: Any = None) -> None:
        """Set the status."""
        self._core.train.set_status("validating")

    def on_test_end(self, logs: Any = None) -> None:
        """Report validation metrics."""
        self._report("validation", logs, self._epochs + self._is_training)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Report training metrics, save a checkpoint, and stop if the training is preempted."""
        self._epochs = epoch + 1
        if self._period == "epoch":
            training = {k: v for k, v in (logs or {}).items() if not k.startswith("val_")}
            self._report("training", training, self._epochs)
        if self._is_chief:
            self._core.train.report_progress(self._epochs / self.params["epochs"])
        is_due = self._checkpoint_epochs and self._epochs % self._checkpoint_epochs == 0
        if is_due:
            self._save()
        if self._core.preempt.should_preempt():
            self.model.stop_training = True

    def on_train_end(self, logs: Any = None) -> None:
        """Save a checkpoint, unless the last epoch did."""
        self.model._training_state = None
        self._is_training = False
        if self._saved_at < self._epochs:
            self._save()
        self._core.train.set_status("finishing")

    def _report(self, group: str, logs: Any, epochs: int) -> None:
        if not self._is_chief:
            return
        values = {name: float(value) for name, value in (logs or {}).items()}
        metrics = {**values, "epochs": epochs, "batches": self._steps}
        if group == "training":
            self._core.train.report_training_metrics(self._steps, metrics)
        else:
            self._core.train.report_validation_metrics(self._steps, metrics)

    def _save(self) -> None:
        self._core.train.set_status("checkpointing")
        distributed = self._core.distributed
        metadata = {"steps_completed": self._steps}
        with self._core.checkpoint.store_path(metadata, shard=distributed.size > 1) as (path, _):
            self.save_model(self.model, str(path / _WEIGHTS), distributed)
            if self._is_chief:
                # The keys are those of Determined 0.38.1, which counts epochs from 0.
                state = {
                    "epoch": self._epochs - 1,
                    "steps_completed": self._steps,
                    "continue_id": self._continue_id,
                }
                (path / _STATE).write_bytes(safe_pickle.dumps(state))
        self._saved_at = self._epochs

    def _restore(self, path: Path) -> None:
        file = path / _STATE
        if not file.exists():
            raise CheckpointError(
                f"{path}: not a checkpoint of DeterminedCallback: {_STATE} is missing"
            )
        data = read_bytes(file, JSON_BYTES)
        with reading(file):
            state = safe_pickle.loads(data)
            position = int(state["epoch"]) + 1, int(state["steps_completed"])
            if state["continue_id"] == self._continue_id:
                self._epochs, self._steps = position
        self.load_model(self.model, str(path / _WEIGHTS), self._core.distributed)


class TensorBoard(tf.keras.callbacks.TensorBoard):
    """``tf.keras.callbacks.TensorBoard`` that writes to the training's TensorBoard directory.

    Args:
        core_context: the result of ``core.init()``. Without it, the callback is
            ``determined.keras.callbacks.TensorBoard``, which had this name before Determined 0.38.
        *args: arguments of the Keras class; ``log_dir`` is ignored.
        **kwargs: arguments of the Keras class.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Create this callback or, without ``core_context``, the older one of this name."""
        if "core_context" in kwargs or (args and isinstance(args[0], Context)):
            return super().__new__(cls)
        return callbacks.TensorBoard(*args, **kwargs)

    def __init__(self, core_context: Context, *args: Any, **kwargs: Any) -> None:
        kwargs.pop("log_dir", None)
        super().__init__(str(core_context.train.get_tensorboard_path()), *args[1:], **kwargs)
