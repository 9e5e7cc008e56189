"""Trials that are carried over whole: their old methods train the same on a context."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pedl2det.engine import migrate
from pedl2det.engine.migration import Options
from pedl2det.findings import Kind
from pedl2det.verify import verify_trial
from support import write_tree

NAMES = (
    *("iris", "digits", "digits_keras_trial", "wine_two_outputs"),
    *("cancer_dataset", "iris_download", "early_wine", "digits_script"),
)


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", NAMES)
def test_an_example_trains_the_same(name: str, example: Callable[[str], Path]) -> None:
    directory = example(name)

    result = migrate([directory], Options(carries=lambda _: True))

    assert not result.of_kind(Kind.LEFT)
    assert "Trial(legacy_keras." in "".join(file.new.decode() for file in result.files)
    verdict = verify_trial(directory, batches=20, result=result)
    assert verdict.is_equal, verdict.message


RAGGED = """\
import numpy as np


def rows(counts):
    counted = [list(range(count)) for count in counts]
    return np.array(counted), np.array([[1, 2], [3, 4]])
"""
LAYERS = """\
import keras
from keras.layers import Concatenate, Dense, Input
from keras.models import Model
from pedl.frameworks.keras import TFKerasTrial
from rows import rows


class T(TFKerasTrial):
    def build_model(self, hparams):
        given = Input(shape=(1,), name="dense")
        model = Model(given, Concatenate()([Dense(1)(given), Dense(2)(given)]))
        model.compile(keras.optimizers.SGD(0.1), "mse")
        return model
"""
DATA = """\
import numpy as np
from rows import rows


def make_data_loaders(experiment_config, hparams):
    several, pairs = rows([1, 2, 3, 4])
    x = np.array([[sum(one)] for one in several], dtype=float)
    return (x, np.ones((4, 3))), (x, np.ones((4, 3)))
"""


KERAS_TRIAL = """\
class T(KerasTrial):
    def build_model(self, hparams):
        return Sequential([Dense(1, input_shape=(2,))])

    def optimizer(self):
        return "sgd"

    def batch_size(self):
        return 4

"""
LABELS = """\
import numpy as np
from keras.layers import Dense
from keras.models import Sequential
from pedl.frameworks.keras import KerasTrial


def weighted(y_true, y_pred):
    return (1 + 4 * y_true) * (y_true - y_pred) ** 2


"""
LABELS += KERAS_TRIAL
LABELS += """\
    def loss(self):
        return weighted

    def validation_metrics(self):
        metrics = {}
        for name in ("error", "cost"):
            metrics[name] = weighted
        return metrics


def make_data_loaders(experiment_config, hparams):
    x = np.random.RandomState(1).normal(size=(400, 2))
    y = (x[:, :1] > 0).astype(int)
    return (x[:300], y[:300]), (x[300:], y[300:])
"""
CONST = """\
hyperparameters: {batch_size: 4}
searcher: {name: single, metric: cost, max_steps: 1}
"""


def test_whole_labels_reach_own_losses_as_floats_and_metrics_of_unknown_names_are_searched(
    tmp_path: Path,
) -> None:
    """As in Keras 2.2.4, whose targets had the type of the outputs."""
    write_tree(tmp_path, {"__init__.py": LABELS, "const.yaml": CONST})

    result = migrate([tmp_path], Options(carries=lambda _: True))
    verdict = verify_trial(tmp_path, batches=100, result=result)

    assert verdict.is_equal, verdict.message
    assert any(b"metric: val_cost" in file.new for file in result.files)


VALIDATED = """\
import keras.backend as K
import numpy as np
from keras.callbacks import Callback
from keras.layers import Dense
from keras.models import Sequential
from pedl.data import ArrayBatchLoader
from pedl.frameworks.keras import KerasTrial


class Slower(Callback):
    def __init__(self, adapter):
        super().__init__()
        self.adapter = adapter

    def on_test_end(self, logs=None):
        self.adapter.start(is_validation=True)
        rows = sum(len(x) for x, _ in self.adapter.get_iterator())
        self.adapter.stop()
        K.set_value(self.model.optimizer.lr, 0.1 * logs["worst"] / rows)


"""
VALIDATED += KERAS_TRIAL
VALIDATED += """\
    def loss(self):
        return "mse"

    def validation_metrics(self):
        return {"error": "mae"}

    def keras_callbacks(self, hparams):
        return [Slower(self.validation_data_adapter)]

    def compute_validation_metrics(self, step_id):
        self.validation_data_adapter.start(is_validation=True)
        pairs = list(self.validation_data_adapter.get_iterator())
        self.validation_data_adapter.stop()
        worst = max(np.abs(self.model.predict_on_batch(x) - y).max() for x, y in pairs)
        return {"num_inputs": 100, "validation_metrics": {"worst": float(worst)}}


