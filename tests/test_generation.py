"""Which trials are loaded with the old names in place."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from pedl2det.commands.runtime import OldNames, old_names_of
from pedl2det_names import Age
from pedl2det_runtime.config.reader import config_from
from support import write_tree

CURRENT: dict[str, Any] = {
    "hyperparameters": {"global_batch_size": 4},
    "searcher": {"name": "single", "metric": "val_loss", "max_length": {"batches": 5}},
}
OLD = "import pedl\nfrom pedl.frameworks.keras import TFKerasTrial\n"
CONTEXT_BASED = (
    "from determined.keras import TFKerasTrial\n\n\nclass T(TFKerasTrial):\n    pass\n\n\n"
)
LAUNCHED = "python3 -m determined.launch.horovod --trial model_def:T"


def is_old(path: Path, config: Any) -> bool:
    return old_names_of(path, config).age is not Age.CURRENT


@pytest.mark.parametrize(
    ("files", "entrypoint", "expected"),
    [
        pytest.param({"model_def.py": OLD}, "model_def:T", True, id="its own file"),
        pytest.param({"model_def.py": "", "left.py": OLD}, "model_def:T", False, id="a stray"),
        pytest.param({"model_def.py": "", "__init__.py": OLD}, "model_def:T", False, id="__init__"),
        pytest.param({"model_def.py": "", "__init__.py": OLD}, ":T", True, id="the package"),
        pytest.param({"__init__.py": "from a import T", "a.py": OLD}, None, True, id="imported"),
        pytest.param({"a/b.py": "from .c import f", "a/c.py": OLD}, "a.b:T", True, id="relative"),
        pytest.param({"a/b.py": "from . import c", "a/c.py": OLD}, "a.b:T", True, id="sibling"),
        pytest.param(
            {"b.py": "import a.c", "a/__init__.py": OLD, "a/c.py": ""}, "b:T", True, id="a package"
        ),
        pytest.param({"b.py": "def f():\n  import a", "a.py": OLD}, "b:T", True, id="late"),
        pytest.param({"a.py": "import b", "b.py": "import a"}, "a:T", False, id="a circle"),
        pytest.param({"model_def.py": OLD}, LAUNCHED, True, id="a launcher"),
        pytest.param({"model_def.py": OLD}, LAUNCHED.split(), True, id="a launcher's list"),
        pytest.param({"train.py": "import keras"}, {"script": "train.py"}, True, id="a script"),
        pytest.param({"model_def.py": "import ("}, "model_def:T", False, id="no Python"),
        pytest.param({"model_def.py": "# pedl was here"}, "model_def:T", False, id="a comment"),
    ],
)
def test_the_files_that_a_trial_imports_decide(
    files: dict[str, str], entrypoint: Any, expected: bool, tmp_path: Path
) -> None:
    config = config_from({**CURRENT, "entrypoint": entrypoint} if entrypoint else CURRENT)
    assert is_old(write_tree(tmp_path, files), config) is expected


def test_what_was_migrated_says_itself_what_it_needs(tmp_path: Path) -> None:
    """Whatever image its config keeps, and if a class in a variable gets `lr`."""
    code = f"{CONTEXT_BASED}optimizer = kind(lr=0.1)\n"
    image = {"environment": {"image": "determinedai/environments:py-3.6-tf-1.14-cpu"}}
    config = config_from({**CURRENT, **image, "entrypoint": "model_def:T"})
    files = {"model_def.py": code, "const.yaml": "environment: {image: tf-1.14}\n"}
    home = write_tree(tmp_path, files)

    assert is_old(home, config)
    (home / "model_def.py").write_text(f"import legacy_keras\n\n{code}")
    assert not is_old(home, config)


def test_a_config_in_steps_is_old(tmp_path: Path) -> None:
    searcher = {"name": "single", "metric": "val_loss", "max_steps": 5}
    assert is_old(tmp_path, config_from({**CURRENT, "searcher": searcher}))
    assert not is_old(tmp_path, None)


def test_one_file(tmp_path: Path) -> None:
    write_tree(tmp_path, {"trial.py": OLD, "__init__.py": ""})
    assert is_old(tmp_path / "trial.py", None)
    assert not is_old(tmp_path, None)


def test_plural_entrypoints(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": "", "data.py": OLD})
    named = {"trial_class": "a:T", "data_loaders_function": "data:make"}
    assert is_old(tmp_path, config_from({**CURRENT, "entrypoints": named}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{OLD}from keras.layers import Dense\nDense(1)\n", True),
        (f"{OLD}import keras\nimport tensorflow as tf\nkeras.Model, tf.keras.backend\n", True),
        (f"{OLD}import keras\nimport tensorflow as tf\ndef f() -> tf.keras.Model: keras\n", True),
        (f"{OLD}import keras\nimport tensorflow as tf\nisinstance(keras, tf.keras.Model)", True),
        (f"{OLD}import keras\nfrom tensorflow.keras import layers\nkeras, layers.Dense\n", False),
        (f"{OLD}import tensorflow as tf\ntf.keras.layers.Dense(1)\n", False),
        # Since Keras 2.4 it is that of TensorFlow.
        (f"{CONTEXT_BASED}from keras.layers import Dense\nDense(1)\n", False),
    ],
)
def test_layers_of_a_standalone_keras_before_2_4_are_counted_from_one(
    text: str, expected: bool, tmp_path: Path
) -> None:
    config = config_from({**CURRENT, "entrypoint": "model_def:T"})
    write_tree(tmp_path, {"model_def.py": text})
    assert old_names_of(tmp_path, config).is_standalone is expected


def test_configs_of_one_trial_have_one_age(tmp_path: Path) -> None:
    config = config_from({**CURRENT, "entrypoint": "model_def:T"})
    write_tree(tmp_path, {"model_def.py": CONTEXT_BASED})
    assert old_names_of(tmp_path, config).age is Age.CURRENT
    image = "determinedai/environments:py-3.6.9-pytorch-1.4-tf-1.15-cpu-0.7.0"
    text = f"environment:\n  image: {image}\n"
    of_another = f"{text}entrypoint: model_def:T\n"  # of a trial in its own directory
    write_tree(tmp_path, {"tf1/model_def.py": "", "tf1/const.yaml": of_another})
    assert old_names_of(tmp_path, config).age is Age.CURRENT
    write_tree(tmp_path, {"configs/tf1.yaml": text})
    assert old_names_of(tmp_path, config).age is Age.TENSORFLOW_1


def test_layers_of_a_script(tmp_path: Path) -> None:
    config = config_from({**CURRENT, "entrypoint": {"script": "train.py"}})
    write_tree(tmp_path, {"train.py": "import nets\n", "nets.py": "import keras\nkeras.Model\n"})
    assert old_names_of(tmp_path, config) == OldNames(Age.TENSORFLOW_1, is_standalone=True)


def test_a_run_leaves_no_state_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tensorflow as tf

    from pedl import idioms
    from pedl2det_runtime import stub_path
    from pedl2det_runtime.backends import keras_versions

    idioms.deactivate()  # another test in this process may have imported pedl
    random = tf.keras.backend.experimental
    monkeypatch.setattr(keras_versions, "_serves_old_arguments", False)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != stub_path.STUBS])
    before, was_enabled = list(sys.path), random.is_tf_random_generator_enabled()
    random.disable_tf_random_generator()
    try:
        with stub_path.served_first(), keras_versions.restored_afterwards():
            keras_versions.begin_trial()
            assert sys.path[0] == stub_path.STUBS
            assert random.is_tf_random_generator_enabled()
            old = tf.keras.optimizers.SGD(lr=0.1)
            assert isinstance(old, tf.keras.optimizers.legacy.SGD)
        assert not random.is_tf_random_generator_enabled()
    finally:
        if was_enabled:
            random.enable_tf_random_generator()
    assert sys.path == before
    new = tf.keras.optimizers.SGD(lr=0.1)
    assert not isinstance(new, tf.keras.optimizers.legacy.SGD)
