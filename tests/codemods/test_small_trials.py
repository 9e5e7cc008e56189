"""Small trials, written in order to break migrate: what it writes where each of them did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from pedl2det.engine import Options, Result, migrate
from pedl2det.files.write import write_all
from support import write_tree

TRIAL = """\
{imports}
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        {line}
        model = Sequential([Dense(hparams["units"], input_shape=(4,)), Dropout(0.5)])
        model.compile("sgd", "mse")
        return model
"""
KERAS = "from keras import backend as K\nfrom keras.layers import Dense, Dropout\n"
KERAS += "from keras.models import Sequential\n"
NUMPY = "import numpy as np\n"
SGD = "from keras.optimizers import SGD\n\nKINDS = {'sgd': SGD}\n"
DATA = """\
from rows import rows


def make_data_loaders(experiment_config, hparams):
    return rows("train", hparams["batch_size"]), rows("test", hparams["batch_size"])
"""
CONFIG = """\
hyperparameters: {units: 8, batch_size: 4}
searcher: {name: single, metric: val_loss, max_steps: 2}
"""


def trial(line: str = "pass", more: str = "") -> dict[str, str]:
    """A trial of standalone Keras with one more line, and more at its top."""
    return {
        "model_def.py": TRIAL.format(imports=KERAS + more, line=line),
        "data.py": DATA,
        "const.yaml": CONFIG,
    }


def migrated(directory: Path, files: dict[str, str]) -> Result:
    """Migrate a trial, and write what becomes of it."""
    write_tree(directory, files)
    result = migrate([directory], Options())
    write_all(result.files)
    return result


@pytest.mark.parametrize(
    ("files", "new"),
    [
        pytest.param(
            trial("import tensorflow as tf; tf.set_random_seed(3)"),
            "import tensorflow as tf\nfrom tensorflow.keras.layers",
            id="an import inside a function serves that function alone",
        ),
        pytest.param(
            trial("one = K.tf.to_float(3)"),
            "one = tf.compat.v1.to_float(3)",
            id="TensorFlow of the backend",
        ),
        pytest.param(
            trial("mean = K.tf.reduce_mean(1.0, reduction_indices=0)"),
            "mean = tf.reduce_mean(1.0, axis=0)",
            id="TensorFlow of the backend, with a name that stays",
        ),
        pytest.param(
            trial(
                "words, rows = text().split(), []; rows.append(words[1:4]); np.array(rows)", NUMPY
            ),
            "legacy_keras.ragged_array(rows)",
            id="slices of words",
        ),
        pytest.param(
            trial("rows = []; rows.append(signal[begin:end]); x = np.array(rows)", NUMPY),
            "legacy_keras.ragged_array(rows)",
            id="parts of an array that may differ in length",
        ),
        pytest.param(
            trial("x = np.array([np.unique(row) for row in rows])", NUMPY),
            "legacy_keras.ragged_array([",
            id="a function that returns arrays of several lengths",
        ),
        pytest.param(
            trial("rows = []; rows.extend(parts()); x = np.array(rows)", NUMPY),
            "legacy_keras.ragged_array(rows)",
            id="what a list is extended with",
        ),
        pytest.param(
            trial(
                "rows = []; rows.append((0, len(x))); rows.append([1, 2]); x = np.array(rows)",
                NUMPY,
            ),
            "x = np.array(rows)",
            id="pairs of numbers",
        ),
        pytest.param(
            trial("rows = []; rows.append(sorted(x)); x = np.array(rows)", NUMPY),
            "legacy_keras.ragged_array(rows)",
            id="what a function of Python returns",
        ),
        pytest.param(
            trial("rows = []; rows.append(signal[signal > 0]); x = np.array(rows)", NUMPY),
            "legacy_keras.ragged_array(rows)",
            id="some elements of an array",
        ),
        pytest.param(
            trial(more="from sklearn.preprocessing import MinMaxScaler as M\nclass Own(M): pass\n"),
            "legacy_keras.restore_sklearn()",
            id="a class of its own of a library",
        ),
        pytest.param(
            trial("both = np.array([[n for n in range(3)], [n for n in range(4)]])", NUMPY),
            "legacy_keras.ragged_array(",
            id="two lists",
        ),
        pytest.param(
            trial("rows = np.array([list(n) for n in x]); np.save(p, rows); np.load(p)", NUMPY),
            "np.load(p, allow_pickle=True)",
            id="rows of a file that the trial writes",
        ),
        pytest.param(
            trial("[*map(pd.DataFrame.as_matrix, tables)]", "import pandas as pd\n"),
            "legacy_keras.restore_pandas()",
            id="a method of a class of pandas",
        ),
        pytest.param(
            trial("KFold(*folds)", "from sklearn.model_selection import KFold\n"),
            "legacy_keras.restore_sklearn()",
            id="arguments of a library that are not visible",
        ),
        pytest.param(
            trial("options = {'clipvalue': 0.0}; KINDS['sgd'](clipvalue=0.0)", SGD),
            "legacy_keras.SGD",
            id="a clip by nothing, of a class in a table",
        ),
        pytest.param(
            trial("tf.is_nan(1.0)", "tf = K.tf\n"),
            "tf = tensorflow\n",
            id="a name of one's own for TensorFlow of the backend",
        ),
        pytest.param(
            trial("gpus = K.tensorflow_backend._get_available_gpus()"),
            "gpus = legacy_keras.get_available_gpus()",
            id="GPUs by a private name",
        ),
        pytest.param(
            trial("x = K.tensorflow_backend._to_tensor(1, 'int32')"),
            "tf.convert_to_tensor(1, 'int32')",
            id="a tensor by a private name",
        ),
        pytest.param(
            trial(more="from pedl.frameworks.keras import *\n"),
            "class Net(TFKerasTrial)",
            id="a star import of the harness has its own names alone",
        ),
        pytest.param(
            trial(
                "rows = []; rows.append(list(range(3))); x = np.array(rows)", "import numpy as np\n"
            ),
            "legacy_keras.ragged_array(rows)",
            id="lists of a list",
        ),
        pytest.param(
            trial('file = h5py.File("cache.h5"); file.create_dataset("x", 3)', "import h5py\n"),
            'h5py.File("cache.h5", mode="a")',
            id="a file that may not be there",
        ),
        pytest.param(
            trial(
                "x = np.array([one_hot(text, 40) for text in texts])",
                "import numpy as np\nfrom tensorflow.keras.preprocessing.text import one_hot\n",
            ),
            "legacy_keras.ragged_array([one_hot(text, 40)",
            id="lists of words",
        ),
        pytest.param(
            trial('rate = settings(model)["lr"]', "from reports import settings\n")
            | {"reports.py": "def settings(model):\n    return model.optimizer.get_config()\n"},
            "enable_tf_random_generator",
            id="a rate that is read elsewhere",
        ),
        pytest.param(
            trial("model = Sequential([HEAD])", "HEAD = Dense(4)\n"),
            "legacy_keras.use_standalone_keras()\nHEAD = Dense(4)\n",
            id="a layer that is made while the module is imported",
        ),
        pytest.param(
            trial("loss = binary_crossentropy", "from keras.backend import binary_crossentropy\n"),
            "legacy_keras.use_standalone_keras()\nfrom tensorflow.keras.backend import binary",
            id="a function that is replaced in its module later",
        ),
        pytest.param(
            trial("pairs = np.array([*map(K.get_value, []), K.ones(3)])", "import numpy as np\n"),
            "legacy_keras.ragged_array([*map",
            id="a list of arrays",
        ),
        pytest.param(
            trial('getattr(model, "initial_decay", 0.0)'),
            "legacy_keras.restore_attributes()",
            id="an old attribute by its text",
        ),
        pytest.param(
            trial("names = {w: w.name for w in model.weights}"),
            "legacy_keras.restore_attributes()",
            id="a dict by weights",
        ),
    ],
)
def test_it_is_written_as_it_was_meant(files: dict[str, str], new: str, tmp_path: Path) -> None:
    migrated(tmp_path, files)

    text = (tmp_path / "model_def.py").read_text()
    assert new in text
    if "reports.py" in files:
        assert "legacy_keras.restore_attributes()" in (tmp_path / "reports.py").read_text()


@pytest.mark.parametrize(
    ("line", "is_old"),
    [
        ("pass", False),
        ("kept = type(self)", False),
        ("self.norm.trainable &= hparams['units'] > 3", True),
        ("model = type(layer)(4)", True),
        ("layer = tf.keras.layers.GRU(4, unroll=True)", True),
        ("tf.keras.utils.get_custom_objects()['own'] = own", True),
        ("rows.map(lambda row: tuple(map(abs, row)))", True),
        ("rows.map(lambda row: tf.py_func(abs, [row], [tf.float32] * 3))", True),
    ],
)
def test_what_may_compute_otherwise_gets_the_old_keras(
    line: str, is_old: bool, tmp_path: Path
) -> None:
    files = trial(line)
    files["model_def.py"] = "import tensorflow as tf\n" + files["model_def.py"].replace(
        "from keras", "from tensorflow.keras"
    )
    migrated(tmp_path, files)

    assert ("legacy_keras.use_old_keras()" in (tmp_path / "model_def.py").read_text()) == is_old


def test_a_sequence_whose_getitem_is_another_method_gets_the_old_keras(tmp_path: Path) -> None:
    files = trial(more="from rows import Rows\n")
    files["model_def.py"] = files["model_def.py"].replace("from keras", "from tensorflow.keras")
    files["rows.py"] = "class Rows:\n    def batch(self, n):\n        return self.rows[n]\n"
    for alias, is_old in (("", False), ("\n    __getitem__ = batch\n", True)):
        home = tmp_path / str(is_old)
        migrated(home, {**files, "rows.py": files["rows.py"] + alias})
        assert ("use_old_keras()" in (home / "model_def.py").read_text()) == is_old


def test_a_model_whose_fit_is_a_value_is_wrapped_where_it_is_returned(tmp_path: Path) -> None:
    files = trial()
    files["model_def.py"] = files["model_def.py"].replace(
        "        return model", "        fit = partial(model.fit, x, y)\n        return model"
    )
    migrated(tmp_path, files)

    assert "legacy_keras.trained(self.context, model)" in (tmp_path / "model_def.py").read_text()


def test_a_model_that_fits_itself_is_wrapped_where_it_is_returned(tmp_path: Path) -> None:
    files = trial()
    files["model_def.py"] = (
        files["model_def.py"].replace("Sequential([", "Own([")
        + """

