"""Trains a migrated trial with Determined 0.38.1's own controller, without a cluster.

    python drive_determined.py DIRECTORY BATCHES SCHEDULING_UNIT SEED

Prints one JSON line a workload: its metrics batch by batch; last, the validation's.
"""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import sys
import tempfile
from typing import Any

import yaml


def main(directory: str, batches: int, unit: int, seed: int) -> None:
    """Train and print."""
    os.chdir(directory)
    sys.path.insert(0, directory)
    given = yaml.safe_load(pathlib.Path("const.yaml").read_text())

    import determined as det
    from determined import core, workload

    scratch = tempfile.mkdtemp()
    config = {
        **given,
        "scheduling_unit": unit,
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
        "checkpoint_policy": "none",
        "perform_initial_validation": False,
        "checkpoint_storage": {"type": "shared_fs", "host_path": scratch},
        "min_checkpoint_period": {"batches": 0},
        "min_validation_period": {"batches": 0},
    }
    environment = det.EnvContext(
        experiment_config=config, master_url="", master_cert_file=None, master_cert_name=None,
        hparams=given["hyperparameters"], latest_checkpoint=None, steps_completed=0,
        use_gpu=False, container_gpus=[], slot_ids=[], debug=False, det_trial_id="1",
        det_experiment_id="1", det_agent_id="1", det_cluster_id="local", trial_seed=seed,
        trial_run_id=1, allocation_id="", managed_training=True, test_mode=False,
        on_cluster=False,
    )  # fmt: skip
    core_context = core._dummy_init(
        checkpoint_storage=scratch, tensorboard_path=pathlib.Path(scratch) / "tensorboard"
    )
    module, _, name = given["entrypoint"].partition(":")
    trial_class = getattr(importlib.import_module(module), name)
    controller = trial_class.trial_controller_class
    controller.pre_execute_hook(environment, det._DistributedBackend())  # seeds everything
    context = trial_class.trial_context_class(core_context, environment)

    def workloads() -> Any:
        for done in range(0, batches, unit):
            ask = workload.WorkloadResponseInterceptor()
            yield from ask.send(
                workload.train_workload(
                    done // unit + 1, num_batches=unit, total_batches_processed=done
                )
            )
            metrics = ask.metrics_result()["metrics"]["batch_metrics"]
            say({"kind": "training", "per_batch": [plain(batch) for batch in metrics]})
        ask = workload.WorkloadResponseInterceptor()
        yield from ask.send(
            workload.validation_workload(batches // unit, total_batches_processed=batches)
        )
        metrics = ask.metrics_result()["metrics"]["validation_metrics"]
        say({"kind": "validation", "metrics": plain(metrics)})

    controller.from_trial(
        trial_inst=trial_class(context), context=context, env=environment, workloads=workloads()
    ).run()


def plain(metrics: dict[str, Any]) -> dict[str, float]:
    """The metrics that are single numbers."""
    return {name: float(value) for name, value in metrics.items() if getattr(value, "size", 1) == 1}


def say(report: dict[str, Any]) -> None:
    """Print one report on a line of its own: Determined prints its progress there too."""
    print(f"\n{json.dumps(report)}", flush=True)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), *map(int, sys.argv[2:5]))
