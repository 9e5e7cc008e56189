"""The table of old names: what it answers, and that it says the truth about today's TensorFlow."""

from __future__ import annotations

import builtins
import importlib
import subprocess
import sys
import warnings
from types import ModuleType
from typing import Any

import pytest

from pedl2det_names import Name, is_legacy, lookup, mentions_legacy, rows
from pedl2det_names.keras import private_path
from pedl2det_names.tensorflow import COMPAT_V1

ROWS = {row.old: row for row in rows()}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("keras", "tensorflow.keras"),
        ("keras.layers.Dense", "tensorflow.keras.layers.Dense"),
        ("keras.layers.advanced_activations.PReLU", "tensorflow.keras.layers.PReLU"),
        ("keras.utils.np_utils", "tensorflow.keras.utils"),
        ("keras.engine.topology.Layer", "tensorflow.keras.layers.Layer"),
        ("keras.engine.network.Network", "tensorflow.keras.models.Model"),
        ("keras.constraints.maxnorm", "tensorflow.keras.constraints.max_norm"),
        ("keras.optimizers.adadelta", "tensorflow.keras.optimizers.legacy.Adadelta"),
        ("keras.backend.tensorflow_backend.mean", "tensorflow.keras.backend.mean"),
        ("keras_preprocessing.text.Tokenizer", "tensorflow.keras.preprocessing.text.Tokenizer"),
        ("tensorflow.python.keras.backend.mean", "tensorflow.keras.backend.mean"),
        ("tensorflow.contrib.keras.layers.Dense", "tensorflow.keras.layers.Dense"),
        ("tensorflow.keras.optimizers.Adam", "tensorflow.keras.optimizers.legacy.Adam"),
        (
            "tensorflow.python.keras.optimizer_v2.gradient_descent.SGD",
            "tensorflow.keras.optimizers.legacy.SGD",
        ),
        (
            "tensorflow.python.keras.utils.data_utils.get_file",
            "tensorflow.keras.utils.get_file",
        ),
        (
            "tensorflow.python.keras.engine.data_adapter.unpack_x_y_sample_weight",
            "tensorflow.keras.utils.unpack_x_y_sample_weight",
        ),
        ("tensorflow.python.framework.ops.Tensor", "tensorflow.Tensor"),
        ("tensorflow.train.AdamOptimizer", "tensorflow.keras.optimizers.legacy.Adam"),
        ("tensorflow.gfile.MakeDirs", "tensorflow.io.gfile.makedirs"),
        ("tensorflow.gfile.Open", "tensorflow.io.gfile.GFile"),
        ("tensorflow.logging.info", "tensorflow.compat.v1.logging.info"),
        ("tensorflow.ConfigProto", "tensorflow.compat.v1.ConfigProto"),
        ("tensorflow.log", "tensorflow.math.log"),
        ("tensorflow.set_random_seed", "tensorflow.random.set_seed"),
        ("tensorflow.contrib.data.AUTOTUNE", "tensorflow.data.experimental.AUTOTUNE"),
        ("numpy.int", "builtins.int"),
        ("numpy.float_", "numpy.float64"),
        ("pedl.get_trial_seed", "{context}.get_trial_seed()"),
        ("determined.keras.TFKerasContext", "determined.keras.TFKerasTrialContext"),
    ],
)
def test_an_old_name_has_its_name_today(old: str, new: str) -> None:
    row = lookup(old)

    assert row is not None
    assert (row.old, row.new) == (old, new)


@pytest.mark.parametrize(
    ("old", "support"),
    [
        ("keras.utils.multi_gpu_model", "multi_gpu_model"),
        ("keras.utils.multi_gpu_utils.multi_gpu_model", "multi_gpu_model"),
        ("keras.datasets.cifar.load_batch", "load_batch"),
        ("tensorflow.python.keras.datasets.cifar.load_batch", "load_batch"),
        ("keras.legacy.interfaces.generate_legacy_interface", "legacy_interface"),
        ("keras.backend.get_session", "get_session"),
        ("tensorflow.Session", "Session"),
        ("pedl.is_valid_url", "is_valid_url"),
        ("pedl.frameworks.keras.data.InMemorySequence", "InMemorySequence"),
    ],
)
def test_a_name_without_a_public_successor_names_its_piece(old: str, support: str) -> None:
    row = lookup(old)

    assert row is not None
    assert row.support == support


@pytest.mark.parametrize(
    ("old", "path"),
    [
        ("keras.layers.VersionAwareLayers", "src.layers.VersionAwareLayers"),
        (
            "keras.preprocessing.sequence._remove_long_seq",
            "src.preprocessing.sequence._remove_long_seq",
        ),
    ],
)
def test_a_name_without_a_public_successor_is_there_at_a_private_path(old: str, path: str) -> None:
    row = lookup(old)

    assert row is not None and row.new is row.support is None
    assert private_path(old) == path


@pytest.mark.parametrize(
    "old",
    [
        "keras.engine",
        "keras.engine.base_layer._to_snake_case",
        "keras.layers.Merge",
        "keras.utils.HDF5Matrix",
        "tensorflow.contrib.slim.conv2d",
        "tensorflow.keras.backend.set_learning_phase",
    ],
)
def test_what_is_gone_for_good_says_what_to_write(old: str) -> None:
    row = lookup(old)

    assert row is not None
    assert (row.new, row.support) == (None, None)
    assert row.write


@pytest.mark.parametrize(
    "name",
    [
        "keras.models.Sequential.fit",  # its class has a row
        "keras.unknown.thing",
        "keras_tuner.layers",
        "kerastuner",
        "tensorflow.keras.layers.Dense",
        "tensorflow.math.log",
        "tensorflow.compat.v1.Session",
        "numpy.float32",
        "determined.keras.TFKerasTrial",
        "os.path.join",
        "",
    ],
)
def test_a_name_of_today_has_no_row(name: str) -> None:
    assert lookup(name) is None