class Own(Sequential):
    def warm(self, x, y):
        self.fit(x, y)
"""
    )
    migrated(tmp_path, files)

    assert "legacy_keras.trained(self.context, model)" in (tmp_path / "model_def.py").read_text()


def test_the_context_has_no_name_that_a_getattr_answers_for(tmp_path: Path) -> None:
    files = trial("units = self.context")
    files["model_def.py"] += "\n    def __getattr__(self, name):\n        return KINDS[name]\n"
    migrated(tmp_path, files)

    assert "self.context = context" not in (tmp_path / "model_def.py").read_text()


def test_ftrl_never_read_lr(tmp_path: Path) -> None:
    line = "opt = tf.keras.optimizers.Ftrl(lr=hparams['lr'])"
    migrated(tmp_path, trial(line, "import tensorflow as tf\n"))

    assert "legacy.Ftrl()" in (tmp_path / "model_def.py").read_text()


def test_a_metric_that_a_callback_puts_into_the_logs_is_no_missing_one(tmp_path: Path) -> None:
    """With another way of putting it there than an item."""
    callbacks = """\
    def keras_callbacks(self, hparams):
        return [F1(), ReduceLROnPlateau(monitor="val_f1", mode="max")]


class F1(Callback):
    def on_epoch_end(self, epoch, logs=None):
        logs.update({"val_f1": 0.5})
