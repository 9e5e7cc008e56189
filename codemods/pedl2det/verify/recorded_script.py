"""Run a plain script and record what it trains, as `pedl2det run --trace` does.

Started as ``python -m pedl2det.verify.recorded_script OUT SCRIPT ARGUMENT...``. The script can
import neither pedl2det nor Determined: it must not need them.
"""

from __future__ import annotations

import functools
import json
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pedl2det_runtime.backends import keras_versions

_OURS = {"pedl", "pedl2det", "pedl2det_legacy", "pedl2det_names", "pedl2det_runtime"}
_KEPT_OUT = {"determined", *_OURS}


def record(out: Path, script: Path, arguments: Sequence[str]) -> None:
    """Run a script, and write batches, validations and the final model to ``out``."""
    keras_versions.choose_keras_2()
    keras_versions.load_tensorflow()
    out.mkdir(parents=True)
    recorders = _record_fits(out)
    modules: dict[str, Any] = sys.modules
    own = {name: module for name, module in modules.items() if name.partition(".")[0] in _KEPT_OUT}
    modules.update(dict.fromkeys([*own, *_KEPT_OUT]))  # None blocks an import
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(script.parent))
    try:
        runpy.run_path(str(script), run_name="__main__")
    finally:
        modules.update(own)
    for recorder in recorders:
        _save(out, recorder.model, recorder.batches)


def _record_fits(out: Path) -> list[Any]:
    """Make every model record its ``fit``; return the list that collects the recorders."""
    import tensorflow as tf

    from pedl2det_runtime.backends.learning_rates import LearningRates
    from pedl2det_runtime.checkpoint.json_lines import scalars

    def write(name: str, line: dict[str, Any], metrics: Any) -> None:
        with (out / name).open("a", encoding="utf-8") as log:
            log.write(json.dumps({**line, "metrics": scalars(metrics)}) + "\n")

    class Recorder(tf.keras.callbacks.Callback):
        batches = 0

        def on_train_begin(self, logs: Any = None) -> None:  # noqa: ARG002
            self.readable_rates = LearningRates(self.model)

        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
            self.learning_rates = self.readable_rates.read()

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
            self.batches += 1
            line = {"batch": self.batches, "learning_rates": self.learning_rates}
            write("batches.jsonl", line, logs)

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:  # noqa: ARG002
            metrics = {name: logs[name] for name in logs if name.startswith("val_")}
            if metrics:
                write("metrics.jsonl", {"kind": "validation", "batches": self.batches}, metrics)

    fit, recorders = tf.keras.Model.fit, []

    @functools.wraps(fit)  # its signature is read
    def recorded(model: Any, *args: Any, callbacks: Any = (), **kwargs: Any) -> Any:
        recorders.append(Recorder())
        return fit(model, *args, callbacks=[*callbacks, recorders[-1]], **kwargs)

    tf.keras.Model.fit = recorded
    return recorders


def _save(out: Path, model: Any, batches: int) -> None:
    """Write the model as a checkpoint that runs can be compared with."""
    from pedl2det_runtime.checkpoint import model_files
    from pedl2det_runtime.checkpoint.ownership import METADATA

    place = out / "checkpoints" / "final"
    place.mkdir(parents=True)
    metadata = {"steps_completed": batches, **model_files.save(model, place)}
    (place / METADATA).write_text(json.dumps(metadata), encoding="utf-8")
    (place / "state.json").write_text("{}", encoding="utf-8")


if __name__ == "__main__":
    record(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