def test_the_arguments_of_an_old_optimizer() -> None:
    adam = lookup("tensorflow.train.AdamOptimizer")
    adagrad = lookup("keras.optimizers.Adagrad")

    assert adam is not None
    assert adam.keywords == {"beta1": "beta_1", "beta2": "beta_2", "use_locking": None}
    assert adam.defaults == {"epsilon": "1e-08"}
    assert adagrad is not None
    assert adagrad.parameters == ("lr", "epsilon", "decay")
    assert adagrad.defaults == {"learning_rate": "0.01", "initial_accumulator_value": "0.0"}


def test_names_that_exist_today_are_told_from_those_that_are_gone() -> None:
    changed = {row.old for row in ROWS.values() if row.changed}

    assert {"tensorflow.nn.dropout", "tensorflow.keras.optimizers.Adam", "numpy.bool"} <= changed
    assert not {"tensorflow.Session", "numpy.int", "keras.layers.GRU"} & changed


def test_rows_are_sorted_and_agree_with_lookup() -> None:
    assert list(ROWS) == sorted(ROWS)
    assert all(lookup(old) == row for old, row in ROWS.items())


def test_every_row_that_no_new_name_answers_says_what_to_write() -> None:
    answered = (row for row in ROWS.values() if row.write or row.support or (row.same and row.new))

    assert set(ROWS) - {row.old for row in answered} == set()


def test_old_harness_names_are_legacy_and_others_are_not() -> None:
    assert is_legacy("pedl")
    assert is_legacy("pedl.anything")
    assert is_legacy("determined.keras.KerasDataAdapter")
    assert not is_legacy("determined.keras.TFKerasTrial")
    assert not is_legacy("keras.layers.Dense")
    assert mentions_legacy(b"import pedl")
    assert mentions_legacy(b"from determined.keras import TFKerasContext")
    assert not mentions_legacy(b"from determined.keras import callbacks")


def test_the_table_imports_nothing_but_the_standard_library() -> None:
    code = (
        "import sys; before = set(sys.modules); import pedl2det_names; "
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}; "
        "assert new <= sys.stdlib_module_names | {'pedl2det_names'}, new"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def today(dotted: str) -> Any:
    """The object of a dotted name."""
    root, *path = dotted.split(".")
    held: Any = builtins if root == "builtins" else importlib.import_module(root)
    for name in path:
        if not hasattr(held, name) and isinstance(held, ModuleType):
            importlib.import_module(f"{held.__name__}.{name}")
        held = getattr(held, name)
    return held


@pytest.fixture
def tf() -> Any:
    from pedl2det_runtime.backends.keras_versions import choose_keras_2

    choose_keras_2()
    import tensorflow

    import pedl2det_runtime  # noqa: F401  (its stubs are `determined`)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield tensorflow


def test_every_new_name_exists(tf: Any) -> None:
    missing = []
    for row in ROWS.values():
        is_of_the_cluster = row.old.startswith("determined_common.")  # no stub has it
        if row.new is None or row.new.startswith("{context}") or is_of_the_cluster:
            continue
        try:
            today(row.new)
        except (AttributeError, ImportError):
            missing.append(row.new)

    assert missing == []


AREAS = """
    app data debugging errors feature_column flags gfile image io layers linalg logging losses
    math metrics nn nn.rnn_cell python_io random saved_model sparse spectral strings summary test
    train keras.backend keras.layers keras.losses keras.metrics keras.utils
"""


def test_every_name_that_went_to_compat_v1_is_known(tf: Any) -> None:
    unknown = []
    for area in ("", *AREAS.split()):
        held, ours = tf.compat.v1, tf
        for part in filter(None, area.split(".")):
            held, ours = getattr(held, part), getattr(ours, part, None)
        for name in dir(held):
            value = getattr(held, name, None)
            is_import = isinstance(value, ModuleType) and area in ("app", "flags", "test")
            is_gone = value is not None and not hasattr(ours, name)
            is_import |= (area, name) == ("", "rnn_cell")  # once nn.rnn_cell is loaded
            if is_gone and not name.startswith("_") and not is_import:
                dotted = ".".join(filter(None, ("tensorflow", area, name)))
                if lookup(dotted) is None:
                    unknown.append(dotted)

    assert unknown == []


def test_a_name_with_another_place_is_the_same_object_there(tf: Any) -> None:
    from tensorflow.python.util import tf_decorator

    for old, new in COMPAT_V1.items():
        if not new.startswith("compat.v1."):
            v1 = tf_decorator.unwrap(today(f"tensorflow.compat.v1.{old}"))[1]
            assert tf_decorator.unwrap(today(f"tensorflow.{new}"))[1] is v1, old


def test_a_name_that_is_gone_is_gone(tf: Any) -> None:
    """And one that is said to exist does."""
    import numpy

    wrong = []
    for row in ROWS.values():
        root, _, path = row.old.partition(".")
        if root not in ("tensorflow", "numpy") or ".python." in row.old:
            continue
        held: Any = {"tensorflow": tf, "numpy": numpy}[root]
        for name in path.split("."):
            held = getattr(held, name, None)
        if (held is not None) != row.changed and numpy.__version__[0] == "2":
            wrong.append(row.old)

    assert wrong == []


def test_two_rows_of_one_name_are_an_error() -> None:
    from pedl2det_names.name import table

    with pytest.raises(ValueError, match="two rows"):
        table(Name("a"), Name("a"))