"""
    files = trial(more="from keras.callbacks import Callback, ReduceLROnPlateau\n")
    files["model_def.py"] += "\n" + callbacks
    result = migrated(tmp_path, files)

    assert not any("never acted" in one.message for one in result.findings)


@pytest.mark.parametrize(
    "tool", ["import tensorflow as tf\nimport net\n", "from keras import net\n"]
)
def test_a_tool_beside_a_trial_says_nothing_of_its_keras(tool: str, tmp_path: Path) -> None:
    """As ``run`` reads only what the entrypoint reaches."""
    files = trial(more="from net import SIZE\n") | {"net.py": "SIZE = 3\n"}
    files["freeze.py"] = tool + "model = tf.keras.models.load_model('model.h5')\n"
    migrated(tmp_path, files)

    assert "use_standalone_keras()" in (tmp_path / "model_def.py").read_text()


def test_a_config_in_json_is_named(tmp_path: Path) -> None:
    config = {"hyperparameters": {"units": 8}, "searcher": {"name": "single", "max_steps": 2}}
    result = migrated(tmp_path, trial() | {"wide.json": json.dumps(config)})

    (found,) = [one for one in result.findings if one.path.name == "wide.json"]
    assert "JSON files are not rewritten" in found.message and found.kind.is_left


def test_a_file_behind_a_link_out_of_the_paths_is_named(tmp_path: Path) -> None:
    files = trial(more="from shared import net\n")
    write_tree(
        tmp_path / "common", {"net.py": "import pedl\nN = pedl.get_hyperparameter('units')\n"}
    )
    (tmp_path / "trial").mkdir()
    (tmp_path / "trial" / "shared").symlink_to(tmp_path / "common")
    result = migrated(tmp_path / "trial", files)

    assert any("this is reached by a link" in one.message for one in result.findings)


def test_a_trial_that_other_code_makes_is_carried_over_with_the_reason(tmp_path: Path) -> None:
    files = trial()
    constructor = "    def __init__(self, hparams, *more):\n        self.hparams = hparams\n\n"
    files["model_def.py"] = files["model_def.py"].replace(
        "    def build", f"{constructor}    def build"
    )
    files["play.py"] = "from model_def import Net\n\nNet({'units': 8}).build_model({'units': 8})\n"
    result = migrated(tmp_path, files)

    (why,) = [one for one in result.findings if "carried over" in one.message]
    assert "rewritten, model_def.py would use hparams, which nothing defines" in why.message


def test_a_name_with_two_meanings_keeps_its_places_in_a_script(tmp_path: Path) -> None:
    script = """\
