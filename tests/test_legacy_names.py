"""The shim serves the names of PEDL and early Determined, and the defaults of their time."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from pedl2det_names.harness import ROWS


@pytest.mark.parametrize("name", sorted(ROWS))
def test_the_shim_serves_every_name_of_the_table(name: str) -> None:
    module, _, attribute = name.rpartition(".")

    assert hasattr(importlib.import_module(module), attribute)


def test_optimizers_of_standalone_keras_have_the_arguments_of_the_table() -> None:
    import tensorflow as tf

    from pedl2det_legacy import standalone_keras
    from pedl2det_names.keras import STANDALONE_DEFAULTS, STANDALONE_PARAMETERS

    assert {*STANDALONE_PARAMETERS} == {
        kind.__name__ for kind in standalone_keras.STANDALONE_OPTIMIZERS
    }
    for name, parameters in STANDALONE_PARAMETERS.items():
        make = getattr(standalone_keras, name)
        with pytest.raises(TypeError, match=f"{name}: expected the arguments {parameters[0]}, "):
            make(0.5, lr=0.5)
        config = getattr(tf.keras.optimizers.legacy, name)().get_config()
        old = make().get_config()
        differing = {key: str(value) for key, value in old.items() if config.get(key) != value}
        assert differing == STANDALONE_DEFAULTS.get(name, {})
        by_place = make(*(0.25 for _ in parameters)).get_config()
        today = [{"lr": "learning_rate"}.get(each, each) for each in parameters]
        assert [key for key in today if by_place.get(key, 0.25) != 0.25] == []


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