def make_data_loaders(experiment_config, hparams):
    x = np.random.RandomState(1).normal(size=(400, 2))
    y = x[:, :1] * x[:, 1:]
    return ArrayBatchLoader(x[:300], y[:300]), ArrayBatchLoader(x[300:], y[300:])
"""


def test_callbacks_see_the_validation_and_its_metrics_as_the_trial_computes_them(
    tmp_path: Path,
) -> None:
    config = CONST.replace("cost", "worst").replace("max_steps: 1", "max_steps: 3")
    write_tree(
        tmp_path, {"__init__.py": VALIDATED, "const.yaml": config + "batches_per_step: 10\n"}
    )

    verdict = verify_trial(tmp_path, result=migrate([tmp_path], Options(carries=lambda _: True)))

    assert verdict.is_equal, verdict.message


def test_both_forms_have_what_old_numpy_and_keras_did_by_themselves(tmp_path: Path) -> None:
    """Rows of several lengths became objects, and the first layer was `dense_1`."""
    directory = write_tree(
        tmp_path / "trial",
        {
            "__init__.py": "from data import make_data_loaders\nfrom model_def import T\n",
            "rows.py": RAGGED,
            "data.py": DATA,
            "model_def.py": LAYERS,
            "const.yaml": "hyperparameters: {batch_size: 2}\n"
            "searcher: {name: single, metric: val_loss, max_steps: 1}\nbatches_per_step: 6\n",
        },
    )

    first, second = (
        verify_trial(directory, result=migrate([directory], options))
        for options in (Options(), Options(carries=lambda _: True))
    )

    assert first.is_equal, first.message
    assert second.is_equal, second.message


EARLY = """\
import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial


class T(TFKerasTrial):
    def __init__(self, context):
        self.context = context

    def build_training_data_loader(self):
        return np.ones((8, 2)), np.ones((8, 1))

    build_validation_data_loader = build_training_data_loader

    def build_model(self):
        layer = tf.keras.layers.Dense(1, input_shape=(2,))
        self.model = self.context.wrap_model(tf.keras.Sequential([layer]))
        self.model.compile("adagrad", "mse")
"""


def test_an_early_trial_trains_what_it_wraps_whatever_it_returns(tmp_path: Path) -> None:
    config = CONST.replace("cost", "val_loss").replace("batch_size", "global_batch_size")
    config += "entrypoint: __init__:T\n"
    write_tree(tmp_path, {"__init__.py": EARLY, "const.yaml": config})

    result = migrate([tmp_path], Options(carries=lambda _: True))
    verdict = verify_trial(tmp_path, batches=4, result=result)

    assert verdict.is_equal, verdict.message


SCRIPT = """\
import keras
import os

import numpy as np
import pedl

np.random.seed(1)
from blobs import x, y

PARAMETERS = {"units": 3 if os.path.exists("/no-such-mount/units") else 7}
PARAMETERS["units"] += pedl.get_hyperparameter("units")
UNITS = PARAMETERS["units"]


class Experiment:
    def __init__(self):
        self.model = keras.models.Sequential([keras.layers.Dense(UNITS), keras.layers.Dense(1)])
        self.model.compile(keras.optimizers.Adam(0.1), "mse", metrics=["mae"])

    def train(self, is_generated):
        if is_generated:
            return self.model.fit_generator(
                iter(lambda: (x[:4], y[:4]), None), 2, nb_epoch=4, validation_data=(x, y)
            )
        return self.model.fit(x, y, 4, epochs=2, validation_data=(x, y))


if __name__ == "__main__":
    history = Experiment().train(pedl.get_hyperparameter("is_generated"))
    print("losses:", len(history.history["loss"]))
"""
BLOBS = """\
import numpy as np

x = np.random.random((16, 2))
y = x.sum(axis=1)
"""
OF_SCRIPT = """\
description: a script
entrypoint: {{script: src/train.py}}
hyperparameters: {{units: 5, is_generated: {0}}}
searcher: {{name: single, metric: val_loss, max_steps: 1}}
bind_mounts: [{{host_path: {1}, container_path: /no-such-mount}}]
"""


@pytest.mark.parametrize("is_generated", ["true", "false"])
def test_a_script_trains_the_same_as_it_is(is_generated: str, tmp_path: Path) -> None:
    mounted = write_tree(tmp_path / "mounted", {"units": ""})
    files = {"src/train.py": SCRIPT, "src/blobs.py": BLOBS}
    config = OF_SCRIPT.format(is_generated, mounted)
    directory = write_tree(tmp_path / "trial", {**files, "const.yaml": config})

    result = migrate([directory])

    assert not result.of_kind(Kind.LEFT)
    assert any(file.path.name == "train_trial.py" for file in result.files)
    verdict = verify_trial(directory, batches=20, result=result)
    assert verdict.is_equal, verdict.message
