"""Shapes of whole trials: what migrate writes runs, and reads as if a person had written it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det.engine import Options, Status, migrate
from pedl2det.files.write import write_all
from support import write_tree

MODEL = """\
import tensorflow as tf

from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(hparams["units"])])
        model.compile(tf.keras.optimizers.SGD(0.1), "mse")
        return model
"""
DATA = """\
from rows import rows


def make_data_loaders(experiment_config, hparams):
    return rows("train", hparams["batch_size"]), rows("test", hparams["batch_size"])
"""
CONFIG = """\
hyperparameters: {units: 8, batch_size: 4}
searcher: {name: single, metric: METRIC, max_steps: 2}
"""


def migrated(directory: Path, files: dict[str, str]) -> dict[str, str]:
    """The new files of a trial that has to be finished."""
    write_tree(directory, {"model_def.py": MODEL, "data.py": DATA, **files})
    result = migrate([directory], Options())
    assert [one.status for one in result.outcomes] == [Status.REWRITTEN], result.findings
    write_all(result.files)
    found = directory.rglob("*.*")
    return {str(one.relative_to(directory)): one.read_text() for one in found if one.is_file()}


def test_super_in_a_mixin_calls_the_method_of_the_class_beside_it(tmp_path: Path) -> None:
    mixin = (
        "class Loud:\n"
        "    def keras_callbacks(self, hparams):\n"
        "        return super().keras_callbacks(hparams) + [hparams['units']]\n"
    )
    base = MODEL + "\n    def keras_callbacks(self, hparams):\n        return []\n"
    trial = "from base import Net\nfrom mixin import Loud\n\n\nclass Mine(Loud, Net):\n    pass\n"

    files = migrated(tmp_path, {"mixin.py": mixin, "base.py": base, "model_def.py": trial})

    assert "super().keras_callbacks() + [self.context.get_hparam('units')]" in (files["mixin.py"])


def test_the_only_trial_gets_the_loaders_and_not_its_base_in_another_module(
    tmp_path: Path,
) -> None:
    trial = "from lib.base import Net\n\n\nclass Mine(Net):\n    pass\n"

    names = "from data import make_data_loaders\nfrom model_def import Mine\n"
    package = {"__init__.py": names, "lib/__init__.py": "", "lib/base.py": MODEL}

    files = migrated(tmp_path, {**package, "model_def.py": trial})

    assert "make_data_loaders" not in files["lib/base.py"]
    assert "from data import make_data_loaders\n" in files["model_def.py"]


def test_what_a_default_asks_at_import_is_asked_of_a_module_imported_before(
    tmp_path: Path,
) -> None:
    data = (
        "import pedl\n\n\ndef noisy(x, p=pedl.get_hyperparameter('units')):\n    return x * p\n\n\n"
        "from pedl.frameworks.keras.data import KerasDataAdapter\n"
    ) + DATA

    text = migrated(tmp_path, {"data.py": data})["data.py"]

    assert "def noisy(x, p=legacy_keras.get_hyperparameter('units')):" in text
    assert text.index("import legacy_keras") < text.index("def noisy")


def test_a_function_that_lost_its_parameters_is_closed_on_its_line(tmp_path: Path) -> None:
    data = (
        "from typing import Tuple\n\nfrom rows import rows\n\n\n"
        "def make_data_loaders(\n    experiment_config: dict, hparams: dict\n) -> Tuple:\n"
        "    return rows('train'), rows('test')\n"
    )

    assert "def make_data_loaders() -> Tuple:\n" in migrated(tmp_path, {"data.py": data})["data.py"]


def test_the_names_in_type_comments_stay_imported(tmp_path: Path) -> None:
    model = MODEL.replace(
        "import tensorflow", "from typing import Any, Dict\n\nimport tensorflow"
    ).replace("hparams):", "hparams: Dict[str, Any]):")
    model += "\n\nCACHE = {}  # type: Dict[str, int]\n"

    assert (
        "from typing import Dict\n" in migrated(tmp_path, {"model_def.py": model})["model_def.py"]
    )


@pytest.mark.parametrize(
    ("metrics", "metric"), [("accuracy", "val_accuracy"), ("acc", "val_acc"), ("mse", "val_acc")]
)
def test_a_searched_metric_follows_a_list_of_metrics_that_is_out_of_sight(
    metrics: str, metric: str, tmp_path: Path
) -> None:
    model = MODEL.replace('"mse")', '"mse", metrics=self.options.metrics)')
    model = model.replace("class Net", "from options import Options\n\n\nclass Net")
    model = model.replace("    def build", "    options = Options()\n\n    def build")

    files = migrated(
        tmp_path,
        {
            "model_def.py": model,
            "options.py": f'class Options:\n    metrics = ["{metrics}"]\n',
            "const.yaml": CONFIG.replace("METRIC", "val_acc"),
        },
    )

    assert f"metric: {metric}," in files["const.yaml"]


def test_hasattr_of_the_optimizers_asks_where_getattr_looks(tmp_path: Path) -> None:
    model = MODEL.replace(
        "        model.compile(tf.keras.optimizers.SGD(0.1)",
        "        assert hasattr(tf.keras.optimizers, hparams['kind'])\n"
        "        model.compile(getattr(tf.keras.optimizers, hparams['kind'])(0.1)",
    )

    text = migrated(tmp_path, {"model_def.py": model})["model_def.py"]

    assert text.count("attr(tf.keras.optimizers.legacy, ") == 2


def test_a_call_whose_only_argument_is_on_a_line_of_its_own_is_broken_inside(
    tmp_path: Path,
) -> None:
    layer = 'tf.keras.layers.Dense(hparams["units"], activation="tanh", use_bias=False)'
    model = MODEL.replace("        model.c", f"        model.add({layer})\n        model.c")

    text = migrated(tmp_path, {"model_def.py": model})["model_def.py"]

    assert max(map(len, text.splitlines())) <= max(88, *map(len, model.splitlines()))


_CALLBACKS = "tf.keras.callbacks"
_OWN = f"class Own({_CALLBACKS}.Callback):\n    "


@pytest.mark.parametrize(
    ("made", "above"),
    [
        ("[Own()]", f"{_OWN}def on_batch_end(self, batch, logs=None):\n        print(batch)\n"),
        ("[Own()]", "from company_callbacks import Own\n"),
        (f"[getattr({_CALLBACKS}, hparams['kind'])(print)]", ""),
        (f"[functools.partial({_CALLBACKS}.CSVLogger, 'epochs.csv')()]", "import functools\n"),
        (f"own + [{_CALLBACKS}.TerminateOnNaN()]", "from company_callbacks import own\n"),
        ("made", f"{_OWN}pass\n\n\nmade = []\nmade.append(Own())\n"),
    ],
)
def test_callbacks_that_may_act_by_epoch_get_the_old_epochs(
    made: str, above: str, tmp_path: Path
) -> None:
    model = MODEL + f"\n    def keras_callbacks(self, hparams):\n        return {made}\n"

    text = migrated(tmp_path, {"model_def.py": model.replace("class Net", f"{above}\n\nclass Net")})

    assert "legacy_keras.with_epoch_logs" in text["model_def.py"]


def test_callbacks_of_keras_without_a_hook_of_epochs_or_batches_stay(tmp_path: Path) -> None:
    body = "return [tf.keras.callbacks.TerminateOnNaN()]"
    model = MODEL + f"\n    def keras_callbacks(self, hparams):\n        {body}\n"

    text = migrated(tmp_path, {"model_def.py": model})["model_def.py"]

    assert "legacy_keras" not in text


def test_the_length_of_an_epoch_is_that_of_the_training_data(tmp_path: Path) -> None:
    """Attributes of the trial may have the names that the rewrite would take."""
    model = MODEL + (
        "\n    def keras_callbacks(self, hparams):\n"
        "        self.batches_per_epoch, self.training_data, self.data_loaders = 4, 5, 6\n"
        "        return [tf.keras.callbacks.LearningRateScheduler(print)]\n"
    )

    text = migrated(tmp_path, {"model_def.py": model})["model_def.py"]

    assert "self.both_data_loaders[0]" in text
    assert "training, _ = self.both_data_loaders" in text


def test_a_method_that_lost_its_starred_parameter_has_no_comma_left(tmp_path: Path) -> None:
    model = MODEL.replace("self, hparams):", "self, *_):").replace('hparams["units"]', "4")

    assert "def build_model(self):" in migrated(tmp_path, {"model_def.py": model})["model_def.py"]


def test_an_attribute_that_other_code_sets_on_the_trial_is_not_the_context(tmp_path: Path) -> None:
    noted = "\n\ndef note(trial):\n    trial.context = {'phase': 'late'}\n"

    text = migrated(tmp_path, {"model_def.py": MODEL + noted})["model_def.py"]

    assert "self.det_context = context" in text


def test_an_attribute_of_another_class_is_no_attribute_of_the_trial(tmp_path: Path) -> None:
    other = "\n\nclass Rows:\n    def __init__(self, context):\n        self.context = context\n"

    text = migrated(tmp_path, {"model_def.py": MODEL + other})["model_def.py"]

    assert "self.det_context" not in text and text.count("self.context = context") == 2


def test_a_self_within_a_method_has_no_context(tmp_path: Path) -> None:
    inner = "        def begun(self):\n            return hparams['late']\n\n        model.c"

    text = migrated(tmp_path, {"model_def.py": MODEL.replace("        model.c", inner)})

    assert "hparams = self.context.get_hparams()\n" in text["model_def.py"]


def test_a_constructor_that_another_one_replaces_is_none(tmp_path: Path) -> None:
    twice = "    def __init__(self, hparams):\n        self.rate = 1\n\n" * 2

    text = migrated(
        tmp_path, {"model_def.py": MODEL.replace("    def build", twice + "    def build")}
    )

    assert text["model_def.py"].count("self.context = context") == 1


def test_names_that_the_package_binds_are_imported_from_its_first_file(tmp_path: Path) -> None:
    package = "UNITS = 8\nfrom .data import make_data_loaders\nfrom .model_def import Net\n"
    model = "from . import UNITS, data\n" + MODEL.replace('hparams["units"]', "UNITS")

    files = migrated(
        tmp_path, {"__init__.py": package, "model_def.py": model, "const.yaml": CONFIG}
    )

    assert "import data\n" in files["model_def.py"]
    assert "from __init__ import UNITS\n" in files["model_def.py"]
    assert "entrypoint: __init__:Net\n" in files["const.yaml"]


def test_a_script_in_a_folder_imports_what_is_beside_it(tmp_path: Path) -> None:
    net = "from keras.layers import Dense\n\nUNITS, KIND = 4, Dense\n"
    script = (
        "import tensorflow as tf\n\nimport pedl\nfrom net import UNITS\n\n"
        "model = tf.keras.Sequential([tf.keras.layers.Dense(UNITS)])\nmodel.compile('sgd', 'mse')\n"
        "x = tf.ones([8, UNITS])\nmodel.fit(x, x, batch_size=4, validation_data=(x, x))\n"
    )
    config = "entrypoint: {script: src/train.py}\n" + CONFIG

    write_tree(tmp_path, {"src/net.py": net, "src/train.py": script, "const.yaml": config})
    result = migrate([tmp_path], Options())
    write_all(result.files)

    assert [one.status for one in result.outcomes] == [Status.REWRITTEN], result.findings
    assert 'script = "train.py"' in (tmp_path / "src/train_trial.py").read_text()
    assert "from tensorflow.keras.layers import Dense" in (tmp_path / "src/net.py").read_text()
