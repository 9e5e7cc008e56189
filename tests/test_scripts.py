"""Scripts that fit their own model: what becomes of them, and what keeps them as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pedl2det.files.write import write_all
from pedl2det.migrate import migrate
from support import pedl2det, read_tree, write_tree

CONFIG = """\
entrypoint: {script: train.py}
hyperparameters: {units: 4, rate: 0.1}
searcher: {name: single, metric: val_loss, max_steps: 3}
batches_per_step: 7
min_validation_period: 2
reproducibility: {experiment_seed: 5}
"""
IMPORTS = """\
import os

import numpy as np
import pedl
import tensorflow as tf
from tensorflow.keras.layers import Dense, Dropout, Flatten
from tensorflow.keras.models import Sequential
from tensorflow.keras.preprocessing.image import ImageDataGenerator
"""
DATA = "x = np.random.rand(50, 4)\ny = np.random.randint(0, 2, 50)\n"
MODEL = (
    'model = Sequential([Dense(3, input_shape=(4,)), Dropout(0.2)])\nmodel.compile("sgd", "mse")\n'
)
FIT = "model.fit(x, y, validation_data=(x, y))\n"

WHOLE = {
    "arrays at module level, of which some are weighted": f"""\
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
BATCH = 8
{DATA}w = np.random.rand(50)
model = Sequential([Dense(3, input_shape=(4,)), Dropout(0.5), Dense(1, activation="sigmoid")])
model.compile("rmsprop", "binary_crossentropy", metrics=["accuracy"])
model.fit(x, y, BATCH, 5, sample_weight=w, validation_data=(x[:13], y[:13]))
print("AFTER", model.evaluate(x, y, batch_size=16, verbose=0))
""",
    "images that shuffle themselves, in a main function": """\
np.random.seed(pedl.get_experiment_config()["batches"])


def main():
    images, labels = np.random.rand(50, 8, 8, 1), np.random.randint(0, 2, 50)
    shifted = ImageDataGenerator(rotation_range=20, featurewise_center=True)
    shifted.fit(images)
    model = Sequential([Flatten(input_shape=(8, 8, 1)), Dense(1)])
    model.compile(tf.keras.optimizers.SGD(lr=pedl.get_hyperparameter("rate"), decay=1e-3), "mse")
    history = model.fit_generator(
        shifted.flow(images, labels, batch_size=8),
        steps_per_epoch=6,
        validation_data=(images, labels),
        workers=2,
    )


if __name__ == "__main__":
    main()
""",
    "a model made by a function": f"""\
def rate():
    return pedl.get_hyperparameter("rate")


def build(units, deep):
    model = Sequential([Dense(units, input_shape=(4,)), Dense(1)])
    model.compile(tf.keras.optimizers.Adam(rate()), "mse")
    return model