import pedl
from random import shuffle
from keras.models import Sequential
from keras.layers import Dense
from rows import x, y
if pedl.get_hyperparameter("mix"):
    shuffle(x)
from numpy.random import shuffle
shuffle(y)
model = Sequential([Dense(1, input_shape=(4,))])
model.compile("sgd", "mse")
model.fit(x, y, validation_data=(x, y))
"""
    files = {"train.py": script, "rows.py": "x = y = [1]\n"}
    files["const.yaml"] = CONFIG + "entrypoint: {script: train.py}\n"
    migrated(tmp_path, files)

    text = (tmp_path / "train.py").read_text()
    inside = text[text.index("def script(") :]
    assert inside.index("from random import") < inside.index("from numpy.random import")


SCRIPT = """\
import pedl
from pedl.util import get_hyperparameters
from keras.models import Sequential
from keras.layers import Dense
hparams = get_hyperparameters()
rate = 0.1
model = Sequential([Dense(1, input_shape=(4,))])
model.compile("sgd", "mse")
model.fit([1], [1], {}, validation_data=([1], [1]))
"""
SCRIPT_CONFIG = """\
hyperparameters: {units: 8}
searcher: {name: single, metric: val_loss, max_steps: 2}
entrypoint: {script: train.py}
"""


def test_a_script_that_looks_up_its_own_names_is_carried_over(tmp_path: Path) -> None:
    """What it binds would be local to a function."""
    script = SCRIPT.format('globals().get("size", 2)')
    result = migrated(tmp_path, {"train.py": script, "const.yaml": SCRIPT_CONFIG})

    assert "legacy_keras.ScriptTrial" in (tmp_path / "train_trial.py").read_text()
    assert any("carried over unchanged: `globals()" in one.message for one in result.findings)


def test_the_batch_size_that_a_script_gets_is_no_hyperparameter_of_it(tmp_path: Path) -> None:
    script = SCRIPT.format('hparams.get("batch_size", 16)')
    migrated(tmp_path, {"train.py": script, "const.yaml": SCRIPT_CONFIG})

    config = yaml.safe_load((tmp_path / "const.yaml").read_text())
    assert config["hyperparameters"]["global_batch_size"] == 32
    assert config["data"]["legacy_config"]["hyperparameters"] == {"batch_size": None}


UNSEEN = """\
import itertools

import numpy as np


def report(values, others, size):
    found = {variable: size.value for variable in values}
    assert size.shape
    table = np.vstack(itertools.chain(values, values))
    return found, table, np.array([values, others])
