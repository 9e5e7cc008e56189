"""Trains trials with Determined 0.38.1's own controller and sequencer, without a cluster.

    python drive_determined.py '[[DIRECTORY, CONFIG, OUT, CHECKPOINT], ...]'

Trains the trial of each DIRECTORY that its CONFIG names, one after the other in one process, and
writes into each OUT: ``reports.jsonl``, what Determined would have reported to its master, in that
order; ``weights.npz``, the model and its optimizers at the end; ``predictions.npz``, what the model
then predicts for the validation data, where they are arrays; ``tensorboard/``, ``checkpoints/``.
A trial with a CHECKPOINT begins with it, as one that ``searcher.source_checkpoint_uuid`` names.
"""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import shutil
import sys
from typing import Any

import determined as det
import numpy as np
import yaml
from determined import _info, core

#: What the master adds to every config.
FROM_THE_MASTER = {
    "resources": {"native_parallel": False, "slots_per_trial": 1},
    "optimizations": {
        "mixed_precision": "O0",
        "aggregation_frequency": 1,
        "gradient_compression": False,
        "average_training_metrics": True,
        "auto_tune_tensor_fusion": False,
        "tensor_fusion_threshold": 100,
        "tensor_fusion_cycle_time": 3.5,
    },
    "checkpoint_policy": "best",
    "perform_initial_validation": False,
    "min_checkpoint_period": {"batches": 0},
    "min_validation_period": {"batches": 0},
}


class Searcher(core.DummySearcherContext):
    """Asks for one length in batches; Determined's own, without a master, asks for one epoch."""

    def get_configured_units(self) -> core.Unit:
        return core.Unit.BATCHES

    def _operations(self, *_: Any) -> Any:
        return self.operations(core.SearcherMode.ChiefOnly)


class Master(core.DummyTrainContext):
    """Writes the reports down, and remembers the best validation as the master does."""

    def __init__(self, out: pathlib.Path, searcher: dict[str, Any]) -> None:
        super().__init__(out / "tensorboard")
        self._file = out / "reports.jsonl"
        self._metric = searcher["metric"]
        self._better = min if searcher["smaller_is_better"] else max
        self._best: float | None = None

    def get_experiment_best_validation(self) -> float | None:
        return self._best

    def _report_trial_metrics(
        self,
        group: str,
        steps_completed: int,
        metrics: dict[str, Any],
        batch_metrics: list[dict[str, Any]] | None = None,
    ) -> None:
        if group == "validation":
            known = [] if self._best is None else [self._best]
            self._best = self._better([float(metrics[self._metric]), *known])
        report = {
            "kind": group,
            "batches": steps_completed,
            "metrics": plain(metrics),
            "per_batch": [plain(batch) for batch in batch_metrics or []],
        }
        with self._file.open("a") as file:
            file.write(json.dumps(report) + "\n")


def main(jobs: list[list[str]]) -> None:
    """Train the trial of every job, each in its own directory and from its own modules."""
    for directory, config, out, *source in jobs:
        before = set(sys.modules)
        os.chdir(directory)
        sys.path.insert(0, directory)
        train(yaml.safe_load(pathlib.Path(config).read_text()), pathlib.Path(out), *source)
        sys.path.remove(directory)
        for name in set(sys.modules) - before:
            if (getattr(sys.modules[name], "__file__", None) or "").startswith(directory + os.sep):
                del sys.modules[name]


def train(given: dict[str, Any], out: pathlib.Path, source: str | None = None) -> None:
    """Train one trial of the working directory as Determined's own harness does."""
    out.mkdir(parents=True)
    storage = str(out / "checkpoints")
    if source:
        shutil.copytree(source, out / "checkpoints" / "source")
    config = {
        **FROM_THE_MASTER,
        **given,
        "searcher": {"smaller_is_better": True, **given["searcher"]},
        "checkpoint_storage": {"type": "shared_fs", "host_path": storage},
    }
    environment = det.EnvContext(
        experiment_config=config, master_url="", master_cert_file=None, master_cert_name=None,
        hparams=given["hyperparameters"], latest_checkpoint=source and "source", steps_completed=0,
        use_gpu=False, container_gpus=[], slot_ids=[], debug=False,
        det_trial_id="2" if source else "1",  # the same one would be resumed
        det_experiment_id="1", det_agent_id="1", det_cluster_id="local",
        trial_seed=given["reproducibility"]["experiment_seed"],
        trial_run_id=1, allocation_id="", managed_training=True, test_mode=False,
        on_cluster=False,
    )  # fmt: skip
    core_context = core._dummy_init(checkpoint_storage=storage)
    core_context.train = Master(out, config["searcher"])
    length = given["searcher"]["max_length"]["batches"]
    core_context.searcher = Searcher(core_context.distributed, length)
    module, _, name = given["entrypoint"].partition(":")
    _info._info = det.ClusterInfo(  # as in a task: modules may ask for the config
        master_url="http://localhost", cluster_id="local", agent_id="1", slot_ids=[], task_id="1",
        allocation_id="1", session_token="", task_type="TRIAL",
        trial_info=det.TrialInfo(
            trial_id=1, experiment_id=1, trial_seed=given["reproducibility"]["experiment_seed"],
            hparams=given["hyperparameters"], config=config, steps_completed=0, trial_run_id=1,
            debug=False, inter_node_network_interface=None,
        ),
    )  # fmt: skip
    trial_class = getattr(importlib.import_module(module), name)
    _info._info = None
    controller = trial_class.trial_controller_class
    with core_context:
        controller.pre_execute_hook(environment, det._DistributedBackend())  # seeds everything
        context = trial_class.trial_context_class(core_context, environment)
        trial = trial_class(context)
        controller.from_trial(trial_inst=trial, context=context, env=environment).run()
    save_weights(out / "weights.npz", context.model, context._optimizers)
    data = trial.build_validation_data_loader()
    if isinstance(data, tuple):
        inputs = data[0] if isinstance(data[0], dict) else {"x": data[0]}
        predicted = context.model.predict(data[0], verbose=0)
        np.savez(out / "predictions.npz", predicted=predicted, **inputs)


def save_weights(path: pathlib.Path, model: Any, optimizers: list[Any]) -> None:
    """Write the weights of the layers and the variables of the optimizers, each in its order."""
    parts = {"layers": [w for layer in model.layers for w in layer.weights]}
    parts |= {f"optimizer-{i}": optimizer.variables() for i, optimizer in enumerate(optimizers)}
    arrays = {
        f"{name}/{i}": variable.numpy()
        for name, variables in parts.items()
        for i, variable in enumerate(variables)
    }
    np.savez(path, **arrays)


def plain(metrics: dict[str, Any]) -> dict[str, float]:
    """The metrics that are single numbers."""
    return {name: float(value) for name, value in metrics.items() if np.size(value) == 1}


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