{DATA}net = build(pedl.get_hyperparameter("units"), deep=True)
net.fit(x, y, validation_data=(x, y), class_weight={{0: 1.0, 1: 2.0}})
x = x[:20]
print("AFTER", float(net.predict(x).sum()), x.shape)
""",
}


def script(directory: Path, code: str, config: str = CONFIG) -> Path:
    return write_tree(directory, {"train.py": f"{IMPORTS}\n\n{code}", "const.yaml": config})


def migrated(directory: Path) -> dict[str, bytes]:
    write_all(migrate([directory]).files)
    return read_tree(directory)


@pytest.mark.slow
@pytest.mark.parametrize("name", WHOLE)
def test_a_script_and_its_trial_train_the_same(name: str, tmp_path: Path) -> None:
    directory = script(tmp_path / "trial", WHOLE[name], CONFIG + "batches: 3\n")

    done = pedl2det("verify", directory)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "compared 21 batches and 5 reports" in done.stdout
    assert "equal: the largest difference is 0\n" in done.stdout


@pytest.mark.slow
def test_the_example_is_proved_equal(example: Callable[[str], Path]) -> None:
    directory = example("digits_script")
    file = directory / "train.py"
    text = file.read_text().replace("import keras\n", "from tensorflow import keras\n", 1)
    file.write_text(text.replace("from keras.", "from tensorflow.keras."))

    done = pedl2det("verify", directory, "--batches", 120)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "equal: the largest difference is 0\n" in done.stdout


@pytest.mark.slow
def test_what_follows_fit_is_done_with_the_trained_model(tmp_path: Path) -> None:
    code = WHOLE["a model made by a function"]
    old, new = (script(tmp_path / which, code) for which in ("old", "new"))
    migrated(new)

    said = [
        [
            line
            for line in pedl2det("run", one, "--out", tmp_path / f"{one.name}-out").stdout.split(
                "\n"
            )
            if line.startswith("AFTER")
        ]
        for one in (old, new)
    ]

    assert len(said[0]) == 1
    assert said[0] == said[1]


def test_a_second_run_changes_nothing_and_the_module_only_defines(tmp_path: Path) -> None:
    for number, code in enumerate(WHOLE.values()):
        directory = script(tmp_path / str(number), code)
        first = migrated(directory)
        assert b"class TrainTrial(TFKerasTrial):" in first["train.py"]
        assert b"pedl" not in first["train.py"]
        assert b"entrypoint: train:TrainTrial\n" in first["const.yaml"]
        assert migrated(directory) == first


def test_a_script_without_any_old_name_is_found_by_its_config(tmp_path: Path) -> None:
    code = f"{IMPORTS.replace('import pedl', '')}\n{DATA}{MODEL}{FIT}"
    directory = write_tree(tmp_path, {"train.py": code, "const.yaml": CONFIG})

    done = pedl2det("migrate", directory)

    assert done.returncode == 0, done.stderr
    assert "1 of 1 trial rewritten; 0 legacy names" in done.stderr
    assert b"global_batch_size: 32" in read_tree(directory)["const.yaml"]


def test_a_main_function_on_one_line(tmp_path: Path) -> None:
    body = "".join(f"    {line}\n" for line in f"{DATA}{MODEL}{FIT}".splitlines())
    code = f'def main():\n    """It trains."""\n{body}\n\nif __name__ == "__main__": main()\n'

    text = migrated(script(tmp_path, code))["train.py"].decode()

    assert 'class TrainTrial(TFKerasTrial):\n    """It trains."""\n\n    def __init__' in text
    assert "main" not in text


def test_imports_that_are_tried_stay_and_later_ones_move(tmp_path: Path) -> None:
    code = (
        "try:\n    import ujson as json\nexcept ImportError:\n    import json\n"
        f"{DATA}from math import sqrt\n\n\ndef f():\n    return json\n\n\n{MODEL}{FIT}"
    )

    text = migrated(script(tmp_path, code))["train.py"].decode()

    assert "\nexcept ImportError:\n    import json\n" in text
    assert "\n        from math import sqrt\n" in text


def test_a_sequence_of_its_own_is_given_a_batch_size_with_a_note(tmp_path: Path) -> None:
    code = f"from data import Images\n{MODEL}model.fit(Images(4), validation_data=Images(9))\n"

    result = migrate([script(tmp_path, code)])

    assert [finding.message for finding in result.findings] == [
        "global_batch_size: 32 cuts arrays only: the Sequence cuts its own batches"
    ]


def test_comments_go_with_what_they_stand_at(tmp_path: Path) -> None:
    directory = script(
        tmp_path,
        f"{DATA}{MODEL}# It trains.\nif __name__ == '__main__':  # alone\n"
        "    model.fit(\n        x,  # inputs\n        y,\n        epochs=3,  # ignored\n"
        "        validation_data=(x, y),\n    )\n    # The end.\n",
    )

    text = migrated(directory)["train.py"].decode()

    where = [text.index(f"# {c}") for c in ("It trains.", "alone", "inputs", "ignored", "The end.")]
    assert where == sorted(where)
    assert text.index("wrap_model(") < where[0] < text.index("self.training_data = (x, y)")


REFUSED = {
    "fit in a condition": (f"{DATA}{MODEL}if len(x):\n    {FIT}", "fit is called in a condition"),
    "fit in a function with arguments": (
        f"def train(model, x, y):\n    {FIT}\n\n{DATA}{MODEL}train(model, x, y)\n",
        "fit is called in a function",
    ),
    "no fit": (f"{DATA}{MODEL}model.train_on_batch(x, y)\n", "calls no model's fit"),
    "a batch beside fit": (
        f"{DATA}{MODEL}model.train_on_batch(x, y)\n{FIT}",
        "train_on_batch: training beside fit",
    ),
    "the command line": (
        f"import argparse\n\n{DATA}{MODEL}{FIT}",
        "the script reads its command line",
    ),
    "argv": (f"import sys\n\n{DATA}{MODEL}{FIT}print(sys.argv)\n", "reads its command line"),
    "the name of the module": (
        f"{DATA}{MODEL}{FIT}print(__name__)\n",
        "__name__ is __main__ in a script",
    ),
    "globals": (f"{DATA}{MODEL}{FIT}print(globals())\n", "globals sees the names of the module"),
    "a global of a function": (
        f"def f():\n    global x\n    x = 1\n\n\n{DATA}{MODEL}{FIT}",
        "a function sets a global",
    ),
    "a global of a function that moves": (
        f"{DATA}if len(x):\n    def f():\n        global n\n        n = 1\n{MODEL}{FIT}",
        "global stands in what would become",
    ),
    "a function of the same name": (
        f"def model():\n    return Sequential([Dense(1)])\n\n\n{DATA}model = model()\n"
        f"model.compile('sgd', 'mse')\n{FIT}",
        "model is bound anew",
    ),
    "a default that is drawn": (
        f"np.random.seed(1)\n\n\ndef f(n=np.random.rand()):\n    return n\n\n\n{DATA}{MODEL}{FIT}",
        "f calls this when it is defined",
    ),
    "a name like a builtin's": (
        f"{DATA}max = max(x[0])\n{MODEL}{FIT}",
        "max is read before it is bound anew",
    ),
    "a private name": (
        f"def __load():\n    return 1\n\n\n{DATA}__load()\n{MODEL}{FIT}",
        "a name that begins with __",
    ),
    "an attribute of the trial": (
        f"training_data = 1\n{DATA}context_size = len(x)\ntraining_data = x\n{MODEL}{FIT}"
        "print(training_data)\n",
        "a trial has an attribute training_data",
    ),
    "self": (f"{DATA}self = x\n{MODEL}{FIT}", "self would be the trial's own name"),
    "context": (f"{DATA}context = x\n{MODEL}{FIT}", "uses the name context already"),
    "another model": (
        f"{DATA}{MODEL}model = Sequential([Dense(1)])\n{FIT}",
        "model is bound anew after it was compiled",
    ),
    "compiled at times": (
        f"{DATA}model = Sequential([Dense(1)])\nif len(x):\n    model.compile('sgd', 'mse')\n{FIT}",
        "model is not always compiled by this name",
    ),
    "compiled twice": (
        f"{DATA}{MODEL}model.compile('adam', 'mse')\n{FIT}",
        "model is compiled more than once",
    ),
    "another guard": (
        f"{DATA}{MODEL}if __name__ == '__main__' and len(x):\n    {FIT}",
        "only a plain if __name__ == '__main__': is understood",
    ),
    "a length in records": (
        f"from data import Images\n{MODEL}model.fit(Images(4), validation_data=Images(9))\n",
        "the records in a batch of a Sequence are not known",
    ),
    "a dataset": (
        f"{DATA}{MODEL}model.fit(tf.data.Dataset.range(3), validation_data=(x, y))\n",
        "a tf.data.Dataset must be wrapped",
    ),
    "a part of the config that changes": (
        f"{DATA}print(pedl.get_experiment_config()['entrypoint'])\n{MODEL}{FIT}",
        "entrypoint of the config is changed by its migration",
    ),
    "an old Sequence": (
        "from pedl.frameworks.keras.data import InMemorySequence\n\n"
        f"{DATA}{MODEL}model.fit_generator(InMemorySequence(x, y, 4), validation_data=(x, y))\n",
        "InMemorySequence: no rule rewrites this use of it",
    ),
    "an optimizer that is nobody's": (
        f"{DATA}model = Sequential([Dense(1)])\nmodel.compile('best', 'mse')\n{FIT}",
        "'best' names no optimizer of Keras",
    ),
    "callbacks": (
        f"{DATA}{MODEL}model.fit(x, y, validation_data=(x, y), callbacks=[stop])\n",
        "[stop]: an epoch was one pass over the data",
    ),
    "hidden arguments": (f"{DATA}{MODEL}model.fit(x, y, **more)\n", "* or ** hides what fit is"),
    "an old argument": (
        f"{DATA}{MODEL}model.fit(x, y, nb_epoch=3, validation_data=(x, y))\n",
        "fit has no argument nb_epoch",
    ),
    "a list of validation data": (
        f"{DATA}{MODEL}model.fit(x, y, validation_data=[x, y])\n",
        "a list of arrays: write it as a tuple",
    ),
    "a computed batch size": (
        f"{DATA}{MODEL}model.fit(x, y, len(x) // 4, validation_data=(x, y))\n",
        "len(x) // 4: the batch size is computed",
    ),
    "shuffled processes": (
        f"images = np.zeros((9, 2, 2, 1))\n{MODEL}model.fit_generator(ImageDataGenerator().flow("
        "images), validation_data=(images, images), use_multiprocessing=True)\n",
        "each process shuffles these images by itself",
    ),
    "a getter in a class": (
        f"class A:\n    units = pedl.get_hyperparameter('units')\n\n\n{DATA}{MODEL}{FIT}",
        "the context is out of reach",
    ),
    "a function that is handed on": (
        f"def f():\n    return pedl.get_trial_seed()\n\n\n{DATA}g = map(f, x)\n{MODEL}{FIT}",
        "f needs the context, which does not reach this place",
    ),
    "two statements on a line": (f"{DATA}x = x[:9]; y = y[:9]\n{MODEL}{FIT}", "give each its own"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_move_is_left_and_told(name: str, tmp_path: Path) -> None:
    code, said = REFUSED[name]
    records = CONFIG.replace("max_steps: 3", "max_length: {records: 90}")
    directory = script(tmp_path, code, records if name == "a length in records" else CONFIG)
    before = read_tree(directory)

    result = migrate([directory])

    assert said in "\n".join(map(str, result.findings))
    assert result.files == []
    assert read_tree(directory) == before


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"const.yaml": CONFIG.replace("train.py", "tain.py")}, "const.yaml:1: scan: entrypoint."),
        ({"other.yaml": CONFIG.replace("train.py", "b.py")}, "the configs name several scripts"),
        (
            {
                "const.yaml": CONFIG.replace("train.py", "my-train.py"),
                "my-train.py": f"{IMPORTS}{DATA}{MODEL}{FIT}",
            },
            "an entrypoint cannot name my-train.py",
        ),
        (
            {
                "t.py": "from pedl.frameworks.keras import TFKerasTrial\n\n\n"
                "class T(TFKerasTrial):\n    pass\n"
            },
            "a script beside the trial T",
        ),
        ({"tool.py": "import pedl\nfrom train import load\n"}, "tool.py imports the script"),
        (
            {"const.yaml": CONFIG.replace("train.py", "train.py, more: 1")},
            "entrypoint: expected nothing beside script",
        ),
    ],
)
def test_a_directory_that_is_not_one_script_is_left(
    files: dict[str, str], said: str, tmp_path: Path
) -> None:
    write_tree(script(tmp_path, f"{DATA}{MODEL}{FIT}"), files)

    result = migrate([tmp_path])

    assert said in "\n".join(map(str, result.findings)).replace(f"{tmp_path}/", "")
    assert result.findings
    assert result.files == []


def test_the_context_reaches_the_functions_that_ask_it(tmp_path: Path) -> None:
    asking = (
        "def seed() -> int:\n    return pedl.get_trial_seed()\n\n\n"
        "def load(n: int):\n    return np.full(n, seed())\n\n\n"
        f"{DATA}z = [load(n) for n in (1, 2)]\nlater = lambda: load(3)\n{MODEL}{FIT}"
        "print(load(4))\n"
    )
    text = migrated(script(tmp_path, asking))["train.py"].decode()

    for line in (
        "def seed(context: TFKerasTrialContext) -> int:\n    return context.get_trial_seed()",
        "def load(context: TFKerasTrialContext, n: int):\n    return np.full(n, seed(context))",
        "z = [load(self.context, n) for n in (1, 2)]",
        "later = lambda: load(context, 3)",
        "print(load(self.context, 4))",
    ):
        assert line in text