"""


@pytest.mark.parametrize("is_unseen", [True, False])
def test_what_no_training_has_executed_may_be_anything(tmp_path: Path, is_unseen: bool) -> None:
    home = tmp_path / "trial"
    write_tree(home, trial("from report import report") | {"report.py": UNSEEN, "tool.py": UNSEEN})
    unseen = {home: {home / "report.py": frozenset({7, 8, 9, 10})}}

    write_all(migrate([home], Options(unseen=unseen if is_unseen else {})).files)

    new, tool = ((home / name).read_text() for name in ("report.py", "tool.py"))
    assert "legacy_keras.restore_numpy()" in new  # for what it is executed with by another seed
    assert "legacy_keras.restore_numpy()" not in tool
    for care in ("legacy_keras.restore_attributes()", "legacy_keras.restore_dimensions()"):
        assert (care in new) is is_unseen
        assert care not in tool


def test_a_trial_that_is_carried_over_has_the_callbacks_of_todays_keras(tmp_path: Path) -> None:
    stopping = "from keras.callbacks import EarlyStopping"
    write_tree(tmp_path, trial(f"{stopping}; self.stops = EarlyStopping('val_loss', patience=2)"))

    write_all(migrate([tmp_path], Options(carries=lambda _: True)).files)

    text = (tmp_path / "model_def.py").read_text()
    assert "from tensorflow.keras.callbacks import EarlyStopping" in text


def test_a_trial_that_is_carried_over_may_have_ragged_arrays_of_arrays(tmp_path: Path) -> None:
    code = (
        "import numpy as np\n\nx = np.array(np.array_split(np.ones(9), 2))\ny = np.array([1, 2])\n"
    )
    write_tree(tmp_path, trial("from rows import x") | {"rows.py": code})

    write_all(migrate([tmp_path], Options(carries=lambda _: True)).files)

    text = (tmp_path / "rows.py").read_text()
    assert "legacy_keras.restore_numpy()" in text
    assert "np.array(np.array_split(" in text


def test_rows_that_are_parts_of_lists_may_be_ragged(tmp_path: Path) -> None:
    code = """\
import numpy as np


def encode(words):
    return [len(word) for word in words][:9]


def table(texts):
    rows = []
    for text in texts:
        codes = encode(text)
        rows.append(codes)
    return np.array(rows)
"""
    migrated(tmp_path, trial("from table import table") | {"table.py": code})

    assert "return legacy_keras.ragged_array(rows)" in (tmp_path / "table.py").read_text()


TF_KERAS = """\
import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial

{before}


class Net(TFKerasTrial):
    def build_model(self, hparams):
        layers = [{layers}tf.keras.layers.Dense(1)]
        model = tf.keras.Sequential(layers)
        model.compile("sgd", "mse")
        return model
"""
PARTS = """\
class Rows(tf.keras.utils.Sequence):
    def __getitem__(self, index):
        return tuple(array[index] for array in self.arrays)
"""
WEIGHED = """\
def weigh(x, y, rows, shape):
    parts = (x, y)
    parts += (1,)
    return parts
"""
LENGTH = """\
def length(values):
    return tf.keras.backend.int_shape(values)[1]


class Mean(tf.keras.layers.Layer):
    def call(self, values):
        return values / length(values)
"""


@pytest.mark.parametrize(
    ("before", "layers", "is_needed"),
    [
        (PARTS, "", True),
        (LENGTH, "Mean(), ", True),
        (PARTS.replace("tuple(array[index] for array in self.arrays)", "index, index"), "", False),
        (WEIGHED, "", True),
        ("kept = {}\nkept['train'] = (x, y, w) if w else (x, y)", "", True),
        (WEIGHED.replace("parts += (1,)", "parts = (*parts, 1)"), "", True),
        (WEIGHED.replace("parts += ", "shape = rows + "), "", True),
        (WEIGHED.replace("parts += (1,)", "rows.reshape(shape + (1,))"), "", False),
        ("def stop(options):\n    return tf.keras.callbacks.EarlyStopping(**options)", "", True),
    ],
)
def test_parts_and_shapes_that_are_not_visible_may_be_any(
    tmp_path: Path, before: str, layers: str, is_needed: bool
) -> None:
    files = {"model_def.py": TF_KERAS.format(before=before, layers=layers), "data.py": DATA}

    migrated(tmp_path, files | {"const.yaml": CONFIG})

    assert ("use_old_keras()" in (tmp_path / "model_def.py").read_text()) is is_needed


def test_modules_are_the_trials_whose_names_it_completes(tmp_path: Path) -> None:
    net = "import numpy as np\n\nROWS = np.array([[1], [2, 3]])\n"
    net += "\n\ndef seen(model, is_wanted):\n    found = model.trainable_weights\n"
    net += "    return {each: 1 for each in found} if is_wanted else {}\n"
    lines = "import importlib; importlib.import_module('net_' + hparams['net'])"

    migrated(tmp_path, trial(lines) | {"net_small.py": net, "other.py": net})

    new, other = ((tmp_path / name).read_text() for name in ("net_small.py", "other.py"))
    assert "legacy_keras.restore_attributes()" in new
    assert "legacy_keras.ragged_array([[1], [2, 3]])" in new
    assert other == net


def test_a_context_trial_of_old_keras_has_the_callbacks_of_todays(tmp_path: Path) -> None:
    code = """\
