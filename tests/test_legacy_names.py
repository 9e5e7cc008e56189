"""The shim serves the names of PEDL and early Determined, and the defaults of their time."""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys

import pytest

from pedl2det_names import (
    METRIC_NAMES,
    OLD_DEFAULTS,
    OTHER_METRICS,
    STANDALONE_RATES,
)
from pedl2det_names.harness import ROWS


@pytest.mark.parametrize("name", sorted(ROWS))
def test_the_shim_serves_every_name_of_the_table(name: str) -> None:
    module, _, attribute = name.rpartition(".")

    assert hasattr(importlib.import_module(module), attribute)


def test_migrated_code_says_the_defaults_that_the_shim_serves() -> None:
    from pedl.old_keras import OLD_DEFAULTS as SERVED
    from pedl2det_names.keras_arguments import OPTIMIZERS

    layers = {name.rpartition(".")[2]: defaults for name, defaults in OLD_DEFAULTS.items()}
    said = {
        name: {argument: ast.literal_eval(value) for argument, value in defaults.items()}
        for name, defaults in layers.items()
    }
    assert said == SERVED
    today = dict.fromkeys(OPTIMIZERS, 0.001) | {"SGD": 0.01}
    rates = {name: said["lr"] for name, said in OPTIMIZERS.items() if said["lr"] != today[name]}
    assert {name: float(rate) for name, rate in STANDALONE_RATES.items()} == rates


def test_optimizers_of_standalone_keras_have_the_arguments_of_the_table() -> None:
    from pedl2det_legacy import standalone_optimizers
    from pedl2det_names.keras_arguments import OPTIMIZERS

    for name, arguments in OPTIMIZERS.items():
        signature = inspect.signature(getattr(standalone_optimizers, name))
        positional = [
            one for one in signature.parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD
        ]
        assert {one.name: one.default for one in positional} == arguments


def test_metrics_are_renamed_by_the_names_that_an_old_run_knows() -> None:
    from pedl2det_legacy import metric_names

    assert METRIC_NAMES == metric_names._OLD_NAMES
    assert OTHER_METRICS == metric_names._OTHER_METRICS


def test_import_pedl_loads_neither_tensorflow_nor_libcst() -> None:
    code = (
        "import sys, pedl; "
        "assert not {'tensorflow', 'tf_keras', 'libcst'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_keras_3_loaded_before_pedl_is_an_import_error_with_its_remedy() -> None:
    code = "import tensorflow as tf; tf.keras.Model; import pedl"
    failed = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={"TF_USE_LEGACY_KERAS": "0", "PATH": "/usr/bin"},
    )

    assert failed.returncode == 1
    assert "WrongKerasError: TensorFlow was loaded with Keras 3" in failed.stderr
    assert "TF_USE_LEGACY_KERAS=1" in failed.stderr


def test_a_getter_outside_a_run_says_how_to_run() -> None:
    import pedl
    from pedl2det_runtime.errors import NoTrialError

    with pytest.raises(NoTrialError, match="pedl2det run DIR"):
        pedl.get_hyperparameter("units")
