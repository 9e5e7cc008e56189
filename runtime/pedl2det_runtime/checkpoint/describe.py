"""Describe a checkpoint of any format in a few lines."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path

from pedl2det_runtime.checkpoint import directory
from pedl2det_runtime.checkpoint.manager import Goal, Retention, read_validations, superseded
from pedl2det_runtime.checkpoint.old_formats import states
from pedl2det_runtime.checkpoint.old_formats.hdf5_model import HDF5Model, Layers
from pedl2det_runtime.checkpoint.old_formats.old_checkpoint import OldCheckpoint, open_checkpoint
from pedl2det_runtime.checkpoint.optimizer_state import OptimizerState
from pedl2det_runtime.checkpoint.untrusted_files import read_json, reading
from pedl2det_runtime.config.credentials import without_credentials
from pedl2det_runtime.config.generation import EARLY_DETERMINED

_MAX_LAYERS = 16
_MAX_WIDTH = 100
_STATES = {
    states.RANDOM: "random",
    states.CALLBACKS: "callbacks",
    "callback_state": "callbacks",
    states.SEQUENCER: "progress",
    "rank-0": "random, callbacks, data",
    "state.json": "progress",
}


def describe_checkpoint(path: Path) -> list[str]:
    """Return the lines that describe a checkpoint."""
    old = open_checkpoint(path)
    rows = [("checkpoint", str(path)), *_facts(path, old)]
    rows += [("optimizer", _optimizer(state)) for state in old.weights.optimizers()]
    rate = old.weights.learning_rate()
    rows += [("learning rate", f"{rate:.6g}")] if rate is not None else []
    rows += _layers(old.weights.layers())
    present = [text for name, text in _STATES.items() if os.path.lexists(path / name)]
    rows += [("states", ", ".join(present) or "none"), ("code", _code(old.code))]
    return [_shortened(_printable(f"{name:<14}{text}".rstrip())) for name, text in rows]


def describe_run(path: Path) -> list[str] | None:
    """Return the lines that list the checkpoints of a run and mark the best; None if it is none.

    Raises:
        DamagedCheckpointError: the config in the newest checkpoint is damaged, or the reports are.
    """
    checkpoints = path / "checkpoints"
    batches = {} if directory.is_own(path) else directory.steps(checkpoints)
    if not batches:
        return None
    newest = max(batches, key=lambda name: batches[name])
    config = checkpoints / newest / "experiment_config.json"
    with reading(config):
        searcher = read_json(config)["searcher"]
        metric, smaller = str(searcher["metric"]), searcher.get("smaller_is_better", True) is True
    log = path / "metrics.jsonl"
    with reading(log):
        values = read_validations(log, Goal(metric, smaller, "all", generation=EARLY_DETERMINED))
    best = batches.keys() - superseded(batches, values, Retention(1, 0, smaller), training=False)
    order = f"{'smaller' if smaller else 'larger'} is better"
    lines = [
        f"{'run':<14}{path}",
        f"{'checkpoints':<14}{len(batches)}, best by {metric} ({order})",
    ]
    for name in sorted(batches, key=lambda name: batches[name]):
        value = values.get(batches[name])
        shown = "not validated" if value is None else f"{value:.6g}"
        mark = "best" if name in best else ""
        lines.append(f"{batches[name]:>8}      {shown:<15}{mark:<6}{checkpoints / name}")
    return [_printable(line) for line in lines]


def _facts(path: Path, old: OldCheckpoint) -> Iterator[tuple[str, str]]:
    """Yield what a checkpoint says about itself."""
    facts, file_format = old.facts, old.format
    if directory.is_own(path):
        is_hdf5 = isinstance(old.weights, HDF5Model)
        file_format = f"pedl2det: {'one HDF5 file' if is_hdf5 else 'weights of TensorFlow'}"
    yield "format", file_format
    if facts.versions:
        yield "written by", ", ".join(facts.versions)
    yield "trained", "unknown" if old.batches is None else _counted(old.batches, "batch")
    yield "trial", str(facts.entrypoint or "unknown")
    hparams = json.dumps(without_credentials(facts.hparams), default=str)
    yield "hparams", "unknown" if facts.hparams is None else hparams


def _optimizer(state: OptimizerState) -> str:
    steps = "" if state.steps is None else f", {_counted(state.steps, 'step')}"
    kind = state.likely_kind or "unknown class"
    return f"{kind}{steps}, {_counted(len(state.arrays), 'array')}"


def _layers(layers: Layers) -> list[tuple[str, str]]:
    numbers = sum(math.prod(shape) for weights in layers.values() for shape in weights.values())
    rows = [("layers", f"{len(layers)}, with {_counted(numbers, 'number')}")]
    for name, weights in list(layers.items())[:_MAX_LAYERS]:
        shapes = ", ".join(
            f"{weight} ({', '.join(map(str, shape))})" for weight, shape in weights.items()
        )
        rows.append(("", f"{name}: {shapes}"))
    if len(layers) > _MAX_LAYERS:
        rows.append(("", f"and {len(layers) - _MAX_LAYERS} more"))
    return rows


def _code(code: Path | None) -> str:
    if code is None:
        return "none"
    names = sorted(file.relative_to(code).as_posix() for file in code.rglob("*") if file.is_file())
    return f"{_counted(len(names), 'file')}: {', '.join(names)}"


def _counted(count: int, noun: str) -> str:
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{count} {noun if count == 1 else plural}"


def _printable(line: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in line)


def _shortened(line: str) -> str:
    is_path = line.startswith("checkpoint")
    return line if len(line) <= _MAX_WIDTH or is_path else f"{line[: _MAX_WIDTH - 3]}..."
