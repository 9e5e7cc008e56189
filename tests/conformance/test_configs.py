"""What an experiment config says about a run (docs/semantics.md, Config format and Workloads)."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from pedl2det_runtime.config.credentials import scrubbed, without_credentials
from pedl2det_runtime.config.hparams import sample_hparams
from pedl2det_runtime.config.notices import notices
from pedl2det_runtime.config.reader import config_from
from pedl2det_runtime.errors import ConfigError, TrialLoadError
from pedl2det_runtime.training.trial_loading import load_trial
from promises import promise
from training import Trained, Trial, X, Y, config, run


def searching(length: Any, **more: Any) -> dict[str, Any]:
    searcher = {"name": "single", "metric": "val_loss", "max_length": length}
    return config(**{"searcher": searcher, **more})


def stops(trained: Trained, kind: str) -> list[int]:
    return [report["batches"] for report in trained.reports if report["kind"] == kind]


@promise("4.7", "max_length in batches, in records and in epochs")
@pytest.mark.parametrize(
    ("length", "batches"),
    [({"batches": 7}, 7), ({"records": 30}, 7), ({"records": 3}, 1), ({"epochs": 2}, 6)],
)
def test_lengths(length: Any, batches: int, tmp_path: Path) -> None:
    """Batches of 4 records; an epoch is 13 records, so two of them are 26 records."""
    trained = run(Trial, tmp_path, searching(length, records_per_epoch=13))
    assert trained.reports[-1]["batches"] == batches


@promise("4.7", "min_validation_period and min_checkpoint_period in the same units")
@pytest.mark.parametrize(
    ("period", "batches"), [({"batches": 3}, 3), ({"records": 12}, 3), ({"epochs": 1}, 5)]
)
def test_periods(period: Any, batches: int, tmp_path: Path) -> None:
    given = searching(
        {"batches": 10},
        records_per_epoch=20,
        min_validation_period=period,
        min_checkpoint_period=period,
        checkpoint_policy="none",
    )
    trained = run(Trial, tmp_path, given)
    expected = sorted({*range(batches, 11, batches), 10})
    assert stops(trained, "validation") == expected
    assert trained.checkpoints == expected


@promise("4.7", "a length in epochs needs records_per_epoch: ValueError")
def test_epochs_need_their_length(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="records_per_epoch"):
        run(Trial, tmp_path, searching({"epochs": 2}))


@promise("4.7", "scheduling_unit is the longest workload, 100 batches unless set")
def test_the_scheduling_unit(tmp_path: Path) -> None:
    assert stops(run(Trial, tmp_path / "a", config(130)), "training") == [100, 130]
    short = run(Trial, tmp_path / "b", config(10, scheduling_unit=4))
    assert stops(short, "training") == [4, 8, 10]


@promise("4.7", "perform_initial_validation validates the untrained model")
def test_the_initial_validation(tmp_path: Path) -> None:
    trained = run(Trial, tmp_path, config(4, perform_initial_validation=True))
    assert stops(trained, "validation") == [0, 4]
    assert trained.checkpoints == [4]
    assert trained.validated()[0] == pytest.approx(float((Y**2).mean()), rel=1e-5)


class Lucky(Trial):
    """Validation losses of 3, 1, 2, 1 and 0 after 2, 4, 6, 8 and 10 batches."""

    losses = (3.0, 1.0, 2.0, 1.0, 0.0)

    def keras_callbacks(self) -> list[Any]:
        import tensorflow as tf

        class Tell(tf.keras.callbacks.Callback):  # type: ignore[misc]
            def __init__(callback) -> None:
                super().__init__()
                callback._supports_tf_logs = True

            def on_test_end(callback, logs: Any = None) -> None:
                logs["val_luck"] = Lucky.losses[told.pop(0)]

        told = list(range(5))
        return [Tell()]


def lucky(smaller: bool = True, **more: Any) -> dict[str, Any]:
    searcher = {
        "name": "single",
        "metric": "val_luck",
        "max_length": {"batches": 10},
        "smaller_is_better": smaller,
    }
    return config(**{"searcher": searcher, "min_validation_period": {"batches": 2}, **more})


@promise("4.7", "checkpoint_policy: which validations are followed by a checkpoint")
@pytest.mark.parametrize(
    ("policy", "smaller", "expected"),
    [
        ("all", True, [2, 4, 6, 8, 10]),
        ("best", True, [2, 4, 10]),
        ("best", False, [2, 10]),
        ("none", True, [10]),
    ],
)
def test_checkpoint_policies(
    policy: str, smaller: bool, expected: list[int], tmp_path: Path
) -> None:
    given = lucky(smaller, checkpoint_policy=policy)
    assert run(Lucky, tmp_path, given).checkpoints == expected


@promise("config", "save_trial_best and save_trial_latest say which checkpoints stay")
@pytest.mark.parametrize(
    ("storage", "expected"),
    [
        ({"save_trial_best": 2, "save_trial_latest": 0}, [4, 10]),
        ({"save_trial_best": 0, "save_trial_latest": 2}, [8, 10]),
        ({"save_trial_best": 0, "save_trial_latest": 0, "save_experiment_best": 1}, [10]),
        ({}, [10]),  # one best and one latest, here the same
        (None, [2, 4, 6, 8, 10]),
    ],
)
def test_retention(storage: Any, expected: list[int], tmp_path: Path) -> None:
    given = lucky(checkpoint_policy="all", checkpoint_storage=storage)
    assert run(Lucky, tmp_path, given).checkpoints == expected


@promise("config", "retention remembers earlier validations over a resume")
def test_retention_goes_on(tmp_path: Path) -> None:
    storage = {"save_trial_best": 1, "save_trial_latest": 1}
    given = lucky(checkpoint_policy="all", checkpoint_storage=storage)
    given["searcher"]["max_length"] = {"batches": 6}
    assert run(Lucky, tmp_path, given).checkpoints == [4, 6]
    given["searcher"]["max_length"] = {"batches": 8}
    assert run(Lucky, tmp_path, given, resume=True).checkpoints == [4, 8]


@promise("config", "checkpoint_storage: shared_fs and directory keep a copy of every checkpoint")
@pytest.mark.parametrize("kind", ["shared_fs", "directory"])
def test_checkpoints_are_stored(kind: str, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    fields = (
        {"host_path": str(shared), "storage_path": "team"}
        if kind == "shared_fs"
        else {"container_path": str(shared / "team")}
    )
    storage = {"type": kind, **fields, "save_trial_best": 0, "save_trial_latest": 1}
    given = config(
        6, checkpoint_storage=storage, checkpoint_policy="all",
        min_validation_period={"batches": 2},
    )  # fmt: skip
    trained = run(Trial, tmp_path / "out", given)

    (stored,) = (shared / "team").iterdir()
    assert stored.name == trained.checkpoint.name
    files = [path.relative_to(stored) for path in stored.rglob("*") if path.is_file()]
    assert Path("metadata.json") in files
    for path in files:
        assert (stored / path).read_bytes() == (trained.checkpoint / path).read_bytes()


@promise("config", "a storage that lacks a field, a package or a place is refused before training")
@pytest.mark.parametrize(
    ("storage", "message"),
    [
        ({"type": "shared_fs"}, "checkpoint_storage.host_path: shared_fs needs it"),
        ({"type": "s3"}, "checkpoint_storage.bucket: s3 needs it"),
        ({"type": "gcs", "bucket": "b"}, "pip install gcsfs"),
        ({"type": "azure", "container": "c", "credential": "s3cret"}, "pip install adlfs"),
        (
            {"type": "directory", "container_path": "/dev/null/x"},
            "checkpoint_storage: /dev/null/x: cannot be used: .*--set checkpoint_storage.type=null",
        ),
    ],
)
def test_a_storage_must_be_usable(storage: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message) as refused:
        run(Trial, tmp_path, config(checkpoint_storage=storage))
    assert "s3cret" not in str(refused.value)


@promise("config", "hyperparameters: const, int, double, log, categorical, and groups of them")
def test_hyperparameter_types() -> None:
    given = config(
        hyperparameters={
            "plain": 3,
            "const": {"type": "const", "val": "relu"},
            "int": {"type": "int", "minval": 2, "maxval": 2},
            "double": {"type": "double", "minval": 0.5, "maxval": 0.75},
            "log": {"type": "log", "base": 10, "minval": -4, "maxval": -2},
            "categorical": {"type": "categorical", "vals": ["a"]},
            "group": {"inner": {"type": "const", "val": 1}},
        }
    )
    hparams = sample_hparams(config_from(given))
    assert 0.5 <= hparams.pop("double") <= 0.75
    assert 1e-4 <= hparams.pop("log") <= 1e-2
    assert hparams == {
        "plain": 3,
        "const": "relu",
        "int": 2,
        "categorical": "a",
        "group": {"inner": 1},
    }


@promise("config", "what only a cluster uses is accepted, and named in one notice")
def test_cluster_only_fields() -> None:
    given = config(
        environment={
            "image": "tf-2.4",
            "registry_auth": {"password": "x"},
        },
        bind_mounts=[{"host_path": "/a", "container_path": "/b"}],
        resources={"slots_per_trial": 1, "resource_pool": "gpu", "priority": 3},
        optimizations={"aggregation_frequency": 4, "mixed_precision": "O0"},
        labels=["a"],
        max_restarts=5,
    )
    validated = config_from(given)
    assert notices(validated, {}) == [
        "paths of the cluster: /b is /a",
        "no effect without a cluster: environment, resources.priority, "
        "resources.resource_pool, max_restarts (one process is not restarted), "
        "optimizations.aggregation_frequency, optimizations.mixed_precision",
    ]


@promise("config", "a key that nobody knows is named, with the one that was likely meant")
def test_unknown_keys() -> None:
    validated = config_from(config(min_validaton_period={"batches": 3}))
    assert notices(validated, {}) == [
        "unknown config keys, not used: min_validaton_period (did you mean min_validation_period?)"
    ]


@promise("4.7", "test mode trains one batch, validates one and writes one checkpoint")
def test_test_mode(tmp_path: Path) -> None:
    class Small(Trial):
        def build_validation_data_loader(self) -> Any:
            return X[:8], Y[:8]

    without_an_epoch = searching({"epochs": 2})
    trained = run(Small, tmp_path, without_an_epoch, test=True)
    assert [(r["kind"], r["batches"]) for r in trained.reports] == [
        ("training", 1),
        ("validation", 1),
    ]
    assert trained.checkpoints == [1]


@promise("config", "reproducibility.experiment_seed seeds the trial")
def test_the_seed(tmp_path: Path) -> None:
    class Random(Trial):
        def build_model(self) -> Any:
            import tensorflow as tf

            model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
            model = self.context.wrap_model(model)
            model.compile("sgd", "mse")
            return model

    kernels = [
        tuple(run(Random, tmp_path / str(n), config(reproducibility={"experiment_seed": s})).kernel)
        for n, s in enumerate((1, 1, 2))
    ]
    assert kernels[0] == kernels[1] != kernels[2]


@promise("config", "credentials are in no file of a run and in no line of it")
def test_credentials_stay_secret(tmp_path: Path) -> None:
    secret = "hun" + str(7 * 191)  # not spelled in this file, which the checkpoint holds
    given = config(
        environment={"registry_auth": {"password": secret}}, data={"aws_secret_key": secret}
    )
    trained = run(Trial, tmp_path / "out", given)
    written = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert not [path for path in written if secret.encode() in path.read_bytes()]
    assert not any(secret in line for line in trained.said)
    saved = json.loads((trained.checkpoint / "experiment_config.json").read_text())
    assert saved["data"] == {"aws_secret_key": "********"}


@promise("config", "the code in a checkpoint has stars for credentials; a resume compares the rest")
def test_credentials_in_code_stay_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret, settings = "hun" + str(7 * 191), tmp_path / "trial" / "my_settings.py"
    settings.parent.mkdir()
    settings.write_text(f"SIZE = 3\nAWS_KEY = '{secret}'\n")
    monkeypatch.syspath_prepend(settings.parent)
    monkeypatch.delitem(sys.modules, "my_settings", raising=False)
    importlib.import_module("my_settings")
    line = "checkpoints contain my_settings.py with stars in place of credentials (line 2)"

    trained = run(Trial, tmp_path / "out", config(5), settings.parent)
    settings.write_text("SIZE = 3\nAWS_KEY = 'another'\n")
    resumed = run(Trial, tmp_path / "out", config(10), settings.parent, resume=True)
    settings.write_text("SIZE = 4\nAWS_KEY = 'another'\n")
    changed = run(Trial, tmp_path / "out", config(15), settings.parent, resume=True)

    written = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert not [path for path in written if secret.encode() in path.read_bytes()]
    copy = trained.checkpoint / "code" / "my_settings.py"
    assert copy.read_text() == "SIZE = 4\nAWS_KEY = '********'\n"
    assert line in trained.said
    assert not [line for line in resumed.said if "code has changed" in line]
    assert [line for line in changed.said if "code has changed" in line]
    del sys.modules["my_settings"]


@promise("config", "credentials are starred by their names, in lists and in addresses; others stay")
def test_what_a_credential_is() -> None:
    given = {
        "environment": {"environment_variables": ["AWS_SECRET_ACCESS_KEY=abc", "A=b"]},
        "data": {
            "api_key": "abc",
            "max_tokens": 5,
            "tokenizer": "bpe",
            "author": "Ada",
            "url": "postgres://ada:abc@host/table",
            "awsSecretKey": "abc",
        },
    }
    assert without_credentials(given) == {
        "environment": {"environment_variables": ["AWS_SECRET_ACCESS_KEY=********", "A=b"]},
        "data": {
            "api_key": "********",
            "max_tokens": 5,
            "tokenizer": "bpe",
            "author": "Ada",
            "url": "postgres://ada:********@host/table",
            "awsSecretKey": "********",
        },
    }
    assert scrubbed("refused abc at postgres://ada:abc@host", given) == (
        "refused ******** at postgres://ada:********@host"
    )


@promise("config", "a key without a value means its default")
def test_empty_sections() -> None:
    validated = config_from(
        config(data=None, resources=None, records_per_epoch=None, min_validation_period=None)
    )
    assert (validated.data, validated.records_per_epoch) == ({}, 0)
    assert validated.resources.slots_per_trial == 1


@promise("config", "a plain number is no length of a current config")
@pytest.mark.parametrize(
    "given", [searching(8), config(min_validation_period=3), config(min_checkpoint_period=3)]
)
def test_a_length_has_a_unit(given: Any) -> None:
    with pytest.raises(ConfigError, match="expected a mapping with one of batches, records"):
        config_from(given)


@promise("config", "what a kill kept from the storage is stored by the resumed run")
def test_a_resumed_run_stores_what_is_missing(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    storage = {
        "type": "directory",
        "container_path": str(shared),
        "save_trial_best": 9,
        "save_trial_latest": 9,
    }
    given = {"min_checkpoint_period": {"batches": 2}}
    run(Trial, tmp_path / "out", config(4, **given))
    assert not shared.exists()
    resumed = run(
        Trial, tmp_path / "out", config(6, **given, checkpoint_storage=storage), resume=True
    )
    names = {path.name for path in (tmp_path / "out" / "checkpoints").iterdir()}
    assert resumed.checkpoints == [2, 4, 6]
    assert {path.name for path in shared.iterdir()} == names


@promise("config", "entrypoint: module:Class, or a command of determined.launch that names it")
@pytest.mark.parametrize(
    "entrypoint",
    [
        "training:Trial",
        "python3 -m determined.launch.horovod --autohorovod --trial training:Trial",
        ["python3", "-m", "determined.launch.horovod", "python3", "-m", "determined.exec.harness",
         "training:Trial"],
    ],
)  # fmt: skip
def test_entrypoints(entrypoint: Any) -> None:
    assert load_trial(Path(__file__).parent.parent, entrypoint) is Trial


@promise("config", "any other entrypoint is refused with what is expected")
@pytest.mark.parametrize("entrypoint", ["python3 train.py", {"script": "a.py"}, "training:X"])
def test_other_entrypoints(entrypoint: Any) -> None:
    with pytest.raises(TrialLoadError, match="entrypoint"):
        load_trial(Path(__file__).parent.parent, entrypoint)