from determined.keras import TFKerasTrial
from keras.callbacks import ReduceLROnPlateau
from keras.layers import Dense
from keras.models import Sequential


class Net(TFKerasTrial):
    def __init__(self, context):
        self.context = context

    def build_model(self):
        model = self.context.wrap_model(Sequential([Dense(1, input_shape=(4,))]))
        model.compile(self.context.wrap_optimizer("sgd"), "mse")
        return model

    def keras_callbacks(self):
        return [ReduceLROnPlateau("val_loss", patience=1)]
"""
    config = CONFIG.replace("batch_size", "global_batch_size").replace(
        "max_steps: 2", "max_length: {batches: 9}"
    )

    migrated(tmp_path, {"model_def.py": code, "const.yaml": config + "entrypoint: model_def:Net\n"})

    text = (tmp_path / "model_def.py").read_text()
    assert "from tensorflow.keras.callbacks import ReduceLROnPlateau" in text


STANDALONE = """\
import keras
from pedl.frameworks.keras import TFKerasTrial


class Own(TFKerasTrial):
    def build_model(self, hparams):
        model = keras.models.Sequential([keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        return model
"""


def test_each_trial_of_a_directory_gets_the_keras_that_it_used(tmp_path: Path) -> None:
    other = TF_KERAS.format(before="", layers="tf.keras.layers.Lambda(abs), ")
    entry = "{0}entrypoints: {{trial_class: {1}}}\n"
    configs = {"const.yaml": "model_def:Net", "own.yaml": "own:Own"}
    files = {"model_def.py": other, "own.py": STANDALONE, "data.py": DATA}

    migrated(tmp_path, files | {name: entry.format(CONFIG, at) for name, at in configs.items()})

    assert "use_old_keras()" in (tmp_path / "model_def.py").read_text()
    assert "use_standalone_keras()" in (tmp_path / "own.py").read_text()


def test_a_subclass_may_make_objects_before_the_constructor_of_its_base(tmp_path: Path) -> None:
    made = (
        "class Below(Net):\n    def __init__(self, hparams):\n        self.stop = Stop(hparams)\n"
    )
    before = "class Stop(tf.keras.callbacks.EarlyStopping):\n    pass\n"
    code = TF_KERAS.format(before=before, layers="")
    code += f"\n\n{made}        super().__init__(hparams)\n"

    migrated(tmp_path, {"model_def.py": code, "data.py": DATA, "const.yaml": CONFIG})

    new = (tmp_path / "model_def.py").read_text()
    assert "\n\nlegacy_keras.use_old_keras()\n" in new
    assert "        legacy_keras.use_old_keras()" not in new


def test_rows_that_a_function_fills_may_differ_in_length(tmp_path: Path) -> None:
    code = (
        "import numpy as np\n\n\ndef encode(words):\n    codes = []\n    for word in words:\n"
        "        codes.append(len(word))\n    return codes\n\n\ndef table(texts, pool):\n"
        "    rows = []\n    for text in texts:\n        rows.append(encode(text))\n"
        "    return np.array(rows)\n"
    )
    net = TF_KERAS.format(before="import rows\n", layers="")

    migrated(
        tmp_path, {"model_def.py": net, "rows.py": code, "data.py": DATA, "const.yaml": CONFIG}
    )

    new = (tmp_path / "rows.py").read_text()
    assert "legacy_keras.ragged_array(rows)" in new
